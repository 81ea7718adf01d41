"""TurnCommands: begins turns, gives them what a person sends meanwhile, and stops them (sessions 7.6, 8)."""

import asyncio
import logging

import desktop
from desktop.agent.chats.queue import MessageQueue
from desktop.agent.core.commands import Handler
from desktop.agent.core.last_calls import last_calls
from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.look_back import told
from desktop.agent.providers.opened import read_aside
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.driver import TurnDriver
from desktop.agent.turns.limits import LimitWatch, checked
from desktop.agent.turns.turn import Turn, TurnKind
from desktop.domain import commands as c
from desktop.domain.chats.commands import RaiseLimits, ResumeQueue, RetryNow, SendQueuedNow
from desktop.domain.chats.queue_events import QueueResumed
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.listeners import Listeners, Voices
from desktop.domain.core.work import Activity
from desktop.domain.events import Event, SessionResumed, UserMessage
from desktop.domain.guests.values import guest_of
from desktop.domain.updates import CommandFailed
from desktop.services.lanes.identity import misplaced

logger = logging.getLogger(__name__)

ERROR_CHARS = 300
ARCHIVED = "This chat is archived. Take it out of the archive first."
_NOTHING_RUNS = (Activity.WAITING_INPUT, Activity.RETRYING)


class TurnCommands:
    """Begins and ends the turns of all sessions. `driver` carries them out. `ended` is told when a turn is
    over, `stopped` the chat whose turn a person stops, `begun` a chat whose turn is about to be run. `closing` is
    set when the app closes: nothing begins any more. `held`: chats that go back right now, where nothing begins.
    `waits`: each may say that the first message of a chat waits in the queue until `begin_waiting`. `beforehand`: each
    gives what the model is told in front of a person's message."""

    def __init__(
        self,
        sessions: Sessions,
        driver: TurnDriver,
        settings: SettingsKeeper,
        queue: MessageQueue,
        limits: LimitWatch,
        publish: Publish,
    ) -> None:
        self.closing = False
        self.held: set[str] = set()
        self.ended = Listeners[[]]()
        self._sessions = sessions
        self.driver = driver
        self._settings = settings
        self._queue = queue
        self._limits = limits
        self._publish = publish
        self._turns: dict[str, Turn] = {}
        self._beginning: set[asyncio.Task[None]] = set()
        self.stopped = Listeners[str]()
        self.begun = Listeners[Session]()
        self.waits = Voices[[Session], bool]()
        self.beforehand = Voices[[Session], list[Event]]()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about turns and about sending what waits."""
        return {
            c.SendMessage: self._send,
            c.ContinueTurn: self._continue,
            c.Interrupt: self._interrupt,
            RetryNow: self._retry_now,
            SendQueuedNow: self._send_queued_now,
            ResumeQueue: self._resume_queue,
            RaiseLimits: self._raise_limits,
        }

    def close(self) -> None:
        """The app closes: nothing begins any more, and what runs ends for that reason (sessions-SR2)."""
        self.closing = True
        for task in self._beginning:
            task.cancel()
        for turn in self._turns.values():
            if not turn.ended and not turn.stop_asked:
                turn.reason = turn.reason or "quit"

    async def begin_chat(self, session: Session, command: c.NewSession) -> None:
        """The first turn of a new chat, or its message waits. Raises as `start`."""
        async with self._queue.read_ahead(session, command.text):
            if self._waits(session):
                self._queue.add(session, command.text, command.attachments)
                return
            message = self._queue.message(session, command.text, command.attachments)
            self.start(session, [*self._beforehand(session), message])

    async def begin_waiting(self, session: Session) -> None:
        """The first turn of a chat whose message waited; nothing when it did not. Raises as `start`."""
        if session.state.queue and not session.state.queue_paused and not session.running:
            await self._begin_queued(session)

    async def send(self, session: Session, text: str, names: tuple[str, ...] = ()) -> None:
        """Begin a turn with a person's message, after what must be told before it; while a turn runs it waits.

        Raises:
            CommandError: it cannot be sent; nothing was recorded.
        """
        _refuse_archived(session)
        async with self._queue.read_ahead(session, text):
            self._queue.message(session, text, names)
            if self._waits(session) or await self._turn_runs(session):
                self._queue.add(session, text, names)
                return
            await self._ready(session)
            if await self._turn_runs(session):
                self._queue.add(session, text, names)
            else:
                self.start(session, [*self._before(session), self._queue.message(session, text, names)])

    def start(self, session: Session, events: list[Event], *, kind: TurnKind = "prompt", continues: str = "") -> None:
        """Record the begin of a turn and run it in a task of its own; whoever asks next finds it running.

        Raises:
            CommandError: meanwhile another turn began here, or the app is closing.
            StoreError: it could not be recorded, so it did not begin.
        """
        if self.closing:
            raise CommandError("stopping", "Banksman is closing.")
        session.refuse_imported()
        _refuse_archived(session)
        if session.session_id in self.held:
            raise CommandError("rewinding", "This chat is going back. Send it again when that is done.")
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        if session.lane is not None and (problem := misplaced(session.lane)):
            raise CommandError("lane_broken", problem)
        turn = self.driver.begin(session, events, kind=kind, continues=continues)
        self._turns[session.session_id] = turn
        session.task = asyncio.create_task(self.driver.run(session, turn))
        session.task.add_done_callback(lambda task: self._over(session, turn, task))
        self.begun(session)

    def turn_of(self, session_id: str) -> Turn | None:
        """The turn of a chat that runs, or that ran last in this process."""
        return self._turns.get(session_id)

    async def may_ask(self, session: Session) -> None:
        """Wait for what a request to the chat's model needs that is part of no turn.

        Raises:
            CommandError: a key is missing, its cost is not known, or a limit is used up.
        """
        await self._limits.may_ask(session)
        await self._settings.require_key(session.state.endpoint_id)

    async def stop(self, session: Session) -> None:
        """Stop the turn, if one runs, and wait until its end is recorded."""
        while session.running and session.task is not None:  # what waited may have begun another one meanwhile
            await self._stop_now(session)
            await asyncio.wait({session.task})

    async def _send(self, command: c.SendMessage) -> None:
        session = self._sessions.get(command.session_id)
        if command.interrupt and await self._turn_runs(session):
            await self._give_now(session, self._queue.add(session, command.text, command.attachments))
        else:
            await self.send(session, command.text, command.attachments)

    async def _continue(self, command: c.ContinueTurn) -> None:
        session = self._sessions.get(command.session_id)
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        await self.go_on(session)

    async def go_on(self, session: Session, *first: Event, say: tuple[Event, ...] = ()) -> None:
        """Continue the last turn; `first` is recorded in front of it, `say` is what the model is told at its begin.

        Raises:
            CommandError: there is nothing to continue, or it cannot be; nothing was recorded.
        """
        last = session.state.last_turn
        if last is None or last.status == "completed":
            raise CommandError("nothing_to_continue", "There is no turn to continue.")
        await self._ready(session)
        calls = last_calls(session.log)
        resumed = SessionResumed(
            app_version=desktop.__version__,
            unfinished_turn_id=last.turn_id,
            closed_inputs=tuple(calls.closed_inputs),
            unknown_calls=tuple(call.id for call in calls.unknown),
            not_executed_calls=tuple(call.id for call in calls.not_run),
        )
        events: list[Event] = [resumed, *say]
        if session.ends_with_answer and not say:
            events.append(note("continued", "The user asks you to go on where you stopped."))
        if first and not session.running:
            session.append_many(list(first))
        self.start(session, events, kind="continue", continues=last.turn_id)

    async def _interrupt(self, command: c.Interrupt) -> None:
        session = self._sessions.get(command.session_id)
        turn = self._turns.get(session.session_id)
        if command.after_step and turn is not None and session.activity not in _NOTHING_RUNS:
            turn.stop_after_step = turn.stop_after_step or not turn.ended
        else:
            self.stopped(session.session_id)
            await self._stop_now(session)

    async def _retry_now(self, command: RetryNow) -> None:
        self.driver.retry_now(command.session_id)

    async def _stop_now(self, session: Session) -> None:
        turn = self._turns.get(session.session_id)
        if turn is not None and not turn.ended and session.running:
            turn.stop_asked = True
            await self.driver.stop(session, turn)

    # What waits

    async def _send_queued_now(self, command: SendQueuedNow) -> None:
        session = self._sessions.get(command.session_id)
        self._queue.waiting(session, command.queue_id)
        await self._give_now(session, command.queue_id)

    async def _give_now(self, session: Session, queue_id: str) -> None:
        """Stop the step and deliver; where no step can be stopped, the message begins a turn (sessions-SQ4)."""
        turn, task = self._turns.get(session.session_id), session.task
        goes_on = session.running and turn is not None and turn.status is None and not turn.stop_asked
        if goes_on and turn is not None and task is not None and (turn.send_now or not task.cancelling()):
            turn.send_now = queue_id
            if turn.in_step and not task.cancelling():
                task.cancel()
            return
        while session.running and session.task is not None:
            await asyncio.wait({session.task})
        await self._begin_queued(session, queue_id)

    async def _resume_queue(self, command: ResumeQueue) -> None:
        session = self._sessions.get(command.session_id)
        if not session.state.queue:
            raise CommandError("queue_empty", "Nothing waits to be sent.")
        if session.state.queue_paused:
            session.append(QueueResumed())
        if not await self._turn_runs(session):
            await self._begin_queued(session)

    async def _begin_queued(self, session: Session, queue_id: str = "") -> None:
        """A turn that begins with what waits, or with the one message; nothing if it is delivered meanwhile."""
        await self._ready(session)
        async with self._queue.read_ahead(session):
            delivered = self._queue.delivery(session, queue_id)
        if delivered and not session.running:
            self._start_queued(session, self._before(session), delivered)

    def _start_queued(self, session: Session, before: list[Event], delivered: list[Event]) -> None:
        """Where nothing is left of what waited, it is only taken out of the queue."""
        if any(isinstance(event, UserMessage) for event in delivered):
            self.start(session, [*before, *delivered], kind="queued")
        else:
            session.append_many(delivered)

    # The end of a turn

    def _over(self, session: Session, turn: Turn, task: asyncio.Task[None]) -> None:
        self.driver.end_unrun(session, turn)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a turn failed", exc_info=error)
            reason = next(iter(str(error).splitlines()), "")[:ERROR_CHARS]
            self._tell(session, f"The turn stopped: {type(error).__name__}: {reason}. Details are in the log.")
        self.ended()
        queue_goes_on = turn.pause is None and session.state.queue and not session.state.queue_paused
        held = self.closing or session.session_id in self.held
        if not queue_goes_on or held or session.running:
            return
        if self._queue.must_read(session):
            task = asyncio.create_task(self._read_and_begin(session))
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            return
        try:
            self._start_queued(session, [], self._queue.delivery(session))
        except BanksmanError as error:
            self._tell(session, f"What waits could not be sent: {error}")

    async def _read_and_begin(self, session: Session) -> None:
        """A turn with what waits, once it is read what that names."""
        try:
            async with self._queue.read_ahead(session):
                held = self.closing or session.session_id in self.held or session.state.queue_paused
                if not held and not session.running:
                    self._start_queued(session, [], self._queue.delivery(session))
        except BanksmanError as error:
            self._tell(session, f"What waits could not be sent: {error}")

    def _tell(self, session: Session, text: str) -> None:
        failed = CommandFailed(command_id="", code="turn_failed", text=text, session_id=session.session_id)
        self._publish(failed)

    async def _turn_runs(self, session: Session) -> bool:
        """Whether a turn runs that takes messages; one that only comes to its end is waited for."""
        while session.running and session.task is not None:
            turn = self._turns.get(session.session_id)
            if turn is not None and not turn.ended:
                return True
            await asyncio.wait({session.task})
        return False

    async def _raise_limits(self, command: RaiseLimits) -> None:
        session = self._sessions.get(command.session_id)
        last = session.state.last_turn
        if session.running or last is None or last.status != "limit":
            raise CommandError("no_limit", "The last turn was not ended by a limit.")
        await self.go_on(session, checked(command.limits, "turn"))

    async def _ready(self, session: Session) -> None:
        """Wait for what a turn needs.

        Raises:
            CommandError: a key is missing, or the cost of the model is not known and has a limit.
        """
        state = session.state
        await self._limits.may_begin(state.endpoint_id, state.model, self._limits.in_force(session))
        await asyncio.gather(self._sessions.swept(), self._key(state.endpoint_id), read_aside(session))

    async def _key(self, endpoint_id: str) -> None:
        if not guest_of(endpoint_id):
            await self._settings.require_key(endpoint_id)

    def _waits(self, session: Session) -> bool:
        return any(self.waits(session))

    def _beforehand(self, session: Session) -> list[Event]:
        return [event for told in self.beforehand(session) for event in told]

    def _before(self, session: Session) -> list[Event]:
        """What the model is told before a person's message that goes on after something."""
        events: list[Event] = [note("restarted", _restarted_text(session))] if session.state.interrupted else []
        return [*events, *self._beforehand(session), *told(session)]


def _refuse_archived(session: Session) -> None:
    """Raises CommandError for an archived chat, and for a sub-agent below one."""
    if any(one.state.archived for one in (session, *session.above)):
        raise CommandError("archived", ARCHIVED)


def _restarted_text(session: Session) -> str:
    states = last_calls(session.log).described()
    middle = f" {states}" if states else ""
    return f"Banksman closed while the last turn was running.{middle} The user goes on with a new message."
