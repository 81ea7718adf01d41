"""What happened while a person was away, told when they come back, and gone at a click."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from desktop.domain.handover.commands import LoadRecap
from desktop.domain.handover.recap import Recap, RecapLine
from desktop.domain.handover.updates import RecapLoaded
from desktop.domain.handover.values import Line
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.theme.theme import theme
from tests.ui.shell_samples import IDLE, NOW, Recorder, find, ini, make_window, started

LINE = Line(at=NOW, text="Run npm\u202e test?", session_id=IDLE.session_id, seq=4, event_id="evt_4", chat="Fix login")


def back(qtbot, tmp_path, minutes: int, *, new: bool = True):
    store = LayoutStore(ini(tmp_path, "window"))
    store.save("handover/away", (NOW - timedelta(minutes=minutes)).isoformat())
    sink = Recorder()
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    at = NOW if new else NOW - timedelta(hours=6)
    window.apply_updates(started(IDLE.model_copy(update={"last_activity_at": at})))
    return window, sink


def told(window, sink, **changes: object) -> None:
    asked = next(one for one in sink.sent if isinstance(one, LoadRecap))
    fields = {"calls": 9, "changes": 2, "open": 1, "lines": (RecapLine(section="Open", line=LINE),), **changes}
    recap = Recap(since=asked.since, until=NOW, **fields)
    window.apply_updates([RecapLoaded(command_id=asked.command_id, recap=recap)])


@pytest.mark.parametrize(("minutes", "new", "asked"), [(23, True, True), (23, False, False), (4, True, False)])
def test_it_is_asked_for_after_five_minutes_in_which_something_happened(qtbot, tmp_path, minutes, new, asked):
    _, sink = back(qtbot, tmp_path, minutes, new=new)
    assert ("load_recap" in sink.kinds()) is asked


def test_its_lines_lead_to_their_entries(qtbot, tmp_path):
    window, sink = back(qtbot, tmp_path, 23)
    told(window, sink)
    label = find(window, "recap_text", QLabel)
    assert isinstance(label, QLabel)
    assert label.text() == "While you were away (23 min): 9 calls, 2 changes, 1 open."
    row = find(window, "recap_line_1", QPushButton)
    assert isinstance(row, QPushButton)
    assert "Open: Run npm" in row.accessibleName()
    assert "\u202e" not in row.accessibleName()
    row.click()
    assert window.page.session_id == IDLE.session_id


def test_its_icons_follow_the_theme(qtbot, tmp_path):
    window, sink = back(qtbot, tmp_path, 23)
    told(window, sink)
    row = find(window, "recap_line_1", QPushButton)
    before = row.icon().pixmap(16).toImage()
    theme().choose("dark")
    try:
        assert row.icon().pixmap(16).toImage() != before
    finally:
        theme().choose("light")


def test_it_leaves_at_a_click_and_where_nothing_happened_it_does_not_come(qtbot, tmp_path):
    window, sink = back(qtbot, tmp_path, 23)
    strip = window.findChild(QWidget, "transcript_recap")
    told(window, sink, calls=0, changes=0, open=0, lines=())
    assert strip.isHidden()
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
    window, sink = back(qtbot, tmp_path, 23)
    strip = window.findChild(QWidget, "transcript_recap")
    told(window, sink)
    assert not strip.isHidden()
    find(window, "recap_dismiss", QPushButton).click()
    assert strip.isHidden()
    told_again = window.findChildren(QPushButton, "recap_show")
    assert len(told_again) == 1
