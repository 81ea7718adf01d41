"""ContextKeeper: keeps every chat within the model's window, and tells the window how full it is."""

import asyncio
from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from desktop.agent.context.compaction import CompactionRefused
from desktop.agent.context.compactor import Compactor, Trigger, TurnSpend
from desktop.agent.context.summarise import SummaryFailed
from desktop.agent.context.tokens import TokenMeter
from desktop.agent.core.session import Publish, Session
from desktop.agent.providers.instructions import Instructions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.chats.commands import Compact
from desktop.domain.chats.updates import CompactionOffered, ContextMeterChanged
from desktop.domain.core.errors import CommandError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.work import Activity
from desktop.domain.events import Notice
from desktop.providers.kinds import kind_of
from desktop.providers.prices import prices_loaded, warm_prices

UNKNOWN_WINDOW = 32_768
"""What is assumed of a model whose window nobody knows (sessions-SK5)."""

TELL_EVERY_S = 0.5
LARGEST_THRESHOLD = 250_000
ROOM = 25_000
SMALL_WINDOW = 100_000
SMALL_SHARE_PERCENT = 75


def compaction_threshold(window: int) -> int:
    """Tokens from which on the next request is preceded by a compaction (sessions-SX1)."""
    if window < SMALL_WINDOW:
        return window * SMALL_SHARE_PERCENT // 100
    return min(LARGEST_THRESHOLD, window - ROOM)


