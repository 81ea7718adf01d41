import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.events import AssistantMessage
from desktop.providers.base import Delta, ProviderError, Request, TextDelta, ToolInputDelta, ToolSchema
from desktop.providers.demo import DemoProvider
from desktop.providers.demo_script import END_TEXT, DemoScript, demo_scripts, load_script

pytestmark = pytest.mark.asyncio
Message = dict[str, Any]
Results = Callable[[str, dict[str, Any]], str]
OFFERED = ("ask_user", "bash", "edit_file", "glob", "grep", "read_file", "set_chat_summary", "todo_write")


def person(text: str) -> Message:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def note(kind: str) -> Message:
    return person(f'<banksman-note kind="{kind}">x</banksman-note>')


def request(messages: list[Message], tools: tuple[str, ...] = OFFERED) -> Request:
    schemas = tuple(ToolSchema(name=name, description="d", input_schema={"type": "object"}) for name in tools)
    return Request(model="demo", system="s", messages=messages, tools=schemas)


async def answer(provider: DemoProvider, messages: list[Message], tools: tuple[str, ...] = OFFERED) -> AssistantMessage:
    last: Delta | None = None
    async for delta in provider.stream(request(messages, tools)):
        last = delta
    assert isinstance(last, AssistantMessage)
    return last


def text_of(message: AssistantMessage | Message) -> str:
    parts = message.parts if isinstance(message, AssistantMessage) else message["content"]
    return "".join(str(part["text"]) for part in parts if isinstance(part, dict) and part["type"] == "text")


def calls_of(message: AssistantMessage) -> list[dict[str, Any]]:
    return [part for part in message.parts if isinstance(part, dict) and part["type"] == "tool_use"]


async def play(prompt: str, results: Results, tools: tuple[str, ...] = OFFERED) -> tuple[list[Message], list[str]]:
    """The whole conversation, a new provider for each request; and the names of the calls in order."""
    messages, names = [person(prompt)], []
    for _ in range(30):
        message = await answer(DemoProvider(pace_s=0), messages, tools)
        messages.append({"role": "assistant", "content": list(message.parts)})
        calls = calls_of(message)
        names += [str(call["name"]) for call in calls]
        if not calls or calls[-1]["name"] == "set_chat_summary":
            return messages, names
        blocks = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": results(call["name"], call["input"])}
            for call in calls
        ]
        messages.append({"role": "user", "content": blocks})
    raise AssertionError("the conversation did not end")


def willing(choice: str) -> Results:
    runs = iter(["FAILED (failures=2)\n[exit code 1 · 0.2 s]", "OK\n[exit code 0 · 0.2 s]"])

    def results(name: str, args: dict[str, Any]) -> str:
        if name == "bash":
            return next(runs)
        if name == "ask_user":
            return f"**{args['questions'][0]['question']}**\n{choice}"
        return f"Edited {args['file_path']}: 1 replacement." if name == "edit_file" else "fine"

    return results


def unwilling(name: str, args: dict[str, Any]) -> str:
    if name == "ask_user":
        return "The person declined to answer. Decide yourself or ask in the chat."
    return "The person declined this call." if name in ("bash", "edit_file") else "fine"


TOUR_CALLS = [
    "todo_write", "read_file", "grep", "bash", "ask_user", "edit_file", "bash", "todo_write", "set_chat_summary",
]  # fmt: skip
REPORTED = [*TOUR_CALLS[:-1], "report_completion", TOUR_CALLS[-1]]


@pytest.mark.parametrize(
    ("choice", "expression"),
    [
        ("Once, on the sum", "discounted(self.subtotal(), discount_percent)"),
        ("Each line", "return self.subtotal(discount_percent) +"),
        ("do whatever you like", "discounted(self.subtotal(), discount_percent)"),
    ],
)
async def test_the_tour_follows_the_answer(choice: str, expression: str) -> None:
    messages, names = await play("Fix the discount in the cart", willing(choice))
    assert names == REPORTED
    edits = [part for m in messages for part in m["content"] if part.get("name") == "edit_file"]
    assert expression in edits[0]["input"]["new_string"]
    closing = text_of(messages[-1])
    assert "Both failing tests pass" in closing
    assert "```" in closing
    assert "\n- " in closing


