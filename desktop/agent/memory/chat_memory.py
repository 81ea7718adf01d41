"""What a chat's agent may look up and remember; who may write how much, and what waits for a person."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal
from weakref import WeakKeyDictionary

from desktop.agent.core.session import Session
from desktop.agent.memory.book import MemoryBook, NotRemembered, Written, new_memory_id
from desktop.agent.memory.finding import file_marks, find
from desktop.agent.memory.meaning import Meaning
from desktop.domain.core.errors import StoreError
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.values import Entry, FileMark, MemoryHit, MemoryUse, Source
from desktop.policy.memory.writes import beginning, refusal, speaks_of_permission
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import head_commit
from desktop.store.core.memory import MemoryQuery, Owner
from desktop.store.core.readings import Readings
from desktop.tools.offers import MemoryScope, ToRemember
from desktop.tools.tool import ToolError

_WAITS_TOLD: Mapping[str, str] = {
    "read": "this chat has read {}",
    "speaks": "it speaks about what is allowed, or to a model",
}

ADDS, SEARCHES, WINDOW_S = 10, 20, 60.0
"""So many of each in so many seconds, for one chat."""


class Rates:
    """When chats wrote and searched last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at: WeakKeyDictionary[Session, dict[str, list[float]]] = WeakKeyDictionary()

    def take(self, session: Session, what: Literal["added", "searched"]) -> None:
        """Count one. Raises ToolError, which names the wait, where it is one too many."""
        now = self._clock()
        most = ADDS if what == "added" else SEARCHES
        times = self._at.setdefault(session, {}).setdefault(what, [])
        times[:] = [at for at in times if at > now - WINDOW_S]
        if len(times) >= most:
            wait = max(1, round(times[0] + WINDOW_S - now))
            done = "written to" if what == "added" else what
            raise ToolError(f"The memory was {done} {most} times within a minute. Wait {wait} s.", summary="too often")
        times.append(now)


@dataclass(frozen=True)
class MemoryKeeper:
    """What the memory of every chat works with."""

    book: MemoryBook
    readings: Readings
    rates: Rates
    meaning: Meaning

    def owners(self, session: Session) -> tuple[Owner, ...]:
        """Whose entries the chat may see: its project's, and those of the person."""
        return (("project", session.state.project_id), ("person", ""))


