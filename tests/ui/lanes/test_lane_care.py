"""What a person sees of setup, run command, lane file and disk space, and what their clicks send."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.lanes.commands import (
    LoadLaneFile,
    LoadSetupLog,
    MeasureLanes,
    ReclaimSpace,
    RunLaneCommand,
    RunSetup,
    SkipSetupWait,
    StopSetup,
    TrustLaneFile,
)
from desktop.domain.lanes.updates import (
    LaneFileLoaded,
    LaneRunChanged,
    LanesChanged,
    LanesMeasured,
    ReclaimableFolder,
    SetupOutput,
    SpaceReclaimed,
)
from desktop.domain.updates import CommandFailed
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.care import free_space, review_lane_file, run_lane, show_setup
from desktop.ui.lanes.menu import fill_lane_menu
from desktop.ui.lanes.window import WindowLanes
from tests.ui.shell_samples import LANE, Recorder, make_lane

TRUSTED = LaneFileLoaded(text="[setup]", sha256="a" * 64, trusted=True, sets_up=True, runs=True)
UNTRUSTED = TRUSTED.model_copy(update={"trusted": False, "network": True, "says": ("Runs npm ci in each new lane.",)})


class Hands:
    """A person's, over the dialogs of one window."""

    def __init__(self, qtbot, *lanes):
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.sink, self.offers = Recorder(), []
        self.book = LaneBook()
        self.book.hearing.take([LanesChanged(lanes=lanes)])
        self.host = WindowLanes(
            self.book, ChatCommands(Requests(self.sink), self.window), lambda _chat: "", self.window
        )
        self.host.offered.connect(lambda text, button, act: self.offers.append((text, button, act)))
        self.window.show()

    def see(self, name):
        found = [one for one in self.window.findChildren(QWidget, name) if one.isVisible()]
        assert found, f"{name} is not shown"
        return found[-1]

    def shown(self, name):
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def click(self, name):
        QTest.mouseClick(self.see(name), Qt.MouseButton.LeftButton)

    def last(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)][-1]

    def tell(self, *updates):
        self.book.hearing.take(updates)
        self.host.requests.deliver(updates, self.host.hearing)


@pytest.fixture
def hands(qtbot):
    return Hands(qtbot, LANE)


def output(state, text="", **more):
    return SetupOutput(lane_id=LANE.id, state=state, text=text, **more)


def test_setup_shows_its_live_log_to_its_end_and_can_be_stopped_and_run_again(hands):
    show_setup(hands.host, LANE.id)
    assert hands.last(LoadSetupLog).lane_id == LANE.id
    hands.tell(TRUSTED, output("running", "one\n", command="npm ci"))
    assert hands.see("lane_setup_state").text() == "Running npm ci"
    assert "one" in hands.see("lane_setup_log").toPlainText()
    assert not hands.shown("lane_setup_retry")
    hands.click("lane_setup_stop")
    assert hands.last(StopSetup).lane_id == LANE.id
    hands.tell(
        output(
            "failed", "one\n\x1b[31mtwo\u202e\n", ending="Setup was stopped.", copied=(".env",), secrets=(".env",),
            skipped=(("../x", "it leads out of the checkout"),),
        )
    )  # fmt: skip
    assert hands.see("lane_setup_state").text() == "Setup was stopped."
    assert "two⟦U+202E⟧" in hands.see("lane_setup_log").toPlainText()
    told = hands.see("lane_setup_note").text()
    for part in (
        "Copied 1 ignored file",
        "what may hold secrets: .env",
        "Not copied: ../x: it leads out of the checkout.",
    ):
        assert part in told
    assert not hands.shown("lane_setup_stop")
    hands.click("lane_setup_retry")
    assert hands.last(RunSetup).lane_id == LANE.id
    hands.tell(CommandFailed(command_id=hands.last(RunSetup).command_id, code="setup_running", text="It runs already."))
    assert hands.see("lane_setup_state").text() == "It runs already."


