"""DemoProvider: a scripted model, built in. No key, no connection, no cost; everything around it is real."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import NoReturn

from pydantic import JsonValue

from desktop.domain.core.ids import new_id
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.domain.updates import ModelInfo
from desktop.providers.base import Delta, ProviderError, Request, TextDelta, ToolInputDelta
from desktop.providers.demo_script import (
    DemoScript,
    DemoTurn,
    Place,
    choose_script,
    demo_scripts,
    place_of,
    script_list,
    texts_of,
    turn_at,
)
from desktop.providers.errors import EndedEarly, ErrorEvent, NothingCame, classify

PACE_S = 0.005
TEXT_PIECE = 32
INPUT_PIECE = 20
STALL_S = 5.0
SUMMARY_LINE = 200
CHARS_PER_TOKEN = 4
_STATUS_TYPES = {429: "rate_limit_error", 500: "api_error", 529: "overloaded_error", 401: "authentication_error"}


class DemoProvider:
    """Answers from scripts. `pace_s`: seconds between two pieces, None for the shipped pace; with 0 nothing waits.

    What it says follows from the messages alone; only the attempts of a turn that is meant to fail are counted here.
    """

    def __init__(self, *, pace_s: float | None = None, scripts: tuple[DemoScript, ...] | None = None) -> None:
        self._pace_s = PACE_S if pace_s is None else pace_s
        self._scripts = scripts
        self._attempts: dict[tuple[str, str, int, int, int], int] = {}

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """As `Provider.stream`."""
        if request.purpose == "summary":
            yield demo_summary(request)
            return
        if request.purpose == "message":
            yield _said(request, "Change what the demo's script says")
            return
        place = place_of(request.messages)
        turn, fault = self._turn(place, request)
        parts: list[JsonValue] = []
        await self._wait(turn.delay_ms / 1000)
        await self._fail_before(fault)
        if turn.text:
            parts.append({"type": "text", "text": ""})
            text = turn.text.removeprefix(place.cut)
            for piece in _pieces(text, TEXT_PIECE):
                if fault == "drop_in_text" and len(str(_last(parts)["text"])) * 2 >= len(text):
                    self._fail(EndedEarly("the demo's connection was cut"), parts)
                _last(parts)["text"] = str(_last(parts)["text"]) + piece
                yield TextDelta(part_index=len(parts) - 1, text=piece)
                await self._wait(self._pace_s)
        for call in turn.tool_calls:
            parts.append({"type": "tool_use", "id": new_id("call_"), "name": call.name, "input": call.args})
            for piece in _pieces(json.dumps(call.args, ensure_ascii=False), INPUT_PIECE):
                yield ToolInputDelta(part_index=len(parts) - 1, tool=call.name, text=piece)
                await self._wait(self._pace_s)
                if fault == "drop_in_input":
                    self._fail(EndedEarly("the demo's connection was cut"), parts)
        if fault:
            self._fail(self._late_fault(fault), parts)
        yield AssistantMessage(
            parts=tuple(parts),
            stop_reason=turn.stop_reason or ("tool_use" if turn.tool_calls else "end_turn"),
            usage=_usage(turn, request, parts),
            model=request.model,
        )

    async def models(self) -> tuple[ModelInfo, ...]:
        """As `Provider.models`."""
        return (ModelInfo(id="demo", name="Demo", window=200_000, max_output=8_192),)

    async def close(self) -> None:
        """As `Provider.close`."""

    def _turn(self, place: Place, request: Request) -> tuple[DemoTurn, str]:
        """What to say now, and the fault to fail with ("" for none)."""
        scripts = demo_scripts() if self._scripts is None else self._scripts
        offered = frozenset(tool.name for tool in request.tools)
        script = choose_script(scripts, place, offered)
        if script is None:
            return DemoTurn(text=script_list(scripts)), ""
        turn = turn_at(script, place, offered)
        if turn.fault is None:
            return turn, ""
        key = (script.name, place.prompt, place.number, place.reminders, len(place.answers))
        attempt = self._attempts.get(key, 0) + 1
        failing = attempt in turn.fault.attempts
        self._attempts[key] = attempt if failing else 0
        return turn, turn.fault.kind if failing else ""

    async def _fail_before(self, fault: str) -> None:
        """Fail as a request does of which nothing comes back."""
        if fault == "drop_before":
            self._fail(ConnectionResetError(104, "Connection reset by peer"), [])
        if fault == "stall":
            await self._wait(STALL_S)
            self._fail(NothingCame(f"nothing came for {STALL_S:g} s"), [])
        if fault.startswith("status:"):
            status = int(fault.removeprefix("status:"))
            kind = _STATUS_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
            body = {"type": "error", "error": {"type": kind, "message": f"the demo refused with status {status}"}}
            failure = classify(ErrorEvent(body)).model_copy(update={"http_status": status})
            raise ProviderError(failure)

    def _late_fault(self, fault: str) -> Exception:
        if fault.startswith("error:"):
            kind = fault.removeprefix("error:")
            return ErrorEvent({"type": "error", "error": {"type": kind, "message": f"the demo reported {kind}"}})
        return EndedEarly("the demo's stream ended before the answer was complete")

    def _fail(self, error: Exception, parts: list[JsonValue]) -> NoReturn:
        texts = tuple(part for part in parts if isinstance(part, dict) and part["type"] == "text" and part["text"])
        partial = AssistantMessage(parts=texts, interrupted=True) if texts else None
        raise ProviderError(classify(error), partial=partial) from error

    async def _wait(self, seconds: float) -> None:
        if self._pace_s and seconds:
            await asyncio.sleep(seconds)


def demo_summary(request: Request) -> AssistantMessage:
    """A summary from what the person wrote, as the model of a demo can give it."""
    said = [text for message in request.messages if message["role"] == "user" for text in texts_of(message)]
    asked = [" ".join(text.split())[:SUMMARY_LINE] for text in said[:-1] if not text.startswith(("[", "<"))]
    lines = ["# Goal", *(f"- {text}" for text in asked), "# State now", "- The demo went on as its script says."]
    return _said(request, "\n".join(lines))


def _said(request: Request, text: str) -> AssistantMessage:
    parts: list[JsonValue] = [{"type": "text", "text": text}]
    usage = _usage(DemoTurn(), request, parts)
    return AssistantMessage(parts=tuple(parts), stop_reason="end_turn", usage=usage, model=request.model)


def _last(parts: list[JsonValue]) -> dict[str, JsonValue]:
    part = parts[-1]
    assert isinstance(part, dict)
    return part


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _usage(turn: DemoTurn, request: Request, parts: list[JsonValue]) -> Usage:
    """The script's numbers, else what a model of this size of request would report."""
    if turn.usage:
        return Usage.model_validate(turn.usage)
    tools = sum(len(tool.description) + len(json.dumps(tool.input_schema)) for tool in request.tools)
    read = len(request.system) + tools + len(json.dumps(request.messages))
    return Usage(input=read // CHARS_PER_TOKEN, output=len(json.dumps(parts)) // CHARS_PER_TOKEN, cache_read=0)
