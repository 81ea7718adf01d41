"""What a line with loops and variables is unfolded into holds every command that bash runs for it."""

import random
import subprocess
from pathlib import Path

from desktop.policy.shell.words.compound.unfold import unfold
from desktop.policy.shell.words.lexer import NotInSubset

_SHOW = "show() { local w; for w in show \"$@\"; do printf '%s\\0' \"$w\"; done; printf '\\1\\0'; }\n"
_WORDS = ("a", "b c", "'x y'", '"q"', "$f", '"$f"', "${g}", '"$f/$g"', "{a,b}", "x{1,2}y", "\\$f", "'$f'", '"a$"', "-n",
          "$((1+2))", "*", "F=1", "$F", '"$F.py"', "\\;", "#x", "a#b", "~", "{}", '"\\$g"', "''")  # fmt: skip
_LINES = 500


def _simple(rng: random.Random) -> str:
    return "show " + " ".join(rng.choice(_WORDS) for _ in range(rng.randint(0, 4)))


def _line(rng: random.Random, depth: int = 0) -> str:
    kind = rng.randrange(8 if depth < 2 else 2)
    if kind < 2:
        return _simple(rng)
    if kind == 2:
        name = rng.choice("fg")
        items = " ".join(rng.choice(_WORDS) for _ in range(rng.randint(1, 3)))
        end = rng.choice(["; ", "\n"])
        return f"for {name} in {items}{end}do {_line(rng, depth + 1)}{end}done"
    if kind == 3:
        return f"if {_line(rng, depth + 1)}; then {_line(rng, depth + 1)}; else {_line(rng, depth + 1)}; fi"
    if kind == 4 and not depth:
        return f"F={rng.choice(_WORDS)}{rng.choice(['; ', ' && ', chr(10)])}{_line(rng, depth)}"
    if kind == 5:
        return f"[[ {rng.choice(['-n', '! -f', '-z'])} {rng.choice(_WORDS)} ]] && {_line(rng, depth + 1)}"
    return f"{_line(rng, depth + 1)}{rng.choice(['; ', ' && ', ' || ', chr(10)])}{_line(rng, depth + 1)}"


def _of_bash(lines: list[str], folder: Path) -> list[list[list[str]]]:
    script = _SHOW + "".join(f"unset f g F; printf '\\2\\0'\n{line}\n" for line in lines)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", "--", script],
        capture_output=True, cwd=folder, timeout=20, check=False, stdin=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    found = done.stdout.decode().split("\2\0")[1:]
    return [[words.split("\0")[:-1] for words in line.split("\1\0")[:-1]] for line in found]


def _judged(line: str) -> list[list[str]] | None:
    try:
        commands = unfold(line)
    except NotInSubset:
        return None
    return [[word.text for word in command.words] for command in commands]


def test_every_command_that_bash_runs_was_judged(tmp_path: Path) -> None:
    rng = random.Random(20261123)
    lines: list[str] = []
    ours: list[list[list[str]]] = []
    tried = 0
    while len(lines) < _LINES:
        line = _line(rng)
        tried += 1
        found = _judged(line)
        if found is not None and (len(found) > 1 or not line.startswith("show")):
            lines.append(line)
            ours.append(found)

    answers = _of_bash(lines, tmp_path)

    assert len(answers) == len(lines)
    missed = [
        (line, argv) for line, mine, his in zip(lines, ours, answers, strict=True) for argv in his if argv not in mine
    ]
    assert missed == []
    assert sum(map(len, answers)) > _LINES
    assert tried < 30 * _LINES