def test_a_lane_that_was_made_before_there_was_a_setup_can_run_it(hands):
    show_setup(hands.host, LANE.id)
    hands.tell(TRUSTED, output("none"))
    assert hands.see("lane_setup_state").text() == "Setup was not run in this lane."
    assert hands.see("lane_setup_retry").text() == "Run setup"
    hands.tell(LaneFileLoaded(trusted=True), output("none"))
    assert hands.see("lane_setup_state").text() == "No setup for this project."
    assert not hands.shown("lane_setup_retry")
    assert hands.see("lane_setup_review").text() == "How to add one…"


def test_a_long_log_follows_its_end_until_a_person_scrolls_up(hands):
    show_setup(hands.host, LANE.id)
    lines = "\n".join(f"line {n}" for n in range(400))
    hands.tell(TRUSTED, output("running", lines))
    bar = hands.see("lane_setup_log").verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(3)
    hands.tell(output("running", lines + "\nmore"))
    assert bar.value() == 3


def test_a_file_that_is_not_trusted_is_shown_whole_and_trusted_by_its_digest(hands):
    show_setup(hands.host, LANE.id)
    hands.tell(UNTRUSTED, output("needs_trust"))
    assert "not reviewed" in hands.see("lane_setup_state").text()
    hands.click("lane_setup_review")
    text = '[setup]\ncommand = "npm ci"\u202e\n'
    hands.tell(UNTRUSTED.model_copy(update={"text": text, "include_text": "*.pem\n"}))
    assert hands.see("lane_file_text").toPlainText() == '[setup]\ncommand = "npm ci"⟦U+202E⟧\n'
    assert hands.see("lane_file_include").toPlainText() == "*.pem\n"
    assert "network" in hands.see("lane_file_network").text()
    assert "npm ci" in hands.see("lane_file_says").accessibleDescription()
    hands.click("lane_file_trust")
    sent = hands.last(TrustLaneFile)
    assert (sent.sha256, sent.lane_id) == ("a" * 64, LANE.id)
    hands.tell(CommandFailed(command_id=sent.command_id, code="lane_file_changed", text="It changed meanwhile."))
    assert hands.see("lane_file_problem").text() == "It changed meanwhile."
    hands.tell(UNTRUSTED.model_copy(update={"sha256": "b" * 64}))
    hands.click("lane_file_trust")
    assert hands.last(TrustLaneFile).sha256 == "b" * 64
    hands.tell(TRUSTED)
    assert not hands.shown("lane_file_dialog")
    assert hands.shown("lane_setup_dialog")


def test_a_file_with_a_fault_cannot_be_trusted_and_without_one_an_example_is_shown(hands):
    review_lane_file(hands.host, "")
    assert isinstance(hands.sink.last(), LoadLaneFile)
    hands.tell(LaneFileLoaded(text="[set]", sha256="a" * 64, problem="lane.toml: unknown key 'set'."))
    assert "unknown key 'set'" in hands.see("lane_file_problem").text()
    assert not hands.see("lane_file_trust").isEnabled()
    hands.tell(LaneFileLoaded(trusted=True))
    assert "[setup]" in hands.see("lane_file_text").toPlainText()
    assert not hands.shown("lane_file_trust")
    hands.click("lane_file_copy")
    assert "npm ci" in QGuiApplication.clipboard().text()


def test_run_starts_what_is_trusted_links_what_listens_and_stops_it(hands):
    run_lane(hands.host, LANE.id)
    hands.tell(TRUSTED)
    started = hands.last(RunLaneCommand)
    assert (started.lane_id, started.stop) == (LANE.id, False)
    hands.tell(
        LaneRunChanged(
            lane_id=LANE.id, running=True, text="ready", command="npm start", addresses=("http://127.0.0.1:20040",),
            port_problem="Port 20041 is used by node, pid 7.",
        )
    )  # fmt: skip
    assert hands.see("lane_run_state").text() == "Running npm start"
    assert hands.see("lane_run_address").text() == "http://127.0.0.1:20040"
    assert hands.see("lane_run_note").text() == "Port 20041 is used by node, pid 7."
    hands.click("lane_run_stop")
    assert hands.last(RunLaneCommand).stop
    hands.tell(LaneRunChanged(lane_id=LANE.id, running=False, command="npm start", ending="The command was stopped."))
    assert hands.see("lane_run_state").text() == "The command was stopped."
    assert not hands.shown("lane_run_address")
    hands.click("lane_run_start")
    assert not hands.last(RunLaneCommand).stop


