"""Notifications of chats and pull requests: once each, a toast in another chat, a message and a sound elsewhere."""

from datetime import time, timedelta

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from desktop.config.notification_settings import NotificationSettings
from desktop.domain.chats.sounds import SoundPlayed
from desktop.domain.core.work import SessionSummary, WaitingInput
from desktop.domain.events import InputRequested, TurnEnded, TurnStarted
from desktop.domain.gate.pending import PlanReview
from desktop.domain.pulls.updates import PullTransition
from desktop.domain.reports.events import CompletionReported
from desktop.domain.updates import SessionsChanged
from desktop.ui.core.requests import Requests
from desktop.ui.notices.fold import Notification
from desktop.ui.notices.notifications import Notifications
from desktop.ui.text.format import clock_time
from tests.ui.card_scenes import NOW
from tests.ui.shell_samples import Recorder, envelopes

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Window:
    """A window as notifications see it."""

    def __init__(self, qtbot, shown_lane=""):
        self.widget, self.shown_lane, self.shown_chats = QWidget(), shown_lane, ()
        qtbot.addWidget(self.widget)
        self.settings = NotificationSettings()
        self.offered, self.notes, self.opened, self.focused = [], [], [], []
        self.card_is_there = self.lists_waiting = False

    def lane_title(self, lane_id):
        return {"lan_1": "fix-login", "lan_2": "bump"}.get(lane_id, "")

    def show_pull(self, lane_id):
        self.opened.append(lane_id)

    def offer(self, text, act, is_over):
        self.offered.append((text, act))
        self.notes.append((text, is_over))

    def settle_notes(self):
        self.notes = [(text, is_over) for text, is_over in self.notes if not is_over()]

    def show_chat(self, session_id):
        self.opened.append(session_id)
        self.shown_chats = (session_id,)

    def show_answered(self, input_id):
        self.opened.append(f"answered {input_id}")

    def focus_card(self, session_id):
        if self.card_is_there:
            self.focused.append(session_id)
        return self.card_is_there

    def new_chat(self):
        self.opened.append("new")

    def quit(self):
        self.opened.append("quit")


def chat(session_id="ses_1", *waiting, **fields):
    known = {"title": f"Chat {session_id[-1]}", "mode": "edit", "created_at": NOW, "last_activity_at": NOW, **fields}
    inputs = tuple(WaitingInput(input_id=one, kind="approval", title="Run SQL", since=NOW) for one in waiting)
    return SessionSummary(session_id=session_id, waiting=inputs, **known)


class Place:
    """One window, what the system was asked to show, and how often its bell was struck."""

    def __init__(self, qtbot, shown_lane, requests=None):
        self.window, self.parent, self.sent, self.strokes = Window(qtbot, shown_lane), QObject(), [], []
        self.at = time(12, 0)
        self.notices = Notifications(lambda: [self.window], lambda: self.at, self.parent, requests)
        self.notices.send = lambda title, text: self.sent.append((title, text))
        self.notices.sounds.struck.connect(lambda: self.strokes.append(1))

    def tell(self, kind="checks_failed", lane_id="lan_1", number=214, notify=True, minutes=0):
        at = NOW + timedelta(minutes=minutes)
        self.notices.hearing.take(
            [PullTransition(lane_id=lane_id, number=number, kind=kind, text="x", notify=notify, at=at)]
        )

    def list(self, *chats):
        self.notices.hearing.take([SessionsChanged(sessions=chats)])

    def gathered(self):
        """What the system is told of what came together."""
        self.sent.clear()
        self.notices.gather.timeout.emit()
        return self.sent


@pytest.fixture
def place(qtbot):
    return Place(qtbot, "lan_2")


def activate(qtbot, place):
    place.window.widget.show()
    place.window.widget.activateWindow()
    qtbot.waitUntil(place.window.widget.isActiveWindow)


@pytest.mark.promise("ui-U163")
def test_in_an_active_window_with_another_chat_a_note_offers_to_open_it(qtbot, place):
    activate(qtbot, place)
    place.tell()
    place.tell()
    place.list(chat())
    place.list(chat("ses_1", "in_1"))
    assert [text for text, _ in place.window.offered] == [
        "PR #214: checks failed · fix-login", "Chat 1 is waiting for you",
    ]  # fmt: skip
    assert (place.sent, place.strokes) == ([], [])
    place.window.offered[1][1]()
    assert place.window.opened == ["ses_1"]


