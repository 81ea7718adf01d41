"""GuestDriver: the turns of chats whose agent is a guest (guests-A1, guests-A3)."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.guests.bridge import tools_text
from desktop.agent.guests.calls import CallParts, TurnCalls
from desktop.agent.guests.chat import GuestChat
from desktop.agent.guests.handover import handover_text
from desktop.agent.guests.lane_share import SharedLaneLock
from desktop.agent.guests.launching import GuestFailed, GuestStarter
from desktop.agent.guests.segments import Segments
from desktop.agent.turns.driver import DriverAbilities
from desktop.agent.turns.frame import FrameParts, TurnFrame
from desktop.agent.turns.turn import Turn
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    Notice,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import input_title
from desktop.domain.guests.events import GuestEndWhy, GuestSessionBegan
from desktop.domain.guests.values import guest_of
from desktop.domain.history.state_of import message_text
from desktop.services.acp.wire import WireClosed
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.guests.peer import GuestPeer

CANCEL_S = 5.0
"""So long a guest has to end a turn that is stopped, then it is ended."""
GONE_S = 5.0
IDLE_S, MOST_ALIVE = 600.0, 4
_FIRST = {"handover": 0, "guest_tools": 1}
GO_ON = "Go on where you stopped."
DECLINED = "The person declined “{title}”. Their reason: {reason}"


class GuestDriver(TurnFrame):
    """The `TurnDriver` of the chats of guests."""

    def __init__(self, parts: FrameParts, starter: GuestStarter) -> None:
        super().__init__(parts)
        self._parts = CallParts(parts.judge, parts.caller, parts.limits, parts.guard)
        self._starter = starter
        self._keys = parts.settings
        self._chats: dict[str, GuestChat] = {}
        self._resting: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[str]] = set()

    def abilities(self, session: Session) -> DriverAbilities:
        """A guest keeps its conversation itself."""
        return DriverAbilities(rewinds=False, compacts=False)

    def retry_now(self, session_id: str) -> None:
        """A guest tries again by itself."""

    def peer(self, session: Session) -> GuestPeer | None:
        """The guest of a chat, as its calls see it."""
        chat = self._chats.get(session.session_id)
        return chat.calls if chat is not None else None

    async def close(self) -> None:
        """End all guests."""
        for timer in self._resting.values():
            timer.cancel()
        chats, self._chats = [*self._chats.values()], {}
        await asyncio.gather(*(chat.end("quit") for chat in chats), *self._ending, return_exceptions=True)

    def _began(self, session: Session, started: TurnStarted, events: list[Event]) -> tuple[TurnStarted, list[Event]]:
        return started, events

    async def _passes(self, session: Session, turn: Turn) -> None:
        if not isinstance(session.write_lock, SharedLaneLock):
            session.write_lock = SharedLaneLock(session.write_lock)
        chat = await self._chat(session, turn)
        over = False
        self._rest(session.session_id, None)
        while not over:
            self._between(session, turn)
            over = turn.status is not None or await self._step(session, turn, self._prompt(chat, turn))
            turn.count(session.log)

    # The guest of a chat

    async def run(self, session: Session, turn: Turn) -> None:
        """As `TurnDriver.run`; then the guest waits for the next turn, for ten minutes and as one of four
        (guests-A45)."""
        try:
            await super().run(session, turn)
        finally:
            waits = [one for one in self._resting if one in self._chats]
            if session.session_id in self._chats:
                self._rest(session.session_id, IDLE_S)
                for one in waits[: max(0, len(self._chats) - MOST_ALIVE)]:
                    self._rest(one, 0)

    def _rest(self, session_id: str, after_s: float | None) -> None:
        """Have the guest of a chat ended after so long; None: not at all."""
        known = self._resting.pop(session_id, None)
        if known is not None:
            known.cancel()
        if after_s is not None:
            loop = asyncio.get_running_loop()
            self._resting[session_id] = loop.call_later(after_s, self._end_idle, session_id)

    def _end_idle(self, session_id: str) -> None:
        self._resting.pop(session_id, None)
        chat = self._chats.get(session_id)
        if chat is None or chat.session.running:
            return
        task = asyncio.create_task(self._drop(chat.session, "idle"), name="guest idle")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _chat(self, session: Session, turn: Turn) -> GuestChat:
        """The guest of the chat, started unless it runs."""
        known = self._chats.get(session.session_id)
        if known is not None and known.runs:
            return known
        if known is not None:
            await self._drop(session, "crash")
        last, prompts = _last_session(session.log)
        chat = GuestChat(session, self._starter.words(guest_of(session.state.endpoint_id)), self._judge)
        await chat.begin(self._starter, last, prompts)
        self._chats[session.session_id] = chat
        began = next((e for e in session.turn_events() if isinstance(e, GuestSessionBegan)), None)
        text = handover_text(session) if began is not None and began.how == "new" else ""
        if text and last:
            label = chat.words.label
            told = f"{label} could not reopen its session; it was given a summary."
            session.append(Notice(kind="guest", level="info", text=told))
        if text:
            session.append(note("handover", text, turn.turn_id))
        if began is not None and began.how == "new" and chat.bridge.names():
            session.append(note("guest_tools", tools_text(chat.bridge.names()), turn.turn_id))
        return chat

    async def _drop(self, session: Session, why: GuestEndWhy) -> str:
        """The guest of a chat is over; its last words."""
        chat = self._chats.pop(session.session_id, None)
        if chat is None:
            return ""
        end = await chat.end(why, self._keys.redactor)
        status = f" with status {end.exit_status}" if end.exit_status is not None else ""
        return f"{chat.words.label} ended{status} in the middle of its turn. {end.detail[-300:]}".strip()

    # One prompt

    async def _prompt(self, chat: GuestChat, turn: Turn) -> bool:
        """Tell the guest what is said, and follow it until it comes to an end. Whether the turn is over."""
        session = chat.session
        since = session.state.head_seq
        segments = Segments(session, turn.turn_id)
        calls = TurnCalls(session, turn, self._parts, segments, chat.words)
        chat.follow(calls, segments)
        asked: asyncio.Task[dict[str, JsonValue]] | None = None
        interrupted = True
        try:
            await self._judge.ready()
            await chat.put_in_mode()
            chat.bridge.names()
            said = _said(chat)
            _tell_what_stays(session, chat.words.label, said)
            text = "\n\n".join(text for event in said if (text := message_text(event)).strip()) or GO_ON
            await session.barrier()
            session.set_activity(Activity.REQUESTING)
            asked = asyncio.create_task(chat.prompt([{"type": "text", "text": text}]), name="guest prompt")
            answer = await self._followed(chat, calls, asked)
            interrupted = answer is None
            return answer is None or self._after(session, turn, answer, since)
        except WireClosed:
            raise GuestFailed("guest_ended", await self._drop(session, "crash")) from None
        except asyncio.CancelledError:
            await to_its_end(self._cancel(chat, calls, asked))
            raise
        finally:
            await to_its_end(calls.end(stopped_now=True))
            chat.follow(None, None)
            segments.close(interrupted=interrupted)

    async def _followed(
        self, chat: GuestChat, calls: TurnCalls, asked: asyncio.Task[dict[str, JsonValue]]
    ) -> dict[str, JsonValue] | None:
        """What the guest answered at its end, None: the turn had to end before. Raises BanksmanError."""
        ends: set[asyncio.Future[Any]] = {asked, calls.halted, chat.process.gone}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if asked.done() and not asked.exception():
            await calls.end(stopped_now=False)
        if calls.halted.done():
            await self._cancel(chat, calls, asked)
            if (why := calls.halted.result()) is not None:
                raise why
            return None
        if not asked.done():  # the process is over, and its last words are not answered
            await asyncio.wait({asked}, timeout=GONE_S)
            asked.cancel()
            raise WireClosed("")
        return asked.result()

    async def _cancel(
        self, chat: GuestChat, calls: TurnCalls, asked: asyncio.Task[dict[str, JsonValue]] | None
    ) -> None:
        """Stop the guest: what it asked for is withdrawn first, then it is told; ended where it does not heed it
        (guests-A30)."""
        chat.take_no_more()
        calls.withdraw()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # the answers are written
        if asked is None or asked.done():
            return
        chat.session.set_activity(Activity.STOPPING)
        with contextlib.suppress(WireClosed):
            chat.cancel()
        await calls.end(stopped_now=True)
        over: set[asyncio.Future[Any]] = {asked, chat.process.gone}
        await asyncio.wait(over, timeout=CANCEL_S, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            asked.cancel()
            await self._drop(chat.session, "stop")
        await asyncio.gather(asked, return_exceptions=True)

    def _after(self, session: Session, turn: Turn, answer: dict[str, JsonValue], since: int) -> bool:
        """What the end of a prompt means for the turn; False: one more prompt, with what a person said when they
        declined (guests-A31)."""
        declined, went_on = _declined(session.log, since)
        for title, reason in declined:
            session.append(note("declined", DECLINED.format(title=title, reason=reason), turn.turn_id))
        match answer.get("stopReason"):
            case "max_tokens":
                turn.status, turn.reason = "failed", "output_limit"
                turn.detail = "The answer of the agent reached its output limit."
            case "max_turn_requests":
                turn.status, turn.reason, turn.detail = "limit", "steps", "The agent reached a limit of its own."
            case "refusal":
                turn.reason, turn.detail = "refusal", "The agent declined to answer."
        if not declined or went_on or turn.status is not None or turn.followed_up:
            return True
        turn.followed_up = True
        return False


def _said(chat: GuestChat) -> list[UserMessage]:
    """What was said since the guest was told last: a summary of what was before first, then which tools it has."""
    new = _since(chat.session.log, chat.told())
    said = [event for one in new if isinstance(event := one.event, UserMessage)]
    return sorted(said, key=lambda event: _FIRST.get(event.note_kind, len(_FIRST)))


def _tell_what_stays(session: Session, label: str, said: list[UserMessage]) -> None:
    """A guest is given text alone so far: files that a person attached stay here, and the person is told."""
    names = [name for event in said for name in event.attachments]
    if names:
        told = f"{label} was given the text alone, not {', '.join(names)}. Put files into the lane for it to read."
        session.append(Notice(kind="guest", level="warning", text=told))


def _since(log: Sequence[Envelope], seq: int) -> list[Envelope]:
    """The events behind a place, in order."""
    found: list[Envelope] = []
    for envelope in reversed(log):
        if envelope.seq <= seq:
            break
        found.append(envelope)
    return found[::-1]


def _last_session(log: Sequence[Envelope]) -> tuple[str, int]:
    """The guest's own id of its last session here, and how many turns it had."""
    turns = -1  # the one that runs now is not among them
    for envelope in reversed(log):
        turns += envelope.kind == "turn_started"
        if envelope.kind == "guest_session_began" and isinstance(began := envelope.event, GuestSessionBegan):
            return began.guest_session_id, turns + 1
    return "", 0


def _declined(log: Sequence[Envelope], since: int) -> tuple[list[tuple[str, str]], bool]:
    """What a person declined with a reason, and whether the agent said or did anything afterwards."""
    titles: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    went_on = False
    for envelope in _since(log, since):
        event = envelope.event
        if isinstance(event, InputRequested):
            titles[event.input_id] = input_title(event.request)
        elif isinstance(event, InputResolved) and event.answer.outcome == "reject" and event.answer.note.strip():
            found.append((titles.get(event.input_id, ""), event.answer.note.strip()))
            went_on = False
        elif isinstance(event, AssistantMessage):
            went_on = True
    return found, went_on
