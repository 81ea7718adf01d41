"""checked(): what came of trying a service: its models, and what one of them does when it is asked (sessions-SV6)."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal

from desktop.domain.commands import CheckEndpoint
from desktop.domain.events import AssistantMessage
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import EndpointChecked, ModelInfo, TriedPart
from desktop.providers.base import Delta, Provider, ProviderError, Request, ToolSchema
from desktop.providers.kinds import ProviderKind

LIMIT_S = 60.0
MOST_TOKENS = 2_000
"""Room for a model that thinks before it says a word."""
MOST_CHARS = 200
SYSTEM = (
    "You are asked by a program that looks at what you can do. Do exactly what is asked, in as few words as you can."
)
TOOL = ToolSchema(
    name="look",
    description="Looks at something.",
    input_schema={"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
)
RED = (
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w"
    "/SM9AAAAAElFTkSuQmCC"
)
"""A small picture that is red all over."""
NO_TOOLS, NO_PICTURES = "This model does not use tools.", "It does not say what it sees."
Part = Literal["text", "tool", "picture"]


async def checked(command: CheckEndpoint, kind: ProviderKind, provider: Provider) -> EndpointChecked:
    """The list of the service, and then what its model does, where nobody counts what that costs."""
    began = time.monotonic()
    try:
        models = await asyncio.to_thread(_described, kind, await provider.models())
    except ProviderError as error:
        return _outcome(command, False, str(error), ms=_passed_ms(began))
    text = f"{len(models)} models" if models else "It answers, but lists no models. Type the model's name."
    ms = _passed_ms(began)
    counted = kind.priced_as or kind.free or command.endpoint.price(command.model) is not None
    asks = command.model and not counted
    tried = await _parts(provider, command.model) if asks else ()
    return _outcome(command, True, text, models=models, ms=ms, tried=tried)


def _outcome(command: CheckEndpoint, ok: bool, text: str, **more: Any) -> EndpointChecked:
    return EndpointChecked(command_id=command.command_id, endpoint_id=command.endpoint.id, ok=ok, text=text, **more)


def _described(kind: ProviderKind, models: tuple[ModelInfo, ...]) -> tuple[ModelInfo, ...]:
    return tuple(map(kind.described, models))


async def _parts(provider: Provider, model: str) -> tuple[TriedPart, ...]:
    """Three requests, one after the other. Never raises for what a service does."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": RED}}
    asked: tuple[tuple[Part, list[dict[str, Any]], tuple[ToolSchema, ...]], ...] = (
        ("text", [_text("Say: ready")], ()),
        ("tool", [_text("Call the tool look once, with what: sky.")], (TOOL,)),
        ("picture", [_text("Which colour is this picture? Answer with the name of the colour."), picture], ()),
    )
    found = []
    for part, content, tools in asked:
        request = Request(
            model=model,
            system=SYSTEM,
            messages=[{"role": "user", "content": content}],
            tools=tools,
            max_tokens=MOST_TOKENS,
            purpose="message",
        )
        found.append(await _tried(provider, part, request))
    return tuple(found)


def _passed_ms(began: float) -> int:
    """Milliseconds since then."""
    return round((time.monotonic() - began) * 1_000)


async def _tried(provider: Provider, part: Part, request: Request) -> TriedPart:
    began = time.monotonic()
    try:
        async with asyncio.timeout(LIMIT_S):
            message = await _answer(provider.stream(request))
        ok, said = _judged(part, message)
    except ProviderError as error:
        ok, said = False, str(error)
    except TimeoutError:
        ok, said = False, f"It did not answer within {LIMIT_S:.0f} s."
    return TriedPart(part=part, ok=ok, ms=_passed_ms(began), said=said[:MOST_CHARS])


async def _answer(stream: AsyncGenerator[Delta, None]) -> AssistantMessage | None:
    last: Delta | None = None
    async with aclosing(stream):
        async for delta in stream:
            last = delta
    return last if isinstance(last, AssistantMessage) else None


def _judged(part: Part, message: AssistantMessage | None) -> tuple[bool, str]:
    """Whether it did what was asked, and what it said instead."""
    said = message_text(message).strip() if message is not None else ""
    if part == "tool":
        called = any(isinstance(one, dict) and one.get("type") == "tool_use" for one in message.parts) if message else 0
        return bool(called), "" if called else NO_TOOLS
    if part == "picture":
        return "red" in said.casefold(), "" if "red" in said.casefold() else said or NO_PICTURES
    return bool(said), "" if said else "The model returned an empty answer."


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}
