"""GuestDriver: the turns of chats whose agent is a guest (guests-A1, guests-A3)."""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import replace
from functools import partial

from pydantic import JsonValue

from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish, Session
from desktop.agent.gate.descent import agent_section
from desktop.agent.guests.bridging.bridge import tools_text
from desktop.agent.guests.calls.lane_share import SharedLaneLock
from desktop.agent.guests.calls.segments import Segments
from desktop.agent.guests.calls.turn_calls import CallParts, TurnCalls
from desktop.agent.guests.calls.unasked import MOST_UNASKED
from desktop.agent.guests.chat import GuestChat, GuestWorld
from desktop.agent.guests.looking_back import (
    forgetting,
    handover_text,
    last_session,
)
from desktop.agent.guests.prompts import Prompt
from desktop.agent.guests.starting.launching import GuestFailed, GuestStarter, GuestWords
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.turns.driver import DriverAbilities
from desktop.agent.turns.frame import FrameParts, TurnFrame
from desktop.agent.turns.turn import Turn
from desktop.config.guests import GuestSettings
from desktop.domain.core.errors import CommandError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.work import Activity
from desktop.domain.events import (
    Event,
    Notice,
    TurnStarted,
)
from desktop.domain.guests.events import GuestEndWhy, GuestNoticed
from desktop.domain.guests.values import guest_of
from desktop.policy.guests.controls import may_not_work
from desktop.services.acp.wire import WireClosed
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.guests.peer import GuestPeer

MOST_NAMED = 5
MINUTE_S, MOST_ALIVE = 60.0, 4
CRASHES, CRASHES_S = 2, 60.0
CRASHED = "{label} ended by itself {count} times within a minute. Choose Continue to start it once more."


Before = Voices[[Session, str], Awaitable[None]]