class SessionMemory:
    """The memory as one chat's agent has it."""

    def __init__(self, keeper: MemoryKeeper, session: Session) -> None:
        self._keeper = keeper
        self._session = session

    async def search(
        self, call_id: str, query: str, limit: int, scope: MemoryScope | None, owner: str, /
    ) -> tuple[MemoryHit, ...]:
        """The best hits; on record, also when there is none.

        Raises:
            ToolError: it cannot be searched, or is searched too often.
        """
        session, keeper = self._session, self._keeper
        self._refuse_scope(scope or "project", owner)
        keeper.rates.take(session, "searched")
        owners = keeper.owners(session)[:1] if scope == "project" else keeper.owners(session)
        began = time.monotonic()
        try:
            wanted = MemoryQuery(text=query, owners=owners, least=limit)
            found = await find(keeper.readings, wanted, keeper.book.now(), session.files)
            ordered = await keeper.meaning.ordered(query, found)
            finding = ordered.finding
        except StoreError as error:
            session.append(MemorySearched(call_id=call_id, ran=False, problem=str(error)[:300]), lazy=True)
            raise ToolError(f"The memory could not be searched: {error}", summary="failed") from error
        hits = finding.hits[:limit]
        if hits:
            keeper.book.store.used([one.entry.id for one in hits], keeper.book.now())
        session.append(
            MemorySearched(
                call_id=call_id,
                words=finding.found.words,
                problem=ordered.problem[:300],
                way=finding.found.way,
                found=len(finding.hits),
                used=tuple(uses(hits)),
                duration_ms=round((time.monotonic() - began) * 1000),
            ),
            lazy=True,
        )
        return hits

    async def add(self, call_id: str, wanted: ToRemember, scope: MemoryScope, owner: str, /) -> str:
        """What came of it, as a sentence (memory-ME4).

        Raises:
            ToolError: it is written too often, or for whom this chat may not.
        """
        self._refuse_scope(scope, owner)
        self._keeper.rates.take(self._session, "added")
        book, about = self._keeper.book, await asyncio.to_thread(_about, self._session.files, wanted.files)
        alike = await book.alike(self._keeper.readings, ("project", self._session.state.project_id), wanted.content)
        problem = refusal(wanted.content, book.redactor())
        if problem:
            return f"Not saved: {problem}."
        waits = self._waits_for(wanted.content)
        begins = beginning(wanted.category, pin=wanted.pin, strict=wanted.strict, quarantined=bool(waits))
        entry = self._entry(call_id, wanted, *about).model_copy(
            update={"status": begins.status, "tier": begins.tier, "confidence": begins.confidence}
        )
        written = Written("agent", self._session, call_id)
        try:
            if waits:
                book.add(entry, written)
                return f"Saved for review: a person must accept it first, because {waits}."
            if entry.tier == 1:
                book.refuse_pin(entry)
            merged = book.duplicate(entry, alike)
            if merged is not None:
                kept = book.change(merged, written, "merged")
                return f"Merged into {kept.id}." + begins.note
            kept = book.add(entry, written)
        except NotRemembered as error:
            return f"Not saved: {str(error).removesuffix('.')}."
        return f"Saved as candidate {kept.id}." + begins.note if kept.status == "candidate" else f"Saved {kept.id}."

    def pin(self, call_id: str, memory_id: str, pinned: bool, /) -> str:
        """Pin or unpin an entry; what came of it, as a sentence.

        Raises:
            ToolError: there is no such entry, or this chat may not pin it now.
        """
        book = self._keeper.book
        entry = book.store.get(memory_id)
        own = entry is not None and (entry.scope, entry.owner) in self._keeper.owners(self._session)
        if entry is None or not own or entry.status not in ("candidate", "promoted"):
            raise ToolError(f'There is no entry "{memory_id[:80]}".', summary="no such entry")
        if (waits := self._waits_for(entry.content)) or entry.category == "procedure":
            why = waits or "a procedure counts once a person accepts it"
            raise ToolError(f"Not pinned: {why}. A person can pin it in the panel Memory.", summary="not pinned")
        try:
            kept = book.pin(entry, pinned, Written("agent", self._session, call_id))
        except NotRemembered as error:
            raise ToolError(str(error), summary="not pinned") from error
        return f"Pinned {kept.id} (tier 1)." if pinned else f"Unpinned {kept.id} (tier 2)."

    def _refuse_scope(self, scope: MemoryScope, owner: str) -> None:
        if scope != "project":
            raise ToolError(f"This chat has no memory of scope {scope}: use project.", summary="no such scope")
        if owner not in ("", self._session.state.project_id):
            raise ToolError("This chat may use the memory of its own project alone.", summary="another owner")

    def _waits_for(self, content: str) -> str:
        """Why what this chat writes waits for a person, "" if it does not (memory-ME9)."""
        tainted, _reasons = self._session.taint
        if tainted:
            return _WAITS_TOLD["read"].format(tainted[0])
        return _WAITS_TOLD["speaks"] if speaks_of_permission(content) else ""

    def _entry(self, call_id: str, wanted: ToRemember, files: tuple[FileMark, ...], commit: str) -> Entry:
        session, now = self._session, self._keeper.book.now()
        source = Source(
            by="agent",
            session_id=session.session_id,
            call_id=call_id,
            lane_id=session.state.lane_id,
            commit=commit,
            tainted=session.taint[0],
        )
        return Entry(
            id=new_memory_id(),
            owner=session.state.project_id,
            content=wanted.content.strip(),
            category=wanted.category,
            importance=wanted.importance,
            files=files,
            source=source,
            chats=(session.root.session_id,),
            created_at=now,
            updated_at=now,
        )


def _about(files: LaneFiles | None, paths: Sequence[str]) -> tuple[tuple[FileMark, ...], str]:
    """The files of an entry and the commit of the lane, as they are now. Blocking."""
    return file_marks(files, paths), head_commit(files.root) if files is not None else ""


def uses(hits: tuple[MemoryHit, ...]) -> list[MemoryUse]:
    """What was given, as it stands in the record of a search."""
    return [MemoryUse(memory_id=one.entry.id, version=one.entry.version, parts=one.parts) for one in hits]
