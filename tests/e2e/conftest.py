"""A real window with its real engine, as the program builds them, against a model service over HTTP."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.bridge.bridge import Bridge
from desktop.config.folders import Folders
from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.work import Activity
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import whole_window, window_parts
from desktop.ui.window.main_window import MainWindow
from tests.agent.credential_rig import file_keyring
from tests.agent.found_sandbox import found_sandbox, remember_sandbox
from tests.agent.rig import folders_below, git, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi
from tests.installed_guest import InstalledGuest

WAIT_MS = 25_000
LIMIT_S = 150
STOP_S = 20
WORK_SHARE, LONGEST_PAUSE_S = 10, 0.2


def takes_presses(button: QWidget | None) -> bool:
    """Whether the guard of the card that this button stands on is open."""
    card = button
    while card is not None and not isinstance(card, InputCard):
        card = card.parentWidget()
    return card is not None and card.guard.is_open()


def rests(window: MainWindow) -> bool:
    """Whether no chat works, as far as this window was told, and none was given something to do. A turn that waits for
    a person's answer rests."""
    page, book = window.page, window.book
    facts = book.facts(page.session_id)
    asks = facts.activity is Activity.WAITING_INPUT and facts.waiting > 0
    works = facts.turn_running and not asks
    return not works and not book.running() and not page.commands.sending(page.session_id)


def unhurried(true: Callable[[], bool]) -> Callable[[], bool]:
    """The same question, which is not asked again before a time in which the program can work: what looks through every
    widget takes milliseconds, and would be asked a hundred times a second."""
    later = 0.0

    def asked() -> bool:
        nonlocal later
        begun = time.monotonic()
        if begun < later:
            return False
        try:
            return true()
        finally:
            ended = time.monotonic()
            later = ended + min(WORK_SHARE * (ended - begun), LONGEST_PAUSE_S)

    return asked


class Desk:
    """One run of the program. A person's hands and eyes: find by name, click, type, wait."""

    def __init__(self, qtbot: QtBot, folders: Folders, repository: Path | None) -> None:
        self.qtbot = qtbot
        self.folders = folders
        self.bridge = Bridge(folders, found=found_sandbox())
        self.bridge.batch.connect(lambda updates: [remember_sandbox(update) for update in updates])
        settings = QSettings(str(folders.config / "window.ini"), QSettings.Format.IniFormat)
        self.window = whole_window(self.bridge, utc_now, window_parts(settings), settings)
        self.bridge.batch.connect(self.window.apply_updates, Qt.ConnectionType.QueuedConnection)
        qtbot.addWidget(self.window)
        self.window.resize(1360, 840)
        self.window.show()
        if repository is not None:
            self.bridge.send(OpenProject(path=str(repository)))
        self.bridge.start()
        self.until(lambda: repository is None or self.window.engine.project is not None)

    def find(self, name: str) -> QWidget | None:
        """The visible widget of that name."""
        return next((w for w in self.window.findChildren(QWidget, name) if w.isVisible()), None)

    def see(self, name: str) -> QWidget:
        """Wait until that widget is there."""
        self.until(lambda: self.find(name) is not None, what=name)
        found = self.find(name)
        assert found is not None
        return found

    def gone(self, name: str) -> None:
        """Wait until that widget is not there any more."""
        self.until(lambda: self.find(name) is None, what=f"no {name}")

    def ready(self, name: str) -> QWidget:
        """Wait until that widget is there and is on."""
        self.until(lambda: (one := self.find(name)) is not None and one.isEnabled(), what=f"{name} to be on")
        return self.see(name)

    def click(self, name: str) -> None:
        """Press and release the left button in its middle, once it is on."""
        QTest.mouseClick(self.ready(name), Qt.MouseButton.LeftButton)

    def answer(self, name: str) -> None:
        """Click a card's button once its guard lets a press through."""
        self.see(name)
        self.window.activateWindow()
        self.until(lambda: takes_presses(self.find(name)), what=f"{name} to take a press")
        self.click(name)

    def send(self, text: str) -> None:
        """Type a message and press Send."""
        field = self.see("composer_text")
        field.setFocus()
        QTest.keyClicks(field, text)
        self.click("composer_send")

    def until(self, true: Callable[[], bool], what: str = "") -> None:
        """Wait until something is so."""
        try:
            self.qtbot.waitUntil(unhurried(true), timeout=WAIT_MS)
        except Exception as error:
            raise AssertionError(f"did not come about: {what or true}") from error

    def idle(self) -> None:
        """Wait until no turn runs and no message is on its way to one."""
        self.until(lambda: rests(self.window), what="idle")

    def transcript_text(self) -> str:
        """Every row as a screen reader would read it."""
        model = self.window.page.transcript.model
        role = Qt.ItemDataRole.AccessibleTextRole
        return "\n".join(str(model.index(row, 0).data(role)) for row in range(model.rowCount()))

    def close(self) -> None:
        """Close the window and stop the engine, as the program does."""
        self.window.close()
        assert self.bridge.stop(STOP_S)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """It names who commits in it: the settings of Git of whoever runs the tests are left out."""
    folder = make_repository(tmp_path / "shop", {"app.py": "def total():\n    return 41\n", "readme.md": "# Shop\n"})
    git(folder, "config", "user.name", "Petra")
    git(folder, "config", "user.email", "petra@example.org")
    return folder


@pytest.fixture
def start(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, repository: Path, model_api: FakeModelApi
) -> Iterator[Callable[[], Desk]]:
    """Starts the program; each call is a new run over the same data."""
    load_fonts()
    install_theme(qapp)
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    desks: list[Desk] = []

    def run() -> Desk:
        desks.append(Desk(qtbot, folders, repository))
        return desks[-1]

    yield run
    _close(desks)


@pytest.fixture
def start_first(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[], Desk]]:
    """Starts the program as a person does who never had it: no settings, no repository, an empty keyring. Each call is
    a new run over what the one before left, with the repository that was open then."""
    load_fonts()
    install_theme(qapp)
    folders = folders_below(tmp_path / "home")
    desks: list[Desk] = []

    def run() -> Desk:
        project = desks[-1].window.engine.project if desks else None
        desks.append(Desk(qtbot, folders, Path(project.path) if project is not None else None))
        return desks[-1]

    with file_keyring(tmp_path / "keyring"):
        yield run
        _close(desks)


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstalledGuest:
    """One that is known, and not installed yet."""
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tools), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    guest = InstalledGuest(folders_below(tmp_path / "home"), tools)
    guest.describe()
    return guest


def _close(desks: list[Desk]) -> None:
    for desk in desks:
        if desk.bridge.alive:
            desk.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test with a window and its engine may take longer than others, where several processes share two cores."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LIMIT_S))
