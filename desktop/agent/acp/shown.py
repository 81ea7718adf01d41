"""Shown: what an editor is shown of one chat: events and passing state as updates of the protocol."""

from collections.abc import Callable, Iterator
from functools import singledispatchmethod
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.acp.words import Json, shown, text_block
from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.core.content import Block, DiffBlock
from desktop.domain.core.update import Update
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.display.lazy import card_title
from desktop.domain.display.shown_text import block_text
from desktop.domain.display.text import stream_text
from desktop.domain.events import (
    AssistantMessage,
    Event,
    ModeChanged,
    Notice,
    TitleChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    UserMessage,
)
from desktop.domain.updates import StreamDiscarded, TextDelta, ThinkingDelta, ToolProgress

MOST_CHARS = 100_000
DISCARDED = "\n\n(This answer broke off and does not count.)\n\n"
MICRO = 1_000_000
KINDS = {"read": "read", "write": "edit", "bash": "execute", "external": "other"}


class Shown:
    """`send` takes the body of an update; `root`: the folder of the chat's lane, None while it has none."""

    def __init__(self, send: Callable[[Json], None], root: Callable[[], Path | None]) -> None:
        self._send = send
        self._root = root
        self._streamed: dict[str, dict[int, int]] = {}

    def said(self, text: str) -> None:
        """Words of the app, beside those of the model."""
        self._chunk("agent_message_chunk", text)

    # Passing state

    def passing(self, update: Update) -> None:
        """Show what passes, as far as an editor shows it."""
        if isinstance(update, TextDelta | ThinkingDelta):
            is_text = isinstance(update, TextDelta)
            parts = self._streamed.setdefault(update.message_id, {})
            parts[update.part_index] = parts.get(update.part_index, 0) + len(update.text)
            self._chunk("agent_message_chunk" if is_text else "agent_thought_chunk", update.text, update.message_id)
        elif isinstance(update, StreamDiscarded):
            if self._streamed.pop(update.message_id, None):
                self._chunk("agent_message_chunk", DISCARDED, update.message_id)
        elif isinstance(update, ToolProgress):
            self._call(update.call_id, status="in_progress", content=shown([block_text_of(update.tail)]))
        elif isinstance(update, ContextMeterChanged) and update.window:
            cost: Json = {"amount": update.cost_microusd / MICRO, "currency": "USD"}
            known: Json = {} if update.cost_unknown else {"cost": cost}
            self._send({"sessionUpdate": "usage_update", "used": update.used, "size": update.window, **known})

    # Events

    @singledispatchmethod
    def event(self, event: Event) -> None:
        """Show an event; most kinds are not for an editor."""

    def person(self, event: UserMessage) -> None:
        """Words of a person that this editor did not send, or sent before."""
        texts = (part.get("text") for part in event.parts if isinstance(part, dict) and part.get("type") == "text")
        text = event.display or "\n".join(text for text in texts if isinstance(text, str))
        self._chunk("user_message_chunk", text)

    @event.register
    def _assistant(self, event: AssistantMessage) -> None:
        streamed = self._streamed.pop(event.message_id, {})
        for index, part in enumerate(event.parts):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(part, dict) and kind in ("text", "thinking"):
                text = part.get(str(kind))
                rest = text[streamed.get(index, 0) :] if isinstance(text, str) else ""
                update = "agent_message_chunk" if kind == "text" else "agent_thought_chunk"
                self._chunk(update, rest, event.message_id)

    @event.register
    def _decided(self, event: ToolCallDecided) -> None:
        blocks = event.card.blocks if event.card is not None else ()
        self._send(
            {
                "sessionUpdate": "tool_call",
                "toolCallId": event.call_id,
                "title": card_title(event.card.title if event.card is not None else event.name_called),
                "name": event.tool or event.name_called,
                "kind": KINDS.get(event.category, "other"),
                "status": "pending",
                "rawInput": event.input,
                "locations": self._locations(blocks),
            }
        )

    @event.register
    def _started(self, event: ToolCallStarted) -> None:
        self._call(event.call_id, status="in_progress")

    @event.register
    def _finished(self, event: ToolCallFinished) -> None:
        content = [*self._contents(event.blocks)]
        if not content and isinstance(event.content, str):
            content = shown([block_text_of(event.content)])
        status = "completed" if event.outcome == "ok" else "failed"
        self._call(event.call_id, status=status, content=content, locations=self._locations(event.blocks))

    @event.register
    def _todos(self, event: TodosChanged) -> None:
        entries: list[JsonValue] = [
            {"content": todo.content, "priority": "medium", "status": todo.status} for todo in event.todos
        ]
        self._send({"sessionUpdate": "plan", "entries": entries})

    @event.register
    def _mode(self, event: ModeChanged) -> None:
        self._send({"sessionUpdate": "current_mode_update", "currentModeId": event.mode.value})

    @event.register
    def _title(self, event: TitleChanged) -> None:
        self._send({"sessionUpdate": "session_info_update", "title": event.title})

    @event.register
    def _notice(self, event: Notice) -> None:
        if event.level != "info":
            self.said(f"\n\n{event.text}\n\n")

    @event.register
    def _ended(self, event: TurnEnded) -> None:
        if event.status in ("limit", "loop") and event.detail:
            self.said(f"\n\n{event.detail}\n")

    # Parts

    def _chunk(self, kind: str, text: str, message_id: str = "") -> None:
        named: Json = {"messageId": message_id} if message_id else {}
        if text:
            self._send({"sessionUpdate": kind, "content": text_block(text), **named})

    def _call(self, call_id: str, **changed: JsonValue) -> None:
        self._send({"sessionUpdate": "tool_call_update", "toolCallId": call_id, **changed})

    def _contents(self, blocks: tuple[Block, ...]) -> Iterator[JsonValue]:
        """What a call came to: differences as such, all else as the text that people see."""
        for block in blocks:
            if isinstance(block, DiffBlock):
                yield from self._differences(block)
            else:
                yield from shown([block_text(block)[:MOST_CHARS]])

    def _differences(self, block: DiffBlock) -> Iterator[JsonValue]:
        """One difference for each piece of a file that changed."""
        for old, new in pieces(block.unified):
            yield {"type": "diff", "path": self._place(block.path), "oldText": old, "newText": new}

    def _locations(self, blocks: tuple[Block, ...]) -> list[JsonValue]:
        return [{"path": self._place(block.path)} for block in blocks if isinstance(block, DiffBlock)]

    def _place(self, path: str) -> str:
        root = self._root()
        return str(root / path) if root is not None else f"/{path}"


def block_text_of(text: str) -> str:
    """Text of a command or a result, as its end: an editor keeps all that it is sent."""
    return stream_text(text if len(text) <= MOST_CHARS else f"…{text[-MOST_CHARS:]}")


def pieces(unified: str) -> Iterator[tuple[str | None, str]]:
    """The pieces of a unified difference as the text before and the text after; None before where there was none."""
    old: list[str] = []
    new: list[str] = []
    header = ""
    for line in unified.splitlines(keepends=True):
        if line.startswith("@@"):
            if header:
                yield _piece(header, old, new)
            old, new, header = [], [], line
        elif header:
            old += [line[1:]] if line[:1] in ("-", " ") else []
            new += [line[1:]] if line[:1] in ("+", " ") else []
    if header:
        yield _piece(header, old, new)


def _piece(header: str, old: list[str], new: list[str]) -> tuple[str | None, str]:
    return None if header.startswith("@@ -0,0 ") else "".join(old), "".join(new)