def noted(place):
    return [text for text, _ in place.window.notes]


def test_a_note_goes_when_the_card_was_answered_or_its_chat_is_looked_at(qtbot, place):
    activate(qtbot, place)
    place.list(chat(), chat("ses_2"))
    place.list(chat("ses_1", "in_1"), chat("ses_2", "in_2"))
    assert noted(place) == ["Chat 1 is waiting for you", "Chat 2 is waiting for you"]
    place.list(chat("ses_1", "in_1"), chat("ses_2"))
    assert noted(place) == ["Chat 1 is waiting for you"]
    place.window.show_chat("ses_1")
    place.window.settle_notes()
    assert noted(place) == []
    place.list(chat("ses_1", "in_1", "in_3"), chat("ses_2"))
    assert noted(place) == [], "its chat is on screen"


def test_the_note_of_a_failed_turn_goes_when_another_begins_or_the_chat_is_put_aside(qtbot, place):
    activate(qtbot, place)
    place.list(chat(), chat("ses_2"))
    failed = TurnEnded(turn_id="t", status="failed", detail="The key was refused.")
    begun = TurnStarted(turn_id="t")
    for session_id in ("ses_1", "ses_2"):
        place.notices.hearing.take(envelopes(session_id, begun, failed))
    assert noted(place) == ["Chat 1 stopped with an error", "Chat 2 stopped with an error"]
    place.notices.hearing.take(envelopes("ses_1", begun))
    assert noted(place) == ["Chat 2 stopped with an error"]
    place.list(chat(), chat("ses_2", archived=True))
    assert noted(place) == []


def test_the_note_of_a_pull_request_goes_when_its_lane_is_looked_at(qtbot, place):
    activate(qtbot, place)
    place.tell()
    place.list(chat())
    assert noted(place) == ["PR #214: checks failed · fix-login"]
    place.window.shown_lane = "lan_1"
    place.list(chat())
    assert noted(place) == []


def test_a_note_tells_two_chats_of_one_title_apart(qtbot, place):
    activate(qtbot, place)
    first = {"title": "Make it work", "lane_id": "lan_1", "lane_name": "make-it-work"}
    later = {"created_at": NOW + timedelta(minutes=3)}
    other = {"title": "Make it work", "lane_id": "lan_3", "lane_name": "make-it-work-2"}
    third = chat("ses_3", title="Make it work", branch="main")
    place.list(chat("ses_1", **first), chat("ses_2", **other), third)
    place.list(chat("ses_1", "in_1", **first), chat("ses_2", **other), third)
    place.list(chat("ses_1", **first), chat("ses_2", "in_2", **other), third, chat("ses_4", **first, **later))
    place.list(chat("ses_1", **first), chat("ses_2", **other), third, chat("ses_4", "in_4", **first, **later))
    begun = clock_time(NOW + timedelta(minutes=3))
    assert [text for text, _ in place.window.offered] == [
        "Make it work is waiting for you · make-it-work", "Make it work is waiting for you · make-it-work-2",
        f"Make it work is waiting for you · make-it-work · begun {begun}",
    ]  # fmt: skip


def test_nothing_is_said_of_the_lane_on_screen_and_of_what_is_no_news(qtbot, place):
    activate(qtbot, place)
    place.window.shown_chats = ("ses_1",)
    place.tell(lane_id="lan_2")
    place.tell("checks_passed", notify=False)
    place.list(chat("ses_2", "in_0"), chat())
    place.list(chat("ses_2", "in_0"), chat("ses_1", "in_1"))
    assert (place.window.offered, place.gathered()) == ([], [])


@pytest.mark.promise("ui-U164")
def test_where_nobody_looks_what_comes_together_is_one_message_that_leads_there(place):
    place.tell()
    place.tell("ready_to_merge", "lan_2", 9)
    assert place.notices.gather.isActive()
    assert place.gathered() == [("2 pull requests need a look", "fix-login, bump")]
    place.notices.clicked()
    place.notices.clicked()
    assert place.window.opened == ["lan_2"]
    assert place.window.widget.isVisible()


def test_one_message_says_what_and_where_and_each_change_is_told_once(place):
    place.tell("changes_requested")
    assert place.gathered() == [("PR #214: changes requested", "fix-login")]
    place.tell("changes_requested")
    place.tell("changes_requested", minutes=5)
    assert place.gathered() == [("PR #214: changes requested", "fix-login")]


