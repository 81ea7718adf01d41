"""Commands that try to have more read, or anything written, than their words seem to say: made from the rows of reads
and from lines that are known to be proven, the same ones for the same seed."""

import json
import random
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.policy.shell.read.options import Row, known_options
from desktop.policy.shell.read.tables_text import FIND_FLAGS, FIND_PATHS, FIND_VALUED
from desktop.policy.shell.words.parse import Unreadable, read_line
from tests.policy.shell.every_row import EVERY_ROW
from tests.policy.shell.hostile_lane import ARCHIVES, FILES, SECRETS
from tests.policy.shell.hostile_scripts import script_line
from tests.policy.shell.program_options import ProgramOptions
from tests.policy.shell.test_compound_lines import PROVEN as COMPOUND
from tests.policy.shell.test_names_handed_on import PROVEN as HANDED
from tests.policy.shell.test_proven_lines import PROVEN
from tests.policy.shell.test_rows_of_agents import PROVEN as AGENTS

Told = dict[tuple[str, ...], ProgramOptions | None]
Maker = Callable[[random.Random], list[str]]

CASES = Path(__file__).parents[2] / "cases"
_PARTS = re.compile(r"[^\s;|&()]+")
INSIDE = (*sorted(FILES), *ARCHIVES)
FOLDERS = ("src", "src/deep", "lib", "odd", "tests")
OUTSIDE = (
    "../outside/canary.txt", "../outside/canary.json", "../outside", "../outside/list0", "../outside/options",
    "../outside/script", "to-file", "to-folder", "to-folder/canary.txt", "src/../../outside/canary.txt",
)  # fmt: skip
WORDS = (
    "-",
    "--",
    "x",
    "alpha",
    ".",
    "a",
    "/dev/stdin",
    "/dev/fd/0",
    "/proc/self/environ",
    "always",
    "p",
    "$ENV",
    "env",
)
LIVE = ("$f", '"$f"', "$x", "${d}", '"$F"', "$HOME", "$PWD/..", "..", "*", "?", "*.txt", "$?", "{a,b}", "$(pwd)", "~")
"""Words of which bash makes others."""
PREFIXES = ("@", "=", "file://", "-o", "--output=", "+", ":", "./")
NUMBERS = ("1", "2", "5", "+1", "-1", "0", "7", "10")
MEANT = (
    "-o", "-f", "-w", "-T", "-R", "-L", "-x", "-X", "-O", "-I", "-F", "-C", "-i", "--output", "--file", "--files0-from",
    "--from-file", "--files-from", "--exec", "--pre", "--follow", "--reference", "--compress-program", "--no-index",
    "--temporary-directory", "--config", "--ext-diff", "--textconv", "--open-files-in-pager", "--exclude-from",
    "--include-from", "--starting-file", "--random-source", "--rawfile", "--slurpfile",
)  # fmt: skip
"""Options with which one program or another reads names, starts programs or writes."""


