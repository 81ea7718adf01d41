"""The collector of a program with a window looks at each value once, and at all of them when it is asked to."""

import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.bridge.bridge import Bridge
from desktop.collecting import LITTLE, look, look_at_all, looks_by_hand, settle, uncollected
from desktop.program import Away
from tests.agent.rig import folders_below


class Owner(QObject):
    """A part of a window that only the collector takes away, with a timer."""

    def __init__(self) -> None:
        super().__init__()
        self.me, self.timer = self, QTimer(self, interval=60_000)
        self.timer.start()


class Ring:
    """A value that only the collector takes away."""

    def __init__(self) -> None:
        self.me: Ring | None = self


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    by_itself = gc.isenabled()
    yield
    gc.unfreeze()
    (gc.enable if by_itself else gc.disable)()


def make_many() -> list[list[int]]:
    """So many values that a look at young ones is due."""
    return [[number] for number in range(LITTLE + 100)]


def looks_until(generation: int) -> None:
    """Looks, each when it is due, to one of that generation."""
    seen: list[int] = []

    def note(phase: str, told: dict[str, int]) -> None:
        seen.append(told["generation"])

    gc.callbacks.append(note)
    kept = []
    try:
        while generation not in seen:
            kept.append(make_many())
            look()
    finally:
        gc.callbacks.remove(note)


def test_what_a_whole_look_leaves_is_looked_at_no_more_until_all_of_it_is() -> None:
    with looks_by_hand():
        ring, old = Ring(), Ring()
        young, seen = weakref.ref(ring), weakref.ref(old)
        del ring
        looks_until(2)
        assert young() is None
        assert not gc.get_objects(2)
        del old
        looks_until(2)
        assert seen() is not None
        look_at_all()
        assert seen() is None
        assert gc.get_freeze_count() > 0


def test_looks_at_young_values_leave_them_to_later_looks() -> None:
    with looks_by_hand():
        looks_until(2)
        frozen = gc.get_freeze_count()
        made = make_many()
        gone = weakref.ref(Ring())
        look()
        assert gone() is None
        assert gc.get_freeze_count() <= frozen
        assert len(made) > LITTLE


def test_nothing_is_looked_for_before_it_is_due_nor_while_much_is_made() -> None:
    with looks_by_hand():
        looks_until(0)
        gone = weakref.ref(Ring())
        look()
        assert gone() is not None
        with uncollected():
            gone, made = weakref.ref(Ring()), make_many()
            look()
            assert gone() is not None
        assert len(made) > LITTLE


def test_the_collector_is_then_as_it_was() -> None:
    for by_itself in (True, False):
        (gc.enable if by_itself else gc.disable)()
        with looks_by_hand():
            assert not gc.isenabled()
        assert gc.isenabled() is by_itself


def test_a_window_with_an_engine_looks_for_garbage_on_its_own_thread(qtbot: QtBot, tmp_path: Path) -> None:
    bridge = Bridge(folders_below(tmp_path))
    heard: list[str] = []

    def note(phase: str, told: dict[str, int]) -> None:
        heard.append(threading.current_thread().name)

    with looks_by_hand():
        owner = Owner()
        timer = weakref.ref(owner.timer)
        del owner
        gc.callbacks.append(note)
        try:
            maker = threading.Thread(target=make_many)
            maker.start()
            maker.join()
            made = make_many()
            assert timer() is not None
            loop = QEventLoop()
            QTimer.singleShot(20, loop.quit)
            loop.exec()
        finally:
            gc.callbacks.remove(note)
    assert timer() is None
    assert set(heard) == {threading.main_thread().name}
    assert len(made) > LITTLE
    bridge.deleteLater()


def test_all_garbage_goes_while_nobody_works_in_the_windows(qtbot: QtBot, qapp: QApplication) -> None:
    owner, ring = QObject(), Ring()
    gone = weakref.ref(ring)
    del ring
    gc.freeze()
    Away(qapp, owner, after_s=0.01)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    qtbot.waitUntil(lambda: gone() is None)
    ring = Ring()
    gone = weakref.ref(ring)
    del ring
    gc.freeze()
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    qtbot.wait(50)
    assert gone() is not None


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_stands_while_much_is_made_and_is_then_as_it_was(collecting: bool) -> None:
    (gc.enable if collecting else gc.disable)()
    frozen = gc.get_freeze_count()
    with uncollected():
        assert not gc.isenabled()
        made = make_many()
    assert gc.isenabled() is collecting
    assert gc.get_freeze_count() >= frozen + len(made)


def test_two_that_make_much_beside_each_other_end_it_in_any_order() -> None:
    gc.enable()
    first, second = uncollected(), uncollected()
    with first:
        second.__enter__()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_what_settled_is_looked_at_no_more() -> None:
    made = make_many()
    frozen = gc.get_freeze_count()
    settle()
    assert gc.get_freeze_count() >= frozen + len(made)