def test_a_person_who_came_back_meanwhile_gets_a_note(qtbot, place):
    place.tell()
    activate(qtbot, place)
    assert place.gathered() == []
    assert len(place.window.offered) == 1


@pytest.mark.promise("ui-U162")
@pytest.mark.promise("ui-U165")
def test_a_card_is_told_once_and_its_message_leads_to_it(qtbot, place):
    place.list(chat("ses_1", "old"), chat("ses_2"))
    place.list(chat("ses_1", "old", "in_1"), chat("ses_2"))
    assert place.gathered() == [("Chat 1 is waiting for you", "Approve: run SQL")]
    qtbot.waitUntil(lambda: len(place.strokes) == 2)
    place.notices.clicked()
    assert (place.window.opened, place.window.focused) == (["ses_1"], [])
    place.window.card_is_there = True
    place.list(chat("ses_1", "old", "in_1"), chat("ses_2"))
    assert place.window.focused == ["ses_1"]
    place.list(chat("ses_1", "in_2"), chat("ses_2", "in_3"))
    place.list(chat("ses_1", "in_2"), chat("ses_2"))
    assert place.gathered() == [("Chat 1 is waiting for you", "Approve: run SQL")], "in_3 was answered meanwhile"
    place.list(chat(), chat("ses_2"))
    place.notices.clicked()
    assert place.window.opened[-1] == "answered in_2"


def test_a_turn_that_took_long_or_reported_is_told_and_one_that_failed(place):
    place.list(chat(lane_name="fix-login"))
    ended = TurnEnded(turn_id="t", status="completed")
    report = CompletionReported(call_id="c", summary="Done", status="partial")
    begun = TurnStarted(turn_id="t")
    place.notices.hearing.take(
        envelopes("ses_1", begun, ended, begun, ended.model_copy(update={"duration_ms": 30_000}))
    )
    assert place.gathered() == [("Chat 1 is done", "fix-login")]
    assert len(place.strokes) == 1
    place.notices.hearing.take(envelopes("ses_1", begun, report, ended))
    assert place.gathered() == [("Chat 1 is done", "Partial · fix-login")]
    assert len(place.strokes) == 1, "never two sounds in three seconds"
    failed = ended.model_copy(update={"status": "failed", "detail": "The key was refused."})
    place.notices.hearing.take(envelopes("ses_1", begun, failed))
    assert place.gathered() == [("Chat 1 stopped with an error", "The key was refused.")]
    place.notices.hearing.take(envelopes("ses_1", begun, ended.model_copy(update={"status": "interrupted"})))
    assert place.gathered() == []


@pytest.mark.promise("ui-U168")
def test_muted_chats_quiet_hours_and_switches_are_kept_to(place):
    place.list(chat(lane_id="lan_1", muted=True), chat("ses_2"))
    place.tell()
    place.list(chat("ses_1", "in_1", lane_id="lan_1", muted=True), chat("ses_2"))
    assert place.gathered() == []
    place.window.settings = NotificationSettings(quiet_hours="22:00 - 7:00")
    for at, told in ((time(22, 0), 0), (time(6, 59), 0), (time(7, 0), 1)):
        place.at = at
        place.tell(lane_id="lan_2", minutes=at.hour)
        assert len(place.gathered()) == told
    place.window.settings = NotificationSettings(messages=False)
    place.tell(lane_id="lan_2", minutes=1)
    assert (place.gathered(), len(place.strokes)) == ([], 1)
    place.notices.sounds.rest.stop()
    place.tell(lane_id="lan_2", minutes=2)
    place.gathered()
    assert len(place.strokes) == 2
    for wrong in ("22:00", "7:00-7:00", "25:00-7:00"):
        with pytest.raises(ValueError, match="quiet_hours"):
            NotificationSettings(quiet_hours=wrong)


def test_a_kind_that_is_switched_off_is_not_told_or_has_no_sound(qtbot, place):
    place.window.settings = NotificationSettings(untold=("pull",), unheard=("waiting",))
    place.list(chat())
    place.list(chat("ses_1", "in_1"))
    place.tell()
    assert place.gathered() == [("Chat 1 is waiting for you", "Approve: run SQL")]
    assert len(place.strokes) == 1, "the sound of the pull request alone"
    place.notices.sounds.rest.stop()
    failed = TurnEnded(turn_id="t", status="failed", detail="No.")
    for off in ("failed", "budget"):
        place.window.settings = NotificationSettings(untold=(off,), unheard=(off,))
        ended = failed.model_copy(update={"status": "failed" if off == "failed" else "limit"})
        place.notices.hearing.take(envelopes("ses_1", TurnStarted(turn_id="t"), ended))
        assert (place.gathered(), len(place.strokes)) == ([], 1)
    activate(qtbot, place)
    place.window.settings = NotificationSettings(untold=("pull",))
    place.tell(minutes=3)
    assert place.window.offered == []


