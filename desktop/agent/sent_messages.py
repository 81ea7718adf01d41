"""SentMessages: the message list of a session as it may be sent, kept from request to request (sessions-SP1)."""

from typing import Any

from desktop.agent.pictures import (
    Pictures,
    attachment_names,
    has_images,
    image_blocks,
    plan_images,
)
from desktop.agent.session import Session
from desktop.domain.events import AssistantMessage, Envelope, ModelChanged, SessionStarted, ThinkingLevel
from desktop.domain.history_render import Rendered
from desktop.domain.history_words import Message
from desktop.domain.parts import THINKING_TYPES
from desktop.providers.wire import WireMessage, wire_message
from desktop.store.blob_store import BlobStore

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


class SentMessages:
    """Belongs to one session. A message that did not change since the last request is not made again."""

    def __init__(self, blobs: BlobStore) -> None:
        self._pictures = Pictures(blobs.get)
        self._authors = _Authors()
        self._made: dict[int, tuple[Rendered, bool, WireMessage]] = {}

    async def messages(self, session: Session, *, reads_images: bool) -> tuple[ThinkingLevel, list[Message]]:
        """The list to send, and whether the model may think for it."""
        rendered = session.history.rendered()
        level = session.state.thinking
        current = (session.state.endpoint_id, session.state.model)
        authors = self._authors.catch_up(session.log) if level != "off" else {}
        if level != "off" and not _may_think(rendered, authors, current):
            level = "off"
        with_images = [one for one in rendered if self._unknown(one) and has_images(one.message)]
        plan = plan_images([one.message for one in with_images], reads_images=reads_images)
        await self._pictures.prepare([one.message for one in with_images], plan)
        names = attachment_names(session.log) if plan.skip else {}
        pictured = {id(one) for one in with_images}
        made: dict[int, tuple[Rendered, bool, WireMessage]] = {}
        sent: list[Message] = []
        images = 0
        for one in rendered:
            thinks = level != "off" and _is_own(one, authors, current)
            if id(one) in pictured:
                sent.append(wire_message(_without(self._pictures.replaced(one.message, plan, images, names), thinks)))
                images += len(list(image_blocks([one.message])))
                continue
            known = self._made.get(id(one))
            if known is None or known[0] is not one or known[1] != thinks:
                known = (one, thinks, wire_message(_without(one.message, thinks)))
            made[id(one)] = known
            sent.append(known[2])
        self._made = made
        return level, sent

    def _unknown(self, one: Rendered) -> bool:
        """Whether it may hold pictures: what is kept holds none."""
        known = self._made.get(id(one))
        return known is None or known[0] is not one


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
