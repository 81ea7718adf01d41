"""LaneNames: what can be named in the files of lanes, indexed off the loop and kept up with what changed."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from pathlib import Path

from desktop.agent.lanes.standing.causes import ALL, LaneCauses
from desktop.domain.chats.mentions import symbol_name
from desktop.domain.core.update import Update
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.records import dataclass
from desktop.services.files.name_index import Names, Ranked
from desktop.services.git.file_search import listed_files
from desktop.services.git.symbols import all_symbols

logger = logging.getLogger(__name__)

LOOK_AGAIN_S = 5.0
"""A list that opens looks again at files that nothing said of for so long: a person may have changed them elsewhere."""
MOST_FILES = 200_000


@dataclass
class _Lane:
    """What is known of the folder of one lane."""

    paths: Names = field(default_factory=lambda: Names(()))
    folders: Names = field(default_factory=lambda: Names(()))
    symbols: Names | None = None
    read_at: float | None = None
    symbols_at: float | None = None
    changed: bool = True
    symbols_changed: bool = True
    reading: asyncio.Task[None] | None = None
    reading_symbols: asyncio.Task[None] | None = None


class LaneNames:
    """Engine thread; git and indexing work aside. Folders are told apart by their paths. A search never waits for a
    reading: it answers from what is known, and says whether more is to come."""

    def __init__(self, lane_of: Callable[[str], str], folder_of: Callable[[str], str]) -> None:
        """`lane_of`: the lane of a chat; `folder_of`: the folder of a lane; "" for none."""
        self._causes = LaneCauses(lane_of)
        self._folder_of = folder_of
        self._lanes: dict[str, _Lane] = {}

    def saw(self, update: Update) -> None:
        """Whatever the engine says: what may have changed files has them read again when somebody asks."""
        if not self._lanes:
            return
        if isinstance(update, LaneStatusChanged):
            touched = frozenset(one.lane_id for one in update.statuses)
        else:
            touched = self._causes.touched(update)
        folders = set(self._lanes) if touched == ALL else set(map(self._folder_of, touched))
        for folder in folders & set(self._lanes):
            self.changed(folder)

    def changed(self, folder: str) -> None:
        """Something may have changed there, so that it is read again when somebody asks."""
        lane = self._lanes[folder]
        lane.changed = lane.symbols_changed = True

    def is_reading(self, folder: str, *, symbols: bool = False) -> bool:
        """Whether more is to come."""
        lane = self._lanes.get(folder)
        task = None if lane is None else lane.reading_symbols if symbols else lane.reading
        return task is not None and not task.done()

    def look(self, folder: str, *, symbols: bool = False, opening: bool = False) -> None:
        """Have the files of a folder read where something changed there; `opening`: a list opens."""
        lane = self._lanes.setdefault(folder, _Lane())
        now = time.monotonic()
        old = lane.read_at is None or (opening and now - lane.read_at > LOOK_AGAIN_S)
        if (lane.changed or old) and not self.is_reading(folder):
            lane.changed = False
            lane.reading = asyncio.create_task(self._read(folder, lane), name="names of a lane")
        old = lane.symbols_at is None or (opening and now - lane.symbols_at > LOOK_AGAIN_S)
        if symbols and (lane.symbols_changed or old) and not self.is_reading(folder, symbols=True):
            lane.symbols_changed = False
            lane.reading_symbols = asyncio.create_task(self._read_symbols(folder, lane), name="symbols of a lane")

    def files(self, folder: str, query: str, most: int, *, folders: bool = True, files: bool = True) -> list[Ranked]:
        """The files that fit, and the folders, whose paths end in a slash. Blocking for some milliseconds."""
        lane = self._lanes.get(folder)
        if lane is None:
            return []
        found = [*(lane.paths.ranked(query, most) if files else ())]
        found += lane.folders.ranked(query, most) if folders else ()
        return sorted(found, key=lambda one: (-one.weight, len(one.name), one.name))[:most]

    def symbols(self, folder: str, query: str, most: int) -> list[Ranked]:
        """The symbols that fit, as `path#name`. Blocking for some milliseconds."""
        lane = self._lanes.get(folder)
        return [] if lane is None or lane.symbols is None else lane.symbols.ranked(query, most)

    async def ready(self, folder: str) -> None:
        """Once the files of a folder are as they were just now."""
        self.look(folder)
        reading = self._lanes[folder].reading
        if reading is not None:
            await asyncio.wait({reading})

    def below(self, folder: str, prefix: str) -> list[str]:
        """The files whose paths begin so, sorted. Blocking."""
        lane = self._lanes.get(folder)
        return sorted(lane.paths.beginning(prefix)) if lane is not None else []

    def knows(self, folder: str, path: str) -> bool:
        """Whether there is such a file, as far as is known."""
        lane = self._lanes.get(folder)
        return lane is not None and path in lane.paths

    async def close(self) -> None:
        """Nothing is read any more."""
        tasks = [task for lane in self._lanes.values() for task in (lane.reading, lane.reading_symbols) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, folder: str, lane: _Lane) -> None:
        lane.read_at = time.monotonic()
        try:
            listed = await listed_files(Path(folder), include_ignored=False) or ()
        except OSError:
            logger.exception("the files of a lane could not be listed")
            return
        lane.paths, lane.folders = await asyncio.to_thread(_indexed, lane, listed[:MOST_FILES])

    async def _read_symbols(self, folder: str, lane: _Lane) -> None:
        lane.symbols_at = time.monotonic()
        try:
            found = await all_symbols(Path(folder))
        except OSError:
            logger.exception("the symbols of a lane could not be listed")
            return
        names = {symbol_name(one.path, one.name) for one in found}
        before = lane.symbols
        lane.symbols = await asyncio.to_thread(before.changed_to if before is not None else _symbol_names, names)


def _indexed(lane: _Lane, listed: Sequence[str]) -> tuple[Names, Names]:
    folders: set[str] = set()
    for path in listed:
        above = path.rpartition("/")[0]
        while above and f"{above}/" not in folders:
            folders.add(f"{above}/")
            above = above.rpartition("/")[0]
    return lane.paths.changed_to(listed), lane.folders.changed_to(folders)


def _symbol_names(names: Iterable[str]) -> Names:
    return Names(names, "#")
