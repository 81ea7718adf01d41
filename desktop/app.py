"""The window's program: checks what a start needs, builds the parts, runs the Qt loop, shuts everything down."""

import argparse
import asyncio
import contextlib
import importlib
import logging
import os
import platform
import socket
import sys
import tempfile
from pathlib import Path

import qasync
from PySide6.QtCore import QLibraryInfo, QObject, QProcess, QSettings, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from desktop.bridge.bridge import Bridge
from desktop.config.folders import Folders, product_folders, typed_path
from desktop.config.instance import request_window, wait_until_taken, withdraw
from desktop.config.qt_libraries import check_x11
from desktop.config.settings import DEMO_ENDPOINT, Settings
from desktop.config.settings_file import load_settings, save_settings
from desktop.domain.commands import AnswerInput, OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.command import Command
from desktop.domain.core.errors import StartError
from desktop.domain.core.update import Update
from desktop.domain.updates import CommandFailed, ProjectOpened
from desktop.providers.kinds import own_addresses
from desktop.records import dataclass
from desktop.services.processes.signals import let_children_hear
from desktop.services.sample_repository import create_sample_repository, sample_tests_pass
from desktop.services.settings.key_record import FILE_NAME, KeyRecord
from desktop.store.core.lock import LOCK_NAME, holder_pid, is_held
from desktop.ui.core.sink import Clock
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.theme import theme
from desktop.ui.window.demo_player import TASK, DemoPlayer
from desktop.ui.window.dialogs.already_running import AlreadyRunningDialog
from desktop.ui.window.polite_end import PoliteEnd
from desktop.ui.window.request_watch import RequestWatch
from desktop.ui.window.windows import Windows

SWITCH_INTERVAL_S = 0.001
STOP_LIMIT_S = 5.0
_UNSEEN = ("offscreen", "minimal")
X_PORT, X_SOCKET, X_LIMIT_S = 6000, "/tmp/.X11-unix/X", 2.0  # noqa: S108  # where every X server listens


@dataclass(frozen=True)
class Start:
    """What the command line asked for. `path` None: no repository yet. `size` None: as the window was left."""

    path: Path | None
    demo: bool = False
    auto: bool = False
    screens: Path | None = None
    theme: str = ""
    size: tuple[int, int] | None = None


def main(arguments: list[str]) -> int:
    """Open the window and stay until it is closed; the exit status.

    Raises:
        StartError, SettingsError: it cannot start; the text says why and what to do.
    """
    start = _parse(arguments)
    if not start.demo and running_elsewhere(product_folders()) and _opened_elsewhere(start, product_folders()):
        return 0
    check_display(may_go_offscreen=start.auto)
    if start.path is not None:
        check_repository(start.path)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    let_children_hear()
    if not start.demo:
        return _run(start, product_folders())
    with tempfile.TemporaryDirectory(prefix="banksman-demo-") as home:
        root = Path(home)
        folders = Folders(root / "config", root / "data", root / "cache", root / "logs")
        KeyRecord(folders.config / FILE_NAME, fresh=True)
        save_settings(folders.settings_file, Settings(default_endpoint=DEMO_ENDPOINT.id))
        repository = create_sample_repository(root / "shop")
        return _run(Start(repository, True, start.auto, start.screens, start.theme, start.size), folders)


def running_elsewhere(folders: Folders) -> str:
    """The sentence that says which process holds the chats, "" when none does."""
    lock = folders.store / LOCK_NAME
    if not is_held(lock):
        return ""
    pid = holder_pid(lock)
    return f"Banksman is already running ({f'process {pid}' if pid is not None else 'another process'})."


def window_elsewhere(folders: Folders, repository: Path | None) -> bool:
    """Ask the process that holds the chats for a window; whether it opens one within 3 s. Blocks."""
    try:
        request = request_window(instance_folder(folders), repository)
    except OSError:
        return False
    taken = wait_until_taken(request)
    withdraw(request)
    return taken


def instance_folder(folders: Folders) -> Path:
    """Where a second start leaves its request."""
    return folders.data / "instance"


