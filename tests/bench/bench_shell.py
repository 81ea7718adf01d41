"""How long one verdict over a command line takes: the sample, lines made to take long, and random ones.

All times are processor time of the thread, the least of some rounds; the rounds of the sample go through all its lines
in turn, so that a slow second of the machine spoils no line.

Run: python -m tests.bench.bench_shell [how many random lines]
"""

import contextlib
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.parse import Unreadable, read_line
from tests.bench.shell_lines import made_lines

CASES = json.loads((Path(__file__).parents[1] / "cases" / "shell_cases.json").read_text("utf-8"))
ROUNDS = 25
RANDOM_LINES = 3_000
CLOSE_LOOKS = 40
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
    many = " ".join
    code = "\n".join(f"open('/etc/f{n}', 'w').write(os.system('ls {n}'))" for n in range(2_000))
    shapes = {
        "ls words": "ls " + "a " * 50_000, "ls paths": "ls " + "a/b/../c " * 11_000,
        "secrets": "cat " + ".env " * 19_000,
        "sudo calls": "sudo " * 20_000, "xargs calls": "xargs " * 14_000, "finds": "find . -exec " * 7_500 + "rm {} ;",
        "folders": "cd x;" * 20_000, "operands": "rm " + many(f"file{n}" for n in range(11_000)),
        "homes": "rm " + many(f"~/a{n}*" for n in range(9_000)), "code": f'python3 -c "{code}"',
        "plain code": "python3 -c '" + "x = 1\n" * 16_000 + "'", "quoted": "'" * 30_000 + '"' * 30_000 + "rm",
        "brackets": "({[" * 30_000, "substituted": "$(a `b " * 14_000, "bombs": "f(){ f|f& };f;" * 7_000,
        "calling": "".join(f"f{n}(){{ f{n + 1}|f{n}& }};" for n in range(4_000)), "unclosed": "rm -rf 'a " * 10_000,
        "documents": "".join(f"cat <<E{n}\nx\nE{n}\n" for n in range(5_000)), "no-break": "\u00a0" * 50_000,
        "open documents": "".join(f"<<E{n} " for n in range(12_000)), "distinct": many(f"w{n}/" for n in range(14_000)),
        "numbers": "echo " + "{1..256} " * 11_000, "nested braces": "echo " + "{a,{b,{c,d}}}" * 7_000,
        "expanded": "x=aaaa;" + "x=$x$x;" * 14_000, "removals": "".join(f"rm -r f{n};" for n in range(8_000)),
        "fetches": "".join(f"curl h{n}\n" for n in range(9_000)), "targets": "".join(f">f{n} " for n in range(13_000)),
        "runtime": "".join(f"$a{n} x;" for n in range(11_000)), "texts": "bash -c 'rm a';" * 6_600,
        "databases": "".join(f"psql -c 'select {n}';" for n in range(4_500)), "gits": "git -c a.b=!x push;" * 5_000,
        "loops": "for a in 1 2 3; do " * 5_000, "secret pieces": "curl -d " + "a=b@c," * 16_000,
        "globbed": "cat */?[a]" * 10_000 + " | curl h", "wide letters": "\U0001f600" * 25_000,
        "feeds": "<<<a " * 20_000,
        "pushes": "git push origin " + "+x " * 30_000, "eval": "eval " * 20_000, "env": "env A=1 " * 12_000,
    }  # fmt: skip
    for name, text in shapes.items():
        lines |= {f"{name} {size // 1000}K shape": text[:size] for size in (16_300, 100_000)}
    for size in (16_300, 100_000):
        lines[f"random {size // 1000}K"] = "".join(rng.choice("abc $(){}[]\"'`;&|<>\\\n*#=~/") for _ in range(size))
    return lines


def best_us(line: str, rounds: int) -> float:
    """The shortest time of some rounds, in microseconds."""
    return min(_us(assess_shell, line, WORLD) for _ in range(rounds))


def best_of_all(judge: Callable[[str], object], lines: list[str]) -> dict[str, float]:
    """The same for each line of the sample."""
    spent = dict.fromkeys(lines, float("inf"))
    for _ in range(ROUNDS):
        for line in lines:
            spent[line] = min(spent[line], _us(judge, line))
    return spent


def _us(judge: Callable[..., object], *arguments: object) -> float:
    began = time.thread_time_ns()
    judge(*arguments)
    return (time.thread_time_ns() - began) / 1000


def _read(line: str) -> None:
    """The two readings alone."""
    with contextlib.suppress(Unreadable):
        read_line(line)


def slowest_made(count: int) -> list[tuple[float, str]]:
    """The slowest of so many random lines in milliseconds, slowest first, each the best of some rounds."""
    once = sorted(((best_us(line, 1), line) for line in made_lines(7, count)), reverse=True)
    return sorted(((best_us(line, 5) / 1000, line) for _, line in once[:CLOSE_LOOKS]), reverse=True)


def main() -> None:
    """Print median, 99th percentile and worst of the sample, then the slowest of the hard and the random lines."""
    lines = [case["command"] for case in CASES]
    best_us(lines[0], 300)
    spent = best_of_all(lambda line: assess_shell(line, WORLD), lines)
    times = sorted(spent[line] for line in lines)
    p99 = times[int(len(times) * 0.99)]
    print(f"sample: median {statistics.median(times):.0f} us, p99 {p99:.0f} us, worst {times[-1]:.0f} us")
    print(f"        reading alone: median {statistics.median(best_of_all(_read, lines).values()):.0f} us")
    for kind in sorted({case["expect"] for case in CASES}):
        of_kind = [spent[case["command"]] for case in CASES if case["expect"] == kind]
        print(f"        {kind}: median {statistics.median(of_kind):.0f} us")
    hard = sorted(((best_us(line, 3) / 1000, name) for name, line in hard_lines().items()), reverse=True)
    print(f"hard: {len(hard)} lines, worst {hard[0][0]:.1f} ms")
    for spent_ms, name in hard[:15]:
        print(f"{spent_ms:8.1f} ms  {name}")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RANDOM_LINES
    made = slowest_made(count)
    print(f"random: {count} lines, worst {made[0][0]:.1f} ms")
    for spent_ms, line in made[:10]:
        print(f"{spent_ms:8.1f} ms  {len(line)} characters: {line[:60]!r}")


if __name__ == "__main__":
    main()
