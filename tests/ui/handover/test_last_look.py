"""When a person looked last, and the offer to somebody who was away for long."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from desktop.domain.handover.commands import LoadRecap
from desktop.domain.handover.recap import Recap
from desktop.domain.handover.updates import HandoverLoaded, RecapLoaded
from desktop.domain.handover.values import Apart, Decided, Handover, Line, Section
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.core.requests import Requests
from desktop.ui.handover.looked import LastLook
from desktop.ui.handover.page import HandoverPage
from desktop.ui.handover.rows import figures, handover_rows, moment
from tests.ui.shell_samples import IDLE, NOW, Recorder, find, ini, make_window, started


class Hours:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self):
        return self.at


@pytest.fixture
def settings(tmp_path) -> QSettings:
    return ini(tmp_path, "window")


def test_a_short_absence_is_none_and_a_longer_one_is_remembered(settings):
    clock = Hours()
    look = LastLook(LayoutStore(settings), clock)
    assert (look.came(), look.at) == (timedelta(), None)
    look.went()
    clock.at = NOW + timedelta(minutes=29)
    assert (look.came(), look.at) == (timedelta(), None)
    look.went()
    clock.at += timedelta(hours=5)
    assert LastLook(LayoutStore(settings), clock).came() == timedelta(hours=5)
    assert look.at == NOW + timedelta(minutes=29)


def test_nonsense_that_was_kept_counts_as_no_look(settings):
    store = LayoutStore(settings)
    store.save("handover/away", "yesterday")
    store.save("handover/looked", "2026-11-21T14:02")
    look = LastLook(store, Hours())
    assert (look.came(), look.at) == (timedelta(), None)


def tell(window, sink, **changes: object) -> None:
    """What happened meanwhile, if it was asked for."""
    for asked in (one for one in sink.sent if isinstance(one, LoadRecap)):
        fields = {"calls": 0, "changes": 0, "open": 0, "lines": (), **changes}
        recap = Recap(since=asked.since, until=NOW, **fields)
        window.apply_updates([RecapLoaded(command_id=asked.command_id, recap=recap)])


@pytest.mark.parametrize(("hours", "new", "offered"), [(5, True, True), (5, False, False), (3, True, False)])
@pytest.mark.promise("memory-HO5")
def test_it_is_offered_after_four_hours_with_something_new(qtbot, tmp_path, hours, new, offered):
    store = LayoutStore(ini(tmp_path, "window"))
    store.save("handover/away", (NOW - timedelta(hours=hours)).isoformat())
    sink = Recorder()
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    at = NOW if new else NOW - timedelta(hours=6)
    window.apply_updates(started(IDLE.model_copy(update={"last_activity_at": at})))
    tell(window, sink)
    buttons = [b for b in window.findChildren(QPushButton) if b.text() == "Show handover"]
    assert bool(buttons) is offered
    assert "load_handover" not in sink.kinds()
    if offered:
        buttons[0].click()
        assert sink.last().since == NOW - timedelta(hours=hours)


def test_who_comes_back_to_an_open_window_is_offered_it_too(qtbot, tmp_path):
    sink = Recorder()
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    window.apply_updates(started(IDLE.model_copy(update={"last_activity_at": NOW})))
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
    store = LayoutStore(ini(tmp_path, "window"))
    store.settings.sync()
    store.save("handover/away", (NOW - timedelta(hours=8)).isoformat())
    store.settings.sync()
    window.store.settings.sync()
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    tell(window, sink)
    assert any(b.text() == "Show handover" for b in window.findChildren(QPushButton))


def test_it_is_offered_once_where_a_strip_tells_what_happened(qtbot, tmp_path):
    LayoutStore(ini(tmp_path, "window")).save("handover/away", (NOW - timedelta(hours=5)).isoformat())
    sink = Recorder()
    window = make_window(tmp_path, sink)
    qtbot.addWidget(window)
    window.show()
    window.apply_updates(started(IDLE.model_copy(update={"last_activity_at": NOW})))
    tell(window, sink, calls=3)
    assert not [b for b in window.findChildren(QPushButton) if b.text() == "Show handover"]
    find(window, "recap_show", QPushButton).click()
    assert sink.last().since == NOW - timedelta(hours=5)


def test_the_times_that_can_be_chosen():
    assert moment("all", NOW, NOW) is None
    assert moment("today", NOW, None).hour == 0
    assert moment("looked", NOW, None) == NOW - timedelta(days=1)
    assert moment("looked", NOW, NOW - timedelta(hours=1)) == NOW - timedelta(hours=1)
    assert moment("shift", NOW, None) == NOW - timedelta(hours=8)
    assert moment("week", NOW, None) == NOW - timedelta(days=7)


def test_a_line_outside_of_chats_leads_nowhere_and_what_is_not_listed_is_counted():
    line = Line(at=NOW, text="Lane made", session_id="ses_p", seq=3, chat="(lanes)")
    section = Section(title="Changed", lines=(line,), more=2)
    page = Handover(
        since=None,
        until=NOW,
        chats=1,
        decided=Decided(),
        changes=3,
        difference=1,
        sections=(section, Section(title="Open")),
    )
    rows = handover_rows(page)
    assert [row.title for row in rows] == [
        "Changed (3)",
        "Lane made",
        "and 2 more that are not listed",
        "Open: nothing",
    ]
    assert not any(row.leads for row in rows)
    assert figures(page) == "1 chat · 0 calls decided · 3 changes · difference to the record: 1"
    apart = page.model_copy(update={"imported": Apart(chats=2, calls=1, changes=4)})
    assert " · apart from them 2 imported chats with 1 call and 4 changes · difference" in figures(apart)
    apart = page.model_copy(update={"damaged": Apart(chats=1)})
    assert " · apart from them 1 damaged chat with 0 calls and 0 changes · difference" in figures(apart)


def test_a_summary_stands_above_the_lines_under_its_own_words(qtbot):
    page = Handover(since=None, until=NOW, chats=1, decided=Decided(), changes=0, difference=0, sections=())
    sink, holder = Recorder(), QWidget()
    qtbot.addWidget(holder)
    requests = Requests(sink)
    view = HandoverPage(requests, lambda: NOW, holder)
    view.ask("", None)
    requests.deliver([HandoverLoaded(command_id=sink.last().command_id, page=page, markdown="# Handover")], Hearing())
    write, text = view.findChild(QPushButton, "handover_summarise"), view.findChild(QWidget, "handover_summary")
    assert not write.isEnabled()
    assert text.isHidden()
    view.ask("ses_1", None)
    requests.deliver([HandoverLoaded(command_id=sink.last().command_id, page=page, markdown="# Handover")], Hearing())
    write.click()
    asked = sink.last()
    assert (asked.type, asked.session_id, asked.page) == ("summarise_handover", "ses_1", page)
    assert (write.isEnabled(), write.text()) == (False, "Writing…")
    told = page.model_copy(update={"summary": "All is well.", "summary_by": "opus"})
    requests.deliver([HandoverLoaded(command_id=asked.command_id, page=told, markdown="# Handover")], Hearing())
    assert (write.isEnabled(), write.text()) == (True, "Write a summary")
    assert (text.isHidden(), text.toPlainText()) == (False, "All is well.")
    assert "Written by opus from this page" in view.findChild(QLabel, "handover_summary_by").text()
    view.choose_since("all")
    requests.deliver([HandoverLoaded(command_id=sink.last().command_id, page=page, markdown="# Handover")], Hearing())
    assert text.isHidden()
