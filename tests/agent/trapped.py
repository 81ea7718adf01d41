"""An engine on a repository that is full of traps."""

import subprocess
from pathlib import Path
from typing import TypeVar

import pytest

from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_lane_id
from desktop.domain.lanes.commands import CreateLane
from desktop.domain.lanes.lane import Lane
from tests.agent.rig import Rig
from tests.services.git_traps import Traps, without_traps
from tests.services.lane_place import tree_of

T = TypeVar("T")


def trapped(root: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Traps:
    """Traps in the repository and in our environment, none of them sprung; and a remote to push to."""
    traps = Traps(root)
    traps.plant(repository)
    without_traps(repository, "config", "user.name", "Petra")
    without_traps(repository, "config", "user.email", "petra@example.org")
    subprocess.run(["git", "clone", "-q", "--bare", str(repository), str(root / "origin.git")], check=True)
    without_traps(repository, "remote", "add", "origin", str(root / "origin.git"))
    for name, value in traps.environment().items():
        monkeypatch.setenv(name, value)
    traps.forget()
    return traps


def checkout(root: Path) -> dict[str, bytes]:
    """The files of the person's checkout, its index and its HEAD."""
    files = {name: data for name, data in tree_of(root).items() if not name.startswith(".git/")}
    return {
        **files,
        **{
            name: (root / ".git" / name).read_bytes()
            for name in ("index", "HEAD", "ORIG_HEAD")
            if (root / ".git" / name).exists()
        },
    }


class Lanes:
    """An engine on a repository full of traps; after each command nothing has failed and no trap is sprung."""

    def __init__(self, rig: Rig, traps: Traps) -> None:
        self.rig, self.traps = rig, traps

    async def do(self, command: Command, kind: type[T]) -> T:
        """Carry out a command; the update that answers it."""
        before = len(self.rig.updates)
        await self.rig.engine.handle(command)
        answer = await self.rig.until(lambda updates: next((u for u in updates[before:] if isinstance(u, kind)), None))
        self.quiet(command.type)
        return answer

    def quiet(self, what: str) -> None:
        """Nothing failed, and no trap is sprung."""
        assert [(failed.code, failed.text) for failed in self.rig.failures()] == [], what
        assert self.traps.fired() == [], what

    def lane(self, lane_id: str) -> Lane:
        """The record of a lane."""
        lane = self.rig.engine.parts.base.ground.lanes.get(lane_id)
        assert lane is not None
        return lane

    async def make(self, name: str) -> Lane:
        """A new lane."""
        lane_id = new_lane_id()
        await self.rig.engine.handle(CreateLane(lane_id=lane_id, name=name, allow_behind=True, run_setup=False))
        self.quiet("create")
        return self.lane(lane_id)
