"""The PR tab in its window: what leads there and away, the menu of a lane, the palette, notifications."""

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.config.settings import Settings
from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project, SessionSummary
from desktop.domain.lanes.lane import LaneStatus
from desktop.domain.lanes.updates import LanesChanged, LaneStatusChanged
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.proofs.values import ProofLink
from desktop.domain.pulls.commands import (
    PlanPullMerge,
    PullWindowSeen,
    RefreshPullRequest,
    SetPullState,
    ShowPullRequest,
)
from desktop.domain.pulls.updates import PullRequestChanged, PullTransition
from desktop.domain.updates import EngineReady, ProjectOpened, SessionOpened, SessionsChanged
from desktop.ui.proofs.panel import ProofsPanel
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.sidebar.tree_model import ROW_ROLE
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.windows import Windows
from tests.ui.card_scenes import NOW, Sink
from tests.ui.pr_place import LANE, pull, snapshot
from tests.ui.proofs.test_proofs_panel import shown
from tests.ui.review_place import changed, diff, lane

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Hands:
    """A window with two chats, one in a lane that has a request."""

    def __init__(self, qtbot, tmp_path):
        self.qtbot, self.sink = qtbot, Sink()
        settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        self.windows = Windows(self.sink, lambda: NOW, settings)
        self.window = self.windows.first
        qtbot.addWidget(self.window)
        self.window.resize(1360, 840)
        self.window.show()
        self.here, self.other = new_session_id(), new_session_id()
        project = Project(id="p", path="/shop", name="shop")
        chats = tuple(
            SessionSummary(
                session_id=one, title="Fix", mode=PermissionMode.EDIT, lane_id=in_lane, created_at=NOW,
                last_activity_at=NOW,
            )
            for one, in_lane in ((self.here, LANE), (self.other, ""))
        )  # fmt: skip
        self.tell(EngineReady(settings=Settings()), ProjectOpened(project=project), LanesChanged(lanes=(lane(),)),
                  SessionsChanged(sessions=chats))  # fmt: skip
        self.open(self.here)

    def open(self, session_id):
        self.window.open_chat(session_id)
        self.tell(SessionOpened(session_id=session_id, envelopes=()))

    def tell(self, *updates):
        self.windows.apply_updates(list(updates))

    def get(self, name, kind=QWidget):
        return next(one for one in self.window.findChildren(kind, name) if one.isVisible())

    def last(self, kind):
        return [one for one in self.sink.sent if isinstance(one, kind)][-1]

    def tab(self):
        return self.window.contents._inspector.tab


@pytest.fixture
def hands(qtbot, qapp, tmp_path):
    install_theme(qapp)
    return Hands(qtbot, tmp_path)


def test_a_lane_without_changes_or_without_its_folder_offers_no_request(hands):
    hands.window.page.tab_asked.emit("changes")
    at = LaneStatus(lane_id=LANE, read_at=NOW, ahead=0)
    for status, why in ((at, "There are no changes in this lane yet."), (at.model_copy(update={"ahead": 1}), "")):
        hands.tell(LaneStatusChanged(statuses=(status,)))
        assert (hands.get("changes_open_pr").toolTip(), hands.get("changes_open_pr").isEnabled()) == (why, not why)


def test_the_changes_lead_to_the_request_and_it_leads_back_to_a_line(hands):
    hands.window.page.tab_asked.emit("changes")
    hands.get("changes_open_pr").click()
    assert hands.tab() == "PR"
    hands.qtbot.waitUntil(lambda: any(isinstance(one, ShowPullRequest) for one in hands.sink.sent))
    hands.tell(PullRequestChanged(snapshot=snapshot()))
    made = diff()
    panel = hands.window.contents._inspector.of(PullPanel)
    panel.shown.place_asked.emit("auth/middleware.py", 4)
    assert hands.tab() == "Changes"
    assert hands.get("changes_open_pr").full_text == "PR #214"
    hands.qtbot.waitUntil(lambda: any(isinstance(one, LoadLaneChanges) for one in hands.sink.sent))
    asked = hands.last(LoadLaneChanges)
    listed = LaneChangesLoaded(
        command_id=asked.command_id, lane_id=LANE, session_id=hands.here, scope=asked.scope, base="main",
        files=(changed("a.py", made), changed("auth/middleware.py", made)), at=NOW, head="h" * 40,
    )  # fmt: skip
    hands.tell(listed)
    asked = hands.last(LoadDiff)
    assert asked.path == "auth/middleware.py"
    hands.tell(DiffLoaded(command_id=asked.command_id, lane_id=LANE, scope=asked.scope, diff=made))
    view = hands.get("changes_diff")
    row = view.rows[view.current]
    assert made.hunks[row.hunk].lines[row.line].new == 4
    panel.shown.place_asked.emit("gone.py", 1)
    assert [one.text.text() for one in hands.window.notes.area.toasts] == [
        "gone.py is not among the changes of this lane."
    ]


