"""Bridge: the engine's thread, and the only two crossings: commands go down, updates come up in batches."""

import asyncio
import gc
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer, Signal, Slot

from desktop.collecting import look
from desktop.config.folders import Folders
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import EngineStopped

if TYPE_CHECKING:
    from desktop.agent.engine import Engine

logger = logging.getLogger(__name__)
MOST_IN_BATCH = 40
"""Updates that the window takes in one go; they are many only where something floods it."""


def new_engine_loop() -> asyncio.AbstractEventLoop:
    """A loop for the engine thread, made explicitly: on Python 3.11 qasync swaps the global policy, and on Windows only
    the proactor loop can start child processes."""
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


class Bridge(QObject):
    """The crossing between the UI thread, on which it is made, and the engine thread. `batch` carries list[Update], in
    order, on the UI thread; one signal for each burst, but what is long to take ends a batch, and so do many updates:
    the window has its turn before the next one.

    `failed` carries the sentence of an error that kept the engine from starting. `demo_pace_s`, `clock`, `found`: see
    Engine.
    """

    batch = Signal(list)
    failed = Signal(str)
    stopped = Signal()
    _arrived = Signal()

    def __init__(
        self,
        folders: Folders,
        parent: QObject | None = None,
        *,
        demo_pace_s: float | None = None,
        clock: Callable[[], datetime] = utc_now,
        found: SandboxReport | None = None,
    ) -> None:
        super().__init__(parent)
        self._folders = folders
        self._clock = clock
        self._demo_pace_s = demo_pace_s
        self._found = found
        self._updates: deque[Update] = deque()
        self._under_way = False
        self._lock = threading.Lock()
        self._early: list[Command] | None = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._quit: asyncio.Event | None = None
        self._engine: Engine | None = None
        self._stopping = False
        self._commands: set[asyncio.Task[None]] = set()
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._take_some)
        self._arrived.connect(self._rest.start, Qt.ConnectionType.QueuedConnection)
        QAbstractEventDispatcher.instance().aboutToBlock.connect(self._look_for_garbage)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Start the engine thread. The window should have painted first: the engine's imports take a while."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """The engine thread runs."""
        return self._thread.is_alive()

    def send(self, command: Command) -> None:
        """Hand a command to the engine. Never blocks; one sent before the engine is ready waits for it."""
        with self._lock:
            if self._early is not None:
                self._early.append(command)
            else:
                self._submit(command)

    def publish(self, update: Update) -> None:
        """Called on the engine thread only."""
        self._updates.append(update)
        with self._lock:
            if self._under_way:
                return
            self._under_way = True
        try:
            self._arrived.emit()
        except RuntimeError:
            logger.debug("an update came after the window was gone")

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Stop turns, commands and the store, and wait for the thread. False: it did not end in time."""
        with self._lock:
            self._stopping = True
            if self._loop is not None and self._quit is not None:
                self._loop.call_soon_threadsafe(self._quit.set)
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @Slot()
    def _take_some(self) -> None:
        with self._lock:
            self._under_way = False
        batch: list[Update] = []
        while self._updates and len(batch) < MOST_IN_BATCH and not (batch and batch[-1].is_long):
            batch.append(self._updates.popleft())
        if self._updates:
            with self._lock:
                self._under_way = True
            self._rest.start()
        if batch:
            self.batch.emit(batch)

    @Slot()
    def _look_for_garbage(self) -> None:
        """The UI thread has nothing to do: what both threads left is looked for here, where parts of windows may go."""
        look()

    def _submit(self, command: Command) -> None:
        """The lock is held, so that commands arrive in the order in which they were sent."""
        if self._loop is None or self._stopping:
            logger.warning("command %s came after the engine had stopped", command.type)
            return
        self._loop.call_soon_threadsafe(self._begin, command)

    # Engine thread

    def _run(self) -> None:
        loop = new_engine_loop()
        asyncio.set_event_loop(loop)
        with self._lock:
            self._loop, self._quit = loop, asyncio.Event()
            if self._stopping:
                self._quit.set()
        try:
            loop.run_until_complete(self._serve(self._quit))
        except BanksmanError as error:
            self._tell(self.failed.emit, str(error))
        except Exception as error:  # nothing may end this thread without people knowing
            logger.exception("the engine stopped")
            self.publish(EngineStopped(reason=f"{type(error).__name__}: {error}"))
        finally:
            with self._lock:
                self._loop = self._quit = None
            _finish(loop)
            asyncio.set_event_loop(None)
            loop.close()
            self._tell(self.stopped.emit)

    async def _serve(self, quit_asked: asyncio.Event) -> None:
        first = "desktop.agent.engine" not in sys.modules
        from desktop.agent.engine import Engine
        from desktop.agent.options import EngineOptions
        from desktop.domain.history.state_of import SessionState

        if quit_asked.is_set():
            return
        options = EngineOptions(demo_pace_s=self._demo_pace_s, found=self._found)
        engine = Engine(self._folders, self.publish, options, clock=self._clock)
        SessionState()  # so that its model is made on this thread, not on the window's with the first event of a chat
        try:
            await engine.start()
            with self._lock:
                self._engine = engine
                early, self._early = self._early or [], None
                for command in early:
                    self._submit(command)
            if first:
                gc.freeze()  # modules and parts stay to the end: looking through them stops the window for 0.1 s
            await quit_asked.wait()
        finally:
            self._engine = None
            await engine.stop()

    def _begin(self, command: Command) -> None:
        engine = self._engine
        if engine is None:
            logger.warning("command %s came after the engine had stopped", command.type)
            return
        task = asyncio.get_running_loop().create_task(engine.handle(command))
        self._commands.add(task)
        task.add_done_callback(self._commands.discard)

    def _tell(self, emit: Callable[..., None], *values: str) -> None:
        try:
            emit(*values)
        except RuntimeError:
            logger.debug("the window was gone before the engine ended")


def _finish(loop: asyncio.AbstractEventLoop) -> None:
    """Nothing of this loop is left: neither tasks, nor generators, nor worker threads."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
