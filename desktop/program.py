"""The windows with their engine, from the moment the first window was painted to the last event on disk."""

import asyncio
import importlib
import logging
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import qasync
from PySide6.QtCore import QObject, QProcess, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from desktop.app import Start, running_elsewhere, window_elsewhere
from desktop.bridge.bridge import Bridge
from desktop.collecting import look_at_all
from desktop.config.folders import Folders, resource_folder
from desktop.config.instance import instance_folder
from desktop.config.links import is_link
from desktop.config.settings import DEMO_ENDPOINT, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import AnswerInput, OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.updates import CommandFailed, EngineReady, ProjectOpened, SessionsChanged
from desktop.services.sample_repository import create_sample_repository, lend_python, sample_tests_pass
from desktop.services.settings.key_record import FILE_NAME, KeyRecord
from desktop.ui.core.sink import Clock
from desktop.ui.window.demo_player import DemoPlayer
from desktop.ui.window.dialogs.already_running import AlreadyRunningDialog
from desktop.ui.window.front.application import Application
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.outside.polite_end import PoliteEnd
from desktop.ui.window.outside.request_watch import RequestWatch
from desktop.ui.window.welcome_tour import TOUR_TASK
from desktop.ui.window.windows import Windows

STOP_LIMIT_S = 5.0
AWAY_S = 60.0
KEYS_PAGE = "providers"


@contextmanager
def demo_place(place: Path | None = None) -> Iterator[tuple[Folders, Path]]:
    """Folders and a repository for one demo, gone with it. `place`: where the repository goes, and stays, instead."""
    if getattr(sys, "frozen", False):
        lend_python(resource_folder() / "sample" / "bin")
    with tempfile.TemporaryDirectory(prefix="banksman-demo-") as home:
        root = Path(home)
        folders = Folders(root / "config", root / "data", root / "cache", root / "logs")
        KeyRecord(folders.config / FILE_NAME, fresh=True)
        save_settings(folders.settings_file, Settings(default_endpoint=DEMO_ENDPOINT.id))
        yield folders, create_sample_repository((place or root) / "shop")


class Sink(QObject):
    """Hands the window's commands to the bridge. `demo`: answers are marked as the demo's, not a person's."""

    def __init__(self, bridge: Bridge, *, demo: bool) -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._demo = demo

    def send(self, command: Command) -> None:
        """Send one command; never blocks."""
        if self._demo and isinstance(command, AnswerInput):
            command = command.model_copy(update={"demo": True})
        self._bridge.send(command)


class Away(QObject):
    """Has all garbage collected while nobody works in the windows: once that is so for `after_s`, and again after as
    long."""

    def __init__(self, app: QApplication, parent: QObject, after_s: float = AWAY_S) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=int(after_s * 1000))
        self._timer.timeout.connect(look_at_all)
        app.applicationStateChanged.connect(self._on_state)

    @Slot(Qt.ApplicationState)
    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()


