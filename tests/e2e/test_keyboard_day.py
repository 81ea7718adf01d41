"""A day by keys alone; no mouse event is sent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from tests.e2e.conftest import Desk
from tests.e2e.first_keys import set_up, take_tour
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


@pytest.fixture
def no_mouse(qapp: QApplication) -> Iterator[None]:
    mice = Mice()
    qapp.installEventFilter(mice)
    yield
    qapp.removeEventFilter(mice)
    assert mice.seen == 0


@pytest.mark.usefixtures("no_mouse")
@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_first_page_three_chats_the_inbox_a_commit_and_a_restart(
    start_first: Callable[[], Desk], model_api: FakeModelApi, repository: Path
) -> None:
    desk = start_first()
    set_up(desk, repository, model_api.url, unheard)
    day(start_first, model_api, unheard, desk)


@pytest.mark.usefixtures("no_mouse")
def test_the_tour_on_the_sample_repository(start_first: Callable[[], Desk]) -> None:
    desk = start_first()
    take_tour(desk, unheard)
    assert "cart" in desk.transcript_text()
    desk.close()


def unheard(_desk: Desk, _words: str) -> None:
    """Nobody reads the screen here."""
