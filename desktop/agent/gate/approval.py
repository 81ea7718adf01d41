"""The request that a card draws: everything it shows, frozen at the time of asking."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.consent import leaves_lane
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.edit_fields import edit_fields
from desktop.agent.gate.git_consent import git_change
from desktop.agent.gate.grants import Asked, grants_of
from desktop.domain.core.content import Card, CodeBlock, TextBlock
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import ApprovalRequest, RiskFlag, ShownCommand, ShownSql
from desktop.domain.gate.rules import Rule
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.gate.titles import is_verbatim
from desktop.domain.ledger.inverses import Doing, inverse_of
from desktop.policy.gate import CallFacts, SessionGateFacts
from desktop.policy.gate_rules import would_not_ask
from desktop.policy.risk import confirm_word, risk, subject
from desktop.policy.shell.verdict import ShellVerdict, SimpleCommand
from desktop.policy.shell.words.cover import covers
from desktop.records import dataclass
from desktop.services.databases.preview import counts_rows
from desktop.services.git.run import head_commit
from desktop.tools.tool import no_preview

HOSTED_WRITES_KEY = "hosted-writes"
_STAYS_HERE = frozenset({"create_lane"})
"""Tools of the category external whose effect is on this computer."""
_POSTED = "\nText:\n"
"""In a target, before the text that will stand there."""


@dataclass(frozen=True)
class Surroundings:
    """What a card says beside the call. `rules`: those in force; `changed`: what differs from the version that was
    allowed before, or one whole sentence that says what came of it; `asker`: who asks."""

    session: SessionGateFacts
    rules: Sequence[Rule] = ()
    report: SandboxReport | None = None
    warnings: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    asker: str = "Agent"


def _agent_says(values: Mapping[str, object]) -> str:
    """The agent's own words about a call, "" where they are its command once more."""
    words = str(values.get("description") or "").strip()
    return "" if words == str(values.get("command") or "").strip() else words


def approval_request(
    session: Session, prepared: Prepared, around: Surroundings, *, edited_from: str = ""
) -> ApprovalRequest:
    """The request for one judged call. `edited_from`: the digest of the agent's own version of it.

    Raises:
        BanksmanError: the call was never judged.
    """
    tool, args, facts, decision = prepared.tool, prepared.args, prepared.facts, prepared.decision
    if tool is None or args is None or facts is None:
        raise BanksmanError("A call that was never judged cannot be asked about.")
    lane = session.lane
    values = args.model_dump(mode="json")
    word = confirm_word(facts)
    shown = shown_commands(facts.command, around.rules) if facts.command is not None else ()
    git = git_change(session, facts)
    asked = Asked(prepared, tool, args, shown, git, edited=bool(edited_from))
    grants = grants_of(asked, around.session)
    card = _with_target(tool.card(args), facts.target)
    return ApprovalRequest(
        call_id=prepared.call_id,
        card=card if git is None else card.model_copy(update={"blocks": (*card.blocks, *git.blocks)}),
        category=tool.category,
        reason=_reason(decision.reason, around.changed),
        rule=decision.rule,
        hits=decision.hits,
        mode=session.mode,
        digest=prepared.action_digest,
        grants=grants.offers,
        no_grant=grants.prevented if not word else "",
        remember_key=_remember_key(facts, decision.rule) if git is None else git.key,
        risk_flags=_risk_flags(facts, irreversible=bool(word)),
        irreversible=bool(word),
        confirm_word=word,
        source=_agent_says(values),
        lane=lane.name if lane is not None else "",
        cwd=str(values.get("cwd") or "."),
        head=(head_commit(Path(lane.worktree_path)) or "") if leaves_lane(tool) and lane is not None else "",
        sandbox=around.session.sandbox if facts.profile.startswith("lane-") else "none",
        subject=subject(facts),
        risk=risk(facts, around.session),
        arguments=values,
        editable=tool.editable,
        fields=edit_fields(tool.schema, tool.editable),
        edited_from=edited_from,
        commands=shown,
        runs_lane_code=facts.command is not None and facts.command.runs_lane_code,
        network="hosts" if facts.profile == "lane-hosts" else "open" if facts.network else "off",
        hosts=facts.hosts,
        report_id=around.report.id if around.report is not None else "",
        sql=_shown_sql(facts),
        warnings=around.warnings,
        tainted=around.session.tainted,
        would_not_ask=would_not_ask(facts, around.session, decision.rule),
        **_undo(session, facts),
        preview=EffectPreview(on_click=True) if facts.web is not None and tool.preview is not no_preview else None,
        asker=around.asker,
        can_try=_can_try(facts, around.report, values),
        verbatim=is_verbatim(tool.name, values),
    )


