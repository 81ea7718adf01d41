"""What a card offers beside a single yes: rules for commands, hosts and tools of servers, or why there is none."""

from collections.abc import Sequence
from typing import Any

from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.git_consent import GitChange
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import Verdict
from desktop.domain.display.text import has_tokens
from desktop.domain.gate.pending import GrantOffer, ShownCommand
from desktop.domain.gate.rules import Rule
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.lazy import texts_in
from desktop.policy.mcp.facts import McpFacts, may_grant
from desktop.policy.mcp.names import shown_name
from desktop.policy.network.hosts import Refused, check_allowed
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.offer import rule_offer
from desktop.policy.web import WebFacts
from desktop.records import dataclass
from desktop.tools.tool import Tool, ToolArgs

_ONCE = GrantOffer(scope="once", covers="Exactly this call, once.")
_HIDDEN = "It holds characters that cannot be seen."
_TAINTED = "This chat has read {}, so each call is allowed once only."


@dataclass(frozen=True)
class Grants:
    """The ways to allow a call, and in `prevented` why a command has none for longer, "" where it has."""

    offers: tuple[GrantOffer, ...] = (_ONCE,)
    prevented: str = ""


@dataclass(frozen=True)
class Asked:
    """A judged call as its card shows it. `edited`: a person's own version of it."""

    prepared: Prepared
    tool: Tool[Any]
    args: ToolArgs
    commands: tuple[ShownCommand, ...]
    git: GitChange | None
    edited: bool = False


def grants_of(asked: Asked, session: SessionGateFacts) -> Grants:
    """What a person may allow. A grant that could not be kept is absent (gate-C2, gate-C3, gate-R6)."""
    facts, decision = asked.prepared.facts, asked.prepared.decision
    if facts is None:
        return Grants()
    if decision.rule == "hosted_write" and decision.verdict is Verdict.ASK and not asked.edited:
        writes = "Every file change in this lane, until this chat is closed."
        return Grants((_ONCE, GrantOffer(scope="session", covers=writes)))
    hits = [hit for hit in decision.hits if hit.verdict is Verdict.ASK and not hit.liftable]
    for_hosts = facts.profile == "lane-hosts" and [hit.rule for hit in hits] == ["sandbox_wider"]
    if asked.edited and not for_hosts:
        return Grants()
    prevented = "" if for_hosts or not hits else hits[0].reason
    if session.tainted:
        prevented = _TAINTED.format(session.tainted[0])
    if any(has_tokens(text, multiline=True) for _path, _name, text in texts_in(asked.args.model_dump(mode="json"))):
        prevented = _HIDDEN
    if prevented:
        return Grants(prevented=prevented if facts.command is not None else "")
    if asked.git is not None:
        return Grants((_ONCE, asked.git.grant) if asked.git.grant is not None and not asked.edited else (_ONCE,))
    if facts.command is not None:
        return Grants((_ONCE, *host_offers(facts.hosts))) if for_hosts else _for_command(facts.command, asked.commands)
    return Grants((_ONCE, *_for_call(asked.tool, facts)))


def host_offers(hosts: tuple[str, ...]) -> tuple[GrantOffer, ...]:
    """Rules for the hosts alone: what else asks about the command asks again the next time."""
    names = ", ".join(hosts)
    chat = f"Commands may reach {names} until this chat is closed. This command runs once."
    project = (
        f"Commands may reach {names} in every lane of this project until you remove the rules. This command runs once."
    )
    return (
        GrantOffer(scope="session", covers=chat, hosts=hosts),
        GrantOffer(scope="project", covers=project, hosts=hosts),
    )


def host_rules(offer: GrantOffer, input_id: str) -> Sequence[Rule]:
    """The rules that an offer for hosts makes.

    Raises:
        CommandError: `rule_refused`, one of them is no host.
    """
    return [_host_rule(text, offer, input_id) for text in offer.hosts]


def _host_rule(text: str, offer: GrantOffer, input_id: str) -> Rule:
    host = check_allowed(text)
    if isinstance(host, Refused):
        raise CommandError("rule_refused", host.reason)
    below = host.pattern.startswith(".")
    return Rule(
        id="",
        decision="allow",
        kind="network",
        scope="session" if offer.scope == "session" else "project",
        host=host.pattern,
        ports=host.ports,
        created_by="card",
        request_id=input_id,
        match=(f"a{host.pattern}" if below else host.pattern,),
        not_match=(f"{host.pattern.removeprefix('.')}.example",),
    )


def _for_command(verdict: ShellVerdict, shown: tuple[ShownCommand, ...]) -> Grants:
    """A rule for each command that nothing covers, where every one of them can have one."""
    pairs = zip(verdict.simple, shown, strict=True)
    found = rule_offer(verdict, [command for command, show in pairs if show.state == "asks"])
    if not found.tokens:
        return Grants(prevented=found.prevented)
    names = " and ".join(f"`{' '.join(one)}`" for one in found.tokens)
    chat = f"{names} with anything after it, until this chat is closed."
    project = f"{names} with anything after it, in every lane of this project, until you remove the rule."
    return Grants(
        (
            _ONCE,
            GrantOffer(scope="session", covers=chat, tokens=found.tokens),
            GrantOffer(scope="project", covers=project, tokens=found.tokens),
        )
    )


def _for_call(tool: Tool[Any], facts: CallFacts) -> tuple[GrantOffer, ...]:
    if facts.web is not None:
        return _for_host(facts.web) if facts.web.usual else ()
    if facts.mcp is not None:
        return _for_server(facts.mcp) if may_grant(facts.mcp, sql=facts.sql is not None) else ()
    if "session" in tool.grants and facts.assessment.remember_key is not None:
        return (GrantOffer(scope="session", covers=facts.assessment.covers),)
    return ()


def _for_host(web: WebFacts) -> tuple[GrantOffer, ...]:
    """A host for the chat or the project, at the port of the address (gate-W5)."""
    chat = f"Every address of {web.host}, until this chat is closed or reads something from outside."
    project = f"Every address of {web.host}, in every lane of this project, until you remove the rule."
    return GrantOffer(scope="session", covers=chat), GrantOffer(scope="project", covers=project, host=web.host)


def _for_server(mcp: McpFacts) -> tuple[GrantOffer, ...]:
    """Every call of the tool, as long as its server describes it as it does now ."""
    calls = f"{shown_name(mcp.server, mcp.tool)} with any arguments, as the server describes it now"
    return (
        GrantOffer(scope="session", covers=f"{calls}, until this chat is closed."),
        GrantOffer(scope="project", covers=f"{calls}, in every chat of this project, until you remove the rule."),
    )
