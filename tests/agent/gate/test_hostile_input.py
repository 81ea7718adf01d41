"""Inputs that no event, schema or encoder can hold: the call is refused, its neighbour runs, the chat goes on."""

import json

import pytest

from desktop.agent.core.foreign_input import MAX_INPUT_NESTING, input_problem, recordable_parts
from desktop.domain.commands import OpenProject, SendMessage
from desktop.domain.events import AssistantMessage, ToolCallDecided, ToolCallFinished, UserMessage
from desktop.domain.history.builder import to_messages
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, turn
from tests.validity import faults

pytestmark = pytest.mark.asyncio

READ = Call("read_file", {"file_path": "app.py"})


def nested(levels: int) -> str:
    """JSON of an object with that many levels."""
    return '{"file_path":' * levels + '"app.py"' + "}" * levels


HOSTILE = {
    "NaN": '{"file_path": "app.py", "limit": NaN}',
    "a number too large for a float": '{"file_path": "app.py", "limit": 1e999}',
    "half a character in a value": '{"file_path": "app.py\\ud83d"}',
    "half a character in a name": '{"file_path": "app.py", "a\\udc00": 1}',
    "10,000 levels": nested(10_000),
    "exactly the levels that the log has": nested(200),
    "one level too many": nested(MAX_INPUT_NESTING + 1),
    "a number of 5,000 digits": '{"file_path": "app.py", "limit": ' + "9" * 5_000 + "}",
    "cut off": '{"file_path": "app',
    "a list": '["app.py"]',
    "text": '"app.py"',
    "a wrong type": '{"file_path": 3}',
}


async def refused_beside_a_read(rig: Rig, model_api: FakeModelApi, hostile: Call) -> ToolCallFinished:
    """Run a turn with a hostile call between two reads; the hostile call's result."""
    model_api.script(turn("three calls", [READ, hostile, READ]), text_turn("done"), text_turn("again"))
    session_id = await rig.new("Read it")
    assert (await rig.ended()).status == "completed"
    results = {event.call_id: event for event in rig.events(ToolCallFinished)}
    decided = [event.call_id for event in rig.events(ToolCallDecided)]
    outcomes = [results[call_id].outcome for call_id in decided]
    assert outcomes == ["ok", "refused", "ok"]
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    assert (await rig.ended(2)).status == "completed"
    log = rig.engine.sessions.get(session_id).log
    assert not faults(to_messages(log))
    assert not faults(model_api.requests[-1].messages)
    return results[decided[1]]


@pytest.mark.promise("sessions-SE5")
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_call_with_a_hostile_input_is_refused_and_its_neighbours_run(
    rig: Rig, model_api: FakeModelApi, raw: str
) -> None:
    result = await refused_beside_a_read(rig, model_api, Call("read_file", raw=raw))
    assert str(result.content).startswith("Invalid arguments for read_file: ")


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_call_of_an_unknown_tool_with_a_hostile_input_is_refused(
    rig: Rig, model_api: FakeModelApi, raw: str
) -> None:
    result = await refused_beside_a_read(rig, model_api, Call("reed_file", raw=raw))
    assert "Did you mean read_file?" in str(result.content)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (HOSTILE["NaN"], "it holds NaN, which is not JSON"),
        (HOSTILE["a number too large for a float"], "it holds Infinity, which is not JSON"),
        (HOSTILE["10,000 levels"], "nested over 190 levels"),
        (HOSTILE["cut off"], "perhaps it was cut off"),
        (HOSTILE["a list"], "it is not an object"),
        (HOSTILE["half a character in a value"], "half of a character"),
    ],
)
async def test_the_refusal_names_the_reason(rig: Rig, model_api: FakeModelApi, raw: str, reason: str) -> None:
    result = await refused_beside_a_read(rig, model_api, Call("read_file", raw=raw))
    assert reason in str(result.content)


@pytest.mark.parametrize("given", [float("nan"), float("inf"), json.loads(nested(300))], ids=["NaN", "inf", "deep"])
async def test_an_input_that_comes_as_a_value_is_no_better(rig: Rig, model_api: FakeModelApi, given: object) -> None:
    await refused_beside_a_read(rig, model_api, Call("read_file", {"file_path": given}, raw=""))
    block = {"type": "tool_use", "id": "call_x", "name": "read_file", "input": {"file_path": given}}
    events = (
        {"type": "message_start", "message": {"model": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    )
    model_api.script(turn(events=events), text_turn("done"))
    await rig.new("Read it by value")
    assert (await rig.ended(3)).status == "completed"
    assert rig.events(ToolCallFinished)[-1].outcome == "refused"


async def test_an_object_that_looks_like_a_stored_blob_stays_an_object(rig: Rig, model_api: FakeModelApi) -> None:
    result = await refused_beside_a_read(rig, model_api, Call("read_file", {"$blob": "00" * 32}))
    assert "$blob" in str(result.content)
    assert rig.events(ToolCallDecided)[1].input == {"$blob": "00" * 32}
    assert model_api.requests[1].messages[1]["content"][2]["input"] == {"$blob": "00" * 32}


async def test_three_bad_calls_beside_a_good_one_are_four_pairs(rig: Rig, model_api: FakeModelApi) -> None:
    calls = [
        Call("teleport", {"to": "moon"}),
        Call("read_file", {"file_path": ["app.py"]}),
        Call("read_file", raw=HOSTILE["cut off"]),
        READ,
    ]
    model_api.script(turn("four calls", calls), text_turn("done"))
    await rig.new("Read it")
    assert (await rig.ended()).status == "completed"
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused", "refused", "refused", "ok"]
    asked, answered = model_api.requests[1].messages[1:3]
    ids = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
    assert [block["tool_use_id"] for block in answered["content"]] == ids


async def test_half_a_character_in_a_prompt_and_an_answer_is_kept_and_sent_as_a_replacement(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("half \ud83d of it"), text_turn("done"))
    session_id = await rig.new("A half \ud83d here")
    assert (await rig.ended()).status == "completed"
    assert rig.events(UserMessage)[0].parts == ({"type": "text", "text": "A half \ud83d here"},)
    assert rig.events(AssistantMessage)[0].parts == ({"type": "text", "text": "half \ud83d of it"},)
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    assert (await rig.ended(2)).status == "completed"
    assert "A half \ufffd here" in str(model_api.requests[1].messages[0])


async def test_parts_that_no_event_can_hold_become_text_or_are_left_out() -> None:
    deep = json.loads(nested(500))
    call = {"type": "tool_use", "id": "a", "name": "x", "input": deep}
    parts = recordable_parts(({"type": "text", "text": "hi"}, {"type": "odd", "value": float("nan")}, call))
    assert parts == ({"type": "text", "text": "hi"}, {**call, "input": json.dumps(deep)})
    assert input_problem(json.dumps(deep)) == "it is nested over 190 levels"
    assert input_problem({"a": 1}) == ""
    assert input_problem({"a": float("nan")}) != ""


async def test_a_command_whose_handling_breaks_comes_back_to_who_sent_it(rig: Rig) -> None:
    command = OpenProject(path="x" * 5000)  # longer than any name of a file
    await rig.engine.handle(command)
    failed = rig.failures()[-1]
    assert (failed.command_id, failed.code) == (command.command_id, "internal")
    assert failed.text.endswith("Details are in the log.")