def _can_try(facts: CallFacts, report: SandboxReport | None, values: dict[str, JsonValue]) -> bool:
    """Whether the command could run in a copy of the lane as it would run in the lane: in the ordinary sandbox, without
    the network and without secrets, to its end (memory-EP1)."""
    if facts.command is None or facts.assessment.proven_read or values.get("run_in_background"):
        return False
    if facts.origin == "acp":  # what was tried would not be what the guest does
        return False
    contained = report is not None and report.tier in ("bwrap", "landlock")
    return contained and facts.profile == "lane-off" and not facts.network and not facts.secrets


def _undo(session: Session, facts: CallFacts) -> dict[str, Any]:
    """What the ledger will say of it, as the same judgement says it before (memory-UL1)."""
    if facts.category is Category.READ and facts.assessment.category is Category.READ:
        return {}
    sql = facts.sql.verdict if facts.sql is not None else None
    rows = sql is not None and len(sql.statements) == 1 and counts_rows(sql.statements[0])
    doing = Doing(facts.tool, session.lane is not None, sql.dialect if sql is not None else "", rows)
    inverse = inverse_of(doing)
    until = session.now() + timedelta(days=inverse.days) if inverse.days else None
    how = " ".join(part for part in (inverse.how, inverse.not_covered) if part)
    return {"undoable": inverse.undoable, "undo_how": how, "undo_until": until}


def _with_target(card: Card, target: str) -> Card:
    """The card, saying first where it goes, and apart from that the text which a tool says will stand there."""
    if not target:
        return card
    where, _, text = target.partition(_POSTED)
    posted = (CodeBlock(language="markdown", text=text),) if text else ()
    return card.model_copy(update={"blocks": (TextBlock(text=where), *posted, *card.blocks)})


def shown_commands(verdict: ShellVerdict, rules: Sequence[Rule]) -> tuple[ShownCommand, ...]:
    """Each simple command with its words, and whether it is what the card is about."""
    return tuple(_shown_command(command, rules) for command in verdict.simple)


def _shown_command(command: SimpleCommand, rules: Sequence[Rule]) -> ShownCommand:
    covered = not command.proven and any(
        rule.decision == "allow" and rule.kind == "command" and covers(rule.tokens, command) for rule in rules
    )
    return ShownCommand(
        words=command.spelled,
        start=command.start,
        end=command.end,
        state="read" if command.proven else "rule" if covered else "asks",
        reason="" if command.proven or covered else command.reason,
    )


def _remember_key(facts: CallFacts, rule: str) -> str | None:
    return HOSTED_WRITES_KEY if rule == "hosted_write" else facts.assessment.remember_key


def _risk_flags(facts: CallFacts, *, irreversible: bool) -> tuple[RiskFlag, ...]:
    flags: list[RiskFlag] = []
    external = Category.EXTERNAL in (facts.category, facts.assessment.category)
    if facts.mcp is not None:
        external = facts.network
    if external and facts.sql is None and facts.tool not in _STAYS_HERE:
        flags.append("leaves_computer")
    if facts.sql is not None and not facts.sql.verdict.proven_read:
        flags.append("changes_schema" if facts.sql.verdict.class_ in ("schema", "privilege") else "changes_data")
        flags.append("not_proven")
    if facts.sql is not None and facts.sql.production:
        flags.append("production")
    if any(path.verdict == "outside" for path in facts.paths):
        flags.append("outside_lane")
    if any(path.verdict == "protected" for path in facts.paths):
        flags.append("protected")
    if irreversible:
        flags.append("irreversible")
    return tuple(flags)


def _shown_sql(facts: CallFacts) -> ShownSql | None:
    if facts.sql is None:
        return None
    verdict = facts.sql.verdict
    return ShownSql(
        connection=facts.sql.connection,
        dialect=verdict.dialect,
        target=facts.sql.target,
        production=facts.sql.production,
        kinds=tuple(dict.fromkeys(statement.kind for statement in verdict.statements)),
        tables=tuple(dict.fromkeys(table for statement in verdict.statements for table in statement.tables)),
        class_=verdict.class_,
        fragment=verdict.fragment,
        span=verdict.span,
    )


def _reason(reason: str, changed: tuple[str, ...]) -> str:
    """Why it asks, and, when an approval no longer fits, what is different now."""
    if not changed:
        return reason
    if changed[0].endswith("."):
        return f"{changed[0]} {reason}"
    return f"You allowed this before, but {', '.join(changed)} changed since. {reason}"
