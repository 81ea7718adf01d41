"""RunOutput: what a run without a window says of the engine's updates, and when it is over."""

import asyncio
from collections.abc import Callable
from functools import partial

from desktop.cli.headless.cards import Cards, waiting_line
from desktop.cli.headless.statuses import DONE, FAILED, INTERRUPTED, LIMIT, START_FAILED
from desktop.cli.headless.tally import Tally
from desktop.cli.headless.voice import Voice
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.chats.updates import StoreDamaged
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.display.text import stream_text
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    LaneAttached,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.gate.events import InputRevised
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import ActivityChanged, CommandFailed, RetryScheduled, TextDelta, ThinkingDelta

NOTHING_RECORDED = "The chats can only be read now, so no task can be run."
NOBODY = (
    "Nobody can answer here, so what must be asked is declined. --allow WORDS lets commands run, --approvals DIR has "
    "cards answered by files."
)
SIGN_IN = "guest_sign_in"
"""Why a turn ended before it began: its agent wants somebody to sign in."""
_STATUSES = {"completed": DONE, "interrupted": INTERRUPTED, "limit": LIMIT}


class RunOutput:
    """Takes updates as they come. `ended` is set when the turn, or its start, is over; `status`: how the run ends.

    `cards`: where people answer, None: nowhere. `keep`: keeps for a chat what a line is too short for, None: nothing
    does. `stream`: text is written while it comes.
    """

    def __init__(self, voice: Voice, *, stream: bool) -> None:
        self.status = FAILED
        self.ended = asyncio.Event()
        self.cards: Cards | None = None
        self.keep: Callable[[str, bytes], bool] | None = None
        self._session_id = ""
        self._voice = voice
        self._tally = Tally(voice.summary)
        self._stream = stream
        self._told_nobody = False
        self._started = False
        self._frozen = self._reads_only = False

    @property
    def unanswered(self) -> int:
        """How many calls were declined because nobody could answer."""
        return self._voice.summary.unanswered

    def progress(self, text: str) -> None:
        """A line about what goes on, where people read along."""
        self._voice.progress(text)

    def in_lane(self, folder: str, branch: str, model: str) -> None:
        """The chat goes on in this lane with this model."""
        summary = self._voice.summary
        summary.lane, summary.branch, summary.model = folder, branch, model

    def of_chat(self, session_id: str, mode: str) -> None:
        """This chat is what is told of from here on."""
        self._session_id = self._voice.summary.session_id = session_id
        self._voice.summary.mode = mode
        self._voice.begin()

    def take(self, update: Update) -> None:
        """Say one update of the engine, where it belongs to the chat."""
        self._tally.take(update)
        if isinstance(update, CommandFailed):
            self._failed(update)
        elif isinstance(update, Envelope):
            self._envelope(update)
        elif isinstance(update, StoreDamaged):
            self._reading(update)
        elif isinstance(update, ActivityChanged) and update.session_id == self._session_id:
            self._unrecorded_end(update.activity)
        elif isinstance(update, TextDelta | ThinkingDelta) and self._stream:
            self._delta(update)
        elif isinstance(update, RetryScheduled):
            self._voice.progress(f"{update.reason} Trying again ({update.attempt} of {update.max_attempts}).")
        if self.cards is not None:
            self.cards.take(update)

    def over(self, status: int, detail: str) -> None:
        """The run is over without an end of its turn, and why."""
        self.status = status
        self._voice.summary.detail = detail
        self.ended.set()

    def _failed(self, failure: CommandFailed) -> None:
        text = NOTHING_RECORDED if failure.code == "read_only" and self._reads_only else failure.text
        self._voice.problem(text if self._started else f"banksman: {text}")
        self._frozen = self._frozen or failure.code == "frozen"
        broken = failure.code == "turn_failed"
        if broken or not (self._started or failure.code == "other_store"):
            self.over(FAILED if broken else START_FAILED, text)

    def _reading(self, damaged: StoreDamaged) -> None:
        """The store can only be read; why, as the window says at its top."""
        self._reads_only = True
        for problem in damaged.problems:
            self._voice.problem(f"banksman: {problem}")

    def _unrecorded_end(self, activity: Activity) -> None:
        """The turn is over although its end did not come: the store took nothing any more."""
        if self._frozen and activity is Activity.IDLE and not self.ended.is_set():
            detail = "The run ends: how it went could not be recorded."
            self._voice.problem(detail)
            self.over(FAILED, detail)

    def _delta(self, delta: TextDelta | ThinkingDelta) -> None:
        if isinstance(delta, TextDelta):
            self._voice.line({"type": "text_delta", "message_id": delta.message_id, "text": delta.text})
            self._voice.text(stream_text(delta.text))
        else:
            self._voice.line({"type": "thinking_delta", "message_id": delta.message_id, "text": delta.text})

    def _envelope(self, envelope: Envelope) -> None:
        event, ours = envelope.event, envelope.session_id == self._session_id
        if ours:
            self._started = self._started or isinstance(event, TurnStarted)
            line = {"seq": envelope.seq, "id": envelope.event_id, **event.model_dump(mode="json")}
            self._voice.line(line, partial(self.keep, envelope.session_id) if self.keep is not None else None)
            self._say(envelope)
        if isinstance(event, InputRequested | InputRevised) and self.cards is not None and event.request.blocking:
            self._voice.line(waiting_line(envelope.session_id, event.input_id, event.request))
        if ours and isinstance(event, TurnEnded):
            self._end(event)

    def _say(self, envelope: Envelope) -> None:
        event, voice = envelope.event, self._voice
        if isinstance(event, ToolCallDecided):
            voice.progress(f"› {event.card.title if event.card is not None else event.name_called}")
        elif isinstance(event, ToolCallFinished) and event.outcome != "ok":
            self._say_unless_ok(event)
        elif isinstance(event, LaneAttached):
            voice.progress(f"Lane {event.branch} in {event.worktree_path}")
        elif isinstance(event, Notice):
            voice.progress(event.text)
        elif isinstance(event, MessageQueued) and not self._started:
            voice.progress("Waits until the setup of the lane has ended.")
        elif isinstance(event, AssistantMessage):
            if not self._stream and (text := message_text(event)):
                voice.text(stream_text(text))
            voice.close_line()

    def _say_unless_ok(self, event: ToolCallFinished) -> None:
        text = event.content if isinstance(event.content, str) else event.summary
        self._voice.progress(f"  {event.outcome}: {next(iter(text.splitlines()), '')}")
        if event.outcome == "declined" and self.cards is None and not self._told_nobody:
            self._told_nobody = True
            self._voice.progress(NOBODY)

    def _end(self, event: TurnEnded) -> None:
        self.status = START_FAILED if event.reason == SIGN_IN else _STATUSES.get(event.status, FAILED)
        if self.status:
            detail = event.detail or f"The turn ended: {event.status}."
            self._voice.summary.detail = detail
            self._voice.problem(detail)
        self.ended.set()
