"""Stop: what a signal does to a run."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from desktop.agent.engine import Engine
from desktop.domain.commands import Interrupt


class Stop:
    """Stops the turn at Ctrl+C or a polite kill; before it began, it does not begin. Asked again: ends at once, and so
    does a task that waits until its lane is made ready, or whose turn is over. `begun`: the turn was asked for."""

    def __init__(self, engine: Engine, session_id: str) -> None:
        self.session_id = session_id
        self.asked = False
        self.begun = False
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._whole = asyncio.current_task()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self) -> None:
        """Stop now."""
        running = self._engine.sessions.running()
        if self._whole is not None and (self.asked or self._waits() or (self.begun and not running)):
            self._whole.cancel()
        self.asked = True
        if running:
            self._tasks.add(self._loop.create_task(self._engine.handle(Interrupt(session_id=self.session_id))))

    async def if_asked_before(self) -> None:
        """Stop a turn that began after it was asked to stop."""
        if self.asked:
            await self._engine.handle(Interrupt(session_id=self.session_id))
        if self.asked and self._waits():
            raise asyncio.CancelledError

    def _waits(self) -> bool:
        """Whether the task waits until its lane is made ready."""
        sessions = self._engine.sessions
        state = sessions.get(self.session_id).state if sessions.knows(self.session_id) else None
        return state is not None and bool(state.queue) and not state.turns

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """While this holds, SIGINT and SIGTERM ask."""
        with self._heard_by(self.ask):
            yield

    @contextmanager
    def while_ending(self) -> Iterator[None]:
        """While this holds, the log is closed, which takes a moment: only who asks again ends at once."""
        with self._heard_by(self._ask_again):
            yield

    def _ask_again(self) -> None:
        if self.asked and self._whole is not None:
            self._whole.cancel()
        self.asked = True

    @contextmanager
    def _heard_by(self, ask: Callable[[], None]) -> Iterator[None]:
        def on_signal(number: int, frame: FrameType | None) -> None:
            self._loop.call_soon_threadsafe(ask)

        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, on_signal) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)
