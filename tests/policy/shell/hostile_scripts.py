"""Calls of sed and awk whose scripts are cut and joined out of ones that only print and ones that do more."""

import random
import shlex
from collections.abc import Callable, Sequence

from tests.policy.shell.programs.test_scripts_of_sed_and_awk import AWK_MORE, AWK_READS, SED_MORE, SED_READS

PIECES = {
    "sed": (
        "w {}", "r {}", "R {}", "W {}", "w{}\n", "e", "e cat {}", "s/a/b/w {}", "s/a/b/e", "F", "Q", "l 5", "\\\n",
        "a\\", "i\\\n", "c x", "y/a/b/", ";", "\n", "{{", "}}", "/", "\\/", "[", "]", "[^/]", "#", "\\n", "!", "$",
        "1", ",", "s", "p", "}};", "|", "\\c", "&", "I", "M", "~", "+5", "0", " ", "b", "t x", ":x", "v", "z", "n",
        "N", "D",
    ),
    "awk": (
        "getline", 'getline < "{}"', 'getline x < "{}"', 'print > "{}"', 'print >> "{}"', '| "cat {}"',
        'system("cat {}")', '"cat {}" |', '@include "{}"', '@load "x"', "printf", "print", "{{", "}}", "(", ")", "/",
        '"', "\\", ";", "\n", "#", "$1", "NR", "NF", "=", "<", ">", "~", "!", "[", "]", ",", "ENVIRON",
        'ARGV[1]="{}"', 'FILENAME="{}"', '$0="{}"', "1", "+", "?", ":", "&&", "||", "BEGIN", "END", "in", "nextfile",
        "close", "fflush", "length", "substr", " ", "a=1",
    ),
}  # fmt: skip
"""`{}` stands for a file that no read may reach."""
PROGRAMS = {"sed": ("sed",), "awk": ("awk", "awk", "gawk", "mawk")}
OPTIONS = {
    "sed": ([], ["-n"], ["-n"], ["-E"], ["-nE"], ["-e"], ["-n", "-e"], ["-s"], ["-z"], ["--posix"]),
    "awk": ([], [], ["-F:"], ["-F", ","], ["-v", "n=1"], ["-v", "x={}"], ["-f", "{}"], ["-F", "{}"], ["--"]),
}
SCRIPTS = {"sed": ([*SED_READS], [*SED_MORE]), "awk": ([*AWK_READS], [*AWK_MORE])}


def script_line(rng: random.Random, hostile: Callable[[], str], inside: Sequence[str]) -> str:
    """One call."""
    language = rng.choice(("sed", "awk"))
    reads, more = SCRIPTS[language]
    script = rng.choice(reads)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        script = _changed(rng, script, rng.choice(reads if rng.random() < 0.6 else more), language)
    words = [rng.choice(PROGRAMS[language]), *rng.choice(OPTIONS[language]), script]
    words += ["-e", rng.choice(reads)] if words[-2] == "-e" and rng.random() < 0.5 else []
    operands = [rng.choice(inside) for _ in range(rng.choice((1, 1, 2)))]
    return shlex.join([word.replace("{}", hostile()) for word in words] + operands)


def _changed(rng: random.Random, script: str, other: str, language: str) -> str:
    """With a piece put in, a piece left out, or the end of another script."""
    at = rng.randrange(len(script) + 1)
    chance = rng.random()
    if chance < 0.5:
        return script[:at] + rng.choice(PIECES[language]).replace("{{", "{").replace("}}", "}") + script[at:]
    if chance < 0.65:
        return script[:at] + script[at + rng.randrange(1, 4) :]
    if chance < 0.85:
        return script[:at] + other[rng.randrange(len(other) + 1) :]
    return script + rng.choice((";", "\n", " ", "")) + other
