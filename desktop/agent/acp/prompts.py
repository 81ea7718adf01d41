"""Prompts: what an editor sends as a message: its blocks as text and files, and how it is answered in the end."""

import asyncio
import base64
import binascii
from collections.abc import Iterator
from dataclasses import field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from desktop.agent.acp.words import Json
from desktop.domain.events import TurnEnded
from desktop.records import dataclass
from desktop.services.acp.wire import WRONG_PARAMS, WireError

_FENCE = "```"
_STOPS = {"interrupted": "cancelled", "limit": "max_turn_requests", "loop": "max_turn_requests"}


@dataclass(frozen=True)
class Attached:
    """A file or picture that came with a message, in its bytes."""

    name: str
    data: bytes


@dataclass
class Prompt:
    """A message of an editor that is not answered yet. `answer`: the stop reason, or why it failed. `queue_id`: it
    waits in the queue of the chat; `delivered`: the model has it; `withdrawn`: the editor wants it no more."""

    text: str
    attached: tuple[Attached, ...]
    answer: "asyncio.Future[str]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    queue_id: str = ""
    delivered: bool = False
    withdrawn: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the chat has it, in its queue or as a message."""
        return self.delivered or bool(self.queue_id)

    def end(self, stop_reason: str) -> None:
        """It is answered."""
        if not self.answer.done():
            self.answer.set_result(stop_reason)

    def fail(self, error: WireError) -> None:
        """It is answered by an error."""
        if not self.answer.done():
            self.answer.set_exception(error)


def prompt_of(blocks: JsonValue) -> Prompt:
    """The message of these blocks.

    Raises:
        WireError: they are no content, or say nothing.
    """
    if not isinstance(blocks, list):
        raise WireError(WRONG_PARAMS, "prompt is a list of content blocks.")
    texts: list[str] = []
    attached: list[Attached] = []
    for block in blocks:
        for part in _parts(block, len(attached) + 1):
            if isinstance(part, Attached):
                attached.append(part)
            else:
                texts.append(part)
    text = "\n".join(one for one in texts if one.strip())
    if not text and not attached:
        raise WireError(WRONG_PARAMS, "There is nothing to send.")
    return Prompt(text, tuple(attached))


def stop_reason(ended: TurnEnded) -> str:
    """How the end of a turn is told, "" where it failed."""
    if ended.status == "completed":
        return "refusal" if ended.reason == "refusal" else "end_turn"
    if ended.reason == "output_limit":
        return "max_tokens"
    return _STOPS.get(ended.status, "")


def _parts(block: JsonValue, number: int) -> Iterator[str | Attached]:
    if not isinstance(block, dict):
        raise WireError(WRONG_PARAMS, "A content block is an object.")
    kind = block.get("type")
    if kind == "text":
        yield _word(block, "text")
    elif kind == "image":
        yield Attached(f"picture-{number}", _bytes(_word(block, "data")))
    elif kind == "resource_link":
        yield f"[{_word(block, 'name')}]({_shown_uri(_word(block, 'uri'))})"
    elif kind == "resource":
        yield _embedded(block.get("resource"))
    else:
        raise WireError(WRONG_PARAMS, f"Banksman takes no content of type {kind!r}.")


def _embedded(resource: JsonValue) -> str | Attached:
    """A file that the editor put into the message: its text with its name, or its bytes as an attachment."""
    if not isinstance(resource, dict):
        raise WireError(WRONG_PARAMS, "A resource is an object.")
    uri = _word(resource, "uri")
    if isinstance(text := resource.get("text"), str):
        fence = _FENCE
        while fence in text:
            fence += "`"
        return f"\n{_shown_uri(uri)}\n{fence}\n{text}\n{fence}"
    return Attached(PurePosixPath(unquote(urlsplit(uri).path)).name or "file", _bytes(_word(resource, "blob")))


def _shown_uri(uri: str) -> str:
    """A file by its path, all else as it is."""
    parts = urlsplit(uri)
    path = unquote(parts.path) if parts.scheme == "file" else uri
    return f"{path}#{parts.fragment}" if parts.scheme == "file" and parts.fragment else path


def _word(block: Json, name: str) -> str:
    value = block.get(name)
    if not isinstance(value, str):
        raise WireError(WRONG_PARAMS, f"{name} is missing, or is no text.")
    return value


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WireError(WRONG_PARAMS, "data is not in Base64.") from error
