"""What people do with the memory: they look, accept, change, put away, delete, and take back."""

import asyncio
import re
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from desktop.agent.memory import book, chat_memory, commands, finding, sweep
from desktop.agent.memory.episodes import Episodes
from desktop.config.folders import Folders
from desktop.domain.chats.commands import DeleteSession
from desktop.domain.commands import SendMessage
from desktop.domain.core.clock import utc_now
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, ToolCallFinished, UserMessage
from desktop.domain.gate.events import SessionTainted
from desktop.domain.history.state_of import message_text
from desktop.domain.memory import commands as m
from desktop.domain.memory.events import MemorySearched, MemoryWritten
from desktop.domain.memory.updates import MemoryChanged, MemoryFound, MemoryGiven
from desktop.domain.memory.values import Entry, FileMark, Source
from desktop.domain.reports.values import ReportView
from desktop.services.files.lane_files import LaneFiles
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

FACT = "Invoices are rounded half up, because the tax office does."
U = TypeVar("U", bound=Update)


def last(rig: Rig, kind: type[U]) -> U:
    return [update for update in rig.updates if isinstance(update, kind)][-1]


async def listed(rig: Rig, name: m.MemoryList = "all", **more: str) -> list[Entry]:
    await rig.engine.handle(m.SearchMemory(list=name, **more))  # type: ignore[arg-type]
    assert last(rig, MemoryFound).problem == ""
    return [hit.entry for hit in last(rig, MemoryFound).hits]


def failed(rig: Rig) -> str:
    return rig.failures()[-1].text


