"""The risk of a call, for the badge and the gesture of a card (gate-C2). First match."""

from desktop.domain.core.permissions import Category
from desktop.domain.gate.pending import Risk, Subject
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.shell.verdict import ShellVerdict


def confirm_word(call: CallFacts) -> str:
    """The word that must be typed before this may run, "" where one key is enough (gate-T3)."""
    hits = call.command.deny if call.command is not None else ()
    confirm = next((hit for hit in hits if hit.severity == "confirm"), None)
    if confirm is not None:
        return confirm.confirm_word
    if call.sql is not None and not call.sql.verdict.proven_read:
        tables = [table for statement in call.sql.verdict.statements for table in statement.tables]
        if call.sql.production:
            return call.sql.connection
        if call.sql.verdict.destructive or call.sql.verdict.class_ == "destructive":
            return tables[0] if tables else call.sql.connection
    if call.profile == "outside":
        return "outside"
    if call.secrets and call.network:
        return call.secrets[0].name
    secret = [path for path in call.paths if path.class_ == "secret" and path.op in ("write", "delete")]
    return secret[0].rel.rsplit("/", 1)[-1] if secret else ""


def risk(call: CallFacts, session: SessionGateFacts) -> Risk:
    """irreversible · high · medium · low. High is what nobody can tell, or what gets at more than the lane: where a
    sandbox stops everything else, a command without the network is not, whatever it does to the lane, which can be put
    back."""
    if confirm_word(call):
        return "irreversible"
    if _is_high(call, session):
        return "high"
    what = {call.category, call.assessment.category}
    if Category.EXTERNAL in what or (Category.BASH in what and not call.assessment.proven_read):
        return "medium"
    return "low"


def subject(call: CallFacts) -> Subject:
    """The kind of card that draws the call."""
    if call.command is not None:
        return "command"
    if call.sql is not None:
        return "sql"
    if call.mcp is not None:
        return "mcp"
    if Category.EXTERNAL in (call.category, call.assessment.category):
        return "external"
    if call.category is Category.WRITE:
        return "edit"
    return "path" if call.paths else "other"


def _is_high(call: CallFacts, session: SessionGateFacts) -> bool:
    if call.sql is not None and call.sql.verdict.class_ == "opaque":
        return True
    wider = call.profile in ("lane-hosts", "lane-open", "outside")
    if wider or any(path.verdict in ("outside", "protected") for path in call.paths):
        return True
    return call.command is not None and _command_is_high(call, call.command, session)


def _command_is_high(call: CallFacts, command: ShellVerdict, session: SessionGateFacts) -> bool:
    """Files that hold secrets can be read in every sandbox; what nobody can read, and places elsewhere, are as far as
    the sandbox lets them."""
    verdicts = {path.verdict for path in command.paths}
    if "protected" in verdicts or any(not sql.proven_read for sql in command.sql):
        return True
    kept = session.sandbox == "full" and call.profile == "lane-off"
    return not kept and (not command.simple or "outside" in verdicts)
