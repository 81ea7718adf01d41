"""RunOutput: what a run without a window writes: text or JSON lines to stdout, what happens to stderr."""

import asyncio
import json
import os
import sys
from collections.abc import Callable

from desktop.cli.statuses import FAILED, INTERRUPTED, START_FAILED
from desktop.cli.terminal import TerminalCards
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.display.text import display_text, stream_text
from desktop.domain.events import (
    Envelope,
    LaneAttached,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.updates import ActivityChanged, CommandFailed, RetryScheduled, TextDelta, ThinkingDelta

NOTHING_RECORDED = "The chats can only be read now, so no task can be run."


class RunOutput:
    """Writes updates as they come. `ended` is set when the turn, or its start, is over; `status` is the exit status.

    `on_closed` is called when nobody reads standard output any more; nothing is written to it from then on.
    """

    def __init__(self, session_id: str, *, as_json: bool) -> None:
        self.status = FAILED
        self.ended = asyncio.Event()
        self.cards: TerminalCards | None = None
        self.on_closed: Callable[[], None] = _nothing
        self._session_id = session_id
        self._json = as_json
        self._open_line = False
        self._started = False
        self._frozen = self._reads_only = False
        self._closed = False

    def take(self, update: Update) -> None:
        """Show one update of the engine, where it belongs to the chat."""
        if isinstance(update, CommandFailed):
            self._failed(update)
        elif isinstance(update, Envelope) and update.session_id == self._session_id:
            self._event(update)
        elif isinstance(update, StoreDamaged):
            self._reading(update)
        elif isinstance(update, ActivityChanged) and update.session_id == self._session_id:
            self._unrecorded_end(update.activity)
        elif isinstance(update, TextDelta | ThinkingDelta):
            self._delta(update)
        elif isinstance(update, RetryScheduled):
            self.note(f"{update.reason} Trying again ({update.attempt} of {update.max_attempts}).")
        if self.cards is not None:
            self.cards.take(update)

    def note(self, text: str) -> None:
        """A line on standard error."""
        if self._open_line:
            self._write("\n")
            self._open_line = False
        try:
            sys.stderr.write(display_text(text) + "\n")
            sys.stderr.flush()
        except BrokenPipeError:  # nobody reads these lines; the turn goes on to its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

    def _failed(self, failure: CommandFailed) -> None:
        text = NOTHING_RECORDED if failure.code == "read_only" and self._reads_only else failure.text
        self.note(text if self._started else f"banksman: {text}")
        self._frozen = self._frozen or failure.code == "frozen"
        broken = failure.code == "turn_failed"
        if broken or not (self._started or failure.code == "other_store"):
            self.status = FAILED if broken else START_FAILED
            self.ended.set()

    def _reading(self, damaged: StoreDamaged) -> None:
        """The store can only be read; why, as the window says at its top."""
        self._reads_only = True
        for problem in damaged.problems:
            self.note(f"banksman: {problem}")

    def _unrecorded_end(self, activity: Activity) -> None:
        """The turn is over although its end did not come: the store took nothing any more."""
        if self._frozen and activity is Activity.IDLE and not self.ended.is_set():
            self.note("The run ends: how it went could not be recorded.")
            self.ended.set()

    def _delta(self, delta: TextDelta | ThinkingDelta) -> None:
        if self._json:
            kind = "text_delta" if isinstance(delta, TextDelta) else "thinking_delta"
            self._line({"type": kind, "message_id": delta.message_id, "text": delta.text})
        elif isinstance(delta, TextDelta):
            self._write(stream_text(delta.text))
            self._open_line = not delta.text.endswith("\n")

    def _event(self, envelope: Envelope) -> None:
        event = envelope.event
        self._started = self._started or isinstance(event, TurnStarted)
        if self._json:
            self._line({"seq": envelope.seq, "id": envelope.event_id, **event.model_dump(mode="json")})
        elif isinstance(event, ToolCallDecided):
            self.note(f"› {event.card.title if event.card is not None else event.name_called}")
        elif isinstance(event, ToolCallFinished) and event.outcome != "ok":
            text = event.content if isinstance(event.content, str) else event.summary
            self.note(f"  {event.outcome}: {next(iter(text.splitlines()), '')}")
        elif isinstance(event, LaneAttached):
            self.note(f"Lane {event.branch} in {event.worktree_path}")
        elif isinstance(event, Notice):
            self.note(event.text)
        elif isinstance(event, MessageQueued) and not self._started:
            self.note("Waits until the setup of the lane has ended.")
        if isinstance(event, TurnEnded):
            self._end(event)

    def _end(self, event: TurnEnded) -> None:
        self.status = {"completed": 0, "interrupted": INTERRUPTED}.get(event.status, FAILED)
        if self.status or not self._json:
            self.note(event.detail or f"The turn ended: {event.status}.")
        self.ended.set()

    def _line(self, value: dict[str, object]) -> None:
        self._write(json.dumps(value, ensure_ascii=True) + "\n")

    def _write(self, text: str) -> None:
        if self._closed:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            self._closed = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more at its end
            self.on_closed()


def _nothing() -> None:
    """Nobody wants to know."""