def test_what_the_palette_cannot_do_to_a_request_is_said(hands):
    def notes_after(name):
        for toast in list(hands.window.notes.area.toasts):
            toast.dismiss()
        hands.window.contents._actions.action(name).trigger()
        return [toast.text.text() for toast in hands.window.notes.area.toasts]

    assert notes_after("pr_merge") == ["There is no pull request to merge."]
    hands.tell(PullRequestChanged(snapshot=snapshot(pull(state="merged"))))
    assert notes_after("pr_merge") == ["Pull request #214 is not open."]
    hands.open(hands.other)
    assert notes_after("pr_list") == ["This chat has no lane. Open one that has, to list the pull requests."]


def test_menu_palette_and_buttons_do_what_they_say(hands):
    hands.tell(PullRequestChanged(snapshot=snapshot()))
    hands.window.lane_host.act("pull", LANE)
    assert hands.tab() == "PR"
    hands.window.contents._actions.action("pr_refresh").trigger()
    assert hands.last(RefreshPullRequest).lane_id == LANE
    hands.window.contents._actions.action("pr_merge").trigger()
    assert hands.last(PlanPullMerge).lane_id == LANE
    hands.get("pr_merge_dialog_cancel").click()
    hands.window.contents._inspector.of(PullPanel).shown.act_asked.emit("close")
    hands.get("pr_state_go").click()
    assert hands.last(SetPullState).to == "closed"
    assert not hands.get("pr_main").isEnabled()
    hands.tell(PullRequestChanged(snapshot=snapshot(pull(state="closed"))))
    assert hands.get("pr_main", QPushButton).text() == "Open again…"


def test_a_thread_goes_into_the_message_field_and_a_missing_sign_in_to_the_settings(hands):
    hands.window.contents._inspector.of(PullPanel).shown.agent_asked.emit("> quoted\n\n")
    assert hands.window.page.composer.text.toPlainText() == "> quoted\n\n"
    hands.window.contents._inspector.of(PullPanel).shown.act_asked.emit("connect")
    assert hands.get("settings_dialog").isVisible()


def test_a_change_of_a_request_elsewhere_is_a_note_that_opens_it(hands):
    hands.tell(PullRequestChanged(snapshot=snapshot()))
    hands.open(hands.other)
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    hands.tell(PullTransition(lane_id=LANE, number=214, kind="checks_failed", text="x", notify=True, at=NOW))
    [toast] = hands.window.notes.area.toasts
    assert toast.text.text() == "PR #214: checks failed · fix"
    QTest.qWait(1)
    hands.get("toast_action").click()
    assert (hands.window.page.session_id, hands.tab()) == (hands.here, "PR")


def test_the_engine_hears_when_nobody_can_see_a_window(hands):
    hands.window.hide()
    assert hands.last(PullWindowSeen).seen is False
    hands.window.show()
    assert hands.last(PullWindowSeen).seen is True


def test_a_second_window_knows_the_requests(hands):
    hands.tell(PullRequestChanged(snapshot=snapshot()))
    second = hands.windows.open(hands.here)
    hands.qtbot.addWidget(second)
    assert second.book.lane_book.pulls[LANE].pull.number == 214


@pytest.mark.promise("lanes-F12")
def test_owners_of_a_proof_lead_to_chat_lane_request_and_report(hands, monkeypatch):
    opened = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", opened.append)
    report = f"{hands.other}/evt_9"
    links = [
        ProofLink(owner="session", owner_id=hands.other, relation="produced_by"),
        ProofLink(owner="lane", owner_id=LANE, relation="attached_to"),
        ProofLink(owner="pull_request", owner_id="o/r#1", relation="published_to", address=pull().url),
        ProofLink(owner="report", owner_id=report, relation="attached_to"),
        ProofLink(owner="session", owner_id="ses_gone", relation="attached_to"),
    ]
    names = ((hands.other, "Other"), (LANE, "fix-login"), (report, "The loop is gone."))
    proof = shown(1, links=tuple(links)).model_copy(update={"names": names})

    def look():
        hands.open(hands.here)
        hands.tell(ProofsChanged(lane_id=LANE, proofs=(proof,)), PullRequestChanged(snapshot=snapshot()))
        hands.window.contents._inspector.of(ProofsPanel).open_viewer("pf_1")

    def go(number):
        look()
        hands.get(f"proof_owner_{number}").click()
        assert not any(one.isVisible() for one in hands.window.findChildren(QWidget, "proof_viewer"))

    go(0)
    assert hands.window.page.session_id == hands.other
    go(1)
    assert hands.window.sidebar.tree.currentIndex().data(ROW_ROLE).lane_id == LANE
    go(2)
    assert (hands.tab(), opened) == ("PR", [])
    go(3)
    assert hands.window.page.session_id == hands.other
    look()
    words = [hands.get(f"proof_owner_{number}").full_text for number in range(5)]
    assert words == ["Chat “Other”", "Lane “fix-login”", "Pull request o/r#1", "Report “The loop is gone.”",
                     "Chat ses_gone"]  # fmt: skip
    gone = hands.get("proof_owner_4")
    assert (gone.isEnabled(), gone.toolTip()) == (False, "This chat does not exist any more.")
