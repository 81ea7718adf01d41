"""Tries the rows of reads with hostile lines: those that the judgement calls a read run in a sandbox that tells what
they really reached.

    .venv/bin/python -m tests.policy.shell.hostile_run [SEED [COUNT]]     20,000 lines of seed 1
"""

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.options import Row
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import ShellVerdict
from tests.policy.shell.every_row import EVERY_ROW
from tests.policy.shell.hostile_lane import HostileLane, Judge, Reached
from tests.policy.shell.hostile_lines import HostileLines
from tests.policy.shell.program_options import Programs


@dataclass
class Trial:
    """What came of some lines. `reads`: so many of them were judged reads and run, `programs` by which."""

    lines: int
    reads: int
    programs: frozenset[str]
    not_ended: int
    reached: list[Reached]


def tried(
    folder: Path, seed: int, count: int, *, rows: dict[tuple[str, ...], Row] | None = None, judge: Judge = assess_shell
) -> Trial:
    """Judges and runs so many lines. `rows`, `judge`: others than those of the product."""
    for name in ("tried", "asked"):
        (folder / name).mkdir()
    lane = HostileLane(folder / "tried")
    programs = Programs(folder / "asked")
    told = {names: programs.options_of(*names) for names in rows or EVERY_ROW}
    lines = HostileLines(seed, lane.folder / "outside", told, rows).lines(count)
    used: list[str] = []
    reached = list(lane.run(_reads(lines, lane.world, judge, used)))
    return Trial(count, len(used), frozenset(used), lane.not_ended, reached)


def _reads(
    lines: Iterable[str], world: ShellWorld, judge: Judge, used: list[str]
) -> Iterator[tuple[str, ShellVerdict]]:
    for line in lines:
        verdict = judge(line, world)
        if verdict.proven_read and not verdict.deny:
            used.append(verdict.simple[0].argv[0])
            yield line, verdict


def main() -> None:
    """Tries and prints."""
    seed, count = (int(word) for word in (*sys.argv[1:3], *("1", "20000")[len(sys.argv[1:3]) :]))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trial = tried(Path(folder), seed, count)
    for one in trial.reached:
        print(f"{one.fault}: {one.line}")
    print(f"seed {seed}: {count} lines, {trial.reads} judged reads and run, of {len(trial.programs)} programs")
    print(f"{len(trial.reached)} faults; {trial.not_ended} did not end by themselves")
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(bool(trial.reached))


if __name__ == "__main__":
    main()