def test_messages_and_sounds_come_to_a_window_in_front_when_that_is_wanted(qtbot, place):
    activate(qtbot, place)
    place.window.shown_chats = ("ses_2",)
    place.window.settings = NotificationSettings(only_unfocused=False, volume=0)
    place.list(chat(), chat("ses_2"))
    place.list(chat("ses_1", "in_1"), chat("ses_2", "in_2"))
    assert [text for text, _ in place.window.offered] == ["Chat 1 is waiting for you"]
    assert place.gathered() == [("Chat 1 is waiting for you", "Approve: run SQL")]
    assert place.strokes == [], "a volume of 0 is silence"


@pytest.mark.promise("ui-U166")
def test_details_stand_in_a_message_only_when_that_is_wanted(place):
    begun, ended = TurnStarted(turn_id="t"), TurnEnded(turn_id="t", status="completed")
    report = CompletionReported(call_id="c", summary="The loop\nis gone.", status="completed")
    plan = InputRequested(input_id="in_1", call_id="c", request=PlanReview(call_id="c", plan="# Drop\nthe\u202e table"))
    for details, waits, done in (
        (False, "Approve: run SQL", "Completed"),
        (True, "# Drop the⟦U+202E⟧ table", "Completed · The loop is gone."),
    ):
        place.window.settings = NotificationSettings(details=details)
        place.list(chat())
        place.notices.hearing.take(envelopes("ses_1", plan))
        place.list(chat("ses_1", "in_1"))
        assert place.gathered() == [("Chat 1 is waiting for you", waits)]
        place.notices.hearing.take(envelopes("ses_1", begun, report, ended))
        assert place.gathered() == [("Chat 1 is done", done)]


def test_a_sound_is_asked_of_the_engine_at_the_volume_in_force(qtbot):
    engine = Recorder()
    asked, requests = engine.sent, Requests(engine)
    place = Place(qtbot, "lan_2", requests)
    place.window.settings = NotificationSettings(volume=35)
    place.tell()
    place.gathered()
    assert [(one.sound, one.volume) for one in asked] == [("done", 35)]
    assert place.strokes == []
    requests.deliver([SoundPlayed(command_id=asked[0].command_id, player="aplay")], place.notices.hearing)
    assert place.strokes == []


@pytest.mark.promise("ui-U169")
def test_the_tray_leads_to_what_waits_and_to_the_window(place):
    place.list(
        chat("ses_1", "in_1"), chat("ses_2", activity="running", failed="x"), chat("ses_3", "in_3", archived=True)
    )
    menu = place.notices.tray.menu
    assert [one.text() for one in menu.actions()] == ["Chat 1", "", "Show window", "New chat", "Quit"]
    assert place.notices.tray.words == "1 waiting, 1 running, 1 failed"
    for number in (0, 2, 3, 4):
        menu.actions()[number].trigger()
    assert place.window.opened == ["ses_1", "new", "quit"]
    assert place.window.widget.isVisible()


def test_a_dialog_over_the_window_in_front_is_no_other_program(qtbot, place):
    activate(qtbot, place)
    dialog = QDialog(place.window.widget)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    place.tell()
    assert len(place.window.offered) == 1
    assert place.gathered() == []


def test_the_inbox_tells_of_what_waits_by_itself(qtbot, place):
    activate(qtbot, place)
    place.window.lists_waiting = True
    place.list(chat())
    place.list(chat("ses_1", "inp_1"))
    assert place.window.offered == []
    place.tell()
    assert len(place.window.offered) == 1, "it lists no pull requests"


def test_what_was_put_off_is_told_once_more(qtbot, place):
    activate(qtbot, place)
    place.list(chat("ses_1", "inp_1"))
    notice = Notification("Chat 1 is waiting for you", "Snoozed until now", "waiting", "ses_1", "lan_1", "inp_1")
    place.notices.remind(notice)
    (told,) = place.window.offered
    assert told[0].startswith("Chat 1 is waiting for you")
