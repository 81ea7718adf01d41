"""The engine is told once that a first message is being written, and that nothing is written any more."""

from PySide6.QtCore import Qt

from desktop.domain.commands import NewSession
from desktop.domain.core.command import Command
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import PrepareLane
from desktop.domain.updates import ProjectOpened
from tests.ui.compose_place import Place, place
from tests.ui.shell_samples import IDLE

__all__ = ["place"]


def told(place: Place) -> list[bool]:
    """What the engine was told of lanes that will be wanted."""
    sent: list[Command] = place.sink.sent
    return [one.wanted for one in sent if isinstance(one, PrepareLane)]


def test_the_first_letter_of_a_draft_tells_it_and_no_other_one(place, qtbot):
    qtbot.keyClicks(place.field, "  ")
    assert told(place) == []
    qtbot.keyClicks(place.field, "hello")
    assert told(place) == [True]
    place.field.clear()
    qtbot.keyClicks(place.field, "once more")
    assert told(place) == [True]


def test_the_draft_after_a_sent_one_tells_it_again(place, qtbot):
    qtbot.keyClicks(place.field, "hello")
    qtbot.mouseClick(place.button("composer_send"), Qt.MouseButton.LeftButton)
    assert isinstance(place.sink.last(), NewSession)
    place.window.page.show_new()
    qtbot.keyClicks(place.field, "next")
    assert told(place) == [True, True]


def test_no_lane_is_wanted_for_the_checkout_a_lane_that_is_there_or_a_command(place, qtbot):
    choice = place.window.page.area.place
    choice.choose("checkout")
    qtbot.keyClicks(place.field, "hello")
    choice.choose_lane("ln_1", "fix-login")
    qtbot.keyClicks(place.field, " again")
    place.field.clear()
    choice.choose("lane")
    qtbot.keyClicks(place.field, "/help")
    assert told(place) == []
    choice.choose("lane")
    place.field.clear()
    qtbot.keyClicks(place.field, "h")
    assert told(place) == [True]


def test_a_chat_that_is_there_tells_nothing(place, qtbot):
    place.show()
    qtbot.keyClicks(place.field, "hello")
    assert told(place) == []


def test_leaving_an_emptied_draft_says_that_nothing_is_written_any_more(place, qtbot):
    qtbot.keyClicks(place.field, "hello")
    place.window.open_chat(IDLE.session_id)
    place.window.page.show_new()
    assert told(place) == [True]
    place.field.clear()
    place.window.open_chat(IDLE.session_id)
    place.window.page.show_new()
    place.window.open_chat(IDLE.session_id)
    assert told(place) == [True, False]


def test_with_another_repository_the_draft_tells_it_again(place, qtbot):
    qtbot.keyClicks(place.field, "hello")
    place.window.apply_updates([ProjectOpened(project=Project(id="prj_2", name="other", path="/srv/other", branch=""))])
    qtbot.keyClicks(place.field, " again")
    assert told(place) == [True, True]
