"""`banksman check shell`: what the gate says of one command line (gate-J2)."""

from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.core.permissions import Assessment, Category, Decision, PermissionMode, Verdict
from desktop.domain.gate.rules import Rule
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import ShellWorld, TextWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.rule_tokens import token_problem
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.shell_world import LaneWorld

Line = dict[str, JsonValue]
MAX_COMMAND_BYTES = 100_000
_NOW = datetime(2000, 1, 1, tzinfo=UTC)
_SESSION = SessionGateFacts(mode=PermissionMode.EDIT, sandbox="full")
_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny"}


def check_shell(line: Line) -> Line:
    """`{"command", "rules"?, "lane"?}` → `{"verdict", "reason", "rule"}` for a bash call of an agent in edit mode.

    Raises:
        ValueError: a field is missing or has a wrong type, or the command cannot be one.
    """
    command = _command(line)
    rules = _rules(line)
    verdict = assess_shell(command, _world(line))
    decision = decide(_call(command, verdict, rules), _SESSION)
    return {
        "verdict": _WORDS[decision.verdict],
        "reason": decision.reason,
        "rule": _deciding(decision, verdict, rules),
    }


def _call(command: str, verdict: ShellVerdict, rules: tuple[Rule, ...]) -> CallFacts:
    category = Category.READ if verdict.proven_read else Category.BASH
    subject = CallSubject(tool="bash", category=Category.BASH, command=verdict, text=command)
    return CallFacts(
        tool="bash",
        category=Category.BASH,
        assessment=Assessment(category=category, proven_read=verdict.proven_read, reason=verdict.reason),
        command=verdict,
        rules=match_rules(rules, subject, _NOW),
    )


def _deciding(decision: Decision, verdict: ShellVerdict, rules: tuple[Rule, ...]) -> str | None:
    """None for a proven read, the text of the rule that lifted, else the row, with the class for deny hits."""
    if decision.lifted_by is not None:
        return next((rule.text for rule in rules if rule.id == decision.lifted_by), decision.lifted_by)
    if decision.verdict is Verdict.ALLOW:
        return None
    if decision.rule in ("deny", "deny_confirm"):
        severity = "forbid" if decision.rule == "deny" else "confirm"
        return next(f"deny:{hit.id}" for hit in verdict.deny if hit.severity == severity)
    return decision.rule


def _command(line: Line) -> str:
    command = line.get("command")
    if not isinstance(command, str):
        raise ValueError("The field command must be a string.")
    if "\0" in command or len(command.encode(errors="replace")) > MAX_COMMAND_BYTES:
        raise ValueError(f"The command holds a NUL or is longer than {MAX_COMMAND_BYTES} bytes.")
    return command


def _rules(line: Line) -> tuple[Rule, ...]:
    texts = line.get("rules")
    if texts is None:
        return ()
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("The field rules must be a list of strings.")
    rules = [
        Rule(id=f"r-{at}", decision="allow", kind="command", tokens=tuple(str(text).split()))
        for at, text in enumerate(texts)
    ]
    return tuple(rule for rule in rules if rule.tokens and not token_problem(rule.tokens))


def _world(line: Line) -> ShellWorld:
    lane = line.get("lane")
    if lane is None:
        return TextWorld(home=str(Path.home()))
    if not isinstance(lane, str):
        raise ValueError("The field lane must be a string.")
    root = Path(lane)
    if not root.is_absolute() or not root.is_dir():
        raise ValueError("The field lane must be the absolute path of a folder.")
    return LaneWorld(LaneFiles(root))
