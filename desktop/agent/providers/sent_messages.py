"""SentMessages: the message list of a session as it may be sent, kept from request to request (sessions-SP1)."""

import asyncio
import contextlib
import operator
from dataclasses import field
from typing import Any

from desktop.agent.core.session import Session
from desktop.agent.providers.pictures import (
    Pictures,
    attachment_names,
    has_images,
    image_blocks,
    plan_images,
)
from desktop.domain.events import AssistantMessage, Envelope, ModelChanged, SessionStarted, ThinkingLevel
from desktop.domain.history.parts import THINKING_TYPES, cites
from desktop.domain.history.render import Rendered
from desktop.domain.history.words import Message
from desktop.domain.web.vendor import in_words, is_call, is_result
from desktop.providers.aside import aside
from desktop.providers.wire import WireMessage, wire_message
from desktop.records import dataclass
from desktop.store.core.blobs import BlobStore

Author = tuple[str, str]
"""Endpoint and model, as they were chosen when an answer was asked for."""

_AUTHOR_KINDS = frozenset({"session_started", "model_changed", "assistant_message"})


class _Authors:
    """Who wrote the answers of a log: event id → author."""

    def __init__(self) -> None:
        self._at = 0
        self._chosen: Author = ("", "")
        self._of: dict[str, Author] = {}

    def catch_up(self, log: list[Envelope]) -> dict[str, Author]:
        for envelope in log[self._at :]:
            if envelope.kind in _AUTHOR_KINDS:
                event = envelope.event
                if isinstance(event, SessionStarted | ModelChanged):
                    self._chosen = (event.endpoint_id, event.model)
                elif isinstance(event, AssistantMessage):
                    self._of[envelope.event_id] = self._chosen
        self._at = len(log)
        return self._of


@dataclass
class _Kept:
    """What was sent last: the messages it was made of, what became of each, and where some hold pictures; what stands
    in `made` there is not to be sent. `author`: who is asked, and may see its own thinking; None: nobody thinks.
    `endpoint`: whose searches and citations go as they came, where there are any."""

    author: Author | None = None
    endpoint: str = ""
    of: list[Rendered] = field(default_factory=list)
    made: list[WireMessage] = field(default_factory=list)
    pictured: list[int] = field(default_factory=list)

    async def catch_up(self, rendered: list[Rendered], authors: dict[str, Author]) -> None:
        """Make what is new or changed; what stands before it stays."""
        same = list(map(operator.is_, self.of, rendered))
        shared = same.index(False) if False in same else len(same)
        new = rendered[shared:]
        made = await aside(len(new), lambda: [self._made(one, authors) for one in new])
        self.made[shared:] = made
        self.pictured = [at for at in self.pictured if at < shared]
        self.pictured += [at for at, one in enumerate(made, start=shared) if not one]
        self.of = rendered

    def _made(self, one: Rendered, authors: dict[str, Author]) -> WireMessage:
        """The message as it is sent, empty for one with pictures."""
        if has_images(one.message):
            return WireMessage({})
        return _written(self.without(one, one.message, authors))

    def without(self, one: Rendered, message: Message, authors: dict[str, Author]) -> Message:
        """`message`, made of `one`, as this service may have it."""
        thinks = self.author is not None and _is_own(one, authors, self.author)
        return _without(_for_endpoint(one, message, authors, self.endpoint), thinks)


