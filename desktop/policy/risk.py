"""The risk of a call, for the badge and the gesture of a card (gate-C2). First match."""

from desktop.domain.core.permissions import Category
from desktop.domain.gate.pending import Risk, Subject
from desktop.policy.call_facts import CallFacts


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


def risk(call: CallFacts) -> Risk:
    """irreversible · high · medium · low."""
    if confirm_word(call):
        return "irreversible"
    if _is_high(call):
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


def _is_high(call: CallFacts) -> bool:
    unmodelled = call.command is not None and not call.command.simple
    opaque = call.sql is not None and call.sql.verdict.class_ == "opaque"
    paths = any(path.verdict in ("outside", "protected") for path in call.paths)
    named = call.command is not None and any(path.verdict in ("outside", "protected") for path in call.command.paths)
    return unmodelled or opaque or paths or named or call.profile in ("lane-hosts", "lane-open", "outside")
