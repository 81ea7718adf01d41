"""MemoryCommands: what people do with the memory in its panel."""

import asyncio
from collections.abc import Callable, Sequence

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.memory.book import NotRemembered, Written, new_memory_id
from desktop.agent.memory.chat_memory import MemoryKeeper
from desktop.agent.memory.finding import changed_files, file_marks, find
from desktop.agent.memory.given import searched_turns
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.core.work import Project
from desktop.domain.memory import commands as m
from desktop.domain.memory.updates import GivenEntry, MemoryChanged, MemoryFound, MemoryGiven, MemorySaved
from desktop.domain.memory.values import Entry, MemoryHit, MemoryUse, Scope, ScoreParts, Source, Status
from desktop.policy.memory.dedup import normal
from desktop.policy.memory.writes import secret_problem, text_problem
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.store.core.memory import MemoryQuery, Owner

_OF_PERSON: Owner = ("person", "")
_PERSON = Written("person")
_STATUSES: dict[m.MemoryList, tuple[Status, ...]] = {
    "all": ("candidate", "promoted"),
    "review": ("quarantined",),
    "stale": ("candidate", "promoted"),
    "archived": ("archived",),
}


@dataclass(frozen=True)
class Repository:
    """`project`: what is open; `find`: the session of an id; `chats`: the ids of all that there are."""

    project: Callable[[], Project | None]
    find: Callable[[str], Session]
    chats: Callable[[], Sequence[str]]


