"""How long one verdict over a command line takes: the sample, and lines made to take long.

Run: PYTHONPATH=. python tests/bench/bench_shell.py
"""

import contextlib
import json
import random
import statistics
import time
from pathlib import Path

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.parse import Unreadable, read_line
from desktop.policy.shell.world import TextWorld

CASES = json.loads((Path(__file__).parents[1] / "cases" / "shell_cases.json").read_text("utf-8"))
ROUNDS = 9
WORLD = TextWorld()


def hard_lines() -> dict[str, str]:
    """Texts of 16 KB and of 100 KB that a careless judgement would choke on."""
    rng = random.Random(1)
    seeds = {
        "words": "a ", "one word": "a", "quotes": "''", "double": '"a"', "open": '"', "backslashes": "\\",
        "pipes": "a|", "ands": "a&&", "semicolons": "true;", "redirects": ">a ", "braces": "{", "parens": "(",
        "subst": "$(", "ticks": "`", "heredocs": "<<a ", "expansions": "${a", "brackets": "[", "globs": "* ",
        "stars": "*", "paths": "../", "slashes": "/", "ls": "ls a b;", "cd": "cd a;", "cats": "cat .env;",
        "escapes": "\\a", "comments": "#\n", "blanks": " ", "lines": "\n", "nested": "bash -c '",
        "finds": "find . -exec ", "sudo": "sudo ", "numbers": "1>&2 ", "hidden": "\u200b", "ors": "x||",
        "cases": "case x in ", "loops": "for a in b;do ", "psql": "psql -c 'select 1';", "greps": "grep -r x .;",
    }  # fmt: skip
    lines = {
        f"{name} {size // 1000}K": (text * size)[:size] for name, text in seeds.items() for size in (16_300, 100_000)
    }
    lines["ls words 16K"] = "ls " + "a " * 8_100
    lines["ls paths 16K"] = "ls " + "a/b/../c " * 1_800
    lines["cat .env 16K"] = "cat " + ".env " * 3_200
    lines["random 16K"] = "".join(rng.choice("abc $(){}[]\"'`;&|<>\\\n*#=~/") for _ in range(16_300))
    return lines


def best_us(line: str, rounds: int = ROUNDS) -> float:
    """The shortest processor time of some rounds, in microseconds."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        assess_shell(line, WORLD)
        found.append((time.process_time() - start) * 1e6)
    return min(found)


def reading_us(line: str) -> float:
    """The same for the two readings alone."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        with contextlib.suppress(Unreadable):
            read_line(line)
        found.append((time.process_time() - start) * 1e6)
    return min(found)


def main() -> None:
    """Print median, 99th percentile and worst of the sample, then the slowest of the hard lines."""
    lines = [case["command"] for case in CASES]
    times = sorted(best_us(line) for line in lines)
    p99 = times[int(len(times) * 0.99)]
    print(f"sample: median {statistics.median(times):.0f} us, p99 {p99:.0f} us, worst {times[-1]:.0f} us")
    print(f"        reading alone: median {statistics.median(map(reading_us, lines)):.0f} us")
    hard = sorted(((best_us(line, 3) / 1000, name) for name, line in hard_lines().items()), reverse=True)
    for spent_ms, name in hard[:12]:
        print(f"{spent_ms:8.1f} ms  {name}")


if __name__ == "__main__":
    main()
