"""The search of the model's own vendor: offered by its switch alone, on record, untrusted, and sent back as it came."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.agent.web.vendor import SOURCE
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.config.web import WebSettings
from desktop.domain.chats.commands import ForkSession
from desktop.domain.chats.library_events import PromptChanged
from desktop.domain.commands import Interrupt, SendMessage, SetModel
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.events import AssistantMessage
from desktop.domain.gate.events import SessionTainted
from desktop.domain.updates import TextDelta
from desktop.domain.web.events import VendorSearched
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import Call, Search, text_turn, turn

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-W8")]

PAGE = ("A token", "https://docs.example.com/token")
FOUND = Search("how long does a token last", (PAGE,))


def declared(model_api: FakeModelApi) -> list[dict[str, Any]]:
    """The search as the last request offered it."""
    return [tool for tool in model_api.requests[-1].body.get("tools", ()) if tool.get("type", "").startswith("web_")]


def answers(model_api: FakeModelApi) -> list[dict[str, Any]]:
    """What the last request gave back as the model's own words."""
    return [block for one in model_api.requests[-1].messages if one["role"] == "assistant" for block in one["content"]]


Open = Callable[..., Any]


@pytest_asyncio.fixture
async def opened(folders: Folders, model_api: FakeModelApi, repository: Path) -> AsyncIterator[Open]:
    rigs: list[Rig] = []

    async def open_(kind: str = "anthropic", **web: Any) -> Rig:
        own = Endpoint(
            id="own", label="Own", kind=kind, base_url=model_api.url, auth="none", default_model="claude-sonnet-4-6"
        )
        other = own.model_copy(update={"id": "other", "label": "Other", "kind": "compatible"})
        settings = Settings(
            endpoints=(own, other),
            default_endpoint="own",
            web=WebSettings(**{"enabled": True, "vendor_search": "on", **web}),
        )
        save_settings(folders.settings_file, settings)
        rigs.append(await Rig(folders).open(repository))
        return rigs[-1]

    yield open_
    for rig in rigs:
        await rig.engine.stop()


async def test_a_search_is_on_record_untrusted_counted_and_paid_for(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened()
    model_api.script(turn("A day.", searches=(FOUND,)))
    await rig.new("How long?")
    await rig.ended()
    assert declared(model_api) == [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}]
    (searched,) = rig.events(VendorSearched)
    assert (searched.query, searched.offered, searched.problem) == (FOUND.query, True, "")
    assert [(page.title, page.url) for page in searched.results] == [PAGE]
    assert [(event.reason, event.source) for event in rig.events(SessionTainted)] == [("untrusted", SOURCE)]
    recorded = await rig.until(lambda updates: rig.events(EgressRecorded))
    (traffic,) = recorded[0].traffic
    assert (traffic.kind, traffic.host, traffic.connections) == ("vendor", "127.0.0.1", 1)
    (answer,) = rig.events(AssistantMessage)
    assert answer.usage.web_searches == 1
    assert answer.cost_microusd > 10_000
    assert rig.events(PromptChanged)[-1].tool_names[0] == "web_search"


@pytest.mark.parametrize(
    ("web", "kind", "mode"),
    [
        ({"vendor_search": "off"}, "anthropic", PermissionMode.EDIT),
        ({"enabled": False}, "anthropic", PermissionMode.EDIT),
        ({}, "compatible", PermissionMode.EDIT),
        ({"vendor_search": "always"}, "compatible", PermissionMode.EDIT),
        ({}, "anthropic", PermissionMode.PLAN),
    ],
)
async def test_it_is_offered_by_its_switch_alone_and_not_in_plan(
    opened: Open, model_api: FakeModelApi, web: dict[str, Any], kind: str, mode: PermissionMode
) -> None:
    rig = await opened(kind, **web)
    model_api.script(text_turn("Well."))
    await rig.new("How long?", mode=mode)
    await rig.ended()
    assert declared(model_api) == []


async def test_once_a_chat_has_read_from_outside_only_a_wide_switch_offers_it(
    opened: Open, model_api: FakeModelApi
) -> None:
    rig = await opened()
    model_api.script(turn("A day.", searches=(FOUND,)), text_turn("Yes."))
    session_id = await rig.new("How long?")
    await rig.ended()
    before = answers(model_api)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Sure?"))
    await rig.ended(2)
    assert declared(model_api) == []
    assert before == []
    blocks = answers(model_api)
    assert [block["type"] for block in blocks] == ["server_tool_use", "web_search_tool_result", "text"]
    assert blocks[1]["content"][0]["encrypted_content"] == f"sealed:{PAGE[1]}"
    assert blocks[2]["citations"][0]["encrypted_index"] == f"index:{PAGE[1]}"
    assert blocks[0]["input"] == {"query": FOUND.query}