class Program(QObject):
    """The windows with their engine, from the first paint to the last event on disk. Both go by `clock`."""

    def __init__(
        self, app: Application, start: Start, folders: Folders, window: MainWindow, *, clock: Clock = utc_now
    ) -> None:
        """`window`: the first one, which may have been painted already."""
        super().__init__(app)
        self.status = 0
        self._closed = asyncio.Event()
        self._app, self._start, self._folders = app, start, folders
        self.bridge = Bridge(folders, self, demo_pace_s=0.0 if start.auto else None, clock=clock)
        sink = Sink(self.bridge, demo=start.auto)
        self.window = window
        self.windows = Windows(sink, clock, window.store.settings, self, window)
        self._opening = OpenProject(path=str(start.path or ""))
        self._links: list[str] | None = [start.link] if start.link else []
        Away(app, self)

    def filling(self) -> Iterator[None]:
        """Make what is behind the front of the first window, a piece each time; then let the engine start."""
        yield from self.windows.filling
        self.bridge.batch.connect(self.windows.apply_updates, Qt.ConnectionType.QueuedConnection)
        self.bridge.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)
        self._app.lastWindowClosed.connect(self._closed.set)
        self.windows.demo_asked.connect(_start_demo)
        if self._start.path is not None:
            self.bridge.batch.connect(self._on_start, Qt.ConnectionType.QueuedConnection)
            self.bridge.send(self._opening)
        self.bridge.batch.connect(self._on_listed, Qt.ConnectionType.QueuedConnection)
        self._app.link_opened.connect(self._on_link_opened)
        self._on_link_opened()
        if self._start.settings:
            self.bridge.batch.connect(self._on_ready, Qt.ConnectionType.QueuedConnection)
        self._watch = RequestWatch(instance_folder(self._folders), self)
        self._watch.asked.connect(self._on_window_asked)
        logs = self._folders.logs
        QTimer.singleShot(0, self.bridge.start)
        QTimer.singleShot(0, lambda: self._keep_logs(logs))

    def _keep_logs(self, folder: Path) -> None:
        """From now on what happens is logged, and what nobody caught is told."""
        importlib.import_module("desktop.config.log_files").install_log_file(folder)
        self._crashes = importlib.import_module("desktop.ui.window.outside.crashes").Crashes(
            folder, self.windows.used, self
        )

    def run_to_its_end(self) -> int:
        """Let people work with it; the exit status."""
        loop = qasync.QEventLoop(self._app)
        with loop:
            return int(loop.run_until_complete(self.run()))

    async def run(self) -> int:
        """Wait until the window is closed (or the demo has played), then stop the engine; the exit status."""
        player: DemoPlayer | None = None
        if self.window.isHidden():  # it was closed before anybody listened
            self._closed.set()
        if self._start.auto:
            player = DemoPlayer(self.window, self._start.screens)
            player.finished.connect(self._closed.set)
            player.start()
        end = PoliteEnd(self)
        end.asked.connect(self._closed.set)
        await self._closed.wait()
        self.windows.hide()
        end.close()
        if not await asyncio.to_thread(self.bridge.stop, STOP_LIMIT_S):
            logging.getLogger(__name__).error("the engine did not stop within %s s", STOP_LIMIT_S)
        if player is not None and not self.status:
            self.status = await asyncio.to_thread(_demo_status, player.problem, player.lane_path)
        return self.status

    @Slot(list)
    def _on_start(self, updates: list[Update]) -> None:
        """The repository of the command line is open, or the program ends with the engine's sentence.

        The demo's task is put in the composer then; it is never sent by itself.
        """
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id == self._opening.command_id:
                self._on_failed(update.text)
            elif isinstance(update, ProjectOpened):
                self.bridge.batch.disconnect(self._on_start)
                if self._start.demo and not self._start.auto:
                    self.window.page.suggest(TOUR_TASK)
                return

    @Slot(list)
    def _on_listed(self, updates: list[Update]) -> None:
        """The chats of a repository are known, or none is opened: links are followed that came before."""
        known = SessionsChanged if self._opening.path else EngineReady
        if not any(isinstance(one, known) or _answers(one, self._opening) for one in updates):
            return
        newest = self._start.newest if self._links and not self._opening.path else None
        if newest is not None:
            self._opening = OpenProject(path=str(newest))
            self.bridge.send(self._opening)
            return
        self.bridge.batch.disconnect(self._on_listed)
        links, self._links = self._links or [], None
        for link in links:
            self.windows.follow(link)

    @Slot()
    def _on_link_opened(self) -> None:
        """The system handed over what a person opened elsewhere; what is no link of ours leads nowhere."""
        for link in self._app.take_links():
            self._follow(link)

    def _follow(self, link: str) -> None:
        """Show what a link leads to, once chats are known."""
        if self._links is None:
            self.windows.follow(link)
        else:
            self._links.append(link)

    @Slot(list)
    def _on_ready(self, updates: list[Update]) -> None:
        """The settings are known, and shown where keys are given."""
        if any(isinstance(update, EngineReady) for update in updates):
            self.bridge.batch.disconnect(self._on_ready)
            self.window.show_settings(KEYS_PAGE)

    @Slot(str)
    def _on_window_asked(self, wanted: str) -> None:
        """The program was started once more: a link is followed in the window used last, else one opens on what was
        named."""
        if is_link(wanted):
            self._follow(wanted)
            return
        window = self.windows.open()
        if wanted:
            window.open_path(wanted)

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        sys.stderr.write(f"banksman: {sentence}\n")
        self.status = 2
        self._closed.set()


def _answers(update: Update, command: Command) -> bool:
    return isinstance(update, CommandFailed) and update.command_id == command.command_id


def _start_demo() -> None:
    """The demo is a program of its own, with a throw-away repository and data."""
    arguments = ["demo"] if getattr(sys, "frozen", False) else ["-m", "desktop", "demo"]
    QProcess.startDetached(sys.executable, arguments)


def _demo_status(problem: str, lane_path: str) -> int:
    """0 only if the walk reached its end and the sample's own tests pass in the lane."""
    if problem or not lane_path:
        sys.stderr.write(f"banksman: the demo did not reach its end. {problem or 'It has no lane.'}\n")
        return 1
    passed = sample_tests_pass(Path(lane_path))
    sys.stdout.write(f"The demo has played. The sample's tests {'pass' if passed else 'FAIL'} in its lane.\n")
    return 0 if passed else 1


def ask_for_the_store(app: QApplication, start: Start, folders: Folders) -> int | None:
    """Wait until the process that holds the chats has ended; an exit status if this one is to end instead."""
    loop = qasync.QEventLoop(app)
    with loop:
        status: int | None = loop.run_until_complete(_wait_for_the_store(start, folders))
        return status


async def _wait_for_the_store(start: Start, folders: Folders) -> int | None:
    """Ask what to do while another process holds the chats. None: they are free; 0: it opened a window; 2: leave."""
    answers: asyncio.Queue[bool] = asyncio.Queue()
    dialog = AlreadyRunningDialog(running_elsewhere(folders))
    dialog.again.connect(lambda: answers.put_nowait(True))
    dialog.rejected.connect(lambda: answers.put_nowait(False))
    dialog.show()
    try:
        while running_elsewhere(folders):
            if not await answers.get():
                return 2
            if await asyncio.to_thread(window_elsewhere, folders, start.wanted):
                return 0
            dialog.set_waiting(False)
        return None
    finally:
        dialog.hide()
        dialog.deleteLater()
