"""The rows of the gate as functions, in the order in which they name a decision (gate 3)."""

from collections.abc import Callable, Iterable, Mapping

from desktop.domain.core.permissions import Category, PermissionMode, RuleHit, Verdict, mode_label
from desktop.domain.gate.rules import RuleMatch
from desktop.policy.call_facts import CallFacts, SecretFact, SessionGateFacts
from desktop.policy.children import budget_hits, many_hits, words_hits
from desktop.policy.mcp.facts import destructive_hits, pin_hits
from desktop.policy.modes import mode_reason, mode_row
from desktop.policy.paths import PathFacts
from desktop.policy.shell.read.git import GIT_CHANGED
from desktop.policy.shell.verdict import ShellPath
from desktop.policy.sql.verdict import SqlVerdict
from desktop.policy.web import address_hits, host_hits

Rule = Callable[[CallFacts, SessionGateFacts], Iterable[RuleHit]]
MAX_REASON_PATH = 300
CAN_PASS_ON = "The command can pass the key on."

_SQL_REASONS = {
    "write": "This SQL changes rows.",
    "schema": "This SQL changes the schema.",
    "destructive": "This SQL can lose rows or tables.",
    "privilege": "This SQL changes who may do what.",
    "transaction": "This SQL controls a transaction.",
    "session_state": "This SQL changes the state of the connection.",
    "opaque": "Banksman cannot tell what this SQL does.",
}


def memory_guard_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses changes until the memory was searched, in a turn that must begin with it (memory-ME20)."""
    runs = call.command is not None or (call.mcp is not None and call.mcp.writes_lane)
    command = runs and not call.assessment.proven_read
    if session.search_first and (Category.WRITE in categories(call) or command):
        yield _deny("memory_guard", "This turn changes things, and nothing was looked up in the memory yet.")


def primary_lane_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses changes in the person's own checkout, unless the person started the session on it (gate-G15)."""
    if session.on_primary and not session.primary_allowed and _changes_lane(call):
        yield _deny("primary_lane", "This is your own checkout, which is read-only for agents.")


def lane_moved_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses every call that touches the lane once another folder stands in its place."""
    if session.lane_moved and (call.paths or categories(call) != {Category.READ}):
        yield _deny("lane_moved", "The lane folder is not the one this chat was opened on.")


def deny_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses a command that must never run, whatever mode and rules say (gate-D4)."""
    for hit in call.command.deny if call.command is not None else ():
        if hit.severity == "forbid":
            yield _deny("deny", f"{_sentence(hit.reason)} ({hit.id})")


def agent_tools_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Holds a sub-agent to the commands that its file lists."""
    if call.command is not None and session.bash_words:
        yield from words_hits(session.bash_words, call.command)


def children_budget_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """A turn and a chat begin so many sub-agents and no more."""
    if call.children is not None:
        yield from budget_hits(call.children)


def many_children_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks once a turn before it begins more than a few sub-agents."""
    if call.children is not None:
        yield from many_hits(call.children)


def path_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Every named path is usable, inside the lane and not protected; the rest is asked or refused (gate-P1 to gate-P7).

    What a command names is asked at most: the command may never get as far as using it.
    """
    for facts in call.paths:
        if facts.verdict == "invalid" and not facts.exists:
            yield _path_hit("path", facts, f"{_shown(facts)} is not a usable path: {facts.reason}.")
    for facts in call.paths:
        if facts.verdict == "outside":
            yield _path_hit("path", facts, f"{_shown(facts)} is outside this lane: {facts.reason}.")
    for facts in call.paths:
        if facts.verdict == "protected":
            yield _path_hit("path", facts, f"{_shown(facts)} is protected: {facts.reason}.")
    for named in call.command.paths if call.command is not None else ():
        if named.verdict in ("outside", "protected"):
            yield _ask("path", _named_reason(named))


def file_kind_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks or refuses where a path is not a regular file of the lane's device with one name (gate-P5)."""
    for facts in call.paths:
        wrong_kind = facts.verdict == "invalid" and facts.exists
        if wrong_kind or (facts.verdict == "inside" and (facts.ask or facts.deny)):
            yield _path_hit("file_kind", facts, f"{_shown(facts)} cannot be used freely: {facts.reason}.")
        elif facts.hard_link and facts.ask:
            yield _ask("file_kind", f"{_shown(facts)} has {facts.nlink} names (hard links), all of them would change.")


def sandbox_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Git metadata is read-only in the sandbox, so nobody is asked about what cannot work (gate-S25)."""
    if call.command is not None and call.command.git_writes and call.profile.startswith("lane-"):
        yield _deny("sandbox", "Git's own files are read-only for commands in the sandbox. Use commit_changes.")
    if call.profile == "lane-hosts" and not session.keeps_hosts:
        yield _deny("sandbox", "The sandbox here cannot keep hosts apart. Ask for the network, or do without.")


def deny_confirm_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks about a command that cannot be taken back, in every mode, once only, with a word to type (gate-D4)."""
    for hit in call.command.deny if call.command is not None else ():
        if hit.severity == "confirm":
            yield _ask("deny_confirm", f"{_sentence(hit.reason)} ({hit.id})")


