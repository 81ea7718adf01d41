"""The lines of a card that warn: what needs judgement, and the secrets that a call holds (gate-V9, gate-K5)."""

from collections.abc import Iterator

from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.gate.redaction import Redactor
from desktop.policy.call_facts import CallFacts
from desktop.policy.gate_rules import secrets_words
from desktop.policy.lazy import command_warnings, leaving_paths, texts_in
from desktop.policy.path_words import path_warning
from desktop.tools.tool import ToolArgs

NOT_HELD = "The agent does this itself once it may; Banksman cannot hold it to what is shown here."
NO_READ_ONLY = "Banksman cannot make this server only read; it runs the SQL with the rights it has."


def warnings_of(prepared: Prepared, redactor: Redactor, lane_root: str) -> tuple[str, ...]:
    """The lines for the card of a judged call, each once."""
    facts = prepared.facts
    if facts is None or prepared.args is None:
        return ()
    lines = [path_warning(path.verdict, path.reason) for path in facts.paths if path.verdict != "inside"]
    if facts.secrets and prepared.decision.rule != "credential_use":  # else the reason says it
        lines += secrets_words(facts.secrets)
    if facts.origin == "acp" and facts.tool != "write_file":
        lines.append(NOT_HELD)
    lines += facts.web.flags if facts.web is not None else ()
    if facts.command is not None:
        command = str(prepared.args.model_dump().get("command", ""))
        lines += command_warnings(command)
        lines += [f"This command contains the secret {name}." for name in redactor.known_in(command)]
    if facts.mcp is not None:
        lines += _of_server(facts, prepared.args, redactor, lane_root)
    return tuple(dict.fromkeys(lines))


def _of_server(facts: CallFacts, args: ToolArgs, redactor: Redactor, lane_root: str) -> Iterator[str]:
    values = args.model_dump(mode="json")
    if facts.sql is not None:
        yield NO_READ_ONLY
    for path in leaving_paths(values, lane_root):
        yield f"{path} leads out of the lane. What the server may reach is what its sandbox lets it."
    for _path, _name, text in texts_in(values):
        yield from (f"This call contains the secret {name}." for name in redactor.known_in(text))