@pytest.mark.promise("memory-ME9")
async def test_what_waits_counts_once_a_person_accepted_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hello"))
    session_id = await rig.new("Say something of interest")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    session.append(SessionTainted(reason="untrusted", source="github:acme/shop#42", call_id="toolu_1"))
    model_api.script(tool_turn("memory_add", content=FACT, category="convention"), text_turn("ok"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on please"))
    await rig.ended(2)
    (waits,) = await listed(rig, "review")
    assert await listed(rig) == []
    assert (waits.source.tainted, last(rig, MemoryChanged).review) == (("github:acme/shop#42",), 1)
    await rig.engine.handle(m.PinMemory(memory_id=waits.id))
    assert failed(rig) == "Accept this entry first, or take it out of the archive."
    for archived in (True, False):
        await rig.engine.handle(m.ArchiveMemory(memory_id=waits.id, archived=archived))
    (still,) = await listed(rig, "review")
    await rig.engine.handle(m.AcceptMemory(memory_id=waits.id, version=waits.version))
    assert failed(rig) == "This entry was changed meanwhile. Look at it again."
    await rig.engine.handle(m.AcceptMemory(memory_id=waits.id, version=still.version))
    (accepted,) = await listed(rig)
    assert (accepted.status, accepted.tier, accepted.source.by) == ("promoted", 2, "person")
    model_api.script(text_turn("done"))
    given = await rig.new("Fix how invoices are rounded")
    await rig.ended(3)
    assert [one.memory_id for one in rig.events(MemorySearched)[-1].used] == [waits.id]
    await rig.engine.handle(m.ShowGiven(session_id=given))
    shown = last(rig, MemoryGiven)
    assert (shown.guard, shown.searched, shown.found) == ("required", True, 1)
    assert [(one.entry, one.newer) for one in shown.given] == [(accepted.model_copy(update={"uses": 0}), False)]
    assert shown.given[0].entry is not None
    assert shown.given[0].entry.content in str(model_api.requests[-1].body["messages"])
    assert [(one.said, one.given) for one in shown.turns] == [("Fix how invoices are rounded", 1)]


@pytest.mark.promise("memory-ME21")
async def test_in_this_prompt_lists_exactly_the_entries_in_the_bytes_of_the_request(
    rig: Rig, model_api: FakeModelApi
) -> None:
    for number in range(7):
        content = f"Invoices of kind {'abcdefg'[number] * 6} are rounded {'hijklmn'[number] * 6} by the office"
        await rig.engine.handle(m.SaveMemory(content=content))
    await rig.engine.handle(m.SaveMemory(content="Colours of buttons come from the theme alone"))
    model_api.script(text_turn("done"))
    session_id = await rig.new("Fix how invoices are rounded")
    await rig.ended()
    await rig.engine.handle(m.ShowGiven(session_id=session_id))
    shown = last(rig, MemoryGiven)
    sent = re.findall(r"mem_[0-9a-f]{12}", model_api.requests[0].raw.decode())
    assert [one.memory_id for one in shown.given] == sent
    assert len(sent) == 4
    assert all(one.version == 1 and one.parts.total for one in shown.given)


@pytest.mark.promise("memory-ME23")
async def test_what_an_earlier_turn_was_given_is_shown_as_it_was(rig: Rig, model_api: FakeModelApi) -> None:
    await rig.engine.handle(m.SaveMemory(content=FACT))
    (before,) = await listed(rig)
    model_api.script(text_turn("done"), text_turn("hello"), text_turn("done again"))
    session_id = await rig.new("Fix how invoices are rounded")
    await rig.ended(1)
    await rig.engine.handle(m.EditMemory(memory_id=before.id, version=1, content=f"{FACT} and never down"))
    for number, text in ((2, "Well, thank you very much"), (3, "Fix how invoices are rounded, again")):
        await rig.engine.handle(SendMessage(session_id=session_id, text=text))
        await rig.ended(number)
    await rig.engine.handle(m.ShowGiven(session_id=session_id))
    newest = last(rig, MemoryGiven)
    assert [(one.said, one.given) for one in newest.turns] == [
        ("Fix how invoices are rounded, again", 1), ("Fix how invoices are rounded", 1),
    ]  # fmt: skip
    assert [(one.version, one.newer) for one in newest.given] == [(2, False)]
    await rig.engine.handle(m.ShowGiven(session_id=session_id, turn_id=newest.turns[1].turn_id))
    first = last(rig, MemoryGiven)
    assert (first.turn_id, first.turns) == (newest.turns[1].turn_id, newest.turns)
    assert [(one.version, one.newer, one.entry.content if one.entry else "") for one in first.given] == [
        (1, True, FACT),
    ]  # fmt: skip
    for content in ("Round half up", "ROUND half up."):
        await rig.engine.handle(m.SaveMemory(content=content))
    assert sum("ound half up" in one.content.lower() for one in await listed(rig)) == 1


async def test_a_persons_words_count_at_once_and_never_hold_a_secret(rig: Rig) -> None:
    await rig.engine.handle(m.SaveMemory(content="Use sk-ant-" + "a1" * 20))
    assert failed(rig) == "Not saved: it holds a secret (Anthropic key)."
    await rig.engine.handle(m.SaveMemory(content=FACT))
    await rig.engine.handle(m.SaveMemory(content=FACT.upper(), personal=True, category="preference"))
    await rig.engine.handle(m.SaveMemory(content=FACT.upper()))
    found = await listed(rig)
    assert [(one.scope, one.content, one.version) for one in found] == [
        ("project", FACT.upper(), 2), ("person", FACT.upper(), 1),
    ]  # fmt: skip
    assert {(one.status, one.tier, one.confidence, one.source.by) for one in found} == {("promoted", 2, 100, "person")}
    assert [one.scope for one in await listed(rig, category="preference")] == ["person"]
    assert [one.scope for one in await listed(rig, text="tax office")] == ["project", "person"]


async def test_an_entry_is_changed_pinned_put_away_deleted_and_taken_back(rig: Rig) -> None:
    await rig.engine.handle(m.SaveMemory(content=FACT))
    (entry,) = await listed(rig)
    edit = m.EditMemory(memory_id=entry.id, version=1, content="Round half even", category="convention")
    await rig.engine.handle(edit)
    await rig.engine.handle(edit)
    assert failed(rig) == "This entry was changed meanwhile. Look at it again."
    await rig.engine.handle(m.RestoreMemory(memory_id=entry.id))
    assert [(one.content, one.version) for one in await listed(rig)] == [(FACT, 3)]
    await rig.engine.handle(m.PinMemory(memory_id=entry.id))
    assert (await listed(rig))[0].tier == 1
    await rig.engine.handle(m.PinMemory(memory_id=entry.id, pinned=False))
    await rig.engine.handle(m.ArchiveMemory(memory_id=entry.id))
    assert (await listed(rig), len(await listed(rig, "archived"))) == ([], 1)
    await rig.engine.handle(m.ArchiveMemory(memory_id=entry.id, archived=False))
    await rig.engine.handle(m.DeleteMemory(memory_id=entry.id))
    await rig.engine.handle(m.DeleteMemory(memory_id=entry.id))
    assert failed(rig) == "This entry is not there any more."
    assert last(rig, MemoryChanged).entries == 0
    await rig.engine.handle(m.RestoreMemory(memory_id=entry.id))
    assert [(one.content, one.version) for one in await listed(rig)] == [(FACT, 8)]
    await rig.engine.handle(m.RestoreMemory(memory_id="mem_none"))
    assert failed(rig) == "There is nothing to take back."


@pytest.mark.promise("memory-ME15")
async def test_a_changed_file_marks_an_entry_in_the_lanes_where_it_differs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("memory_add", content=FACT, category="convention", write_mode="strict", files=["app.py"]),
        text_turn("ok"), text_turn("hello"),
    )  # fmt: skip
    here = await rig.new("Say something of interest")
    await rig.ended()
    there = await rig.new("Tell me another one")
    await rig.ended(2)
    (rig.lane(there) / "app.py").write_text("print('other')\n")
    assert await listed(rig, "stale", session_id=here) == []
    (stale,) = await listed(rig, "stale", session_id=there)
    model_api.script(tool_turn("memory_search", query="invoices"), text_turn("ok"))
    await rig.engine.handle(SendMessage(session_id=there, text="Fix how invoices are rounded"))
    await rig.ended(3)
    assert "[app.py changed since]" in str(rig.events(ToolCallFinished)[-1].content)
    assert [one.used for one in rig.events(MemorySearched) if one.automatic] == [()]
    await rig.engine.handle(m.ConfirmMemory(memory_id=stale.id, session_id=there))
    assert await listed(rig, "stale", session_id=there) == []
    assert [one.id for one in await listed(rig, "stale", session_id=here)] == [stale.id]


@pytest.mark.promise("memory-ME2")
async def test_what_a_turn_came_to_is_remembered_by_the_app(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    claim = {"text": "it is there", "kind": "file", "path": "new.txt"}
    model_api.script(
        tool_turn("write_file", file_path="new.txt", content="1\n"),
        tool_turn("report_completion", summary="Done.", status="completed", claims=[claim]), text_turn("done"),
    )  # fmt: skip
    await rig.new("Make the new file there")
    await rig.ended()
    written = await rig.until(lambda _: rig.events(MemoryWritten))
    assert written[0].by == "app"
    (episode,) = await listed(rig)
    assert (episode.category, episode.status, episode.tier) == ("episode", "promoted", 3)
    assert episode.content.startswith("Make the new file there: completed.\nFiles: new.txt.\n- it is there: proved")


@pytest.mark.promise("memory-ME17")
async def test_the_sweep_archives_what_nobody_used(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("memory_add", content=FACT, category="fact"), text_turn("ok"))
    await rig.new("Say something of interest")
    await rig.ended()
    memory = rig.engine.parts.chats.memory
    assert await memory.sweep.sweep() == 0
    (entry,) = await listed(rig)
    old = entry.created_at.replace(year=entry.created_at.year - 1)
    memory.keeper.book.store.sweep([entry.model_copy(update={"created_at": old, "updated_at": old})])
    assert await memory.sweep.sweep() == 1
    assert [one.id for one in await listed(rig, "archived")] == [entry.id]
    assert last(rig, MemoryChanged).archived == 1
    assert memory.keeper.book.store.swept_at() is not None


async def test_what_a_person_changes_while_the_sweep_runs_stays(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "AT_ONCE", 1)
    memory = rig.engine.parts.chats.memory
    for content in (FACT, "Deploy on Fridays"):
        await rig.engine.handle(m.SaveMemory(content=content))
    old = {"updated_at": utc_now() - timedelta(days=200), "source": Source(by="agent")}
    aged = [one.model_copy(update=old) for one in await listed(rig)]
    memory.keeper.book.store.sweep(aged)
    first = next(one for one in aged if one.content == FACT)  # the last that the sweep comes to
    edit = m.EditMemory(memory_id=first.id, version=1, content="Round half even")
    await asyncio.gather(memory.sweep.sweep(), rig.engine.handle(edit))
    assert rig.failures() == []
    assert [(one.content, one.status) for one in await listed(rig)] == [("Round half even", "promoted")]
    assert [one.content for one in await listed(rig, "archived")] == ["Deploy on Fridays"]


async def test_no_more_are_pinned_than_may_be_by_putting_one_away_or_taking_one_back(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "MOST_PINNED", 1)
    for content in (FACT, "Deploy on Fridays"):
        await rig.engine.handle(m.SaveMemory(content=content))
    first, second = await listed(rig)
    await rig.engine.handle(m.PinMemory(memory_id=first.id))
    await rig.engine.handle(m.ArchiveMemory(memory_id=first.id))
    await rig.engine.handle(m.PinMemory(memory_id=second.id))
    await rig.engine.handle(m.ArchiveMemory(memory_id=first.id, archived=False))
    assert rig.failures() == []
    assert sorted(one.tier for one in await listed(rig)) == [1, 2]
    await rig.engine.handle(m.PinMemory(memory_id=second.id, pinned=False))
    await rig.engine.handle(m.PinMemory(memory_id=first.id))
    await rig.engine.handle(m.RestoreMemory(memory_id=second.id))
    assert failed(rig) == "Not taken back: There are 1 pinned entries. Unpin one first."


async def test_files_of_an_entry_are_read_away_from_the_loop(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def noted(files: LaneFiles | None, paths: Sequence[str]) -> tuple[FileMark, ...]:
        threads.append(threading.get_ident())
        return finding.file_marks(files, paths)

    monkeypatch.setattr(chat_memory, "file_marks", noted)
    monkeypatch.setattr(commands, "file_marks", noted)
    model_api.script(tool_turn("memory_add", content=FACT, category="fact", files=["app.py"]), text_turn("ok"))
    session_id = await rig.new("Say something of interest")
    await rig.ended()
    (entry,) = await listed(rig)
    await rig.engine.handle(m.ConfirmMemory(memory_id=entry.id, session_id=session_id))
    assert (len(threads), threading.get_ident() in threads) == (2, False)


class LateReports:
    """The reports of the engine, told only once somebody lets them be."""

    def __init__(self, rig: Rig) -> None:
        self._book = rig.engine.parts.reviews.reports.book
        self.told = asyncio.Event()

    async def of_session(self, session_id: str) -> tuple[ReportView, ...]:
        await self.told.wait()
        return await self._book.of_session(session_id)


async def test_what_a_turn_changed_is_remembered_although_the_next_turn_runs_already(
    rig: Rig, model_api: FakeModelApi
) -> None:
    claim = {"text": "it is there", "kind": "file", "path": "new.txt"}
    model_api.script(
        tool_turn("write_file", file_path="new.txt", content="1\n"),
        tool_turn("report_completion", summary="Done.", status="completed", claims=[claim]), text_turn("done"),
        text_turn("hello"),
    )  # fmt: skip
    session_id = await rig.new("Make the new file there")
    await rig.ended()
    await rig.until(lambda _: rig.events(MemoryWritten))
    reports, memory = LateReports(rig), rig.engine.parts.chats.memory
    late = Episodes(memory.keeper.book, reports, rig.engine.sessions.get, lambda: True)
    for envelope in [*rig.engine.sessions.get(session_id).log]:
        late.saw(envelope)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Say something of interest"))
    await rig.ended(2)
    reports.told.set()
    await rig.until(lambda _: len(rig.events(MemoryWritten)) > 1)
    assert ["Files: new.txt." in one.content for one in rig.events(MemoryWritten)] == [True, True]


@pytest.mark.promise("memory-ME3")
async def test_an_entry_outlives_its_chat_and_each_version_is_one_commit_with_its_event(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("memory_add", content=FACT, category="fact"), text_turn("ok"), text_turn("hello"))
    session_id = await rig.new("Say something of interest")
    await rig.ended()
    other = await rig.new("Say something else of interest")
    await rig.ended(2)
    (entry,) = await listed(rig)
    assert (entry.source.session_id, last(rig, MemoryFound).gone) == (session_id, ())
    await rig.engine.handle(m.EditMemory(memory_id=entry.id, version=1, content=f"{FACT} Never down."))
    stored = rig.engine._store.events.recent(("memory_written",), entry.created_at - timedelta(hours=1))
    written = [one.event for one in reversed(stored) if isinstance(one.event, MemoryWritten)]
    assert [(e.by, e.change, e.version) for e in written] == [("agent", "added", 1), ("person", "edited", 2)]
    await rig.engine.handle(DeleteSession(session_id=session_id))
    await rig.until(lambda _: session_id not in rig.engine._store.events.session_ids())
    (entry,) = await listed(rig)
    assert (entry.content, entry.version) == (f"{FACT} Never down.", 2)
    assert last(rig, MemoryFound).gone == (session_id,)
    store = rig.engine.parts.chats.memory.keeper.book.store
    assert [one.version for one in store.versions(entry.id)] == [1, 2]
    assert other in rig.engine._store.events.session_ids()


@pytest.mark.promise("memory-ME10")
async def test_pinned_entries_have_four_thousand_characters_together(rig: Rig) -> None:
    for letter in "ab":
        await rig.engine.handle(m.SaveMemory(content=letter * 1_999))
    await rig.engine.handle(m.SaveMemory(content="c" * 3))
    entries = sorted(await listed(rig), key=lambda one: one.content)
    for one in entries:
        await rig.engine.handle(m.PinMemory(memory_id=one.id))
    assert failed(rig).startswith("The pinned entries have 4,000 characters together. Unpin one first.")
    assert sorted(one.tier for one in await listed(rig)) == [1, 1, 2]


@pytest.mark.promise("memory-ME4")
async def test_a_full_memory_takes_nothing_more_and_says_so(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(book.MOST_ENTRIES, "project", 1)
    model_api.script(
        tool_turn("memory_add", content=FACT, category="fact"),
        tool_turn("memory_add", content="Deploy on Fridays", category="fact"),
        tool_turn("memory_add", content=FACT.upper(), category="fact"), text_turn("ok"),
    )  # fmt: skip
    await rig.new("Say something of interest")
    await rig.ended()
    told = [str(one.content) for one in rig.events(ToolCallFinished)]
    assert told[1] == "Not saved: there are 1 entries. A person can archive some in the panel Memory."
    assert told[2].startswith("Merged into mem_"), "what is said again needs no room"
    (entry,) = await listed(rig)
    await rig.engine.handle(m.ArchiveMemory(memory_id=entry.id))
    await rig.engine.handle(m.SaveMemory(content="Deploy on Fridays"))
    assert [one.content for one in await listed(rig)] == ["Deploy on Fridays"], "archived entries are not counted"


@pytest.mark.promise("memory-ME17")
async def test_the_sweep_runs_at_most_once_a_day_also_over_a_restart(folders: Folders, repository: Path) -> None:
    at = [utc_now()]
    due = []
    for hours in (0, 1, 22, 1):
        at[0] += timedelta(hours=hours)
        rig = await Rig(folders, clock=lambda: at[0]).open(repository)
        due.append(await rig.engine.parts.chats.memory.sweep.sweep_when_due())
        await rig.engine.stop()
    assert due == [True, False, False, True]


@pytest.mark.promise("memory-ME19")
async def test_pinned_entries_come_first_and_four_are_given_at_most_each_cut_short(
    rig: Rig, model_api: FakeModelApi
) -> None:
    letters = "abcdefghijklmnopqrst"
    for letter in letters:
        await rig.engine.handle(m.SaveMemory(content=f"Invoices {letter * 9} are rounded. {letter * 300}"))
    await rig.engine.handle(m.SaveMemory(content="Mine: invoices are rounded by me", personal=True))
    entries = await listed(rig)
    pinned = next(one for one in entries if "ccccccccc" in one.content)
    await rig.engine.handle(m.PinMemory(memory_id=pinned.id))
    model_api.script(text_turn("done"))
    await rig.new("Fix how invoices are rounded")
    await rig.ended()
    (searched,) = rig.events(MemorySearched)
    assert (searched.found, len(searched.used), searched.used[0].memory_id) == (21, 4, pinned.id)
    (note,) = [one for one in rig.events(UserMessage) if one.note_kind == "memory"]
    lines = re.findall(r"- mem_[0-9a-f]{12} · \w+ · ([^\n<]+)", message_text(note))
    assert len(lines) == 4
    assert all(len(line) <= 180 for line in lines)
    order = [update for update in rig.updates if isinstance(update, Envelope)]
    kinds = [one.kind for one in order]
    assert kinds.index("memory_searched") < kinds.index("assistant_message")
