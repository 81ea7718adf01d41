"""The start of the window's program: checks what it needs and paints the window, before the rest is loaded."""

import argparse
import contextlib
import os
import platform
import socket
import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QSettings, QTranslator
from PySide6.QtGui import QIcon

from desktop.collecting import looks_by_hand
from desktop.config.folders import Folders, product_folders, resource_folder, typed_path
from desktop.config.instance import instance_folder, request_window, wait_until_taken, withdraw
from desktop.config.links import is_link
from desktop.config.qt_libraries import check_x11
from desktop.config.settings import Settings
from desktop.config.settings_file import load_settings
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StartError
from desktop.language import worn
from desktop.loading import load
from desktop.providers.kinds import own_addresses
from desktop.records import dataclass
from desktop.services.processes.signals import let_children_hear
from desktop.store.core.lock import LOCK_NAME, holder_pid, is_held
from desktop.ui.core.sink import Clock
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.theme.theme import theme
from desktop.ui.window.front.application import Application
from desktop.ui.window.front.beginning import Beginning
from desktop.ui.window.main_window import MainWindow

PROGRAM = "desktop.program"
SWITCH_INTERVAL_S = 0.001
_UNSEEN = ("offscreen", "minimal")
X_PORT, X_SOCKET, X_LIMIT_S = 6000, "/tmp/.X11-unix/X", 2.0  # noqa: S108  # where every X server listens


@dataclass(frozen=True)
class Start:
    """What the command line asked for. `path` None: no repository yet. `size` None: as the window was left. `settings`:
    they are opened, where keys are given. `link`: a `banksman://` link, whatever it holds. `recent`: the
    repositories that were open, newest first. `place`: where the demo's repository goes, None for one that goes with
    it."""

    path: Path | None
    demo: bool = False
    auto: bool = False
    screens: Path | None = None
    theme: str = ""
    size: tuple[int, int] | None = None
    settings: bool = False
    link: str = ""
    recent: tuple[str, ...] = ()
    place: Path | None = None

    @property
    def wanted(self) -> str:
        """What a window is asked to show: a link, the path of a repository, or "" for neither."""
        return self.link or str(self.path or "")

    @property
    def newest(self) -> Path | None:
        """The repository that was open last and is still there: a link is looked for in it."""
        return next((Path(one) for one in self.recent if Path(one).is_dir()), None)


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
    with looks_by_hand():
        if not start.demo:
            return _run(start, product_folders())
        with load(PROGRAM).demo_place(start.place) as (folders, repository):
            return _run(replace(start, path=repository), folders)


def running_elsewhere(folders: Folders) -> str:
    """The sentence that says which process holds the chats, "" when none does."""
    lock = folders.store / LOCK_NAME
    if not is_held(lock):
        return ""
    pid = holder_pid(lock)
    return f"Banksman is already running ({f'process {pid}' if pid is not None else 'another process'})."


def window_elsewhere(folders: Folders, wanted: str) -> bool:
    """Ask the process that holds the chats for a window (`Start.wanted`); whether it opens one within 3 s. Blocks."""
    try:
        request = request_window(instance_folder(folders), wanted)
    except OSError:
        return False
    taken = wait_until_taken(request)
    withdraw(request)
    return taken


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


def _opened_elsewhere(start: Start, folders: Folders) -> bool:
    """Whether the first process opened a window for this start. Raises StartError when nobody can be asked further."""
    if start.path is not None:
        check_repository(start.path)
    if window_elsewhere(folders, start.wanted):
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


def first_window(start: Start, folders: Folders, settings: Settings, clock: Clock = utc_now) -> MainWindow:
    """The window as it is painted first, not shown yet."""
    theme().wear(settings.appearance, start.theme)
    store = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(clock, store)
    if start.size is not None:
        window.resize(*start.size)
    return window


def _run(start: Start, folders: Folders) -> int:
    settings = load_settings(folders.settings_file, own_addresses())
    app = Application(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    app.setApplicationName("Banksman")
    app.setApplicationDisplayName("Banksman")
    app.setDesktopFileName("banksman")
    app.setWindowIcon(QIcon(str(resource_folder() / "app" / "banksman.svg")))
    install_theme(app)
    translator = QTranslator(app)
    if translator.load(f"qtbase_{worn()}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
    if running_elsewhere(folders) and _person_is_there():
        theme().wear(settings.appearance)
        status = load(PROGRAM).ask_for_the_store(app, start, folders)
        if status is not None:
            return int(status)
    start = replace(start, recent=settings.recent_projects)
    if start.link:
        start = replace(start, path=start.newest)
    window, beginning = first_window(start, folders, settings), Beginning()
    beginning.paint(window)
    program = beginning.load(lambda: load(PROGRAM)).Program(app, start, folders, window)
    beginning.make(program.filling())
    return int(program.run_to_its_end())


def _parse(arguments: list[str]) -> Start:
    if len(arguments) == 1 and is_link(arguments[0]):
        return Start(None, link=arguments[0])
    if arguments[:1] != ["demo"]:
        parser = argparse.ArgumentParser(prog="banksman")
        parser.add_argument("path", nargs="?", type=Path, help="the repository to open")
        parser.add_argument("--settings", action="store_true", help=argparse.SUPPRESS)
        given = parser.parse_args(arguments)
        return Start(typed_path(given.path).absolute() if given.path is not None else None, settings=given.settings)
    parser = argparse.ArgumentParser(prog="banksman demo", description="Try Banksman with no key and no network.")
    parser.add_argument("--auto", action="store_true", help="play the person too, then end")
    parser.add_argument("--screens", type=Path, help="save the scenes as pictures in this folder")
    parser.add_argument(
        "--theme", default="", help="light, dark, system or the name of another (default: the settings')"
    )
    parser.add_argument("--size", default="1360x840", help="of the window (default: 1360x840)")
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments[1:])
    width, _, height = str(given.size).partition("x")
    if not width.isdigit() or not height.isdigit():
        raise StartError(f"'{given.size}' is no size. Give it as 1360x840.")
    size = (int(width), int(height))
    return Start(None, True, given.auto, given.screens, given.theme, size, place=given.place)