class GuestDriver(TurnFrame):
    """The `TurnDriver` of the chats of guests. `publish`: tells people how they stand."""

    def __init__(
        self, parts: FrameParts, starter: GuestStarter, keeper: LaneKeeper, publish: Publish, before: Before
    ) -> None:
        super().__init__(parts)
        self.publish, self._before = publish, before
        self._parts = CallParts(parts.judge, parts.caller, parts.limits, parts.guard, keeper)
        self._starter = starter
        self._keys = parts.settings
        self._chats: dict[str, GuestChat] = {}
        self._resting: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[str]] = set()
        self._crashed: dict[str, list[float]] = {}

    def abilities(self, session: Session) -> DriverAbilities:
        """A guest keeps its conversation itself."""
        return DriverAbilities(rewinds=True, compacts=False)

    def retry_now(self, session_id: str) -> None:
        """A guest tries again by itself."""

    def peer(self, session: Session) -> GuestPeer | None:
        """The guest of a chat, as its calls see it."""
        chat = self._chats.get(session.session_id)
        return chat.calls if chat is not None else None

    def chat(self, session: Session) -> GuestChat | None:
        """The guest that runs in a chat."""
        found = self._chats.get(session.session_id)
        return found if found is not None and found.runs else None

    async def end(self, session: Session) -> None:
        """End the guest of a chat that is not working; the next message starts it anew. Raises CommandError."""
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        self._rest(session.session_id, None)
        await self._drop(session, "quit")

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
        over = False
        self._rest(session.session_id, None)
        while not over:
            for prepared in self._before(session, turn.turn_id):
                await prepared
            chat = await self._chat(session, turn)
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
                self._rest(session.session_id, self._idle_s(session))
                for one in waits[: max(0, len(self._chats) - MOST_ALIVE)]:
                    self._rest(one, 0)

    def _idle_s(self, session: Session) -> float:
        set_for = self._settings.current.guests.get(guest_of(session.state.endpoint_id), GuestSettings())
        return set_for.idle_minutes * MINUTE_S

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
        guest_id = guest_of(session.state.endpoint_id)
        words, service = self._starter.words(guest_id), await self._starter.choose_model(guest_id)
        if service:
            told = f"{words.label} asks its model through {service}, the service of new chats. Banksman keeps the key."
            session.append(Notice(kind="guest", level="info", text=f"{told} Settings › Agents has its own sign-in."))
        kept = await self._starter.kept(guest_id)
        known, last = self._chats.get(session.session_id), last_session(session.log)
        if known is not None and known.link.known.unasked_against_gate >= MOST_UNASKED:
            kept = replace(kept, asks=False)  # it was found out
        if refusal := may_not_work(words.label, kept, session.mode):
            raise GuestFailed("guest_mode", refusal)
        if known is not None and known.runs:
            if last.id and known.link.running.stamp == await self._starter.stamp(guest_id):
                return known
            await self._drop(session, "quit")
        elif known is not None:
            await self._drop(session, "crash")
        self._may_start(session, turn, words)
        ask = partial(self._caller.ask_to_go_on, session)
        chat = GuestChat(session, words, GuestWorld(self._judge, kept, self.publish, ask))
        chat.left = (await self._parts.keeper.between_calls(session)).ref
        await chat.begin(self._starter, last)
        self._chats[session.session_id] = chat
        text = handover_text(session) if chat.how == "new" else ""
        if text:
            why = "could not reopen its session" if last.id else "was started anew"
            told = f"{chat.words.label} {why}; it was given a summary."
            session.append(Notice(kind="guest", level="info", text=told))
            session.append(note("handover", text, turn.turn_id))
        names = chat.bridge.names()
        told = "\n\n".join(filter(None, (agent_section(session), tools_text(names) if names else "")))
        if chat.how == "new" and told:
            session.append(note("guest_tools", told, turn.turn_id))
        return chat

    def _may_start(self, session: Session, turn: Turn, words: GuestWords) -> None:
        """Raises GuestFailed: it ended by itself again and again, and nobody asked for another try (guests-A39)."""
        lately = [at for at in self._crashed.get(session.session_id, []) if time.monotonic() - at < CRASHES_S]
        if len(lately) >= CRASHES and turn.kind != "continue":
            raise GuestFailed("guest_ended", CRASHED.format(label=words.label, count=len(lately)))

    async def _drop(self, session: Session, why: GuestEndWhy) -> str:
        """The guest of a chat is over; its last words."""
        chat = self._chats.pop(session.session_id, None)
        if chat is None:
            return ""
        if why == "crash":
            self._crashed.setdefault(session.session_id, []).append(time.monotonic())
        end = await chat.end(why, self._keys.redactor)
        label, status = chat.words.label, end.exit_status
        ended = f"{label} ended in the middle of its turn."
        if status is not None:
            ended = f"{label} ended with status {status} in the middle of its turn."
        return f"{ended} {end.detail[-300:]}".strip()

    # One prompt

    async def _prompt(self, chat: GuestChat, turn: Turn) -> bool:
        """Tell the guest what is said, and follow it until it comes to an end. Whether the turn is over."""
        session = chat.session
        segments = Segments(session, turn.turn_id, chat.cost_of_words, lambda: chat.link.model)
        calls = TurnCalls(session, turn, self._parts, segments, chat.words)
        chat.follow(calls, segments)
        prompt = Prompt(chat, calls, turn, segments, self._drop, self._judge.blobs.get)
        interrupted = True
        try:
            await self._judge.ready()
            await chat.modes.put_in()
            chat.bridge.names()
            said = prompt.said()
            if not chat.counted:
                chat.claims.rests_on(chat.words.label, self._limits.in_force(session).tokens)
            await session.barrier()
            session.set_activity(Activity.REQUESTING)
            prompt.given = await self._starter.given_files(chat.words.id)
            prompt.kept = await chat.link.running.running()
            await calls.watch.begin(chat.left)
            prompt.tell()
            answer = await prompt.followed()
            interrupted = answer is None
            if answer is not None and (cleared := forgetting(said, chat.link.commands, chat.words.label)):
                session.append(Notice(kind="guest", level="info", text=cleared))
            return answer is None or self._after(prompt, answer)
        except WireClosed:
            segments.close(interrupted=True)  # what it said stands before its end
            raise GuestFailed("guest_ended", await self._drop(session, "crash")) from None
        except asyncio.CancelledError:
            await to_its_end(prompt.cancel())
            raise
        finally:
            await to_its_end(calls.end(stopped_now=True))
            await to_its_end(calls.watch.end())
            chat.left = calls.watch.left
            chat.follow(None, None)
            segments.close(interrupted=interrupted)
            await to_its_end(self._look_at_given(prompt))

    async def _look_at_given(self, prompt: Prompt) -> None:
        """What became of the person's own folders that the guest may change is told with names (guests-A35)."""
        words, session = prompt.chat.words, prompt.chat.session
        now = await self._starter.given_files(words.id) if prompt.given else {}
        changed = sorted(name for name in prompt.given.keys() | now.keys() if prompt.given.get(name) != now.get(name))
        if prompt.given and changed:
            named = ", ".join(f"~/{name}" for name in changed[:MOST_NAMED])
            more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
            text = f"{words.label} changed files of yours, which count where you use it elsewhere too: {named}{more}."
            session.record(GuestNoticed(kind="home_changed", text=text, data={"files": list(changed[:200])}))

    def _after(self, prompt: Prompt, answer: dict[str, JsonValue]) -> bool:
        """What the end of a prompt means for the turn; False: one more prompt, with what a person said when they
        declined (guests-A31)."""
        turn, unheard = prompt.turn, prompt.never_hears_why()
        match answer.get("stopReason"):
            case "max_tokens":
                turn.status, turn.reason = "failed", "output_limit"
                turn.detail = "The answer of the agent reached its output limit."
            case "max_turn_requests":
                turn.status, turn.reason, turn.detail = "limit", "steps", "The agent reached a limit of its own."
            case "refusal":
                turn.reason, turn.detail = "refusal", "The agent declined to answer."
        if unheard and turn.status is None and not turn.followed_up:
            turn.followed_up = True
            return False
        return True
