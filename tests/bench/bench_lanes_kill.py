"""python -m tests.bench.bench_lanes_kill [ROUNDS]: kill the engine at every call of git of every operation on lanes.

Each operation is begun anew and its engine killed before, and after, its first, second, third … call of git, until it
lives; then ROUNDS random sequences. After each death a new engine goes on, and every byte must be found.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.agent.lane_kill import LaneLife, Nursery
from tests.agent.lanes.test_lane_kills import run_sequences
from tests.agent.rig import git

CALLS_AT_MOST = 90


def prepared(life: LaneLife) -> dict[str, Any]:
    """A lane with commits, staged, changed and new files, a commit that only its log names, and an ignored secret."""
    life.create()
    lane = life.lanes("active")[-1]
    folder = Path(lane["worktree_path"])
    life.write(lane, "committed.txt")
    life.commit(lane)
    life.write(lane, "dropped.txt")
    life.commit(lane)
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    life.write(lane, "staged.txt", stage=True)
    life.write(lane, "deep/changed.bin")
    return lane


def archived(life: LaneLife) -> dict[str, Any]:
    """One whose folder was given up."""
    lane = prepared(life)
    life.tell("archive", lane_id=lane["id"], free_disk=True)
    return next(one for one in life.lanes("archived") if one["id"] == lane["id"])


def deleted(life: LaneLife) -> str:
    """The trash id of one that was deleted with its branch."""
    lane = prepared(life)
    life.tell("delete", lane_ids=[lane["id"]], with_branch=True)
    return next(trash_id for trash_id, lane_id, _ in life.state["trash"] if lane_id == lane["id"])


def unlinked(life: LaneLife) -> dict[str, Any]:
    """One without its .git file."""
    lane = prepared(life)
    life.kill()
    Path(lane["worktree_path"], ".git").unlink()
    life.settle()
    while lane["id"] not in life.state["offers"]:
        life.settle()
    return lane


OPERATIONS: dict[str, Callable[[LaneLife, dict[str, Any]], bool]] = {
    "create": lambda life, kill: _created(life, kill),
    "delete": lambda life, kill: life.tell("delete", lane_ids=[prepared(life)["id"]], with_branch=True, **kill),
    "archive": lambda life, kill: life.tell("archive", lane_id=prepared(life)["id"], free_disk=True, **kill),
    "unarchive": lambda life, kill: life.tell("unarchive", lane_id=archived(life)["id"], **kill),
    "restore": lambda life, kill: life.tell("restore", trash_id=deleted(life), **kill),
    "delete archived": lambda life, kill: life.tell(
        "delete", lane_ids=[archived(life)["id"]], with_branch=True, **kill
    ),
    "repair": lambda life, kill: life.tell("repair", lane_id=unlinked(life)["id"], offer="restore_link", **kill),
}


def _created(life: LaneLife, kill: dict[str, Any]) -> bool:
    deaths = life.deaths
    life.create(**kill)
    return life.deaths == deaths


def at_every_call(name: str, nursery: Nursery) -> tuple[int, int]:
    """How many deaths the operation was given, and how many calls of git it makes."""
    deaths = 0
    for mode in ("before", "after"):
        for call in range(1, CALLS_AT_MOST):
            with tempfile.TemporaryDirectory() as folder:
                life = LaneLife(Path(folder), nursery)
                try:
                    lived = OPERATIONS[name](life, {"kill_at": call, "mode": mode})
                    life.check()
                finally:
                    life.close()
            if lived:
                break
            deaths += 1
    return deaths, call - 1


def at_random(nursery: Nursery) -> int:
    """One sequence in which deaths come after a random time; how many."""
    with tempfile.TemporaryDirectory() as folder:
        life = LaneLife(Path(folder), nursery)
        try:
            for _ in range(3):
                prepared(life)
            for _ in range(12):
                _one_random(life)
                life.check()
        finally:
            life.close()
        return life.deaths


def _one_random(life: LaneLife) -> None:
    after = {"kill_after_s": random.uniform(0.01, 0.8)}
    active, hidden, trash = life.lanes("active"), life.lanes("archived"), life.state["trash"]
    choices: list[Callable[[], object]] = []
    if active:
        lane = random.choice(active)
        choices += [
            lambda: life.tell("delete", lane_ids=[lane["id"]], with_branch=random.random() < 0.5, **after),
            lambda: life.tell("archive", lane_id=lane["id"], free_disk=True, **after),
            lambda: life.write(lane, f"more{random.randrange(4)}.txt"),
        ]
    if hidden:
        choices.append(lambda: life.tell("unarchive", lane_id=random.choice(hidden)["id"], **after))
    if trash:
        choices.append(lambda: life.tell("restore", trash_id=random.choice(trash)[0], **after))
    if len(active) < 2:
        choices.append(lambda: life.create(**after))
    random.choice(choices)()


def main() -> None:
    """Print what each operation was given, and the time it took."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    names = sys.argv[2:] or list(OPERATIONS)
    with tempfile.TemporaryDirectory() as folder:
        nursery = Nursery(Path(folder))
        for name in names:
            began = time.monotonic()
            deaths, calls = at_every_call(name, nursery)
            print(f"{name}: {calls} calls of git, {deaths} deaths, no byte lost ({time.monotonic() - began:.0f} s)")
        deaths = sum(at_random(nursery) for _ in range(rounds))
        print(f"{rounds} sequences with deaths after a random time: {deaths} deaths, no byte lost")
        run_sequences(nursery, number=rounds, steps=12)
        print(f"{rounds} random sequences of everything: no byte lost")
        nursery.close()


if __name__ == "__main__":
    main()