async def test_the_tour_goes_on_sensibly_when_everything_is_declined() -> None:
    messages, names = await play("tour", unwilling)
    assert names == TOUR_CALLS
    texts = [text_of(m) for m in messages if m["role"] == "assistant"]
    assert texts[3].startswith("The command did not run")
    assert texts[5].startswith("The file was not changed")
    assert texts[6].startswith("The tests were not run")
    assert "the steps that were declined" in texts[7]


async def test_the_place_follows_from_the_messages_alone() -> None:
    messages, _ = await play("tour", willing("Each line"))
    for at in range(1, len(messages), 2):
        again = await answer(DemoProvider(pace_s=0), messages[:at])
        assert text_of(again) == text_of(messages[at])


async def test_a_later_prompt_starts_its_script_at_the_beginning() -> None:
    messages, _ = await play("tour", willing("Each line"))
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "ok"}]})
    messages[-1]["content"].append({"type": "text", "text": "and now the retry, please"})
    with pytest.raises(ProviderError) as caught:
        await answer(DemoProvider(pace_s=0), messages)
    assert caught.value.failure.category == "overloaded"


async def test_any_first_message_starts_the_tour_and_a_later_odd_one_lists_the_demos() -> None:
    first = await answer(DemoProvider(pace_s=0), [person("hello there")])
    assert text_of(first).startswith("I will find out why")
    later = [person("hello"), {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, person("and now?")]
    listed = text_of(await answer(DemoProvider(pace_s=0), later))
    for script in demo_scripts():
        assert script.title in listed


async def test_plan_mode_plays_the_plan_even_after_the_mode_has_changed() -> None:
    def results(name: str, args: dict[str, Any]) -> str:
        if name == "exit_plan_mode":
            return "Plan approved. Mode: edit."
        return "edit_file is not available in plan mode." if name == "edit_file" else "OK\n[exit code 0 · 1 s]"

    offered = ("exit_plan_mode", "read_file")
    _, names = await play("please plan it", results, offered)
    assert names == ["read_file", "read_file", "edit_file", "exit_plan_mode", "edit_file", "bash", "set_chat_summary"]
    first = await answer(DemoProvider(pace_s=0), [person("fix it somehow")], offered)
    assert text_of(first).startswith("In plan mode")
    started = [person("hi"), {"role": "assistant", "content": list(first.parts)}, note("mode_changed")]
    started[2]["content"].insert(0, {"type": "tool_result", "tool_use_id": "x", "content": "ok"})
    assert calls_of(await answer(DemoProvider(pace_s=0), started))[0]["name"] == "edit_file"


async def test_a_plan_that_is_not_approved_changes_nothing() -> None:
    messages, names = await play("plan", lambda name, args: "Not approved: shorter.", ("exit_plan_mode",))
    assert names[-1] == "exit_plan_mode"
    assert text_of(messages[-1]).startswith("The plan was not approved")


async def test_outside_plan_mode_the_plan_says_how_to_get_there() -> None:
    message = await answer(DemoProvider(pace_s=0), [person("plan")])
    assert "Switch the mode" in text_of(message)
    assert calls_of(message) == []


async def test_after_the_last_turn_the_demo_says_so() -> None:
    messages, _ = await play("tour", willing("Each line"))
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "ok"}]})
    assert text_of(await answer(DemoProvider(pace_s=0), messages)) == END_TEXT


