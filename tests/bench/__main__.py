"""The figures that README.md tells, measured and written there: `python -m tests.bench [--cache FOLDER]`.

For a quiet machine; it takes some minutes and prints what it measures. The table stands between two marks.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.bench_step import CALLS, FILES, here, measure, row
from tests.bench.model_service import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
RUNS = 3
CHATS, STEPS = 16, 10
LONG = 1_000


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Write the figures of README.md.")
    parser.add_argument("--cache", type=Path, help="keeps the repositories")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        cache = (given.cache or Path(folder)).absolute()
        cache.mkdir(parents=True, exist_ok=True)
        lines = [*lanes(cache), "", *chats()]
    before, rest = README.read_text("utf-8").split(BEGIN)
    text = "\n".join(lines)
    README.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    sys.stdout.write(f"{text}\n")


def lanes(cache: Path) -> list[str]:
    """A row for each size of lane."""
    lines = [
        "| files in the lane | a step: median, least | turn | its processor time | first request | memory |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for files in FILES:
        calls = CALLS if files < max(FILES) else CALLS // 5
        (runs,) = measure([here()], files, calls, RUNS, cache)
        of = row(runs)
        lines.append(
            f"| {files:,} | {of['step p50 ms']:.1f}, {of['step min ms']:.1f} ms | {of['turn s']:.2f} s, {calls} calls "
            f"| {of['cpu s']:.2f} s | {of['first request s']:.2f} s | {of['MiB']:.0f} MiB |"
        )
    return lines


def chats() -> list[str]:
    """What many chats and a long one cost, and the machine."""
    many = _printed("bench_many", CHATS, STEPS)
    growth = _printed("bench_growth", LONG, 0)
    together, mib = _number(r"([\d.]+) steps/s", many), _number(r"([\d.]+) MiB resident", many)
    stall = _number(r"loop stalls: max ([\d.]+) ms", many)
    late, grown = (
        _number(rf"step {LONG}: median ([\d.]+) ms", growth),
        _number(rf"step {LONG}: .* ([\d.]+) KiB", growth),
    )
    return [
        f"{CHATS} chats at once: {together} steps a second, {mib} MiB, longest stall of the engine {stall} ms. After "
        f"{LONG:,} steps of one chat",
        f"a step takes {late} ms (median) and has cost {grown} KiB. {os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}.",
    ]


def _printed(bench: str, *numbers: int) -> str:
    words = [sys.executable, "-m", f"tests.bench.{bench}", *map(str, numbers)]
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _number(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"{pattern} is not in: {text}")
    return found[1]


if __name__ == "__main__":
    main()