async def test_always_offers_it_in_plan_and_after_a_search(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened(vendor_search="always")
    model_api.script(turn("A day.", searches=(FOUND,)), text_turn("Yes."))
    session_id = await rig.new("How long?", mode=PermissionMode.PLAN)
    await rig.ended()
    assert declared(model_api)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Sure?"))
    await rig.ended(2)
    assert declared(model_api)


async def test_what_a_service_does_unasked_is_on_record_all_the_same(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened("compatible", vendor_search="off", enabled=False)
    model_api.script(turn("A day.", searches=(FOUND, Search("more", error="max_uses_exceeded"))))
    await rig.new("How long?")
    await rig.ended()
    first, second = rig.events(VendorSearched)
    assert (first.offered, second.offered, second.problem) == (False, False, "max_uses_exceeded")
    assert rig.events(SessionTainted)[0].source == SOURCE


async def test_a_paused_answer_goes_on_with_its_search(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened()
    paused = turn(
        "", searches=(Search("one", (PAGE,)), Search("two", pending=True, id="srv_2")), stop_reason="pause_turn"
    )
    model_api.script(paused, turn("A day.", results_of=(("srv_2", FOUND),)), text_turn("Yes."))
    session_id = await rig.new("How long?")
    await rig.ended()
    assert declared(model_api), "the answer that was paused is finished as it began"
    await rig.engine.handle(SendMessage(session_id=session_id, text="Sure?"))
    await rig.ended(2)
    assert declared(model_api) == []
    kinds = [block["type"] for block in answers(model_api)]
    assert kinds == ["server_tool_use", "web_search_tool_result"] * 2 + ["text"]
    assert [event.query for event in rig.events(VendorSearched)] == ["one", "two", ""]


async def test_calls_of_ours_beside_a_search_keep_both_in_order(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened()
    model_api.script(
        turn("Both.", [Call("read_file", {"file_path": "app.py"})], searches=(FOUND,)),
        text_turn("Done."),
        text_turn("Yes."),
    )
    session_id = await rig.new("How long?")
    await rig.ended()
    assert declared(model_api) == [], "the search that came before taints what follows"
    kinds = [block["type"] for block in answers(model_api)]
    assert kinds == ["server_tool_use", "web_search_tool_result", "text", "tool_use"]
    await rig.engine.handle(SendMessage(session_id=session_id, text="Sure?"))
    await rig.ended(2)


async def test_another_service_is_told_in_words_and_the_first_gets_it_back_as_it_came(
    opened: Open, model_api: FakeModelApi
) -> None:
    rig = await opened()
    model_api.script(turn("A day.", searches=(FOUND,)), text_turn("Yes."), text_turn("Really."))
    session_id = await rig.new("How long?")
    await rig.ended()
    await rig.engine.handle(SetModel(session_id=session_id, endpoint_id="other", model="m"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Sure?"))
    await rig.ended(2)
    assert [block["type"] for block in answers(model_api)] == ["text"] * 3
    assert "citations" not in answers(model_api)[2]
    assert PAGE[1] in answers(model_api)[1]["text"]
    assert "sealed" not in model_api.requests[-1].raw.decode()
    await rig.engine.handle(SetModel(session_id=session_id, endpoint_id="own", model="claude-sonnet-4-6"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Really?"))
    await rig.ended(3)
    assert answers(model_api)[0]["type"] == "server_tool_use"


async def test_a_fork_has_read_from_outside_and_gives_it_back(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened()
    model_api.script(turn("A day.", searches=(FOUND,)), text_turn("Yes."))
    session_id = await rig.new("How long?")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    fork = ForkSession(session_id=session_id, at_event_id=session.log[-1].event_id, new_session_id="ses_fork")
    await rig.engine.handle(fork)
    await rig.engine.handle(SendMessage(session_id="ses_fork", text="Sure?"))
    await rig.ended(2)
    assert declared(model_api) == []
    assert [block["type"] for block in answers(model_api)][:2] == ["server_tool_use", "web_search_tool_result"]


async def test_a_search_of_an_answer_that_was_stopped_is_on_record(opened: Open, model_api: FakeModelApi) -> None:
    rig = await opened()
    cut = turn(
        "A day, and more words than one piece holds.", searches=(FOUND, Search("two", pending=True)), fault="hold"
    )
    model_api.script(cut, text_turn("Yes."))
    session_id = await rig.new("How long?")
    await rig.until(lambda updates: any(isinstance(one, TextDelta) for one in updates))
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [event.query for event in rig.events(VendorSearched)] == [FOUND.query, "two"]
    assert rig.events(AssistantMessage)[-1].interrupted
    assert rig.events(SessionTainted)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await rig.ended(2)
    kinds = [block["type"] for block in answers(model_api)]
    assert kinds == ["server_tool_use", "web_search_tool_result", "text", "text"], "the second was given up"