async def test_retry_is_turned_away_twice_and_then_cut_once() -> None:
    provider, messages = DemoProvider(pace_s=0), [person("retry")]
    for _ in range(2):
        with pytest.raises(ProviderError) as caught:
            await answer(provider, messages)
        failure = caught.value.failure
        assert (failure.category, failure.retryable, failure.http_status) == ("overloaded", True, 529)
        assert caught.value.partial is None
    first = await answer(provider, messages)
    assert [call["name"] for call in calls_of(first)] == ["glob"]
    messages.append({"role": "assistant", "content": list(first.parts)})
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "a.py"}]})
    with pytest.raises(ProviderError) as caught:
        await answer(provider, messages)
    assert caught.value.failure.category == "network"
    assert caught.value.partial is not None
    cut = text_of(caught.value.partial)
    messages += [{"role": "assistant", "content": [{"type": "text", "text": cut}]}, note("stream_cut")]
    rest = text_of(await answer(provider, messages))
    assert (cut + rest).startswith("This answer was cut in its middle once.")
    assert (cut + rest).endswith("nothing ran twice.")


def faulty(kind: str) -> tuple[DemoScript, ...]:
    turn = {
        "text": "Some text of a good length for two pieces.",
        "tool_calls": [{"name": "bash", "args": {"command": "echo a longer command"}}],
        "fault": {"kind": kind, "attempts": [1]},
    }
    return (DemoScript.model_validate({"name": "tour", "title": "t", "passes": [{"turns": [turn]}]}),)


@pytest.mark.parametrize(
    ("kind", "category", "has_text"),
    [
        ("drop_before", "network", False),
        ("drop_in_text", "network", True),
        ("drop_in_input", "network", True),
        ("drop_before_stop", "network", True),
        ("status:429", "rate_limited", False),
        ("status:401", "auth", False),
        ("error:overloaded_error", "overloaded", True),
        ("stall", "timeout", False),
    ],
)
async def test_each_fault_fails_as_the_real_thing_does_and_once(kind: str, category: str, has_text: bool) -> None:
    provider = DemoProvider(pace_s=0, scripts=faulty(kind))
    with pytest.raises(ProviderError) as caught:
        await answer(provider, [person("go")])
    assert caught.value.failure.category == category
    assert (caught.value.partial is not None) is has_text
    assert len(calls_of(await answer(provider, [person("go")]))) == 1


async def test_text_comes_in_pieces_of_32_and_input_in_pieces_of_20() -> None:
    deltas = [delta async for delta in DemoProvider(pace_s=0).stream(request([person("tour")]))]
    texts = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    inputs = [delta.text for delta in deltas if isinstance(delta, ToolInputDelta)]
    assert {len(text) for text in texts[:-1]} == {32}
    assert {len(text) for text in inputs[:-1]} == {20}
    message = deltas[-1]
    assert isinstance(message, AssistantMessage)
    assert "".join(texts) == text_of(message)
    assert json.loads("".join(inputs)) == calls_of(message)[0]["input"]


async def test_the_pace_is_kept_and_a_closed_stream_stops() -> None:
    stream = DemoProvider(pace_s=0.02).stream(request([person("plan")]))
    began = time.monotonic()
    for _ in range(3):
        await anext(stream)
    assert time.monotonic() - began >= 0.04
    await stream.aclose()
    await asyncio.sleep(0)


async def test_usage_is_reported() -> None:
    usage = (await answer(DemoProvider(pace_s=0), [person("tour")])).usage
    assert (usage.input or 0) > 0
    assert (usage.output or 0) > 0


async def test_call_ids_differ_every_time() -> None:
    ids = {str(calls_of(await answer(DemoProvider(pace_s=0), [person("tour")]))[0]["id"]) for _ in range(5)}
    assert len(ids) == 5


async def test_a_malformed_script_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"name": "x", "title": "t", "passes": [{"turns": [{"fault": {"kind": "explode"}}]}]}')
    with pytest.raises(ValueError, match="fault"):
        load_script(path)


async def test_the_demo_lists_its_one_model() -> None:
    provider = DemoProvider()
    assert [model.id for model in await provider.models()] == ["demo"]
    await provider.close()
