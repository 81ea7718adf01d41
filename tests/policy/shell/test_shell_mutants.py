"""No other way of writing a line that is not allowed gets it allowed, and what is refused stays refused (gate-D6)."""

import json
import random
import re
import shlex
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from desktop.cli.check_shell import check_shell
from desktop.policy.shell.words.lexer import LexedCommand, Word
from desktop.policy.shell.words.parse import Unreadable, read_line

CASES = json.loads((Path(__file__).parents[2] / "cases" / "shell_cases.json").read_text("utf-8"))
MUTANTS = 5_000
MAX_CHARS = 600
_PLAIN = re.compile(r"[A-Za-z0-9_./:,@%+-]{2,}")
_BUILT_IN = {"cd", "command", "eval", "exec", "source", ".", "history", "let", "declare", "coproc", "builtin", "[", ""}


@lru_cache(maxsize=4_000)
def _commands(line: str) -> tuple[LexedCommand, ...]:
    try:
        return tuple(read_line(line))
    except Unreadable:
        return ()


def _words(line: str) -> list[Word]:
    return [word for command in _commands(line) for word in command.words]


def _programs(line: str) -> list[Word]:
    return [command.words[0] for command in _commands(line) if command.words]


def _replaced(line: str, word: Word, text: str) -> str:
    return line[: word.start] + text + line[word.end :]


def quote_a_word(line: str, rng: random.Random) -> str:
    """The same words in other quotes."""
    found = [word for word in _words(line) if _PLAIN.fullmatch(line[word.start : word.end])]
    if not found:
        return line
    word = rng.choice(found)
    text, at = word.text, rng.randrange(1, len(word.text))
    spellings = [
        f"'{text}'", f'"{text}"', f"{text[:at]}''{text[at:]}", f'{text[:at]}""{text[at:]}', f"{text[:at]}\\{text[at:]}",
        f"\\{text}", f"'{text[:at]}'\"{text[at:]}\"", "".join(f"\\{char}" for char in text),
    ]  # fmt: skip
    return _replaced(line, word, rng.choice(spellings))


def stretch_a_blank(line: str, rng: random.Random) -> str:
    """Other blanks between the words, line continuations too."""
    words = _words(line)
    gaps = [(a.end, b.start) for a, b in pairwise(words) if line[a.end : b.start].strip(" \t") == ""]
    if not gaps:
        return line
    start, end = rng.choice(gaps)
    return line[:start] + rng.choice(["  ", "\t", " \t ", " \\\n", " \\\n  ", "   "]) + line[end:]


def pad(line: str, rng: random.Random) -> str:
    """Harmless commands, comments and blanks around it."""
    before = rng.choice(
        ["", " ", "true; ", "ls && ", "true\n", "# fine\n", "echo ok; ", "\n", "ls -la | head -3; ", "pwd\n"]
    )
    after = rng.choice(["", "\n", " ", "\n# done", "\ntrue", "\nls -la"])
    return before + line + after


def wrap(line: str, rng: random.Random) -> str:
    """The same line inside of something."""
    if "\n" in line or "#" in line:
        return line
    around = ["( {} )", "{{ {}; }}", "if true; then {}; fi", "while true; do {}; break; done", "true && {{ {}; }}"]
    return rng.choice(around).format(line)


def start_otherwise(line: str, rng: random.Random) -> str:
    """A program that starts the command, or a shell that runs the line."""
    programs = _programs(line)
    if not programs or programs[0].text in _BUILT_IN:
        return line
    starts = ["env {}", "command {}", "nohup {}", "time {}", "sudo {}", "nice -n 5 {}", "timeout 5 {}", "env -i A=1 {}"]
    shells = ["bash -c {}", "sh -c {}", "eval {}", "sudo bash -c {}"]
    if rng.random() < 0.6:
        return rng.choice(starts).format(line)
    return rng.choice(shells).format(shlex.quote(line))


def name_the_program_by_its_path(line: str, rng: random.Random) -> str:
    """The same program by its absolute path."""
    found = [word for word in _programs(line) if word.text not in _BUILT_IN and "/" not in word.text]
    if not found:
        return line
    word = rng.choice(found)
    return _replaced(line, word, rng.choice(["/bin/", "/usr/bin/", "/usr/./bin/"]) + word.text)


Mutation = Callable[[str, random.Random], str]
MUTATIONS: tuple[Mutation, ...] = (
    quote_a_word, quote_a_word, stretch_a_blank, pad, wrap, start_otherwise, name_the_program_by_its_path,
)  # fmt: skip


def _mutant(line: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        line = rng.choice(MUTATIONS)(line, rng)
    return line


@pytest.mark.promise("gate-D6")
@pytest.mark.timeout(120)  # thousands of verdicts
@pytest.mark.parametrize("seed", [7, 8, 9, 10])
def test_no_mutant_of_a_line_that_is_not_allowed_is_allowed(seed: int) -> None:
    rng = random.Random(seed)
    cases = [
        case
        for case in CASES
        if case["expect"] in ("ask", "deny", "not_allowed_by_rule") and len(case["command"]) <= MAX_CHARS
    ]
    wrong: list[tuple[str, str, str]] = []
    for _ in range(MUTANTS):
        case = rng.choice(cases)
        line = _mutant(case["command"], rng)
        answer = check_shell({"command": line, "rules": [case["rule"]] if case.get("rule") else []})
        if answer["verdict"] == "allow" or (case["expect"] == "deny" and answer["verdict"] != "deny"):
            wrong.append((case["command"], line, str(answer)))

    assert wrong[:20] == []
