"""The first paint of a window: what is there by then, that nothing moves after it, that no key and no click is lost."""

import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path
from types import ModuleType

import pytest
import xcffib
import xcffib.xproto as proto
import xcffib.xtest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.theme.theme import theme
from desktop.ui.window.build import PANELS, filled, window_parts
from desktop.ui.window.front.beginning import Beginning
from desktop.ui.window.front.front import TABS
from desktop.ui.window.main_window import MainWindow
from tests.cli.running import ROOT, environment
from tests.fakes.x_server import running_x_server
from tests.ui.shell_samples import NOW, Recorder, find, ini

LIMIT_S = 120
KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION = range(2, 7)
HELD_UP = """
import sys
from desktop.__main__ import window_program
app = window_program()
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QWidget
from desktop.ui.window.front.beginning import Beginning

paint, load = Beginning.paint, Beginning.load

def painted(self, window):
    window.move(0, 0)
    window.resize(640, 480)
    paint(self, window)
    search = window.findChild(QWidget, "top_search")
    at = search.mapToGlobal(search.rect().center())
    behind = [name for name in sys.modules if name in ("desktop.program", "desktop.ui.changes.tab")]
    print(int(window.winId()), at.x(), at.y(), behind, flush=True)
    timer = QTimer(window)
    timer.timeout.connect(lambda: look(window))
    timer.start(20)

def look(window):
    for field in window.findChildren(QLineEdit, "palette_field"):
        if field.isVisible() and field.text() == "promises":
            print("typed", flush=True)
            window.close()

def held_up(self, import_it):
    def later():
        sys.stdin.readline()
        return import_it()
    return load(self, later)

Beginning.paint, Beginning.load = painted, held_up
sys.exit(app.main([]))
"""
"""The window's program, in which the import behind the first paint waits for a line."""


@pytest.fixture
def front(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(lambda: NOW, ini(tmp_path, "window"))
    qtbot.addWidget(window)
    yield window
    theme().choose("light")


def pieces(window: MainWindow, folder: Path) -> Iterator[None]:
    store = ini(folder, "window")
    return filled(window, Recorder(), lambda: NOW, window_parts(store, lambda: NOW))


def test_the_names_of_tabs_are_those_of_their_panels() -> None:
    assert tuple(spec.title for spec in PANELS) == TABS


@pytest.mark.parametrize("size", [(1360, 840), (1024, 700), (800, 600)])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_nothing_that_was_painted_looks_otherwise_once_the_rest_is_there(
    qtbot: QtBot, tmp_path: Path, front: MainWindow, name: str, size: tuple[int, int]
) -> None:
    theme().choose(name)
    front.resize(*size)
    with qtbot.waitExposed(front):
        front.show()
    qtbot.waitUntil(lambda: front.front.starting.title.text() != "")
    qtbot.waitUntil(find(front, "sidebar_nothing").isVisible)
    before = front.grab().toImage()
    for _ in pieces(front, tmp_path):
        assert front.grab().toImage() == before
    assert front.grab().toImage() == before
    assert front.page is front.contents.page


def test_the_front_has_no_panel_and_asks_nothing(tmp_path: Path, front: MainWindow) -> None:
    with pytest.raises(LookupError):
        _ = front.page
    assert front.findChild(QWidget, "changes_panel") is None
    sink = Recorder()
    list(filled(front, sink, lambda: NOW, window_parts(ini(tmp_path, "window"), lambda: NOW)))
    assert front.findChild(QWidget, "changes_panel") is not None
    assert sink.sent == []


def test_a_front_that_is_closed_keeps_its_place(qtbot: QtBot, tmp_path: Path, front: MainWindow) -> None:
    front.front.frame.set_width("sidebar", 300)
    front.show()
    front.close()
    assert MainWindow(lambda: NOW, ini(tmp_path, "window")).front.frame.widths["sidebar"] == 300


def test_the_window_is_painted_before_anything_is_made(front: MainWindow) -> None:
    painted = []
    front.painted.connect(lambda: painted.append(front.findChild(QWidget, "changes_panel")))
    Beginning().paint(front)
    assert painted == [None]


def test_a_window_that_the_system_shows_to_nobody_is_not_waited_for(front: MainWindow) -> None:
    painted: list[bool] = []
    front.painted.connect(lambda: painted.append(True))
    front.setUpdatesEnabled(False)  # as where no part of it can be seen
    Beginning().paint(front)
    assert painted == []


def test_an_import_that_is_done_at_once_is_noticed_and_one_that_fails_is_raised() -> None:
    beginning, module = Beginning(), ModuleType("made")

    def fails() -> ModuleType:
        raise ImportError("libxcb.so")

    for _ in range(50):
        assert beginning.load(lambda: module) is module
    with pytest.raises(ImportError, match="libxcb"):
        beginning.load(fails)


def test_what_is_due_happens_between_two_pieces(qapp: object) -> None:
    seen: list[str] = []

    def parts() -> Iterator[None]:
        for at in range(3):
            seen.append(f"piece {at}")
            QTimer.singleShot(0, lambda: seen.append("due"))
            yield

    Beginning().make(parts())
    assert seen == ["piece 0", "due", "piece 1", "due", "piece 2", "due"]


@pytest.mark.skipif(find_library("xcb-cursor") is None, reason="libxcb-cursor0 is not installed")
@pytest.mark.timeout(LIMIT_S + 20)
def test_a_click_and_keys_before_the_window_is_whole_reach_it_in_order(tmp_path: Path) -> None:
    with running_x_server() as display:
        env = environment(tmp_path / "home", DISPLAY=display, QT_QPA_PLATFORM="xcb")
        told = [sys.executable, "-c", HELD_UP]
        with subprocess.Popen(
            told, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            try:
                window, x, y, behind = program.stdout.readline().split(maxsplit=3)
                assert behind.strip() == "[]"
                connection = xcffib.connect(display=display)
                click(connection, int(x), int(y))
                type_keys(connection, int(window), "promises")
                connection.disconnect()
                program.stdin.write("\n")
                program.stdin.flush()
                assert program.stdout.readline() == "typed\n"
                assert program.wait(LIMIT_S) == 0
            finally:
                program.kill()


def click(connection: xcffib.Connection, x: int, y: int) -> None:
    """Press and release the left button there."""
    hand = connection(xcffib.xtest.key)
    hand.FakeInput(MOTION, 0, 0, root(connection), x, y, 0)
    for kind in (BUTTON_PRESS, BUTTON_RELEASE):
        hand.FakeInput(kind, 1, 0, root(connection), 0, 0, 0)
    connection.flush()


def type_keys(connection: xcffib.Connection, window: int, text: str) -> None:
    """Type on the keyboard, once the window has it, as a window manager would give it."""
    connection.core.SetInputFocusChecked(proto.InputFocus.PointerRoot, window, proto.Time.CurrentTime).check()
    setup = connection.get_setup()
    count = setup.max_keycode - setup.min_keycode + 1
    mapping = connection.core.GetKeyboardMapping(setup.min_keycode, count).reply()
    each = mapping.keysyms_per_keycode
    codes = {mapping.keysyms[at * each]: setup.min_keycode + at for at in range(count)}
    hand = connection(xcffib.xtest.key)
    for letter in text:
        for kind in (KEY_PRESS, KEY_RELEASE):
            hand.FakeInput(kind, codes[ord(letter)], 0, root(connection), 0, 0, 0)
    connection.core.GetInputFocus().reply()


def root(connection: xcffib.Connection) -> int:
    """The whole screen."""
    return int(connection.get_setup().roots[0].root)