def sql_consent_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """SQL that is not proven to read asks in every mode, wherever it stands."""
    verdicts: list[SqlVerdict] = [] if call.sql is None else [call.sql.verdict]
    verdicts += call.command.sql if call.command is not None else ()
    for verdict in verdicts:
        if not verdict.proven_read:
            why = "" if verdict.code == verdict.class_ else verdict.reason  # else it says the same again
            yield _ask("sql_consent", f"{_SQL_REASONS.get(verdict.class_, '')} {why}".strip())


def mcp_pin_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses a tool of a server that is other than what a person accepted (gate-M3)."""
    if call.mcp is not None:
        yield from pin_hits(call.mcp)


def mcp_destructive_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks about a tool of which its server says that it destroys."""
    if call.mcp is not None:
        yield from destructive_hits(call.mcp)


def consent_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks in every mode about a call of which its tool says that it needs consent."""
    if call.assessment.needs_consent and call.sql is None:
        yield _ask("consent", call.assessment.reason or "This call needs your consent in every mode.")


def credential_use_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Each use of a secret is a person's to give, once, in every mode (memory-CR3)."""
    if call.secrets:
        yield _ask("credential_use", " ".join(secrets_words(call.secrets)))


def net_address_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Refuses an address of the web by its spelling, and one that gives a secret away (gate-W1)."""
    return address_hits(call.web)


def net_host_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """A host of the web that no grant names asks in every mode (gate-W5)."""
    return host_hits(call.web)


def sandbox_wider_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """More than the lane's own sandbox is a person's to give, once; hosts also by a rule that names them."""
    if call.profile == "lane-open":
        yield _ask("sandbox_wider", "The command asks for the network.")
    elif call.profile == "lane-hosts" and call.rules.hosts:
        names = ", ".join(_named_rule(match) for match in call.rules.hosts)
        yield RuleHit(rule="sandbox_wider", verdict=Verdict.ALLOW, reason=f"Its hosts are allowed by {names}.")
    elif call.profile == "lane-hosts":
        yield _ask("sandbox_wider", f"The command asks to reach {', '.join(call.hosts)}.")
    elif call.profile == "outside":
        yield _ask("sandbox_wider", "The command asks to run outside the sandbox, with your own rights.")


def taint_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks about each call that could carry a secret away, once the session has read one (gate-K6). What strangers
    wrote holds no secret: publishing asks after it, but in the mode in which a person looks afterwards (lanes-P30)."""
    if session.tainted and call.network:
        yield _ask("taint", f"This chat has read {session.tainted[0]}, and this call can reach the network.")
    elif session.tainted and call.publishes and (session.holds_secrets or session.mode is not PermissionMode.FULL_AUTO):
        yield _ask("taint", f"This chat has read {session.tainted[0]}, and this call publishes something.")


def deny_rules_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """A deny rule of any scope refuses."""
    for match in call.rules.deny:
        if match.quote:
            yield _deny("rule", f"Refused by a boundary in your user's words: “{match.quote}”. They can lift it.")
            continue
        text, scope, at = match.text, _SCOPES_TOLD[match.scope], match.created_at
        refused = f'Refused by the rule "{text}" ({scope}).'
        if at is not None:
            refused = f'Refused by the rule "{text}" ({scope}) of {at:%Y-%m-%d}.'
        yield _deny("rule", f"{refused} {match.reason}".strip())


def ask_rules_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """An ask rule of any scope asks, in full auto too."""
    for match in call.rules.ask:
        if match.quote:
            yield _ask("rule_ask", f"You said: “{match.quote}”.")
            continue
        yield _ask("rule_ask", f'The rule "{match.text}" ({_SCOPES_TOLD[match.scope]}) wants you to be asked.')


def rules_unreadable_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """While a file of rules cannot be read, nobody knows what it forbids (gate-R4)."""
    if call.rules.unreadable and categories(call) != {Category.READ}:
        yield _ask("rules_unreadable", f"The rules could not be read: {call.rules.unreadable}.")


def hosted_write_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """Asks about writes where no window owns the session, until a person gives the grant (gate-G13)."""
    writes = Category.WRITE in categories(call)
    if writes and session.mode is PermissionMode.EDIT and session.kind == "hosted" and not session.hosted_grant:
        yield _ask(
            "hosted_write", "This session has no window of its own, so changes to files ask until you allow them."
        )


