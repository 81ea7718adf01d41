"""ResolutionRounds: rounds of work on pull requests, from the launch of their chats to the word that all is done."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from datetime import datetime

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.rounds.book import OwnPull, ResolutionBook
from desktop.agent.rounds.ends import ended_record, ended_run, interrupted, no_answer
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.rounds.launch import STOPPED, RoundLauncher
from desktop.agent.rounds.poll import judged, polled_facts
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, TurnEnded, TurnStarted
from desktop.domain.rounds.items import LaunchChoice, PipelineRun
from desktop.domain.rounds.rounds import POLL_S, Step

logger = logging.getLogger(__name__)

FIRST_POLL_S = 15.0
"""After a repository was opened: the window is there first."""


class ResolutionRounds:
    """Engine thread only. `poll_s`: seconds between two polls of a request whose round is over.

    What runs is on record before it begins. Nothing is launched or merged in a process in which no person launched a
    round of that request or went on with it.
    """

    def __init__(
        self,
        ground: Ground,
        clock: Callable[[], datetime],
        chats: ChatWork,
        book: ResolutionBook,
        launcher: RoundLauncher,
        forge: RoundForge,
    ) -> None:
        self._ground = ground
        self._clock = clock
        self._chats = chats
        self._book, self._launcher, self._forge = book, launcher, forge
        self.poll_s = POLL_S
        self._locks: dict[str, asyncio.Lock] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # What a person does

    async def launch(self, lane_id: str, choice: LaunchChoice, session_id: str, digest: str | None) -> None:
        """Begin a round. `digest`: of what the person saw; None: the loop launches it.

        Raises:
            NotLaunched: it cannot begin, or is another one than the person saw; there is no chat.
            BanksmanError: the chat could not begin; items are as they were.
        """
        async with self._lock(lane_id):
            await self._launcher.launch(lane_id, choice, session_id, digest, lambda: self._unschedule(lane_id))

    async def resume(self, lane_id: str) -> None:
        """A person goes on after a pause or an end: poll again from here.

        Raises:
            CommandError: there is nothing to go on with.
        """
        async with self._lock(lane_id):
            own = self._book.own(lane_id)
            run = self._book.run(own.key)
            if run.active or run.state == "idle":
                raise CommandError("not_paused", "There is nothing to go on with.")
            self._launcher.trusted.add(own.key)
            self._launcher.end_record(lane_id, own.key, "done")
            going = {
                "state": "polling",
                "poller": "scheduled",
                "reason": "",
                "waits_for": "",
                "counted": None,
                "offline_since": None,
                "counted_from": run.round,
            }
            self._book.save_run(lane_id, own.key, run.model_copy(update=going))
        self._schedule(lane_id, 0)

    async def stop(self, lane_id: str) -> None:
        """End the turn of the round's chat, and the polling."""
        own = self._book.own(lane_id)
        run = self._book.run(own.key)
        self._unschedule(lane_id)
        if not run.active and run.state != "paused":
            raise CommandError("not_running", "No round is running.")
        began = run.state != "launching"
        ended = {"state": "stopped" if began else "cancelled", "poller": "stopped", "reason": STOPPED, "waits_for": ""}
        self._book.save_run(lane_id, own.key, run.model_copy(update=ended))
        if run.session_id and self._chats.sessions.knows(run.session_id):
            session = self._chats.sessions.get(run.session_id)
            if not began and session.state.queue and not session.state.queue_paused:
                session.append(QueuePaused(reason="manual"))
            await self._chats.turns.stop(session)
            await self._write_end(lane_id, own.key, session)
        async with self._lock(lane_id):
            self._launcher.end_record(lane_id, own.key, "stopped", STOPPED)

    async def poll(self, lane_id: str) -> None:
        """Look how the request stands after a round, and do the one thing that follows."""
        async with self._lock(lane_id):
            own = self._book.find(lane_id)
            if own is None or self._book.run(own.key).state != "polling":
                return
            self._set(lane_id, own.key, poller="polling")
            await self._book.fresh(lane_id)
            current = self._book.find(lane_id)
            if current is None or current.key != own.key or self._book.run(own.key).state != "polling":
                return
            facts = await polled_facts(
                self._ground, self._clock, self._book, current, own.key in self._launcher.trusted
            )
            if self._book.run(own.key).state == "polling":
                await self._do(lane_id, current, judged(self._chats.sessions, facts))

    async def _write_end(self, lane_id: str, key: str, session: Session) -> None:
        """What a round did until it was stopped."""
        record = self._launcher.last(key)
        if record is not None and record.session_id == session.session_id and record.ended_at is None:
            ended, _unfinished = await ended_record(self._ground, self._clock(), lane_id, record, session.state.usage)
            self._book.save_round(lane_id, key, ended)

    # What the engine tells

    def saw(self, update: Update) -> None:
        """Whatever the engine says is shown to this part."""
        if not isinstance(update, Envelope) or update.session_id not in self._launcher.lane_of:
            return
        if isinstance(update.event, TurnStarted):
            asyncio.get_running_loop().call_soon(self._launcher.turn_started, update.session_id)
        elif isinstance(update.event, TurnEnded):
            self._spawn(self._turn_ended(update.session_id, update.event), "round")

    def project_opened(self) -> None:
        """Go on with polling; a round whose chat was cut off is paused."""
        project = self._ground.the_project()
        for lane in self._ground.lanes.of_project(project.id):
            own = self._book.find(lane.id) if lane.pr_number else None
            run = self._book.run(own.key) if own is not None else PipelineRun()
            if own is None or not run.active or lane.id in self._timers:
                continue
            if run.state == "polling":
                self._schedule(lane.id, FIRST_POLL_S)
            elif run.session_id not in self._launcher.lane_of:
                self._cut_off(lane.id, own.key, run)

    async def close(self) -> None:
        """Nothing is polled any more."""
        for lane_id in list(self._timers):
            self._unschedule(lane_id)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # The round's chat

    async def _turn_ended(self, session_id: str, event: TurnEnded) -> None:
        lane_id = self._launcher.lane_of[session_id]
        if not self._chats.sessions.knows(session_id):
            return
        async with self._lock(lane_id):
            own = self._book.find(lane_id)
            session = self._chats.sessions.get(session_id)
            if own is None or event.reason in ("quit", "restart") or self._chats.turns.closing:
                return
            run, record = self._book.run(own.key), self._launcher.last(own.key)
            goes_on = session.running or (session.state.queue and not session.state.queue_paused)
            if record is None or run.session_id != session_id or run.state not in ("launching", "running") or goes_on:
                return
            if no_answer(session, event):
                self._launcher.not_begun(lane_id, own.key, event.detail or "the model did not answer")
                return
            ended, unfinished = await ended_record(self._ground, self._clock(), lane_id, record, session.state.usage)
            self._book.save_round(lane_id, own.key, ended)
            after = ended_run(run, event, unfinished)
            self._book.save_run(lane_id, own.key, after)
        if after.state == "paused":
            self._book.tell_paused(own, after.reason)
        else:
            self._schedule(lane_id, self.poll_s)

    def _cut_off(self, lane_id: str, key: str, run: PipelineRun) -> None:
        """The program ended while the round's chat was at work."""
        if run.session_id and not self._chats.sessions.knows(run.session_id):
            self._launcher.not_begun(lane_id, key, "Banksman closed before the chat began.")
            return
        self._launcher.lane_of[run.session_id] = lane_id
        self._book.save_run(lane_id, key, interrupted(run))

    # What follows from a poll

    async def _do(self, lane_id: str, own: OwnPull, step: Step) -> None:
        key = own.key
        told = tuple(dict.fromkeys((*self._book.run(key).told, *step.told)))
        self._set(lane_id, key, counted=step.counted, offline_since=step.offline_since, told=told)
        if step.kind == "wait":
            self._set(lane_id, key, poller=step.poller, waits_for=step.reason)
            self._schedule(lane_id, self.poll_s)
            return
        self._launcher.end_record(lane_id, key, "done")
        if step.kind == "pause":
            self._pause(lane_id, own, step.reason)
        elif step.kind == "closed":
            self._set(lane_id, key, state="stopped", poller="stopped", reason=step.reason)
        elif step.kind in ("converged", "merged"):
            self._set(lane_id, key, state=step.kind, poller="stopped", reason="")
        else:
            await self._act(lane_id, own, step)

    async def _act(self, lane_id: str, own: OwnPull, step: Step) -> None:
        """Steps that change something; what fails of them pauses."""
        try:
            if step.kind == "rebase":
                await self._forge.rebase(lane_id)
                self._set(lane_id, own.key, poller="waiting_for_checks", counted=None)
                self._schedule(lane_id, self.poll_s)
            elif step.kind == "merge":
                await self._forge.merge(lane_id, own.pull.head_oid, self._book.settings(own.key).merge_method)
                self._set(lane_id, own.key, state="merged", poller="stopped", reason="")
            else:
                choice = self._book.run(own.key).choice or LaunchChoice()
                wanted = choice.model_copy(update={"scope": "both"})
                await self._launcher.launch(lane_id, wanted, new_session_id(), None, lambda: None)
        except BanksmanError as error:
            if self._book.run(own.key).state != "stopped":
                self._pause(lane_id, own, str(error))

    def _pause(self, lane_id: str, own: OwnPull, reason: str) -> None:
        self._set(lane_id, own.key, state="paused", poller="paused", reason=reason)
        self._book.tell_paused(own, reason)

    # Small things

    def _set(self, lane_id: str, key: str, **changes: object) -> None:
        fresh = {"waits_for": "", **changes}
        self._book.save_run(lane_id, key, self._book.run(key).model_copy(update=fresh))

    def _lock(self, lane_id: str) -> asyncio.Lock:
        return self._locks.setdefault(lane_id, asyncio.Lock())

    def _schedule(self, lane_id: str, after_s: float) -> None:
        self._unschedule(lane_id)
        loop = asyncio.get_running_loop()
        self._timers[lane_id] = loop.call_later(after_s, self._ring, lane_id)

    def _unschedule(self, lane_id: str) -> None:
        timer = self._timers.pop(lane_id, None)
        if timer is not None:
            timer.cancel()

    def _ring(self, lane_id: str) -> None:
        """Lanes of a repository that is not open any more go on when it is opened again."""
        self._timers.pop(lane_id, None)
        lane, project = self._ground.lanes.get(lane_id), self._ground.project()
        if lane is not None and project is not None and lane.project_id == project.id:
            self._spawn(self.poll(lane_id), "poll")

    def _spawn(self, work: Coroutine[object, object, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a round could not go on", exc_info=error)