class HostileLines:
    """Lines for one seed. `outside`: the folder beside the lane, by its whole path; `told`: what programs say."""

    def __init__(self, seed: int, outside: Path, told: Told, rows: dict[tuple[str, ...], Row] | None = None) -> None:
        self._random = random.Random(seed)
        self._outside = (*OUTSIDE, f"{outside}/canary.txt", f"{outside}/canary.json", str(outside))
        self._told = told
        self._rows = rows or EVERY_ROW
        self._seeds = [line for line in _known_lines() if "sleep" not in line]

    def lines(self, count: int) -> Iterator[str]:
        """So many lines, from each row in turn, and as many again from the known ones where all rows are meant."""
        names = list(self._rows)
        for at in range(count):
            if self._rows is EVERY_ROW and at % 8 == 7:
                yield script_line(self._random, self._hostile, INSIDE)
            elif self._rows is EVERY_ROW and at % 3 == 2:
                yield self._changed_line(self._random.choice(self._seeds))
            elif self._rows is EVERY_ROW and at % 61 == 0:
                yield shlex.join(self._find())
            else:
                name = names[at % len(names)]
                yield shlex.join(self._mutated([*name, *self._call(name, self._rows[name])]))

    def _call(self, names: tuple[str, ...], row: Row) -> list[str]:
        """Options with their values, then operands."""
        known = known_options(row)
        words: list[str] = []
        if known and self._random.random() < 0.2:
            words += self._swallowing(known)
        else:
            for _ in range(self._random.choice((0, 1, 1, 2, 2, 3, 4))):
                words += self._option(names, known)
        if row.counts and self._random.random() < 0.1:
            words.append(f"-{self._random.randrange(9)}")
        operands = self._operands(row)
        if self._random.random() < 0.2:
            return [*operands, *words]
        return [*words, *operands]

    def _swallowing(self, known: dict[str, str]) -> list[str]:
        """Two options, the second where the first could take it for its value, which stands at the end."""
        first, second = self._random.choice(list(known)), self._random.choice(list(known))
        values = ["." if self._random.random() < 0.5 else self._value() for _ in known[second][1:]]
        if known[second]:
            values.append(self._value_of(known[second][-1]))
        return [first, second, *values, *([self._value_of(known[first][0])] if known[first] else [])]

    def _operands(self, row: Row) -> list[str]:
        if row.operands == "none":
            return [self._hostile()] if self._random.random() < 0.05 else []
        count = self._random.choice((0, 1, 1, 1, 2, 3))
        words = [self._hostile() if row.operands == "text" else self._inside() for _ in range(count)]
        if row.operands == "pattern":
            words.insert(0, self._value())
        if self._random.random() < 0.05:
            words.append(self._hostile())
        return words

    def _option(self, names: tuple[str, ...], known: dict[str, str]) -> list[str]:
        """One option, or a cluster of short ones, with what its row says that it takes, or something else."""
        chance = self._random.random()
        if not known or chance < 0.07:
            return self._unlisted(names)
        name = self._random.choice(list(known))
        if not name.startswith("--") and chance < 0.45:
            flags = [one[1] for one, sign in known.items() if len(one) == 2 and not sign]
            name = f"-{''.join(self._random.choices(flags or [name[1]], k=self._random.randrange(4)))}{name[1:]}"
        sign = known.get(name if name.startswith("--") else f"-{name[-1]}", "")
        if name.startswith("--") and self._random.random() < 0.1:
            name = name[: self._random.randrange(3, len(name) + 1)]
        if len(sign) > 1:
            return [name, *(self._value_of(one) for one in sign)]
        if not sign:
            return [name] if self._random.random() < 0.95 else [f"{name}={self._hostile()}"]
        value = self._value_of(sign)
        attached = f"{name}={value}" if name.startswith("--") else f"{name}{value}"
        if sign == ":":
            return self._random.choice(([name], [attached], [attached]))
        return self._random.choice(([attached], [name, value], [name, value], [name, value], [name]))

    def _unlisted(self, names: tuple[str, ...]) -> list[str]:
        """An option that the row does not list: of the program's help, or one that is dangerous somewhere."""
        program = self._told.get(names)
        name = self._random.choice([*MEANT, *(sorted(program.said) if program else ())])
        value = self._hostile()
        return self._random.choice(([name], [name, value], [f"{name}={value}"], [f"{name}{value}"]))

    def _value_of(self, sign: str) -> str:
        chance = self._random.random()
        if sign == "#":
            return self._random.choice(NUMBERS) if chance < 0.9 else self._hostile()
        if sign in "@%":
            return self._inside() if chance < 0.9 else self._hostile()
        return self._value()

    def _value(self) -> str:
        """A text that nobody judges as a path: the place where something hostile may hide."""
        chance = self._random.random()
        if chance < 0.55:
            return self._hostile()
        return self._random.choice(WORDS if chance < 0.85 else (*NUMBERS, *MEANT))

    def _hostile(self) -> str:
        place = self._random.choice((*self._outside, *SECRETS))
        return ("" if self._random.random() < 0.7 else self._random.choice(PREFIXES)) + place

    def _inside(self) -> str:
        return self._random.choice(FOLDERS if self._random.random() < 0.15 else INSIDE)

    def _mutated(self, words: list[str]) -> list[str]:
        """Perhaps changed once more: a word left out, given twice, moved, or one put between."""
        chance = self._random.random()
        if chance > 0.5 or len(words) < 3:
            return words
        at, other = (self._random.randrange(1, len(words)) for _ in range(2))
        if chance < 0.12:
            del words[at]
        elif chance < 0.2:
            words.insert(other, words[at])
        elif chance < 0.35:
            words[at], words[other] = words[other], words[at]
        elif chance < 0.42:
            words.insert(at, self._random.choice(("--", "-", "-", "--")))
        else:
            words.insert(at, self._value())
        return words

    def _find(self) -> list[str]:
        words = ["find", *self._random.sample(FOLDERS, k=self._random.randrange(3))]
        for _ in range(self._random.randrange(1, 5)):
            word = self._random.choice(sorted(FIND_FLAGS | FIND_VALUED | FIND_PATHS))
            value = self._random.choice(NUMBERS) if self._random.random() < 0.4 else self._value()
            words += [word, value] if word in FIND_VALUED | FIND_PATHS else [word]
        return self._mutated(words)

    def _changed_line(self, line: str) -> str:
        """A known line with one word or two put in, replaced, joined or taken out."""
        for _ in range(self._random.choice((1, 1, 2))):
            words = _words(line)
            if not words:
                return line
            start, end = self._random.choice(words)
            text = line[start:end]
            made = shlex.quote(self._random.choice((self._value(), self._hostile(), *self._unlisted(()))))
            if self._random.random() < 0.15:
                made = self._random.choice(LIVE)
            changed = self._random.choice(
                (
                    made,
                    f"{text} {made}",
                    f"{made} {text}",
                    f"{text}{made}",
                    f"{text}={made}",
                    f"@{text}",
                    f"{text} {text}",
                    "",
                )
            )
            line = line[:start] + changed + line[end:]
        return line


def _words(line: str) -> list[tuple[int, int]]:
    """Where the words behind each program stand; of a line with loops and the like, all of its words."""
    try:
        return [(word.start, word.end) for command in read_line(line) for word in command.words[1:]]
    except Unreadable:
        return [found.span() for found in _PARTS.finditer(line)]


def _known_lines() -> list[str]:
    cases = [
        case for name in ("shell_cases", "shell_cases_2") for case in json.loads((CASES / f"{name}.json").read_text())
    ]
    reads = [case["command"] for case in cases if case["expect"] == "read_only"]
    return [*PROVEN, *AGENTS, *COMPOUND, *COMPOUND, *HANDED, *HANDED, *reads]