class ContextKeeper:
    """One for all sessions, on the engine thread. `find`: the open session of an id; `themes`: what others do
    before a request."""

    def __init__(
        self,
        settings: SettingsKeeper,
        publish: Publish,
        find: Callable[[str], Session],
        instructions: Instructions,
        themes: Voices[[Session, str], Awaitable[None]],
    ) -> None:
        self.instructions = instructions
        self._themes = themes
        self._settings = settings
        self._publish = publish
        self._find = find
        self._meters: WeakKeyDictionary[Session, TokenMeter] = WeakKeyDictionary()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._told_at: dict[str, float] = {}
        self._tried: dict[str, str] = {}
        self._offering: dict[str, asyncio.Task[CompactionOffered]] = {}
        self._compactor = Compactor(settings, self.meter, lambda session: self.window(session) or UNKNOWN_WINDOW)

    async def before_request(self, session: Session, turn: TurnSpend) -> None:
        """Everything that must be so before the model is asked. Called before each request of a turn, when all calls of
        the last answer have their results."""
        await self.instructions.before_turn(session, turn.turn_id)
        for prepared in self._themes(session, turn.turn_id):
            await prepared
        window = await self._known_window(session) or UNKNOWN_WINDOW
        await self.meter(session).catch_up_aside(session)
        if self._settings.current.auto_compact and self.meter(session).used >= compaction_threshold(window):
            await self._compact(session, turn, "auto")

    async def compact_overflow(self, session: Session, turn: TurnSpend) -> bool:
        """The service said that the request does not fit. True: the conversation is shorter now, ask again."""
        await self._known_window(session)
        return self._settings.current.auto_compact and await self._compact(session, turn, "overflow")

    async def offer(self, session: Session, command: Compact) -> CompactionOffered:
        """A summary for the person to look at, while no turn runs. Nothing is in force.

        Raises:
            CommandError: there is no summary; the sentence says why.
        """
        self._refuse_busy(session)
        await self.meter(session).catch_up_aside(session)
        task = asyncio.create_task(self._compactor.offer(session, command), name="compaction")
        self._offering[session.session_id] = task
        try:
            return await task
        except (CompactionRefused, SummaryFailed) as error:
            raise CommandError("not_compacted", _not_shortened(str(error))) from error
        except asyncio.CancelledError:
            if task.cancelled():
                raise CommandError("stopped", "The summary was stopped. Nothing changed.") from None
            task.cancel()
            raise
        finally:
            del self._offering[session.session_id]
            if session.activity is Activity.COMPACTING and not session.running:
                session.set_activity(Activity.IDLE)

    def apply(self, session: Session, staging_id: str, summary: str) -> None:
        """Put an offered summary in force, with the person's changes. Raises CommandError when that is not possible."""
        self._refuse_busy(session)
        try:
            self._compactor.apply(session, staging_id, summary)
        except CompactionRefused as error:
            raise CommandError("not_compacted", _not_shortened(str(error))) from error

    def stop(self, session_id: str) -> None:
        """Stop the summary that a person asked for, if one is being written."""
        task = self._offering.get(session_id)
        if task is not None:
            task.cancel()

    def _refuse_busy(self, session: Session) -> None:
        if session.state.open_inputs:
            raise CommandError("open_request", "Answer the open request first.")
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        if session.session_id in self._offering:
            raise CommandError("compacting", "The conversation is being summarised already.")

    async def _compact(self, session: Session, turn: TurnSpend, trigger: Trigger) -> bool:
        """Once a turn, if it fails: then the old context stays and one notice says why (sessions-SX9)."""
        if self._tried.get(session.session_id) == turn.turn_id or session.session_id in self._offering:
            return False
        try:
            await self._compactor.automatic(session, turn, trigger)
        except (CompactionRefused, SummaryFailed, CommandError) as error:
            self._tried[session.session_id] = turn.turn_id
            session.append(Notice(kind="compaction", level="warning", text=_not_shortened(str(error))))
            return False
        return True

    def meter(self, session: Session) -> TokenMeter:
        """The session's meter as of now."""
        meter = self._meters.get(session)
        if meter is None:
            meter = self._meters[session] = TokenMeter()
        meter.catch_up(session)
        return meter

    def window(self, session: Session) -> int:
        """The window of the session's model in tokens, 0: nobody knows it, or not yet."""
        return window_of(self._settings.find(session.state.endpoint_id) or DEMO_ENDPOINT, session.state.model)

    def changed(self, session_id: str) -> None:
        """Something was appended: tell the window soon, at most twice a second."""
        if session_id in self._timers:
            return
        loop = asyncio.get_running_loop()
        wait = max(0.0, self._told_at.get(session_id, 0.0) + TELL_EVERY_S - loop.time())
        self._timers[session_id] = loop.call_later(wait, self._tell, session_id)

    async def close(self) -> None:
        """Tell nothing more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    async def _known_window(self, session: Session) -> int:
        """As `window`, once the table of the vendor's models is loaded."""
        endpoint = self._settings.find(session.state.endpoint_id) or DEMO_ENDPOINT
        if kind_of(endpoint).priced_as and not endpoint.context_window and not prices_loaded():
            await asyncio.to_thread(warm_prices)
            self.changed(session.session_id)
        return self.window(session)

    def _tell(self, session_id: str) -> None:
        self._timers.pop(session_id, None)
        try:
            session = self._find(session_id)
        except CommandError:  # it was deleted meanwhile
            self._told_at.pop(session_id, None)
            return
        self._told_at[session_id] = asyncio.get_running_loop().time()
        self._publish(self.reading(session))

    def reading(self, session: Session) -> ContextMeterChanged:
        """The meter as the window shows it."""
        meter, window = self.meter(session), self.window(session)
        return ContextMeterChanged(
            session_id=session.session_id,
            used=meter.used,
            window=window,
            estimated=meter.estimated,
            **meter.parts(),
            cost_microusd=session.state.cost_microusd,
            cost_unknown=session.state.cost_unknown,
            compacts_at=compaction_threshold(window or UNKNOWN_WINDOW) if self._settings.current.auto_compact else 0,
        )


def window_of(endpoint: Endpoint, model: str) -> int:
    """The endpoint's own setting, else what is known of the vendor's models once that is loaded, else 0."""
    return endpoint.context_window or kind_of(endpoint).window_of(model)


def _not_shortened(reason: str) -> str:
    return f"The conversation was not shortened: {reason} Everything stays as it was; /clear or a fork gives room."
