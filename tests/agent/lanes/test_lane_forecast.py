"""What is foretold of lanes: their base, lanes that touch the same files, never a guess, and no work after the end."""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from desktop.agent.lanes.standing.forecast import Forecast, LaneForecast, ReadLane
from desktop.domain.core.clock import utc_now
from desktop.domain.lanes.lane import Lane
from desktop.services.files.leftovers import passing_prefix
from desktop.services.lanes.status import LaneReader, base_of, read_refs
from tests.agent.rig import git, make_repository
from tests.services.lane_place import NOW, add_lane

pytestmark = pytest.mark.asyncio
LINES = "".join(f"line {n}\n" for n in range(20))


class Place:
    """A repository with lanes that are read anew for each forecast."""

    def __init__(self, root: Path, *names: str) -> None:
        self.repository = make_repository(root / "shop", {"app.py": LINES, "other.py": LINES})
        self.lanes = {name: add_lane(self.repository, root / name, name, n) for n, name in enumerate(names, start=1)}
        self.told: list[Mapping[str, Forecast]] = []
        self.read: list[ReadLane] = []
        self.forecast = LaneForecast(lambda: self.read, self.told.append, utc_now, delay_s=0.01)

    def write(self, name: str, path: str, line: int, text: str) -> None:
        folder = self.repository if name == "main" else Path(self.lanes[name].worktree_path)
        lines = (folder / path).read_text().splitlines(keepends=True)
        lines[line] = text
        (folder / path).write_text("".join(lines))

    def commit(self, name: str) -> None:
        git(self.repository if name == "main" else Path(self.lanes[name].worktree_path), "commit", "-q", "-am", "work")

    async def foretell(self) -> dict[str, Forecast]:
        refs, reader = await read_refs(self.repository), LaneReader(lambda: NOW)
        parents = {lane.id: lane for lane in self.lanes.values()}
        self.read = [
            ReadLane(lane, await reader.read(lane, base_of(lane, parents.get(lane.parent_id), refs), refs))
            for lane in self.lanes.values()
        ]
        before = len(self.told)
        self.forecast.changed()
        async with asyncio.timeout(20):
            while len(self.told) == before:
                await asyncio.sleep(0.01)
        return {name: self.told[-1][lane.id] for name, lane in self.lanes.items()}


def overlap(forecast: Forecast, other: Lane) -> tuple[str, tuple[str, ...]] | None:
    return next(((o.prediction, o.files) for o in forecast.overlaps if o.lane_id == other.id), None)


async def test_bases_and_pairs_are_foretold_from_files_that_are_not_committed(tmp_path: Path) -> None:
    place = Place(tmp_path, "one", "two", "three", "four")
    place.write("one", "app.py", 4, "mine\n")
    place.write("two", "app.py", 4, "yours\n")
    place.write("three", "app.py", 15, "far away\n")
    await place.forecast.open(place.repository)
    try:
        told = await place.foretell()
        assert [told[name].base for name in place.lanes] == ["clean"] * 4
        assert overlap(told["one"], place.lanes["two"]) == ("conflict", ("app.py",))
        assert overlap(told["two"], place.lanes["one"]) == ("conflict", ("app.py",))
        assert overlap(told["one"], place.lanes["three"]) == ("clean", ("app.py",))
        assert told["four"].overlaps == ()
        assert [o.prediction for o in told["one"].overlaps] == ["conflict", "clean"]
        place.write("main", "app.py", 4, "theirs\n")
        place.commit("main")
        told = await place.foretell()
        assert (told["one"].base, told["one"].base_files) == ("conflict", ("app.py",))
        assert [told[name].base for name in ("three", "four")] == ["clean", "clean"]
    finally:
        await place.forecast.close()


async def test_lanes_of_one_stack_are_not_compared_and_what_cannot_be_told_is_unknown(tmp_path: Path) -> None:
    place = Place(tmp_path, "one", "two")
    place.lanes["two"] = place.lanes["two"].model_copy(update={"parent_id": place.lanes["one"].id})
    place.lanes["one"] = place.lanes["one"].model_copy(update={"base_ref": "nowhere"})
    place.write("one", "app.py", 4, "mine\n")
    place.write("two", "app.py", 4, "yours\n")
    await place.forecast.open(place.repository)
    try:
        told = await place.foretell()
        assert told["one"].overlaps == told["two"].overlaps == ()
        assert (told["one"].base, told["two"].base) == ("unknown", "clean")
    finally:
        await place.forecast.close()


async def test_after_its_end_nothing_is_told_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    place = Place(tmp_path, "one", "two")
    before = set(Path(tempfile.gettempdir()).glob(f"{passing_prefix()}*"))
    await place.forecast.open(place.repository)
    await place.foretell()
    place.forecast.changed()
    await place.forecast.close()
    told = len(place.told)
    await asyncio.sleep(0.1)
    assert len(place.told) == told
    assert set(Path(tempfile.gettempdir()).glob(f"{passing_prefix()}*")) == before
