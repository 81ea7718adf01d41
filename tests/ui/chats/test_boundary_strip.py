"""The chips over the composer: what a person forbade, to keep, to dismiss, and to lift."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from desktop.domain.boundaries.events import BoundaryProposed
from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.updates import SessionOpened
from desktop.ui.chats.composer.boundaries import BoundaryChip, BoundaryStrip, end_of
from tests.ui.shell_samples import IDLE, Recorder, begun, envelopes, find, make_window, started

LEFT = Qt.MouseButton.LeftButton
PUSH = ChatBoundary(
    boundary_id="bnd_1", quote="never push", action="push", title="Don’t push", rules=(), since=datetime.now(UTC)
)
COMMIT = PUSH.model_copy(update={"boundary_id": "bnd_2", "title": "Don’t commit", "state": "kept"})


@pytest.fixture
def strip(qtbot):
    strip = BoundaryStrip(None)
    qtbot.addWidget(strip)
    strip.resize(700, 100)
    strip.told = []
    strip.kept.connect(lambda one, scope, until: strip.told.append(("kept", one, scope, until)))
    strip.dismissed.connect(lambda one: strip.told.append(("dismissed", one)))
    return strip


def chips(strip):
    return [chip for chip in strip.findChildren(BoundaryChip) if not chip.isHidden()]


def press(chip, name):
    QTest.mouseClick(chip.findChild(QPushButton, name), LEFT)


def test_nothing_is_shown_while_nothing_is_forbidden(strip):
    strip.show_boundaries(())
    assert strip.isHidden()


def test_a_found_one_says_that_it_holds_and_is_kept_by_its_button_or_by_k(strip):
    strip.show_boundaries((PUSH,))
    strip.show()
    (chip,) = chips(strip)
    assert chip.accessibleName().startswith("Don’t push · in force · from your message ")
    assert "never push" in chip.toolTip()
    press(chip, "boundary_keep")
    scope = chip.findChild(QPushButton, "boundary_scope")
    scope.menu().actions()[2].trigger()
    assert scope.text() == "This project"
    chip.setFocus()
    QTest.keyClick(chip, Qt.Key.Key_K)
    press(chip, "boundary_dismiss")
    assert strip.told == [
        ("kept", "bnd_1", "session", None),
        ("kept", "bnd_1", "project", None),
        ("dismissed", "bnd_1"),
    ]


def test_a_narrow_strip_shows_the_whole_of_it_with_the_buttons_below(strip, qtbot):
    long = PUSH.model_copy(update={"title": "Don’t change " + ", ".join(f"**/folder-{n}/**" for n in range(9))})
    strip.show_boundaries((long,))
    strip.resize(420, 300)
    strip.show()
    (chip,) = chips(strip)
    words = chip.findChild(QLabel, "boundary_words")
    qtbot.waitUntil(lambda: words.height() > 2 * words.fontMetrics().height())
    assert words.text() == chip.accessibleName()
    assert chip.findChild(QPushButton, "boundary_keep").y() >= words.geometry().bottom()


def test_the_focus_goes_to_the_next_chip_when_one_is_decided(strip, qtbot):
    with qtbot.waitActive(strip):
        strip.show_boundaries((PUSH, COMMIT.model_copy(update={"state": "proposed"})))
        strip.show()
        strip.activateWindow()
    chips(strip)[0].findChild(QPushButton, "boundary_dismiss").setFocus()
    strip.show_boundaries((COMMIT.model_copy(update={"state": "proposed"}),))
    assert QApplication.focusWidget() is chips(strip)[0]


def test_kept_ones_stand_in_one_line_and_are_lifted_from_its_menu(strip):
    strip.show_boundaries((PUSH, COMMIT))
    assert len(chips(strip)) == 1
    line = strip.findChild(QLabel, "boundary_kept")
    assert line.text() == "In force: Don’t commit"
    strip.findChild(QPushButton, "boundary_lift").menu().actions()[0].trigger()
    assert strip.told == [("dismissed", "bnd_2")]


def test_words_that_would_lift_one_are_shown_and_a_person_decides(strip):
    strip.show_boundaries((COMMIT.model_copy(update={"lifting": "you can commit now"}),))
    (chip,) = chips(strip)
    assert "you said “you can commit now”" in chip.accessibleName()
    assert chip.findChild(QPushButton, "boundary_scope").isHidden()
    assert chip.findChild(QPushButton, "boundary_dismiss").text() == "Lift it"
    strip.show_boundaries(())
    assert strip.isHidden()
    assert chips(strip) == []


def test_what_an_agent_found_says_that_it_is_not_in_force(strip):
    strip.show_boundaries((PUSH.model_copy(update={"by_agent": True, "since": None}),))
    assert chips(strip)[0].accessibleName() == "Don’t push · found by the agent, not in force"


def test_what_an_agent_found_is_never_said_to_be_in_force(strip):
    found = [
        PUSH.model_copy(update={"boundary_id": f"bnd_{number}", "title": f"Don’t {number}", "by_agent": True})
        for number in range(3, 9)
    ]
    waits = PUSH.model_copy(update={"boundary_id": "bnd_9", "title": "Don’t run a && b"})
    strip.show_boundaries((*found, waits))
    assert [chip.accessibleName().partition(" ·")[0] for chip in chips(strip)] == [one.title for one in found[:4]]
    assert strip.findChild(QLabel, "boundary_kept").text() == "In force: Don’t run a && b"
    (lift,) = strip.findChild(QPushButton, "boundary_lift").menu().actions()
    assert lift.text() == "Don’t run a &&&& b"


def test_one_is_kept_until_a_time_that_its_line_says(strip):
    strip.show_boundaries((PUSH,))
    strip.show()
    (chip,) = chips(strip)
    when = chip.findChild(QPushButton, "boundary_until")
    when.menu().actions()[1].trigger()
    assert when.text() == "For an hour"
    press(chip, "boundary_keep")
    ((_, _, scope, until),) = strip.told
    assert scope == "session"
    assert timedelta(minutes=59) < until - datetime.now(UTC) <= timedelta(hours=1)
    strip.show_boundaries((COMMIT.model_copy(update={"until": until}),))
    assert strip.findChildren(QLabel, "boundary_kept")[-1].text().startswith("In force: Don’t commit until ")


def test_when_a_time_ends():
    now = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)
    assert end_of("lifted", now) is None
    assert end_of("week", now) == now + timedelta(days=7)
    tomorrow = end_of("tomorrow", now).astimezone()
    assert (tomorrow.hour, tomorrow.minute, tomorrow.date() - now.astimezone().date()) == (0, 0, timedelta(days=1))


def test_in_a_small_window_the_chips_are_whole_and_the_window_comes_to_rest(qtbot, tmp_path):
    window = make_window(tmp_path, Recorder(), inspector=True)
    qtbot.addWidget(window)
    window.resize(1360, 840)
    window.show()
    window.apply_updates(started(IDLE))
    window.open_chat(IDLE.session_id)
    titles = ("Don’t change **/migrations/**", "Don’t push", "Ask before you commit")
    found = [
        BoundaryProposed(boundary_id=f"bnd_{n}", quote="never", action="push", title=title, rules=())
        for n, title in enumerate(titles)
    ]
    log = tuple(envelopes(IDLE.session_id, begun(), *found))
    window.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    window.resize(1024, 700)
    strip = find(window, "boundary_strip")
    assert len(chips(strip)) == 3
    qtbot.waitUntil(lambda: all(chip.height() >= chip.heightForWidth(chip.width()) for chip in chips(strip)))
    places = set()
    for _ in range(8):
        QApplication.processEvents()
        places.add((window.page.geometry().getRect(), *(chip.geometry().getRect() for chip in chips(strip))))
    assert len(places) == 1