def test_run_offers_the_file_where_nothing_can_be_run(hands):
    run_lane(hands.host, LANE.id)
    hands.tell(LaneFileLoaded(trusted=True))
    assert hands.see("lane_run_state").text() == "No run command for this project."
    assert hands.see("lane_run_review").text() == "How to add one…"
    hands.tell(UNTRUSTED)
    assert "not reviewed" in hands.see("lane_run_state").text()
    hands.click("lane_run_review")
    assert hands.shown("lane_file_dialog")
    assert not [one for one in hands.sink.sent if isinstance(one, RunLaneCommand)]


def test_ticked_folders_go_to_the_trash_and_for_good_only_after_a_second_word(hands):
    free_space(hands.host, LANE.id)
    assert hands.last(MeasureLanes).lane_ids == (LANE.id,)
    folders = tuple(
        ReclaimableFolder(lane_id=LANE.id, path=path, size_bytes=size) for path, size in (("out", 10), ("n", 5_000_000))
    )
    other = ReclaimableFolder(lane_id="ln_other", path="x", size_bytes=1)
    hands.tell(LanesMeasured(folders=(*folders, other)))
    rows = hands.see("lane_free_space_list")
    assert [rows.item(row).text() for row in range(rows.count())] == [
        "n · fix-login · 5 MB",
        "out · fix-login · 10 B",
    ]
    assert not hands.see("lane_free_space_go").isEnabled()
    for row in range(2):
        rows.item(row).setCheckState(Qt.CheckState.Checked)
    hands.click("lane_free_space_go")
    sent = hands.last(ReclaimSpace)
    assert (sent.folders, sent.forever) == (((LANE.id, "n"), (LANE.id, "out")), False)
    stays = (LANE.id, "n", "The trash could not take it.")
    hands.tell(
        SpaceReclaimed(command_id=sent.command_id, gone=((LANE.id, "out"),), stays=(stays,), no_trash=((LANE.id, "n"),))
    )
    assert "n stays" in hands.see("lane_free_space_state").text()
    assert rows.count() == 1
    hands.click("lane_free_forever_go")
    sent = hands.last(ReclaimSpace)
    assert (sent.folders, sent.forever) == (((LANE.id, "n"),), True)


def test_many_or_large_lanes_are_noticed_once(hands):
    large = LANE.model_copy(update={"size_bytes": 21 * 1024**3})
    hands.tell(LanesChanged(lanes=(large,)))
    hands.tell(LanesChanged(lanes=(large,)))
    ((text, button, act),) = hands.offers
    assert "Lanes take" in text
    assert button == "Free space"
    act()
    assert hands.shown("lane_free_space")


def test_the_menu_leads_to_all_of_it_for_lanes_but_not_for_the_checkout(qtbot):
    own = make_lane(9, "shop").model_copy(update={"type": "primary"})
    hands = Hands(qtbot, LANE, own)
    names = {"lane_menu_run", "lane_menu_setup", "lane_menu_free_space"}
    for lane, has in ((LANE, names), (own, set())):
        menu = QMenu(hands.window)
        fill_lane_menu(menu, hands.host, lane.id)
        assert {action.objectName() for action in menu.actions()} & names == has
    hands.host.act("stop_setup", LANE.id)
    assert hands.last(StopSetup).lane_id == LANE.id
    assert not [one for one in hands.sink.sent if isinstance(one, SkipSetupWait)]
