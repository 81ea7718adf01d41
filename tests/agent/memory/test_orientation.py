"""When the memory is searched before a turn, and what lets the turn change things."""

import pytest

from desktop.agent.memory.finding import Finding
from desktop.agent.memory.orientation import chosen
from desktop.config.folders import Folders
from desktop.domain.commands import SendMessage
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallFinished, TurnStarted
from desktop.domain.gate.pending import Answer
from desktop.domain.memory.commands import SaveMemory
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.values import Entry, MemoryHit, OwnWords, ScoreParts
from desktop.store.core.memory import FoundEntries
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

FACT = "Invoices are rounded half up, because the tax office does."
WRITE = tool_turn("write_file", file_path="new.txt", content="1\n")
FULL = {"mode": PermissionMode.FULL_AUTO, "without_sandbox": True}


def settings_of(rig: Rig, model_api: FakeModelApi, folders: Folders, **changes: object) -> None:
    rig.engine.settings.current = write_settings(folders, model_api.url, **changes)


@pytest.mark.promise("memory-ME22")
@pytest.mark.asyncio
async def test_a_memory_that_is_off_offers_nothing_searches_nothing_and_refuses_nothing(
    rig: Rig, model_api: FakeModelApi, folders: Folders
) -> None:
    await rig.engine.handle(SaveMemory(content=FACT))
    settings_of(rig, model_api, folders, memory=False)
    model_api.script(WRITE, tool_turn("memory_search", query="invoices"), text_turn("done"))
    await rig.new("Fix how invoices are rounded", **FULL)
    await rig.ended()
    assert rig.events(MemorySearched) == []
    assert rig.events(TurnStarted)[0].memory_guard == "none"
    written, searched = rig.events(ToolCallFinished)
    assert written.outcome == "ok"
    assert str(searched.content).startswith("memory_search is not available: memory is switched off.")
    assert not [tool for tool in model_api.requests[0].body["tools"] if "memory" in tool["name"]]


@pytest.mark.promise("memory-ME22")
@pytest.mark.asyncio
async def test_where_agents_must_search_themselves_only_that_lets_them_change_things(
    rig: Rig, model_api: FakeModelApi, folders: Folders
) -> None:
    await rig.engine.handle(SaveMemory(content=FACT))
    settings_of(rig, model_api, folders, memory_agents_search=True)
    model_api.script(WRITE, tool_turn("memory_search", query="colours"), WRITE, text_turn("done"))
    await rig.new("Fix how invoices are rounded", **FULL)
    await rig.ended()
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["refused", "ok", "ok"]
    assert [len(one.used) for one in rig.events(MemorySearched)] == [1, 0]


@pytest.mark.promise("memory-ME18")
@pytest.mark.asyncio
async def test_words_of_the_project_ask_for_the_memory_too(rig: Rig, model_api: FakeModelApi, folders: Folders) -> None:
    await rig.engine.handle(SaveMemory(content=FACT))
    model_api.script(text_turn("nichts"), text_turn("fertig"))
    session_id = await rig.new("Bitte repariere die Rundung", **FULL)
    await rig.ended()
    project = rig.engine.sessions.get(session_id).state.project_path
    settings_of(rig, model_api, folders, memory_words=(OwnWords(project=project, changes=("repariere",)),))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Bitte repariere die Rundung"))
    await rig.ended(2)
    assert [one.memory_guard for one in rig.events(TurnStarted)] == ["none", "required"]
    assert [one.automatic for one in rig.events(MemorySearched)] == [True]


@pytest.mark.promise("memory-ME18")
@pytest.mark.asyncio
async def test_a_message_that_comes_meanwhile_raises_what_the_turn_must_do(rig: Rig, model_api: FakeModelApi) -> None:
    await rig.engine.handle(SaveMemory(content=FACT))
    model_api.script(tool_turn("ask_user", question="Which one?"), WRITE, text_turn("done"))
    session_id = await rig.new("Say something of interest", **FULL)
    asked = await rig.asked()
    assert rig.events(MemorySearched) == []
    await rig.engine.handle(SendMessage(session_id=session_id, text="Fix how invoices are rounded"))
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await rig.ended()
    (searched,) = rig.events(MemorySearched)
    assert (searched.guard, len(searched.used)) == ("required", 1)
    assert rig.events(TurnStarted)[0].memory_guard == "none"
    assert FACT in str(model_api.requests[-1].body["messages"])


@pytest.mark.asyncio
async def test_a_turn_that_only_asks_is_not_kept_from_anything(rig: Rig, model_api: FakeModelApi) -> None:
    await rig.engine.handle(SaveMemory(content=FACT))
    model_api.script(text_turn("half up"), text_turn("you know"))
    session_id = await rig.new("Explain how invoices are rounded")
    await rig.ended()
    (searched,) = rig.events(MemorySearched)
    assert (searched.guard, len(searched.used)) == ("soft", 1)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Thank you, that is all"))
    await rig.ended(2)
    assert len(rig.events(MemorySearched)) == 1


def hits(scope: str, count: int, pinned: int = -1) -> list[MemoryHit]:
    """Hits of one scope, best first; one of them is pinned."""
    return [
        MemoryHit(
            entry=Entry(
                id=f"{scope}{at}", scope=scope, content="x", tier=1 if at == pinned else 2,
                created_at=utc_now(), updated_at=utc_now(),
            ),
            parts=ScoreParts(text=900 - at),
        )
        for at in range(count)
    ]  # fmt: skip


@pytest.mark.promise("memory-ME19")
@pytest.mark.parametrize(
    ("scope", "pinned", "first"),
    [("project", 11, "project11"), ("project", 12, "project0"), ("person", 5, "person5"), ("person", 6, "person0"),
     ("agent", 6, "agent0")],
)  # fmt: skip
def test_twelve_of_the_project_and_six_of_others_are_looked_at_and_no_more(scope: str, pinned: int, first: str) -> None:
    found = hits(scope, 20, pinned)
    given = chosen(Finding(tuple(found), FoundEntries()))
    assert given[0].entry.id == first
    assert len(given) == 4


@pytest.mark.promise("memory-ME19")
def test_the_person_and_others_have_six_places_together() -> None:
    mixed = [one for pair in zip(hits("person", 5), hits("agent", 5, pinned=3), strict=True) for one in pair]
    given = chosen(Finding(tuple(mixed), FoundEntries()))
    assert "agent3" not in [hit.entry.id for hit in given], "it is the eighth of those that are not of the project"
    given = chosen(Finding(tuple(mixed[2:]), FoundEntries()))
    assert given[0].entry.id == "agent3", "then it is the sixth"
