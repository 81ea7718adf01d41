"""The collector of a program with a window looks at each value once, and at all of them when it is asked to."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.collecting import LITTLE, little_looks, look_at_all
from desktop.program import Away


class Ring:
    """A value that only the collector takes away."""

    def __init__(self) -> None:
        self.me: Ring | None = self


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_what_a_whole_look_leaves_is_looked_at_no_more_until_all_of_it_is() -> None:
    with little_looks():
        ring, old = Ring(), Ring()
        young, seen = weakref.ref(ring), weakref.ref(old)
        del ring
        gc.collect()
        assert young() is None
        assert not gc.get_objects(2)
        del old
        gc.collect()
        assert seen() is not None
        look_at_all()
        assert seen() is None
        assert gc.get_freeze_count() > 0


def test_looks_at_young_values_leave_them_to_later_looks() -> None:
    with little_looks():
        gc.collect()
        frozen = gc.get_freeze_count()
        made = [[number] for number in range(100)]
        gc.collect(1)
        assert gc.get_freeze_count() <= frozen
        assert len(made) == 100


def test_the_collector_is_then_as_it_was() -> None:
    usual, heard = gc.get_threshold(), list(gc.callbacks)
    with little_looks():
        assert gc.get_threshold() == LITTLE
    assert gc.get_threshold() == usual
    assert gc.callbacks == heard


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