class SentMessages:
    """Belongs to one session. A message that did not change since the last request is not made again."""

    def __init__(self, blobs: BlobStore) -> None:
        self._pictures = Pictures(blobs.get)
        self._authors = _Authors()
        self._thinking = _Kept()
        self._plain = _Kept()

    async def messages(self, session: Session, *, reads_images: bool) -> tuple[ThinkingLevel, list[Message]]:
        """The list to send, and whether the model may think for it."""
        rendered = _asking(session.history.rendered())
        level = session.state.thinking
        current = (session.state.endpoint_id, session.state.model)
        of_vendor = session.history.from_vendor
        authors = self._authors.catch_up(session.log) if level != "off" or of_vendor else {}
        if level != "off" and not _may_think(rendered, authors, current):
            level = "off"
        endpoint = current[0] if of_vendor else ""
        if level != "off":
            same = (self._thinking.author, self._thinking.endpoint) == (current, endpoint)
            kept = self._thinking = self._thinking if same else _Kept(current, endpoint)
        else:
            kept = self._plain = self._plain if self._plain.endpoint == endpoint else _Kept(None, endpoint)
        await kept.catch_up(rendered, authors)
        sent: list[Message] = [*kept.made]
        if kept.pictured:
            await self._put_pictures(session, kept, sent, authors, reads_images=reads_images)
        return level, sent

    async def _put_pictures(
        self, session: Session, kept: _Kept, sent: list[Message], authors: dict[str, Author], *, reads_images: bool
    ) -> None:
        """Replace the messages that hold pictures: how many of these are sent, and how large, depends on all."""
        held = [(at, kept.of[at]) for at in kept.pictured]
        messages = [one.message for _, one in held]
        plan = plan_images(messages, reads_images=reads_images)
        await self._pictures.prepare(messages, plan)
        names = attachment_names(session.log) if plan.skip else {}

        images, replaced = 0, list[Message]()
        for _, one in held:
            pictured = self._pictures.replaced(one.message, plan, images, names)
            replaced.append(kept.without(one, pictured, authors))
            images += len(list(image_blocks([one.message])))
        made = await asyncio.to_thread(lambda: [_written(message) for message in replaced])
        for (at, _), message in zip(held, made, strict=True):
            sent[at] = message


def _written(message: Message) -> WireMessage:
    """The message as it may be sent, its JSON made. With a number that is none of JSON's it fails when it is sent."""
    made = wire_message(message)
    with contextlib.suppress(ValueError):
        made.write()
    return made


def _asking(rendered: list[Rendered]) -> list[Rendered]:
    """The list without the acknowledgement of a summary after which nothing was said: services want the user's word
    last. What is said next by either side continues it as it is."""
    said_by_nobody = len(rendered) > 1 and rendered[-1].message["role"] == "assistant" and not any(rendered[-1].origins)
    return rendered[:-1] if said_by_nobody else rendered


def _is_own(one: Rendered, authors: dict[str, Author], current: Author) -> bool:
    """Whether all thinking in the message was written by the endpoint and model that are asked now."""
    if one.message["role"] != "assistant":
        return True
    thought = (
        origin
        for block, origin in zip(one.message["content"], one.origins, strict=True)
        if block["type"] in THINKING_TYPES
    )
    return all(authors.get(origin or "") == current for origin in thought)


def _for_endpoint(one: Rendered, message: Message, authors: dict[str, Author], endpoint: str) -> Message:
    """The message; what another service did by itself for it is told in words, and what it cites left out: only that
    service can read its own results."""
    content: list[dict[str, Any]] = message["content"]
    if not any(is_call(block) or is_result(block) or cites(block) for block in content):
        return message
    told = [
        block if authors.get(origin or "", ("", ""))[0] == endpoint else _told(block)
        for block, origin in zip(content, one.origins, strict=True)
    ]
    return {**message, "content": told}


def _told(block: dict[str, Any]) -> dict[str, Any]:
    if is_call(block) or is_result(block):
        return {"type": "text", "text": in_words(block)}
    return {"type": "text", "text": block["text"]} if cites(block) else block


def _may_think(rendered: list[Rendered], authors: dict[str, Author], current: Author) -> bool:
    """False when the request ends with results of an answer without thinking: a service refuses to think then."""
    if len(rendered) < 2 or rendered[-1].message["content"][0]["type"] != "tool_result":
        return True
    asked = rendered[-2]
    thought = any(block["type"] in THINKING_TYPES for block in asked.message["content"])
    return thought and _is_own(asked, authors, current)


def _without(message: Message, thinks: bool) -> Message:
    """The message, without its thinking unless it may keep it; no message holds thinking alone."""
    content: list[dict[str, Any]] = message["content"]
    if thinks or not any(block.get("type") in THINKING_TYPES for block in content):
        return message
    return {**message, "content": [block for block in content if block.get("type") not in THINKING_TYPES]}
