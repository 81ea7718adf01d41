"""Our readings of a line give the very words that bash hands to the programs."""

import random
import subprocess
from pathlib import Path

from desktop.policy.shell.words.parse import Unreadable, read_line

_SHOW = "show() { local w; for w in \"$@\"; do printf '%s\\0' \"$w\"; done; printf '\\1\\0'; }\n"
_PLAIN = "abzAZ09_./,:+@%^=-]!#"
_QUOTED = " \t;&|<>()$`\"'\\*?[]{}~#!=x"
_LINES = 700


def _part(rng: random.Random) -> str:
    kind = rng.randrange(7)
    if kind < 3:
        return "".join(rng.choice(_PLAIN) for _ in range(rng.randint(1, 4)))
    if kind == 3:
        return "'" + "".join(rng.choice(_QUOTED.replace("'", "")) for _ in range(rng.randint(0, 5))) + "'"
    if kind == 4:
        inner = [
            rng.choice(["a", " ", "\\\\", '\\"', "\\$", "\\`", "\\x", "'", "*", "#", "\n"])
            for _ in range(rng.randint(0, 5))
        ]
        return '"' + "".join(inner) + '"'
    if kind == 5:
        return "\\" + rng.choice(_QUOTED)
    return rng.choice("*?[é~")


def _line(rng: random.Random) -> str:
    pieces = ["show"]
    for _ in range(rng.randint(0, 9)):
        kind = rng.randrange(12)
        blank = rng.choice([" ", "  ", "\t", " \\\n "])
        if kind == 0:
            pieces.append(rng.choice([";", " ; ", "\n", " && ", "&&", "; # ' note\n", "\n\n", " # x \\\n"]) + "show")
        elif kind == 1:
            pieces.append(blank + rng.choice(["2>&1", "2>/dev/null", "2> /dev/null", "</dev/null"]))
        else:
            pieces.append(blank + "".join(_part(rng) for _ in range(rng.randint(1, 4))))
    return "".join(pieces)


def _of_bash(lines: list[str], folder: Path) -> list[list[list[str]]]:
    script = _SHOW + "".join(f"printf '\\2\\0'\n{line}\n" for line in lines)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", "--", script],
        capture_output=True, cwd=folder, timeout=20, check=False, stdin=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    found = done.stdout.decode().split("\2\0")[1:]
    return [[words.split("\0")[:-1] for words in line.split("\1\0")[:-1]] for line in found]


def test_words_and_commands_are_those_that_bash_makes_of_a_line(tmp_path: Path) -> None:
    rng = random.Random(20261122)
    lines: list[str] = []
    ours: list[list[list[str]]] = []
    refused = 0
    while len(lines) < _LINES:
        line = _line(rng)
        try:
            commands = read_line(line)
        except Unreadable:
            refused += 1
            continue
        if any(not command.words or command.words[0].text != "show" for command in commands):
            continue
        lines.append(line)
        ours.append([[word.text for word in command.words[1:]] for command in commands])

    answers = _of_bash(lines, tmp_path)

    assert len(answers) == len(lines)
    assert [(line, mine) for line, mine, his in zip(lines, ours, answers, strict=True) if mine != his] == []
    assert refused < 3 * _LINES
