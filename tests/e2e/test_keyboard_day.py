"""A day by keys alone; no mouse event is sent."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from tests.e2e.conftest import Desk
from tests.e2e.keyboard_day import day
from tests.fakes.fake_model_api import FakeModelApi


class Mice(QObject):
    """Counts what a mouse does."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is eaten."""
        self.seen += event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
        return False


@pytest.mark.timeout(150)
def test_three_chats_the_inbox_a_commit_and_a_restart(
    start: Callable[[], Desk], model_api: FakeModelApi, qapp: QApplication
) -> None:
    mice = Mice()
    qapp.installEventFilter(mice)
    try:
        day(start, model_api)
    finally:
        qapp.removeEventFilter(mice)
    assert mice.seen == 0
