"""Does an allow rule cover a simple command: it begins with the rule's words, and no other breaks out (gate-R12)."""

import re
from collections.abc import Sequence

from desktop.policy.shell.verdict import ShellWord, SimpleCommand
from desktop.policy.shell.words.assignments import split_assignments
from desktop.policy.shell.words.dangerous_options import (
    bare_cluster_option,
    behind_dashes,
    dangerous_option,
    names_machine,
    names_target,
    option_rows,
)
from desktop.policy.shell.words.option_row import OptionRow
from desktop.policy.shell.words.rule_tokens import evaluates, inner_tokens, lane_script, token_problem

_RUNS_THE_REST: dict[tuple[str, ...], str] = {("git", "bisect"): "run", ("git", "submodule"): "foreach"}
_HAS_COMMANDS = frozenset(
    ("git", name)
    for name in ("remote", "config", "submodule", "stash", "worktree", "notes", "bundle", "reflog", "bisect")
)
_ONLY_READS = ("--get", "-l", "--list")
_OPTION_WITH_PATH_OUT = re.compile(r"-{1,2}[A-Za-z0-9]+=?(/|~|\.\.(/|$))")
_VALUE_OUT = re.compile(r"[=:,](~|/(?!/)|\.\.(/|$))")


def covers(tokens: Sequence[str], command: SimpleCommand) -> bool:
    """Whether an allow rule with these tokens lets this simple command run. Its line must be coverable besides."""
    return begins_with(tokens, command) and not uncovered_reason(tokens, command)


def begins_with(tokens: Sequence[str], command: SimpleCommand) -> bool:
    """Whether the first words are the tokens, exactly and case-sensitively; the variables that are set for the command
    are those of the rule, no more and no fewer."""
    given, _ = split_assignments(tokens)
    return given == tuple([word.text for word in command.assigned]) and names_program(tokens, command)


def names_program(tokens: Sequence[str], command: SimpleCommand) -> bool:
    """Whether the command begins with the words of a rule but for the variables that either sets."""
    _, plain = split_assignments(tokens)
    return bool(plain) and tuple(command.argv[: len(plain)]) == plain


def uncovered_reason(tokens: Sequence[str], command: SimpleCommand) -> str:
    """Why a rule with these tokens does not cover the command, in words; "" when it does."""
    if not begins_with(tokens, command):
        if not names_program(tokens, command):
            return "It does not begin with the words of the rule."
        return f"{_set_for(command.spelled)} for it, and {_set_for(tokens)} by the rule."
    if problem := token_problem(tuple(tokens)):
        return problem
    _, tokens = split_assignments(tokens)
    if evaluates(command.argv) or (inner_tokens(tokens) is None and inner_tokens(command.argv) is not None):
        return f"{' '.join(command.argv[: len(tokens) + 1])} runs another program, which the rule does not name."
    if not command.coverable:
        return f"{command.redirect or 'A redirection'} stands with it, which no rule covers."
    if command.moved and (script := lane_script(tokens)):
        return f"{script} would be another file in the folder it runs in."
    for word in (*command.assigned, *command.words):
        if fault := _word_fault(word):
            return fault
    rows = option_rows(tokens)
    return _rest_fault(rows, tokens, command.argv[len(tokens) :])


def _set_for(words: Sequence[str]) -> str:
    given, _ = split_assignments(words)
    return f"{' '.join(given) or 'nothing'} is set"


def _word_fault(word: ShellWord) -> str:
    if word.special:
        return f"{word.text} holds a pattern or an expansion."
    if word.outside:
        return f"{word.text} leads to a place outside the lane or a protected one."
    return ""


def _rest_fault(rows: Sequence[OptionRow], tokens: Sequence[str], rest: Sequence[str]) -> str:
    word = _RUNS_THE_REST.get(tuple(tokens[:2]))
    if word is not None and word in rest:
        return f"{word} runs whatever follows it."
    if len(tokens) == 1 and rest and (option := bare_cluster_option(rows, rest[0])):
        return f"{option} can make it run or change something else."
    if rest and not rest[0].startswith("-") and dangerous_option(rows, tokens[-1]):
        return f"{rest[0]} is the value of {tokens[-1]}, which the rule leaves open."
    if operand := _open_sub_command(tokens, rest):
        return f"{operand} is a command of its own, which the rule leaves open."
    if "--" in tokens:
        rows = behind_dashes(rows)
    for word in rest:
        if fault := _further_word_fault(rows, word):
            return fault
        if word == "--":
            rows = behind_dashes(rows)
    return ""


def _open_sub_command(tokens: Sequence[str], rest: Sequence[str]) -> str:
    """The first operand, where the rule names only options of a command that has commands of its own: `git remote -v`
    is not `git remote -v update`."""
    more = tokens[2:]
    if tuple(tokens[:2]) not in _HAS_COMMANDS or not more or not all(word.startswith("-") for word in more):
        return ""
    if any(word.startswith(_ONLY_READS) for word in more):
        return ""
    return next((word for word in rest if not word.startswith("-")), "")


def _further_word_fault(rows: Sequence[OptionRow], word: str) -> str:
    if option := dangerous_option(rows, word):
        return f"{option} can make it run or change something else."
    if names_target(rows, word):
        return f"{word} names another target or sets a variable."
    if names_machine(rows, word):
        return f"{word} names another machine."
    if _OPTION_WITH_PATH_OUT.match(word) or _VALUE_OUT.search(word):
        return f"{word} names a place outside the lane."
    return ""