def mode_rule(call: CallFacts, session: SessionGateFacts) -> Iterable[RuleHit]:
    """The table, taken for the tool's own category and for the assessed one; the stricter holds (gate-G5)."""
    proven = call.assessment.proven_read
    rows = [(mode_row(session.mode, c, proven_read=proven), c) for c in (call.category, call.assessment.category)]
    row, category = max(rows, key=lambda pair: pair[0].verdict)
    reason = mode_reason(session.mode, category, row.verdict, proven_read=proven)
    if row.verdict is Verdict.DENY and call.command is not None and call.command.reason:
        reason = f"{reason} {call.command.reason}"
    if row.verdict is Verdict.ASK and call.rules.note:
        reason = f"{reason} {call.rules.note}"
    if row.verdict is Verdict.ASK and _only_git_settings(call):
        reason = GIT_CHANGED
    yield RuleHit(rule="mode", verdict=row.verdict, reason=reason, liftable=row.verdict is Verdict.ASK)


def _only_git_settings(call: CallFacts) -> bool:
    """Whether it would be a proven read but for Git settings that changed."""
    simple = call.command.simple if call.command is not None else ()
    asks = [command for command in simple if not command.proven]
    return bool(asks) and all(command.reason == GIT_CHANGED for command in asks)


def secrets_words(secrets: Iterable[SecretFact]) -> list[str]:
    """What a call would be given, and what follows from it, in sentences."""
    given = tuple(secrets)
    passes_on = any(secret.way != "header" for secret in given)
    return [*map(secret_words, given), *([CAN_PASS_ON] if passes_on else [])]


def secret_words(secret: SecretFact) -> str:
    """What a call would be given, in one sentence."""
    if secret.way == "header":
        return f"{secret.host} is sent the secret {secret.title} in the header {secret.name}."
    if secret.way == "env":
        return f"The command is given the secret {secret.title} as the variable {secret.name}."
    return f"The command is given the secret {secret.title} as a file, whose path is in the variable {secret.name}."


def categories(call: CallFacts) -> set[Category]:
    """The categories of a call: that of its tool, and that of the tool's own assessment."""
    return {call.category, call.assessment.category}


def would_not_ask(call: CallFacts, session: SessionGateFacts, rule: str) -> str:
    """One sentence for people: what would have let a call run that asks because of `rule`."""
    if rule == "mode" and Category.BASH in categories(call):
        return f"A rule that covers the command, a command that only reads, or {mode_label(PermissionMode.FULL_AUTO)}."
    if rule == "mode":
        return f"{mode_label(PermissionMode.FULL_AUTO)} mode."
    if rule == "sandbox_wider" and call.profile == "lane-hosts":
        return "Rules that allow its hosts."
    if rule == "net_host" and call.web is not None and call.web.usual:
        return "A rule for this host, or allowing it for this chat."
    return _WOULD_NOT_ASK.get(rule, "Nothing: this asks in every mode.")


_WOULD_NOT_ASK = {
    "hosted_write": "Allowing every file change of this chat.",
    "rules_unreadable": "Mending the file of rules.",
    "taint": "Clearing the mark in the chat's menu, or a call that cannot reach the network.",
    "rule_ask": "Removing that rule in Settings.",
}


def _changes_lane(call: CallFacts) -> bool:
    if any(facts.op in {"write", "delete"} for facts in call.paths) or Category.WRITE in categories(call):
        return True
    if call.mcp is not None and not call.mcp.writes_lane:
        return False
    return Category.BASH in categories(call) and not call.assessment.proven_read


def _path_hit(rule: str, facts: PathFacts, reason: str) -> RuleHit:
    return RuleHit(rule=rule, verdict=Verdict.ASK if facts.ask else Verdict.DENY, reason=reason)


def _ask(rule: str, reason: str) -> RuleHit:
    return RuleHit(rule=rule, verdict=Verdict.ASK, reason=reason, liftable=False)


def _deny(rule: str, reason: str) -> RuleHit:
    return RuleHit(rule=rule, verdict=Verdict.DENY, reason=reason)


def _sentence(reason: str) -> str:
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."


def _shown(facts: PathFacts) -> str:
    return _quoted(facts.via_symlink or facts.raw)


def _named_reason(named: ShellPath) -> str:
    what = "is outside this lane" if named.verdict == "outside" else "is protected"
    why = f": {named.reason}" if named.reason else ""
    return f"The command names {_quoted(named.path)}, which {what}{why}."


def _quoted(path: str) -> str:
    return f"'{path}'" if len(path) <= MAX_REASON_PATH else f"'{path[:MAX_REASON_PATH]}…'"


_SCOPES_TOLD: Mapping[str, str] = {
    "managed": "this computer's administrator",
    "user": "yours",
    "project": "this project",
    "shared": "the repository's own file",
    "session": "this chat",
}


def _named_rule(match: RuleMatch) -> str:
    return f'the rule "{match.text}" ({_SCOPES_TOLD[match.scope]})'
