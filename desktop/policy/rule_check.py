"""Checks of a rule: whether it is valid (gate-R7), passes its own tests (gate-R8), may be saved (gate-R16), and what it
covers."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence

from desktop.domain.core.permissions import Category
from desktop.domain.gate.rules import Rule
from desktop.policy.network.hosts import Refused, check_allowed
from desktop.policy.rules import (
    CallSubject,
    covering_rules,
    glob_matches,
    host_matches,
    tightens,
)
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.assignments import spelled, split_assignments
from desktop.policy.shell.words.cover import covers
from desktop.policy.shell.words.dangerous_options import names_target, option_rows
from desktop.policy.shell.words.rule_tokens import runs_any_program, token_problem

Judge = Callable[[str], ShellVerdict]
"""The judgement over a whole command line, as real calls get it."""

_CONTROL = {"Cc", "Cf", "Zl", "Zp", "Cs"}
_SIBLINGS = {"deploy": "build", "push": "reset", "pip": "venv"}


def rule_fault(rule: Rule) -> str:
    """The fault that makes a rule invalid, in one sentence; "" when it is valid."""
    if not rule.text.strip(" ›"):
        return f"A rule of kind {rule.kind} needs {_target_field(rule)}."
    if any(unicodedata.category(char) in _CONTROL for char in "".join((*rule.tokens, rule.text))):
        return "It holds a control character or an invisible one."
    if rule.kind == "path" and (rule.glob.startswith(("/", "~")) or ".." in rule.glob.split("/")):
        return "A path is relative to the lane: no leading / or ~, and no .. in it."
    if rule.decision == "allow":
        return _allow_fault(rule)
    return "" if rule.kind != "command" or all(rule.tokens) else "A word of the rule is empty."


def _target_field(rule: Rule) -> str:
    names = {"command": "tokens", "path": "a glob", "network": "a host", "mcp": "a server and a tool", "tool": "a name"}
    return names.get(rule.kind, "a connection")


def _allow_fault(rule: Rule) -> str:
    if rule.scope == "managed":
        return "The file of the administrator may only ask and deny."
    if rule.outside:
        return "A rule for all but a pattern may only ask and deny."
    if rule.kind == "sql":
        return "A rule for SQL may only ask and deny."
    if rule.kind == "mcp" and ("*" in (rule.server, rule.tool) or not rule.pin_sha256):
        return "To allow a tool of a server, its name and its pin are needed."
    if rule.kind == "network":
        host = check_allowed(rule.host)
        return host.reason if isinstance(host, Refused) else ""
    return token_problem(rule.tokens) if rule.kind == "command" else ""


def own_test_fault(rule: Rule, judge: Judge) -> str:
    """The first of the rule's own tests that fails, in one sentence; "" when all pass."""
    for line in rule.match:
        if not matches_line(rule, line, judge):
            return f"It should match {line!r} and does not."
    for line in rule.not_match:
        if matches_line(rule, line, judge):
            return f"It should not match {line!r} and does."
    return ""


def matches_line(rule: Rule, line: str, judge: Judge) -> bool:
    """Whether the rule matches a target: for a command rule a whole command line, else a path, host, name, connection
    or `server/tool`. An allow rule matches a line when it alone covers what is not proven in it."""
    match rule.kind:
        case "command":
            return _matches_command(rule, line, judge(line))
        case "path":
            return glob_matches(rule.glob, line, exactly=rule.decision == "allow")
        case "network":
            return host_matches(rule.host, line)
        case "tool":
            return rule.name == line
        case "sql":
            return rule.connection in ("*", line)
    return line in (f"{rule.server}/{rule.tool}", rule.server if rule.tool == "*" else "")


def cover_together(rules: Sequence[Rule], verdict: ShellVerdict) -> bool:
    """Whether these allow rules cover what is not proven in a line, and one of them is about a command of it."""
    if covering_rules(rules, verdict) is None:
        return False
    return any(covers(rule.tokens, command) for rule in rules for command in verdict.simple)


def _matches_command(rule: Rule, line: str, verdict: ShellVerdict) -> bool:
    if rule.decision == "allow":
        return cover_together((rule,), verdict)
    return tightens(rule, CallSubject(tool="bash", category=Category.BASH, command=verdict, text=line))


def saving_problem(rule: Rule, judge: Judge, *, call: str = "") -> str:
    """Why the rule may not be saved, in one sentence; "" when it may. `call`: the command it is made from, "" if none.

    A rule made from a call must speak about that call (gate-R16); together with other rules it may be what lets it run.
    """
    if fault := rule_fault(rule) or own_test_fault(rule, judge):
        return fault
    if rule.decision == "allow" and not (rule.match and rule.not_match):
        return "A rule that allows needs at least one line that it matches and one that it does not."
    if not call or rule.kind != "command":
        return ""
    verdict = judge(call)
    if rule.decision != "allow":
        return "" if _matches_command(rule, call, verdict) else "The rule does not match this call."
    if not verdict.coverable or not any(covers(rule.tokens, command) for command in verdict.simple):
        return "The rule does not match this call."
    return ""


def example_lines(tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Three command lines that an allow rule with these tokens covers, and three that it does not."""
    base = spelled(tokens)
    match = (base, f"{base} --verbose", f"{base} 2>&1 | tail -n 20")
    return match, (spelled(_sibling(tokens)), f"{base}; rm -r build", f"{base} > out.txt")


_ALLOWS_TOLD: Mapping[str, str] = {
    "options": "{rule}, with any options after it",
    "anything": "{rule}, with anything after it",
    "any_options": "{rule}, with any options after it, so any program",
    "any_program": "{rule}, with anything after it, so any program",
    "not": "{rule}; redirections; substitutions",
}


def allows_sentence(tokens: Sequence[str]) -> tuple[str, str]:
    """The sentences on what an allow rule with these tokens covers and what it does not, for the editor's two lines."""
    _, plain = split_assignments(tokens)
    targets = bool(plain) and names_target(option_rows(plain), "x")
    form = _ALLOWS_TOLD["options" if targets else "anything"]
    if runs_any_program(tokens):
        form = _ALLOWS_TOLD["any_options" if targets else "any_program"]
    return form.format(rule=spelled(tokens)), _ALLOWS_TOLD["not"].format(rule=spelled(_sibling(tokens)))


def _sibling(tokens: Sequence[str]) -> tuple[str, ...]:
    """The words of another command; without the variables that a rule sets it is another one too."""
    given, plain = split_assignments(tokens)
    if given:
        return plain
    if len(tokens) == 1:
        return (f"{tokens[0]}-other",)
    return (*tokens[:-1], _SIBLINGS.get(tokens[-1], "pip" if "-m" in tokens[:-1] else _other(tokens)))


def _other(tokens: Sequence[str]) -> str:
    if tokens[-1].startswith("-") or "/" in tokens[-1] or "." in tokens[-1]:
        return "other"
    return "push" if tokens[0] == "git" else "deploy"