def check_display(*, may_go_offscreen: bool = False) -> None:
    """Raises StartError when no window can be shown here; where it may, the offscreen platform is used instead."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    if chosen.startswith("xcb"):
        check_x11(Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)))
    if platform.system() != "Linux" or chosen:
        return
    display = os.environ.get("DISPLAY", "")
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    if display and x_answers(display):
        check_x11(Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)))
        return
    if not may_go_offscreen:
        raise StartError(
            "There is no display here. Start it in a desktop session, or use 'banksman run \"TASK\"' or "
            "'banksman demo --auto', which need none."
        )
    os.environ["QT_QPA_PLATFORM"] = "offscreen"


def x_answers(display: str) -> bool:
    """Whether an X server takes connections at this display; Qt would end the program without a word for people."""
    host, _, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not number.isdigit():
        return False
    if host not in ("", "unix"):
        places: list[tuple[int, str | tuple[str, int]]] = [(socket.AF_INET, (host, X_PORT + int(number)))]
    else:
        places = [(socket.AF_UNIX, f"{start}{X_SOCKET}{number}") for start in ("", "\0")]
    for family, place in places:
        with socket.socket(family, socket.SOCK_STREAM) as probe, contextlib.suppress(OSError):
            probe.settimeout(X_LIMIT_S)
            probe.connect(place)
            return True
    return False


def check_repository(path: Path) -> None:
    """Raises StartError when `path` is plainly no repository. The engine looks closer later."""
    if not path.exists():
        raise StartError(f"'{path}' does not exist. Give the folder of a git repository.")
    if not path.is_dir():
        raise StartError(f"'{path}' is not a folder. Give the folder of a git repository.")
    if not any((folder / ".git").exists() for folder in (path, *path.parents)):
        raise StartError(
            f"'{path}' is not a git repository. Give another folder, or run 'git init' and make a first commit there."
        )


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


class Program(QObject):
    """The windows with their engine, from the first paint to the last event on disk. Both go by `clock`."""

    def __init__(
        self, app: QApplication, start: Start, folders: Folders, settings: Settings, *, clock: Clock = utc_now
    ) -> None:
        super().__init__(app)
        self.status = 0
        self._closed = asyncio.Event()
        self._start = start
        self.bridge = Bridge(folders, self, demo_pace_s=0.0 if start.auto else None, clock=clock)
        sink = Sink(self.bridge, demo=start.auto)
        store = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
        theme().choose(start.theme or settings.appearance.theme, settings.appearance.zoom)
        self.windows = Windows(sink, clock, store, self)
        self.window = self.windows.first
        self.bridge.batch.connect(self.windows.apply_updates, Qt.ConnectionType.QueuedConnection)
        self.bridge.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)
        app.lastWindowClosed.connect(self._closed.set)
        self.windows.demo_asked.connect(_start_demo)
        if start.size is not None:
            self.window.resize(*start.size)
        self.window.show()
        self._opening = OpenProject(path=str(start.path or ""))
        if start.path is not None:
            self.bridge.batch.connect(self._on_start, Qt.ConnectionType.QueuedConnection)
            self.bridge.send(self._opening)
        self._watch = RequestWatch(instance_folder(folders), self)
        self._watch.asked.connect(self._on_window_asked)
        QTimer.singleShot(0, self.bridge.start)
        QTimer.singleShot(0, lambda: importlib.import_module("desktop.config.log_files").install_log_file(folders.logs))

    async def run(self) -> int:
        """Wait until the window is closed (or the demo has played), then stop the engine; the exit status."""
        player: DemoPlayer | None = None
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
                    self.window.page.suggest(TASK)
                return

    @Slot(str)
    def _on_window_asked(self, path: str) -> None:
        """The program was started once more: its window opens here, on the repository that it named."""
        window = self.windows.open()
        if path:
            window.open_path(path)

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        sys.stderr.write(f"banksman: {sentence}\n")
        self.status = 2
        self._closed.set()


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


def _opened_elsewhere(start: Start, folders: Folders) -> bool:
    """Whether the first process opened a window for this start. Raises StartError when nobody can be asked further."""
    if start.path is not None:
        check_repository(start.path)
    if window_elsewhere(folders, start.path):
        return True
    sentence = running_elsewhere(folders)
    if sentence and not _person_is_there():
        raise StartError(sentence)
    return False


def _person_is_there() -> bool:
    """Whether a dialog could be seen and answered."""
    if os.environ.get("QT_QPA_PLATFORM", "") in _UNSEEN:
        return False
    try:
        check_display()
    except StartError:
        return False
    return True


async def wait_for_the_store(start: Start, folders: Folders) -> int | None:
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
            if await asyncio.to_thread(window_elsewhere, folders, start.path):
                return 0
            dialog.set_waiting(False)
        return None
    finally:
        dialog.hide()
        dialog.deleteLater()


def _run(start: Start, folders: Folders) -> int:
    settings = load_settings(folders.settings_file, own_addresses())
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    app.setApplicationName("Banksman")
    app.setApplicationDisplayName("Banksman")
    install_theme(app)
    loop = qasync.QEventLoop(app)
    with loop:
        if running_elsewhere(folders) and _person_is_there():
            theme().choose(settings.appearance.theme, settings.appearance.zoom)
            status = loop.run_until_complete(wait_for_the_store(start, folders))
            if status is not None:
                return int(status)
        program = Program(app, start, folders, settings)
        return int(loop.run_until_complete(program.run()))


def _parse(arguments: list[str]) -> Start:
    if arguments[:1] != ["demo"]:
        parser = argparse.ArgumentParser(prog="banksman")
        parser.add_argument("path", nargs="?", type=Path, help="the repository to open")
        given = parser.parse_args(arguments)
        return Start(typed_path(given.path).absolute() if given.path is not None else None)
    parser = argparse.ArgumentParser(prog="banksman demo", description="Try Banksman with no key and no network.")
    parser.add_argument("--auto", action="store_true", help="play the person too, then end")
    parser.add_argument("--screens", type=Path, help="save the scenes as pictures in this folder")
    parser.add_argument("--theme", choices=["light", "dark", "system"], default="", help="(default: the settings')")
    parser.add_argument("--size", default="1360x840", help="of the window (default: 1360x840)")
    given = parser.parse_args(arguments[1:])
    width, _, height = str(given.size).partition("x")
    if not width.isdigit() or not height.isdigit():
        raise StartError(f"'{given.size}' is no size. Give it as 1360x840.")
    size = (int(width), int(height))
    return Start(None, True, given.auto, given.screens, given.theme, size)
