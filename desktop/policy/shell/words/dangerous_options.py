"""Options that make a program run something else or act elsewhere, so that no prefix rule covers them (gate-R12)."""

import re
from collections.abc import Iterable, Sequence

from desktop.policy.shell.words.dangerous_git import GIT, GIT_LONG, GIT_OWN, GIT_SHORT, GIT_VALUED
from desktop.policy.shell.words.dangerous_rows import PLAIN_PROPERTIES, ROWS
from desktop.policy.shell.words.option_row import EVERYWHERE, OptionRow
from desktop.policy.shell.words.rule_tokens import inner_tokens, program_names

_REMOTE = re.compile(r"\[[^/]*\]:|[^/]*:")
"""How a program that copies between machines knows that a word names another one."""


_ALSO_CLUSTERS = frozenset("acCdDEfFgHlmnNOpPqrsSvwyB")
"""Letters of npm and its kin, which make a cluster behind two dashes too."""


def option_rows(tokens: Sequence[str]) -> tuple[OptionRow, ...]:
    """The rows that speak about a command with this prefix: of its program and, behind a launcher, of the inner one."""
    found = [row for program in _programs(tokens) for row in _row(program, tokens)]
    return (*found, EVERYWHERE)


def behind_dashes(rows: Iterable[OptionRow]) -> tuple[OptionRow, ...]:
    """The rows as they hold for words that stand behind `--`."""
    return tuple(
        row.model_copy(update={"short": _without(row.short, row.before_dashes)}) if row.before_dashes else row
        for row in rows
    )


def _without(letters: str, others: str) -> str:
    return "".join(letter for letter in letters if letter not in others)


def dangerous_option(rows: Iterable[OptionRow], word: str) -> str:
    """The dangerous option that this word is or holds, "" if none. Every spelling counts: in a cluster, with its value
    attached, behind `=`, abbreviated."""
    return next((hit for hit in (_hit(row, word) for row in rows) if hit), "")


def bare_cluster_option(rows: Iterable[OptionRow], word: str) -> str:
    """The dangerous option in the first word behind the program, where that is a cluster of options even without a
    dash; "" if none."""
    letters = {letter for row in rows if row.bare_cluster for letter in row.short}
    return next((f"-{letter}" for letter in word if letter in letters), "")


def names_target(rows: Iterable[OptionRow], word: str) -> bool:
    """Whether the word would name another target of a runner, or set a variable of it."""
    return any(row.targets for row in rows) and (not word.startswith("-") or word == "-")


def names_machine(rows: Iterable[OptionRow], word: str) -> bool:
    """Whether the word, or the value in it, would name another machine: `host:path`, `host::module`."""
    if not any(row.remote for row in rows):
        return False
    return bool(_REMOTE.match(word.partition("=")[2] if word.startswith("-") else word))


def _programs(tokens: Sequence[str]) -> list[str]:
    programs = [tokens[0]]
    inner = inner_tokens(tokens)
    while inner:
        programs.append(inner[0])
        inner = inner_tokens(inner)
    return programs


def _row(program: str, tokens: Sequence[str]) -> tuple[OptionRow, ...]:
    row = next((ROWS[name] for name in program_names(program) if name in ROWS), None)
    if row is None:
        return ()
    if row is GIT:
        sub = tokens[1] if len(tokens) > 1 else ""
        more = {
            "short": _without(GIT.short, GIT_OWN.get(sub, "")) + GIT_SHORT.get(sub, ""),
            "valued": GIT_VALUED.get(sub, ""),
            "long": (*GIT.long, *GIT_LONG.get(sub, ())),
            "first_letters": (*GIT.first_letters, *(("+", ":") if sub == "push" else ())),
        }
        return (GIT.model_copy(update=more),)
    if row is ROWS["python"] and "-m" in tokens:  # a further -m is the module's own
        return (row.model_copy(update={"short": row.short.replace("m", "")}),)
    return (row,)


def _hit(row: OptionRow, word: str) -> str:
    if not word.startswith("-") or word in ("-", "--"):
        return next((word for begin in row.first_letters if word.startswith(begin)), "")
    if row is ROWS["mvn"] and word.startswith(PLAIN_PROPERTIES):
        return ""
    name = word.partition("=")[0].replace("_", "-")
    return _whole_name(row, name) or ("" if name.startswith("--") else _in_cluster(row, word[1:]))


def _whole_name(row: OptionRow, name: str) -> str:
    bare = name.lstrip("-")
    if row.any_dashes and bare and _ALSO_CLUSTERS.issuperset(bare) and (letter := set(bare) & set(row.short)):
        return f"-{min(letter)}"
    if name.startswith("--") or (row.any_dashes and len(bare) > 2):
        long = f"--{bare}".casefold()
        if hit := _meant(row, long, row.long):
            return hit
    return _meant(row, f"-{bare}", row.single)


def _meant(row: OptionRow, name: str, options: Sequence[str]) -> str:
    if name in row.harmless or not name.strip("-"):
        return ""
    for option in options:
        family = option.endswith("*") and name.startswith(option[:-1])
        if family or name == option or (not row.exact and option.rstrip("*").startswith(name)):
            return option.rstrip("*.")
    return ""


def _in_cluster(row: OptionRow, letters: str) -> str:
    for letter in letters:
        if letter in row.short:
            return f"-{letter}"
        if letter in row.valued or letter == "=":
            return ""
    return ""
