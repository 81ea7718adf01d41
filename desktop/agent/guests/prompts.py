"""Prompt: what a guest is told, followed until it has come to an end of it, or stopped."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from pydantic import JsonValue

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.guests.calls.segments import Segments
from desktop.agent.guests.calls.turn_calls import TurnCalls
from desktop.agent.guests.chat import GuestChat
from desktop.agent.guests.looking_back import Blobs, declined_since, prompt_of, said_since, tell_what_stays
from desktop.agent.guests.starting.launching import GuestFailed
from desktop.agent.turns.turn import Turn
from desktop.domain.core.work import Activity
from desktop.domain.events import UserMessage
from desktop.domain.guests.events import GuestEndWhy, GuestNoticed
from desktop.services.acp.wire import WireClosed
from desktop.services.processes.tree import ProcessFacts

CANCEL_S = 5.0
"""So long a guest has to end a turn that is stopped, then it is ended."""
GONE_S = 5.0
Answered = dict[str, JsonValue] | None
DECLINED = "The person declined “{title}”. Their reason: {reason}"


class Prompt:
    """Of one turn. `segments`: what it says. `drop` ends the guest. `kept`: what ran of it before, `given`: the
    person's files that it may change, as they were."""

    def __init__(
        self,
        chat: GuestChat,
        calls: TurnCalls,
        turn: Turn,
        segments: Segments,
        drop: Callable[[Session, GuestEndWhy], Awaitable[str]],
        blobs: Blobs,
    ) -> None:
        self.chat, self.calls, self.turn = chat, calls, turn
        self.kept: frozenset[ProcessFacts] = frozenset()
        self.given: dict[str, tuple[int, int, int]] = {}
        self._session, self._segments, self._drop, self._blobs = chat.session, segments, drop, blobs
        self._noted = self._heard = self._session.state.head_seq
        self._parts: list[JsonValue] = []
        self._stops = False
        self._asked: list[asyncio.Task[Answered]] = []

    def said(self) -> list[UserMessage]:
        """What the guest was not told yet; it counts as told from here on, as `tell` tells it."""
        said = said_since(self._session, self.chat.told())
        pictures = self.chat.link.known.image
        tell_what_stays(self._session, self.chat.words.label, said, takes_pictures=pictures)
        self._parts = prompt_of(said, self._session, self._blobs if pictures else None)
        return said

    def tell(self) -> None:
        """Tell it what was `said`."""
        self._ask(self.chat.prompt(self._parts))

    async def followed(self) -> Answered:
        """What the guest answered at its end, None: the turn had to end before. Raises BanksmanError."""
        calls, gone = self.calls, self.chat.link.gone
        while not (calls.halted.done() or gone.done() or self._is_over()):
            refused = asyncio.create_task(calls.refused.wait(), name="guest refused")
            asked = {one for one in self._asked if not one.done()}
            ends: set[asyncio.Future[Any]] = {*asked, calls.halted, gone, refused}
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                refused.cancel()
            if calls.refused.is_set():
                calls.refused.clear()
                await self._tell_why()
        if self._is_over() and not any(one.done() and one.exception() for one in self._asked):
            await calls.end(stopped_now=False)
        if calls.halted.done():
            await self.cancel()
            if (why := calls.halted.result()) is not None:
                raise why
            return None
        if not self._is_over():  # the process is over, and its last words are not answered
            await asyncio.wait(self._asked, timeout=GONE_S)
            await self._give_up()
            raise WireClosed("")
        failed = next((error for one in self._asked if one.done() and (error := one.exception()) is not None), None)
        if failed is not None:
            await self._give_up()
            raise failed
        self._segments.close()
        return next(answer for one in reversed(self._asked) if (answer := one.result()) is not None)

    async def cancel(self) -> None:
        """Stop the guest: what it asked for is withdrawn first, then it is told; ended where it does not heed it. What
        it began meanwhile and leaves running is ended too (guests-A30)."""
        chat, self._stops = self.chat, True
        chat.take_no_more()
        self.calls.withdraw()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # the answers are written
        asked = [one for one in self._asked if not one.done()]
        if not asked:
            return
        self._session.set_activity(Activity.STOPPING)
        with contextlib.suppress(WireClosed):
            chat.cancel()
        await self.calls.end(stopped_now=True)
        ended: asyncio.Future[Any] = asyncio.gather(*asked, return_exceptions=True)
        over: set[asyncio.Future[Any]] = {ended, chat.link.gone}
        await asyncio.wait(over, timeout=CANCEL_S, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            ended.cancel()
            await self._drop(self._session, "stop")
        await asyncio.gather(ended, *asked, return_exceptions=True)
        if chat.runs:
            left = await chat.link.running.end_others(self.kept)
            if left:
                names = ", ".join(dict.fromkeys(one.name for one in left))
                text = f"{chat.words.label} left this running when it was stopped, which was ended: {names}."
                self._session.append(GuestNoticed(kind="leftovers", text=text))

    def never_hears_why(self) -> bool:
        """Once it is over: what a person gave as reasons is noted for the next prompt. Whether the guest did nothing
        since it was declined, so that it needs a prompt of its own to hear why."""
        self._note_reasons()
        declined, went_on = declined_since(self._session.log, self._heard)
        return bool(declined) and not went_on

    def _note_reasons(self) -> bool:
        """Put the reasons of what was declined on record as notes; whether there were any."""
        declined, _ = declined_since(self._session.log, self._noted)
        self._noted = self._session.state.head_seq
        if declined:
            self._segments.close()  # it said that before
        for title, reason in declined:
            text = DECLINED.format(title=title, reason=reason)
            self._session.append(note("declined", text, self.turn.turn_id))
        return bool(declined)

    async def _tell_why(self) -> None:
        """The reason of a no goes to the guest at once where it takes a prompt while one runs (guests-A31)."""
        chat, session = self.chat, self._session
        ends = self.turn.status is not None or self.turn.stop_after_step or self._is_over()
        if ends or not chat.link.known.steer or not self._note_reasons():
            return
        await session.barrier()
        before, self._heard = self._heard, session.state.head_seq
        told = chat.told()
        why = prompt_of(said_since(session, told), session, None)
        self._ask(self._told_why(why, told, before))

    def _ask(self, asking: Coroutine[Any, Any, Answered]) -> None:
        self._asked.append(asyncio.create_task(self._answered(asking), name="guest prompt"))

    async def _answered(self, asking: Coroutine[Any, Any, Answered]) -> Answered:
        answer, own = await asking, asyncio.current_task()
        if not self._stops and not all(one is own or one.done() for one in self._asked):
            self._segments.close()  # what it says from here on answers another prompt
        return answer

    async def _told_why(self, why: list[JsonValue], told: int, heard: int) -> Answered:
        """What it answered; None: it takes no second prompt, so it is told with the next one."""
        try:
            return await self.chat.prompt(why)
        except GuestFailed:
            if self._asked[0].done():  # it took it, and failed at it
                raise
            self.chat.tell_again_from(told)
            self._heard = heard
            return None

    async def _give_up(self) -> None:
        """What it answers from here on is not waited for."""
        for one in self._asked:
            one.cancel()
        await asyncio.gather(*self._asked, return_exceptions=True)

    def _is_over(self) -> bool:
        return all(one.done() for one in self._asked) or any(one.done() and one.exception() for one in self._asked)
