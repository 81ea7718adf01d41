"""Shortening a conversation: by itself, on request, refused, failed and stopped; what stays and what is never lost."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.agent.context.compaction import SYSTEM, Plan, summary_messages
from desktop.agent.context.tokens import count_messages
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.chats.commands import ApplyCompaction, Compact
from desktop.domain.chats.updates import CompactionOffered
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.context.events import Compacted, CompactionStaged
from desktop.domain.core.work import Activity, Todo
from desktop.domain.events import Notice, TodosChanged, ToolCallFinished, TurnEnded
from desktop.domain.history.builder import SUMMARY_PREFIX, to_messages
from desktop.domain.updates import ActivityChanged
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, http_failure, text_turn, tool_turn
from tests.fakes.model_turns import Answer, Call, Turn

pytestmark = pytest.mark.asyncio

SUMMARY = "# Goal\n- Mend the login.\n# State now\n- The form works."
LONG = "x" * 16_000
FULL = {"input_tokens": 30_000, "output_tokens": 200}
FEW = {"input_tokens": 9_000, "output_tokens": 200}


def settings_of(url: str, **changes: Any) -> Settings:
    endpoint = Endpoint(
        id="fake", label="Fake", kind="compatible", base_url=url, auth="none", default_model="fake-model",
        context_window=40_000,
    )  # fmt: skip
    return Settings(endpoints=(endpoint,), default_endpoint="fake", max_attempts=1, **changes)


@pytest_asyncio.fixture
async def small(folders: Folders, repository: Path, model_api: FakeModelApi) -> AsyncIterator[Rig]:
    """An engine whose model has a window of 40,000 tokens: 30,000 of them are the threshold."""
    save_settings(folders.settings_file, settings_of(model_api.url))
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()


def is_summary(request: RecordedRequest) -> bool:
    system = request.body.get("system")
    return system == SYSTEM or (isinstance(system, list) and system[0]["text"] == SYSTEM)


def summaries(api: FakeModelApi) -> list[RecordedRequest]:
    return [request for request in api.requests if is_summary(request)]


async def say(rig: Rig, session_id: str, text: str) -> TurnEnded:
    before = len(rig.events(TurnEnded))
    await rig.engine.handle(SendMessage(session_id=session_id, text=text))
    return await rig.ended(before + 1)


async def long_chat(rig: Rig, api: FakeModelApi, *, turns: int = 3, usage: dict[str, int] | None = None) -> str:
    """A chat of some turns whose last answer says how full the window is."""
    fills = [text_turn(f"Answer {n}. {LONG}", usage=FEW) for n in range(turns - 1)]
    api.script(*fills, text_turn(f"Answer {turns - 1}.", usage=usage or FULL))
    session_id = await rig.new("Mend the login")
    await rig.ended()
    for n in range(1, turns):
        await say(rig, session_id, f"Go on {n}")
    return session_id


def texts(request: RecordedRequest) -> str:
    return "\n".join(block.get("text", "") for message in request.messages for block in message["content"])


@pytest.mark.promise("sessions-SX1")
async def test_a_full_window_is_shortened_before_the_next_request(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn(SUMMARY, usage={"input_tokens": 7, "output_tokens": 5}), text_turn("Done."))
    await say(small, session_id, "And now the logout")
    asked, after = model_api.requests[-2:]
    assert is_summary(asked)
    assert "tools" not in asked.body
    assert "Answer 0." in texts(asked)
    compacted = small.events(Compacted)[0]
    assert compacted.trigger == "auto"
    assert compacted.tokens_after < compacted.tokens_before
    assert [message["role"] for message in after.messages] == ["user", "assistant", "user"]
    assert texts(after).startswith(f"{SUMMARY_PREFIX}\n\n{SUMMARY}")
    assert after.messages[2]["content"][0]["text"] == "And now the logout"
    assert "Answer 0." not in texts(after)
    activities = [update.activity for update in small.updates if isinstance(update, ActivityChanged)]
    assert Activity.COMPACTING in activities


async def test_the_list_of_the_live_chat_is_that_of_its_log(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn(SUMMARY), text_turn("Done."))
    await say(small, session_id, "And now the logout")
    session = small.engine.sessions.get(session_id)
    assert session.history.messages() == to_messages(session.log)


async def test_what_a_summary_takes_is_counted_as_spent_by_the_turn(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn(SUMMARY, usage={"input_tokens": 7, "output_tokens": 5}), text_turn("Done."))
    ended = await say(small, session_id, "And now the logout")
    assert small.events(CompactionStaged)[0].usage.input == 7
    assert ended.usage.input == 107


@pytest.mark.promise("sessions-SX7")
async def test_a_blank_summary_leaves_everything_as_it_was(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn("  "), text_turn("Done."))
    ended = await say(small, session_id, "And now the logout")
    assert ended.status == "completed"
    assert small.events(Compacted) == []
    assert [notice.kind for notice in small.events(Notice)] == ["compaction"]
    assert "Answer 0." in texts(model_api.requests[-1])


@pytest.mark.promise("sessions-SX7")
async def test_a_summary_as_long_as_what_it_replaces_is_refused(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn("y" * 60_000), text_turn("Done."))
    await say(small, session_id, "And now the logout")
    assert small.events(Compacted) == []
    assert "free too little" in small.events(Notice)[0].text
    assert "Answer 0." in texts(model_api.requests[-1])


@pytest.mark.promise("sessions-SX9")
async def test_a_failed_summary_leaves_the_chat_usable_and_is_tried_once_a_turn(
    small: Rig, model_api: FakeModelApi
) -> None:
    session_id = await long_chat(small, model_api)

    def answer(request: RecordedRequest) -> Answer:
        if is_summary(request):
            return http_failure(400, "invalid_request_error")
        calls = sum(block.get("type") == "tool_use" for m in request.messages for block in m["content"])
        return text_turn("Done.", usage=FULL) if calls > 1 else tool_turn("read_file", file_path="app.py")

    model_api.answer_with(answer)
    ended = await say(small, session_id, "And now the logout")
    assert ended.status == "completed"
    assert len(summaries(model_api)) == 1
    assert len(small.events(Notice)) == 1
    assert "refused the request" in small.events(Notice)[0].text


async def test_a_stop_ends_the_summary_and_changes_nothing(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn(SUMMARY, fault="stall"))
    before = len(model_api.requests)
    await small.engine.handle(SendMessage(session_id=session_id, text="And now the logout"))
    await asyncio.to_thread(model_api.wait_for_requests, before + 1)
    await small.engine.handle(Interrupt(session_id=session_id))
    ended = await small.ended(4)
    assert ended.status == "interrupted"
    assert small.events(Compacted) == small.events(CompactionStaged) == []
    model_api.script(text_turn(SUMMARY), text_turn("Here I am."))
    assert (await say(small, session_id, "Go on")).status == "completed"


async def test_a_request_that_does_not_fit_is_made_again_after_shortening(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    too_long = http_failure(400, "invalid_request_error", "prompt is too long: 41000 tokens > 40000 maximum")
    model_api.script(too_long, text_turn(SUMMARY), text_turn("Done."))
    ended = await say(small, session_id, "And now the logout")
    assert ended.status == "completed"
    assert small.events(Compacted)[0].trigger == "overflow"
    assert texts(model_api.requests[-1]).startswith(SUMMARY_PREFIX)


async def test_switched_off_nothing_is_shortened(folders: Folders, repository: Path, model_api: FakeModelApi) -> None:
    save_settings(folders.settings_file, settings_of(model_api.url, auto_compact=False))
    rig = await Rig(folders).open(repository)
    session_id = await long_chat(rig, model_api)
    model_api.script(text_turn("Done."))
    await say(rig, session_id, "And now the logout")
    model_api.script(http_failure(400, "invalid_request_error", "prompt is too long: 41000 tokens > 40000 maximum"))
    ended = await say(rig, session_id, "And now the rest")
    assert (ended.status, ended.reason) == ("failed", "context_overflow")
    assert summaries(model_api) == []
    await rig.engine.stop()


@pytest.mark.promise("sessions-SX8")
async def test_a_person_sees_the_summary_first_and_may_change_it(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    model_api.script(text_turn(SUMMARY), text_turn("Done."))
    await small.engine.handle(Compact(session_id=session_id, keep="the port 8443"))
    offered = next(update for update in small.updates if isinstance(update, CompactionOffered))
    assert "the port 8443" in texts(model_api.requests[-1])
    assert offered.summary.startswith(SUMMARY)
    assert offered.tokens_after < offered.tokens_before
    assert small.events(Compacted) == []
    edited = ApplyCompaction(session_id=session_id, staging_id=offered.staging_id, summary="My own words.")
    await small.engine.handle(edited)
    compacted = small.events(Compacted)[0]
    assert (compacted.summary, compacted.edited, compacted.trigger) == ("My own words.", True, "manual")
    await say(small, session_id, "And now the logout")
    assert texts(model_api.requests[-1]).startswith(f"{SUMMARY_PREFIX}\n\nMy own words.")
    await small.engine.handle(edited)
    assert small.failures()[-1].code == "offer_gone"


async def test_the_meter_goes_on_in_the_measure_that_the_summary_was_told_in(
    small: Rig, model_api: FakeModelApi
) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    model_api.script(text_turn(SUMMARY))
    await small.engine.handle(Compact(session_id=session_id))
    offered = next(update for update in small.updates if isinstance(update, CompactionOffered))
    await small.engine.handle(
        ApplyCompaction(session_id=session_id, staging_id=offered.staging_id, summary=offered.summary)
    )
    reading = small.engine.parts.chats.context.keeper.reading(small.engine.sessions.get(session_id))
    assert reading.used == pytest.approx(small.events(Compacted)[0].tokens_after, rel=0.1)
    assert reading.estimated


async def test_what_is_said_after_an_offer_stays_word_for_word(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    model_api.script(text_turn(SUMMARY), text_turn("Of course.", usage=FEW), text_turn("Done."))
    await small.engine.handle(Compact(session_id=session_id))
    offered = next(update for update in small.updates if isinstance(update, CompactionOffered))
    await say(small, session_id, "Wait, one thing")
    await small.engine.handle(
        ApplyCompaction(session_id=session_id, staging_id=offered.staging_id, summary=offered.summary)
    )
    await say(small, session_id, "And now the logout")
    assert "Wait, one thing" in texts(model_api.requests[-1])
    assert "Of course." in texts(model_api.requests[-1])


async def test_too_little_to_summarise_is_said(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, turns=1)
    await small.engine.handle(Compact(session_id=session_id))
    assert small.failures()[-1].code == "not_compacted"
    assert "too little before the last message" in small.failures()[-1].text
    assert summaries(model_api) == []


async def test_with_a_card_open_a_person_is_asked_to_answer_first(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api)
    model_api.script(text_turn(SUMMARY), tool_turn("bash", command="rm app.py"))
    await small.engine.handle(SendMessage(session_id=session_id, text="Remove it"))
    await small.asked()
    await small.engine.handle(Compact(session_id=session_id))
    assert small.failures()[-1].text == "Answer the open request first."


async def test_a_stop_ends_a_summary_that_a_person_asked_for(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    model_api.script(text_turn(SUMMARY, fault="stall"))
    before = len(model_api.requests)
    asking = asyncio.create_task(small.engine.handle(Compact(session_id=session_id)))
    await asyncio.to_thread(model_api.wait_for_requests, before + 1)
    await small.engine.handle(Interrupt(session_id=session_id))
    await asking
    assert small.failures()[-1].code == "stopped"
    assert small.events(CompactionStaged) == []


@pytest.mark.promise("sessions-SX5")
async def test_the_facts_of_the_first_summary_and_open_todos_are_in_the_second(
    small: Rig, model_api: FakeModelApi
) -> None:
    session_id = await long_chat(small, model_api)
    session = small.engine.sessions.get(session_id)
    session.append(TodosChanged(todos=(Todo(id="1", content="Write the migration", status="pending"),)))
    model_api.script(text_turn("# Goal\n- The port is 8443."), text_turn(f"Done. {LONG * 3}", usage=FULL))
    await say(small, session_id, "And now the logout")
    asked: list[str] = []

    def answer(request: RecordedRequest) -> Answer:
        if is_summary(request):
            asked.append(texts(request))
            return text_turn("# Goal\n- Nothing of note.")
        return text_turn("Done.")

    model_api.answer_with(answer)
    await say(small, session_id, "More")
    assert "The port is 8443." in asked[0]
    second = str(small.events(Compacted)[1].summary)
    assert "Write the migration (pending)" in second
    assert "Mode: Edit" in second


@pytest.mark.promise("sessions-SX6")
async def test_a_summary_left_by_a_crash_is_used_once_and_not_paid_again(
    small: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    session_id = await long_chat(small, model_api)
    session = small.engine.sessions.get(session_id)
    session.append(CompactionStaged(staging_id="stg_1", trigger="auto", summary=SUMMARY, tokens_before=30_200))
    assert "Answer 0." in str(session.history.messages())
    await small.engine.stop()
    again = await Rig(folders).open(repository)
    model_api.script(text_turn("Done.", usage=FULL), text_turn(SUMMARY), text_turn("Done.", usage=FEW))
    await again.engine.handle(SendMessage(session_id=session_id, text="And now the logout"))
    await again.ended()
    assert summaries(model_api) == []
    assert again.events(Compacted)[0].staging_id == "stg_1"
    assert texts(model_api.requests[-1]).endswith("And now the logout")
    await again.engine.stop()


async def test_a_long_turn_can_be_shortened_while_it_runs(small: Rig, model_api: FakeModelApi) -> None:
    (Path(small.engine.project.path) / "big.txt").write_text("line\n" * 100) if small.engine.project else None
    asked: list[RecordedRequest] = []

    def answer(request: RecordedRequest) -> Answer:
        if is_summary(request):
            asked.append(request)
            return text_turn(SUMMARY)
        if asked:
            return text_turn("Done.", usage=FEW)
        return tool_turn("list_dir", path=".") if len(model_api.requests) < 4 else full_call()

    model_api.answer_with(answer)
    await small.new("Look at everything. " + "z" * 60_000)
    ended = await small.ended()
    assert ended.status == "completed"
    after = model_api.requests[-1]
    assert "The user's last message, word for word" in texts(after)
    assert after.messages[1]["content"][0]["type"] == "tool_use"
    assert after.messages[2]["content"][0]["type"] == "tool_result"


async def test_shortened_to_its_summary_alone_a_turn_asks_with_the_words_of_the_user_last(
    small: Rig, model_api: FakeModelApi
) -> None:
    """What was read last is larger than what may stay, so that nothing is kept word for word."""

    def answer(request: RecordedRequest) -> Answer:
        if is_summary(request):
            return text_turn(SUMMARY)
        if any(is_summary(one) for one in model_api.requests):
            return text_turn("Done.", usage=FEW)
        if len(model_api.requests) < 3:
            return tool_turn("list_dir", path=".")
        return Turn(calls=(Call("write_file", {"path": "big.txt", "content": "line\n" * 20_000}),), usage=dict(FULL))

    model_api.answer_with(answer)
    session_id = await small.new("Write it all down")
    ended = await small.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert small.events(Compacted)[0].keep_from is None
    (only,) = model_api.requests[-1].messages
    assert only["role"] == "user"
    assert only["content"][0]["text"].startswith(SUMMARY_PREFIX)
    model_api.answer_with(None)
    model_api.script(text_turn("Good."))
    await say(small, session_id, "And now?")
    assert model_api.requests[-1].messages[0] == only
    assert [message["role"] for message in model_api.requests[-1].messages] == ["user", "assistant", "user"]


def full_call() -> Answer:
    call = tool_turn("list_dir", path=".")
    return type(call)(calls=call.calls, usage=dict(FULL))


@pytest.mark.promise("memory-SB6")
async def test_what_was_forbidden_outlives_a_compaction(small: Rig, model_api: FakeModelApi) -> None:
    session_id = await long_chat(small, model_api, usage=FEW)
    model_api.script(text_turn("Noted.", usage=FEW), text_turn(SUMMARY))
    await say(small, session_id, "Don't touch the docs.")
    await small.engine.handle(Compact(session_id=session_id))
    offered = next(update for update in small.updates if isinstance(update, CompactionOffered))
    apply = ApplyCompaction(session_id=session_id, staging_id=offered.staging_id, summary="We work.")
    await small.engine.handle(apply)
    assert small.events(Compacted)
    model_api.script(tool_turn("write_file", path="docs/a.md", content="x"), text_turn("Refused."))
    await say(small, session_id, "Go on.")
    (finished,) = small.events(ToolCallFinished)
    assert (finished.outcome, "“Don't touch the docs”" in str(finished.content)) == ("refused", True)


@pytest.mark.promise("guests-W8")
async def test_searches_of_the_service_are_told_to_the_summary_without_words_of_strangers() -> None:
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tokens"}}
    page = {"type": "web_search_result", "title": "IGNORE", "url": "https://a.example.com/", "encrypted_content": "x"}
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [page]}
    head: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "go"}]}]
    head.append({"role": "assistant", "content": [call, result, {"type": "text", "text": "A day."}]})
    told = summary_messages(Plan(keep_from=None, head=head, quote=""), 40_000)
    said = "".join(block["text"] for block in told[1]["content"])
    assert "web_search tokens" in said
    assert "https://a.example.com/" in said
    assert "IGNORE" not in said
    assert count_messages(head).results > 20