class MemoryCommands:
    """Engine thread only."""

    def __init__(self, keeper: MemoryKeeper, publish: Publish, place: Repository) -> None:
        self._keeper = keeper
        self._book = keeper.book
        self._publish = publish
        self._place = place

    def handlers(self) -> dict[type[Command], Handler]:
        """By kind of command, what carries it out."""
        return {
            m.SearchMemory: self._search,
            m.ShowGiven: self._given,
            m.SaveMemory: self._save,
            m.EditMemory: self._edit,
            m.PinMemory: self._pin,
            m.ArchiveMemory: self._archive,
            m.DeleteMemory: self._delete,
            m.RestoreMemory: self._restore,
            m.AcceptMemory: self._accept,
            m.ConfirmMemory: self._confirm,
        }

    def changed(self, owner: Owner) -> None:
        """Tell the window how much there is, if it can see these entries."""
        if owner in self.owners():
            self.tell()

    def tell(self) -> None:
        """Tell the window how much there is."""
        counts = [self._book.store.counts(*owner) for owner in self.owners()]
        review = sum(one.get("quarantined", 0) for one in counts)
        archived = sum(one.get("archived", 0) for one in counts)
        entries = sum(sum(one.values()) for one in counts) - review - archived
        self._publish(MemoryChanged(entries=entries, review=review, archived=archived))

    def owners(self) -> tuple[Owner, ...]:
        """Whose entries the window shows: those of the open repository, and of the person."""
        project, person = self._place.project(), _OF_PERSON
        return (("project", project.id), person) if project is not None else (person,)

    async def _search(self, command: m.SearchMemory) -> None:
        files = self._files(command.session_id)
        try:
            hits, problem = await self._hits(command, files)
        except StoreError as error:
            problem = f"The memory could not be searched: {error}"
            self._publish(MemoryFound(command_id=command.command_id, problem=problem))
            return
        wanted = (one for one in hits if command.category in ("", one.entry.category))
        shown = tuple(one for one in wanted if one.stale or command.list != "stale")
        sources = {one.entry.source.session_id for one in shown} - {""}
        gone = tuple(sorted(sources.difference(self._place.chats()))) if sources else ()
        self._publish(MemoryFound(command_id=command.command_id, hits=shown, gone=gone, problem=problem))

    async def _hits(self, command: m.SearchMemory, files: LaneFiles | None) -> tuple[list[MemoryHit], str]:
        if command.text.strip():
            statuses = _STATUSES[command.list]
            query = MemoryQuery(text=command.text, owners=self.owners(), statuses=statuses, least=20)
            found = await find(self._keeper.readings, query, self._book.now(), files)
            ordered = await self._keeper.meaning.ordered(command.text, found)
            return list(ordered.finding.hits), ordered.problem
        return await asyncio.to_thread(self._listed, command.list, self.owners(), files), ""

    def _listed(self, name: m.MemoryList, owners: tuple[Owner, ...], files: LaneFiles | None) -> list[MemoryHit]:
        """Blocking."""
        entries = self._keeper.readings.memory_entries(owners)
        chosen = [one for one in entries if one.status in _STATUSES[name]]
        chosen.sort(key=lambda one: (one.tier if name == "all" else 0, -one.updated_at.timestamp()))
        return _looked_at(chosen, files)

    async def _given(self, command: m.ShowGiven) -> None:
        """From the log of the chat: nothing is searched again."""
        log = list(self._place.find(command.session_id).log)
        turn, turns = await asyncio.to_thread(searched_turns, log, command.turn_id)
        searches = turn.searches if turn is not None else ()
        self._publish(
            MemoryGiven(
                command_id=command.command_id,
                turn_id=turn.started.turn_id if turn is not None else "",
                guard=turn.started.memory_guard if turn is not None else "none",
                searched=bool(searches),
                found=sum(search.found for search in searches),
                given=tuple(self._as_given(use) for search in searches for use in search.used),
                turns=turns,
            )
        )

    def _as_given(self, use: MemoryUse) -> GivenEntry:
        versions = self._book.store.versions(use.memory_id)
        entry = next((one for one in versions if one.version == use.version), None)
        newer = bool(versions) and versions[-1].version != use.version
        return GivenEntry(memory_id=use.memory_id, version=use.version, parts=use.parts, entry=entry, newer=newer)

    async def _save(self, command: m.SaveMemory) -> None:
        """A person's words count at once (memory-ME4 for secrets alone)."""
        content = self._checked(command.content)
        project = self._place.project()
        if project is None and not command.personal:
            raise CommandError("no_project", "No repository is open.")
        scope: Scope = "person" if command.personal or project is None else "project"
        now = self._book.now()
        entry = Entry(
            id=new_memory_id(),
            scope=scope,
            owner=project.id if project is not None and scope == "project" else "",
            content=content,
            category=command.category,
            importance=command.importance,
            source=Source(by="person"),
            created_at=now,
            updated_at=now,
            **_COUNTS,
        )
        there = await self._same(entry)
        if there is not None:
            update = {"content": content, "source": entry.source, **_COUNTS, "tier": min(2, there.tier)}
            entry = self._book.change(there.model_copy(update=update), _PERSON, "merged")
        else:
            try:
                self._book.add(entry, _PERSON)
            except NotRemembered as error:
                raise CommandError("memory_full", f"Not saved: {error}.") from error
        self._publish(MemorySaved(command_id=command.command_id, memory_id=entry.id))

    async def _same(self, entry: Entry) -> Entry | None:
        """The entry that says this already, as it stands now."""
        alike = await self._book.alike(self._keeper.readings, (entry.scope, entry.owner), entry.content)
        stand = (there for one in alike if (there := self._book.store.get(one.id)) is not None)
        return next((one for one in stand if normal(one.content) == normal(entry.content)), None)

    async def _edit(self, command: m.EditMemory) -> None:
        entry = self._seen(command.memory_id, command.version)
        update = {
            "content": self._checked(command.content),
            "category": command.category,
            "importance": command.importance,
            "source": entry.source.model_copy(update={"by": "person"}),
            "proposal": "",
            **_COUNTS,
            "tier": min(2, entry.tier),
        }
        self._book.change(entry.model_copy(update=update), _PERSON, "edited")
        self._publish(MemorySaved(command_id=command.command_id, memory_id=entry.id))

    async def _pin(self, command: m.PinMemory) -> None:
        entry = self._entry(command.memory_id)
        if entry.status not in ("candidate", "promoted"):
            raise CommandError("waits", "Accept this entry first, or take it out of the archive.")
        try:
            self._book.pin(entry, command.pinned, _PERSON)
        except NotRemembered as error:
            raise CommandError("pinned", str(error)) from error

    async def _archive(self, command: m.ArchiveMemory) -> None:
        entry = self._entry(command.memory_id)
        before = [one.status for one in self._book.store.versions(entry.id) if one.status != "archived"]
        status = "archived" if command.archived else (before or ["candidate"])[-1]
        change = entry.model_copy(update={"status": status, "tier": 2})  # the pinned ones are counted without these
        self._book.change(change, _PERSON, "archived" if command.archived else "restored")

    async def _delete(self, command: m.DeleteMemory) -> None:
        self._book.delete(self._entry(command.memory_id), _PERSON)

    async def _restore(self, command: m.RestoreMemory) -> None:
        """The version before the last comes back as a new one; of a deleted entry the last."""
        versions = self._book.store.versions(command.memory_id)
        there = self._book.store.get(command.memory_id)
        try:
            self._take_back(versions, there)
        except NotRemembered as error:
            raise CommandError("memory_full", f"Not taken back: {str(error).removesuffix('.')}.") from error

    def _take_back(self, versions: tuple[Entry, ...], there: Entry | None) -> None:
        if not versions or (there is not None and len(versions) < 2):
            raise CommandError("no_version", "There is nothing to take back.")
        if there is None:
            last = versions[-1]
            again = last.model_copy(update={"version": last.version + 1, "updated_at": self._book.now()})
            self._refuse_pin(again)
            self._book.add(again, _PERSON, "restored")
        else:
            self._refuse_pin(versions[-2])
            self._book.change(versions[-2], _PERSON, "restored")

    def _refuse_pin(self, entry: Entry) -> None:
        if entry.tier == 1:
            self._book.refuse_pin(entry)

    async def _accept(self, command: m.AcceptMemory) -> None:
        entry = self._seen(command.memory_id, command.version)
        source = entry.source.model_copy(update={"by": "person"})
        update = {"content": entry.proposal or entry.content, "proposal": "", "source": source, **_COUNTS}
        update["tier"] = min(2, entry.tier)
        self._book.change(entry.model_copy(update=update), _PERSON, "accepted")

    async def _confirm(self, command: m.ConfirmMemory) -> None:
        entry, files = self._entry(command.memory_id), self._files(command.session_id)
        if files is None:
            raise CommandError("no_lane", "This chat has no lane to look at.")
        marks = await asyncio.to_thread(file_marks, files, [one.path for one in entry.files])
        entry = self._seen(entry.id, entry.version)
        self._book.change(entry.model_copy(update={"files": marks}), _PERSON, "confirmed")

    def _files(self, session_id: str) -> LaneFiles | None:
        return self._place.find(session_id).files if session_id else None

    def _checked(self, content: str) -> str:
        problem = text_problem(content) or secret_problem(content, self._book.redactor())
        if problem:
            raise CommandError("not_saved", f"Not saved: {problem}.")
        return content.strip()

    def _entry(self, memory_id: str) -> Entry:
        entry = self._book.store.get(memory_id)
        if entry is None:
            raise CommandError("unknown_entry", "This entry is not there any more.")
        return entry

    def _seen(self, memory_id: str, version: int) -> Entry:
        entry = self._entry(memory_id)
        if entry.version != version:
            raise CommandError("entry_changed", "This entry was changed meanwhile. Look at it again.")
        return entry


_COUNTS: dict[str, object] = {"status": "promoted", "tier": 2, "confidence": 100}
"""What a person says counts at once."""


def _looked_at(entries: list[Entry], files: LaneFiles | None) -> list[MemoryHit]:
    return [
        MemoryHit(entry=one, parts=ScoreParts(), stale=changed_files(files, one) if files is not None else ())
        for one in entries
    ]
