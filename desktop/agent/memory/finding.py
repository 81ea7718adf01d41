"""Finding entries for a chat: the search on a worker thread, which of their files changed, and the order."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from desktop.domain.core.errors import BanksmanError
from desktop.domain.memory.values import MOST_FILES, Entry, FileMark, MemoryHit
from desktop.policy.memory.ranking import Candidate, ranked
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.store.core.memory import FoundEntries, MemoryQuery
from desktop.store.core.readings import Readings

LOOKED_AT = 40
"""So many of the best are held against the lane's files."""


@dataclass(frozen=True)
class Finding:
    """The hits of a search, best first, and how it went."""

    hits: tuple[MemoryHit, ...]
    found: FoundEntries


async def find(readings: Readings, query: MemoryQuery, now: datetime, files: LaneFiles | None) -> Finding:
    """Search and rank. `files`: of the lane that asks.

    Raises:
        StoreError: the store cannot be read.
    """
    return await asyncio.to_thread(_find, readings, query, now, files)


def _find(readings: Readings, query: MemoryQuery, now: datetime, files: LaneFiles | None) -> Finding:
    found = readings.memory(query)
    candidates = [Candidate(one.entry, one.text, one.phrase) for one in found.entries]
    order = ranked(candidates, now)
    best = [hit.entry.id for hit in order[:LOOKED_AT] if hit.entry.files]
    if files is not None and best:
        marks = {one.entry.id: changed_files(files, one.entry) for one in found.entries if one.entry.id in best}
        order = ranked(candidates, now, lambda entry: marks.get(entry.id, ()))
    return Finding(tuple(order), found)


def changed_files(files: LaneFiles, entry: Entry) -> tuple[str, ...]:
    """The files of an entry that are gone from this lane, or have another content."""
    return tuple(one.path for one in entry.files if file_mark(files, one.path).sha256 != one.sha256)


def file_marks(files: LaneFiles | None, paths: Sequence[str]) -> tuple[FileMark, ...]:
    """These files of a lane as they are now, each once."""
    unique = tuple(dict.fromkeys(path for path in paths if path.strip()))[:MOST_FILES]
    return tuple(file_mark(files, path) if files is not None else FileMark(path=path) for path in unique)


def file_mark(files: LaneFiles, path: str) -> FileMark:
    """A file as it is now. What is not an ordinary file of the lane is not read and has no hash."""
    try:
        facts = files.resolve(path, "read")
        if facts.verdict != "inside" or not facts.exists:
            return FileMark(path=path)
        return FileMark(path=facts.rel or path, sha256=files.sha256(facts))
    except (BanksmanError, OSError, ValueError):
        return FileMark(path=path)
