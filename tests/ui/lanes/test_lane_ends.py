"""Deleting, archiving and restoring lanes as a person does: what the dialogs say, ask and send."""

from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from desktop.config.folders import resource_folder
from desktop.domain.lanes.commands import (
    ArchiveLane,
    DeleteLanes,
    LoadTrash,
    PlanDelete,
    PurgeTrash,
    RepairLane,
    RestoreLane,
)
from desktop.domain.lanes.lane import LaneFinding, LaneHolder, TrashedLane
from desktop.domain.lanes.updates import (
    DeletePlanned,
    LaneCreated,
    LaneLoss,
    LanesChanged,
    LanesDeleted,
    TrashListed,
)
from desktop.domain.updates import CommandFailed
from desktop.language import wear
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.ends import archive_lane, delete_lane, delete_lanes, show_trash
from desktop.ui.lanes.menu import fill_lane_menu
from desktop.ui.lanes.repairs import OFFERS
from desktop.ui.lanes.strip import LaneStrip
from desktop.ui.lanes.window import WindowLanes
from tests.ui.shell_samples import LANE, NOW, Recorder, make_lane

CHILD = make_lane(7, "on-top").model_copy(update={"parent_id": LANE.id})
LOSS = LaneLoss(
    lane=LANE,
    files=tuple(f"src/file{n}.py" for n in range(20)),
    file_count=23,
    only_here=2,
    unpushed=2,
    holders=(LaneHolder(kind="shell", label="npm run dev"),),
    ignored=((".env", 40), ("data/app.db", 9000)),
    remote_branch=f"origin/{LANE.branch}",
)


class Hands:
    """A person's, over the dialogs of one window."""

    def __init__(self, qtbot, *lanes):
        self.qtbot = qtbot
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.sink, self.offers, self.notes = Recorder(), [], []
        book = LaneBook()
        book.hearing.take([LanesChanged(lanes=lanes)])
        self.host = WindowLanes(book, ChatCommands(Requests(self.sink), self.window), lambda _chat: "", self.window)
        self.host.offered.connect(lambda text, button, act, lanes: self.offers.append((text, button, act)))
        self.host.noted.connect(lambda text, error: self.notes.append((text, error)))
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

    def plan(self, *losses, typed=""):
        command_id = self.last(PlanDelete).command_id
        self.host.requests.deliver(
            [DeletePlanned(command_id=command_id, losses=losses, digest="d1", typed=typed)], self.host.hearing
        )


@pytest.fixture
def hands(qtbot):
    return Hands(qtbot, LANE)


@pytest.mark.promise("lanes-L28")
def test_a_lane_with_work_names_it_and_waits_for_its_name(hands):
    delete_lane(hands.host, LANE.id)
    assert "Reading" in hands.see("lane_delete_state").text()
    assert not hands.see("lane_delete").isEnabled()
    hands.plan(LOSS, typed=LANE.name)
    said = hands.see("lane_delete_losses").accessibleDescription()
    assert "23 files are not committed." in said
    assert "2 commits are on no other branch." in said
    assert "a command npm run dev" in said
    assert "and 3 more files" in hands.see("lane_delete_files").toPlainText()
    assert not hands.see("lane_delete").isEnabled()
    QTest.keyClicks(hands.see("lane_delete_confirm"), LANE.name[:-1])
    assert not hands.see("lane_delete").isEnabled()
    QTest.keyClicks(hands.see("lane_delete_confirm"), LANE.name[-1])
    assert hands.see("lane_delete").isEnabled()
    assert not hands.see("lane_delete_remote").isEnabled()
    hands.see("lane_delete_branch").setChecked(True)
    hands.see("lane_delete_remote").setChecked(True)
    hands.see("lane_delete_keep").item(1).setCheckState(Qt.CheckState.Unchecked)
    hands.click("lane_delete")
    sent = hands.last(DeleteLanes)
    assert (sent.lane_ids, sent.digest, sent.typed) == ((LANE.id,), "d1", LANE.name)
    assert (sent.with_branch, sent.with_remote, sent.keep_paths) == (True, True, (".env",))
    assert not hands.see("lane_delete").isEnabled()


def test_a_clean_lane_takes_one_click_and_offers_undo(hands):
    delete_lane(hands.host, LANE.id)
    hands.plan(LaneLoss(lane=LANE))
    assert not hands.shown("lane_delete_confirm")
    hands.click("lane_delete")
    sent = hands.last(DeleteLanes)
    assert not sent.with_branch
    hands.host.requests.deliver(
        [LanesDeleted(command_id=sent.command_id, results=((LANE.id, "ln/1", ""),))], hands.host.hearing
    )
    assert not hands.shown("lane_delete_dialog")
    ((text, button, act),) = hands.offers
    assert LANE.name in text
    assert button == "Undo"
    act()
    assert hands.last(RestoreLane).trash_id == "ln/1"


def test_proofs_of_a_lane_are_asked_about_and_kept_unless_the_tick_is_taken_away(hands):
    delete_lane(hands.host, LANE.id)
    hands.plan(LaneLoss(lane=LANE))
    assert not hands.shown("lane_delete_proofs")
    hands.click("lane_delete_cancel")
    delete_lane(hands.host, LANE.id)
    hands.plan(LaneLoss(lane=LANE, proofs=3))
    assert hands.see("lane_delete_proofs").text() == "Keep 3 proofs for at least 90 days"
    hands.see("lane_delete_proofs").setChecked(False)
    hands.click("lane_delete")
    assert hands.last(DeleteLanes).keep_proofs is False


def test_another_plan_than_the_one_seen_is_shown_and_asked_again(hands):
    delete_lane(hands.host, LANE.id)
    hands.plan(LaneLoss(lane=LANE))
    hands.click("lane_delete")
    sent = hands.last(DeleteLanes)
    changed = DeletePlanned(command_id=sent.command_id, losses=(LOSS,), digest="d2", typed=LANE.name)
    refused = CommandFailed(command_id=sent.command_id, code="plan_changed", text="Look at it again.", session_id="")
    hands.host.requests.deliver([changed, refused], hands.host.hearing)
    assert hands.see("lane_delete_state").text() == "Look at it again."
    assert not hands.see("lane_delete").isEnabled()
    QTest.keyClicks(hands.see("lane_delete_confirm"), LANE.name)
    hands.click("lane_delete")
    assert hands.last(DeleteLanes).digest == "d2"


def test_a_refused_lane_says_why_and_cannot_be_deleted(hands):
    delete_lane(hands.host, LANE.id)
    hands.plan(LaneLoss(lane=LANE, refused="Git keeps this worktree locked: on a stick. Unlock it first."))
    assert "on a stick" in hands.see("lane_delete_refused").accessibleDescription()
    assert not hands.see("lane_delete").isEnabled()


def test_lanes_on_top_can_go_with_it_in_one_table(qtbot):
    hands = Hands(qtbot, LANE, CHILD)
    delete_lane(hands.host, LANE.id)
    assert hands.last(PlanDelete).lane_ids == (LANE.id,)
    hands.see("lane_delete_children").setChecked(True)
    assert hands.last(PlanDelete).lane_ids == (LANE.id, CHILD.id)
    hands.plan(LOSS, LaneLoss(lane=CHILD), typed="delete")
    assert [item.below for item in hands.see("lane_delete_table").items][1] == "Nothing would be lost."
    QTest.keyClicks(hands.see("lane_delete_confirm"), "delete")
    hands.click("lane_delete")
    sent = hands.last(DeleteLanes)
    results = ((CHILD.id, "c/1", ""), (LANE.id, "", "It changed meanwhile."))
    hands.host.requests.deliver([LanesDeleted(command_id=sent.command_id, results=results)], hands.host.hearing)
    assert "It changed meanwhile." in hands.see("lane_delete_state").text()
    assert len(hands.offers) == 1


def test_the_word_for_several_lanes_is_one_of_the_language(qtbot):
    wear("de", resource_folder() / "languages")
    try:
        hands = Hands(qtbot, LANE, CHILD)
        delete_lane(hands.host, LANE.id)
        hands.see("lane_delete_children").setChecked(True)
        hands.plan(LOSS, LaneLoss(lane=CHILD), typed="delete")
        QTest.keyClicks(hands.see("lane_delete_confirm"), "delete")
        assert not hands.see("lane_delete").isEnabled()
        hands.see("lane_delete_confirm").setText("löschen")
        hands.click("lane_delete")
        assert hands.last(DeleteLanes).typed == "delete"
    finally:
        wear("en", Path())


def test_several_lanes_are_picked_and_deleted_together(qtbot):
    hands = Hands(qtbot, LANE, CHILD)
    hands.host.handlers()["delete_lanes"]()
    assert not hands.see("lane_pick_go").isEnabled()
    for row in range(2):
        hands.see("lane_pick_list").item(row).setCheckState(Qt.CheckState.Checked)
    hands.click("lane_pick_go")
    assert hands.last(PlanDelete).lane_ids == (LANE.id, CHILD.id)
    hands.plan(LaneLoss(lane=LANE), LaneLoss(lane=CHILD))
    assert hands.see("lane_delete").text() == "Delete lanes"
    assert not hands.shown("lane_delete_children")


def test_without_lanes_there_is_nothing_to_pick(qtbot):
    hands = Hands(qtbot)
    hands.host.handlers()["delete_lanes"]()
    assert hands.notes == [("There is no lane to delete.", False)]


@pytest.mark.promise("lanes-L31")
def test_an_attached_lane_is_unlinked(qtbot):
    own = make_lane(8, "own").model_copy(update={"type": "attached"})
    hands = Hands(qtbot, own)
    delete_lanes(hands.host, (own.id,))
    hands.plan(LaneLoss(lane=own, unlink=True))
    assert hands.see("lane_delete").text() == "Unlink"
    assert not hands.shown("lane_delete_branch")
    hands.click("lane_delete")
    sent = hands.last(DeleteLanes)
    hands.host.requests.deliver(
        [LanesDeleted(command_id=sent.command_id, results=((own.id, "", ""),))], hands.host.hearing
    )
    assert hands.notes[-1][0].startswith("Unlinked")
    assert not hands.offers


def test_archiving_asks_what_becomes_of_the_folder_and_of_what_stacks_on_it(qtbot):
    hands = Hands(qtbot, LANE, CHILD)
    archive_lane(hands.host, LANE.id)
    assert not hands.see("lane_archive_go").isEnabled()
    plan = hands.last(PlanDelete)
    assert plan.lane_ids == (LANE.id, CHILD.id)
    hands.host.requests.deliver(
        [DeletePlanned(command_id=plan.command_id, losses=(LOSS,), digest="d")], hands.host.hearing
    )
    assert "a command npm run dev" in hands.see("lane_archive_runs").accessibleDescription()
    hands.see("lane_archive_children").setChecked(True)
    hands.see("lane_archive_free").setChecked(True)
    hands.click("lane_archive_go")
    sent = hands.last(ArchiveLane)
    assert (sent.lane_id, sent.free_disk, sent.with_children) == (LANE.id, True, True)


def test_an_empty_trash_says_so_and_one_that_cannot_be_read_says_why(hands):
    show_trash(hands.host)
    hands.host.requests.deliver([TrashListed(lanes=())], hands.host.hearing)
    assert "No lane was deleted" in hands.see("lane_trash_state").text()
    hands.click("lane_trash_close")
    show_trash(hands.host)
    command_id = hands.last(LoadTrash).command_id
    hands.host.requests.deliver(
        [CommandFailed(command_id=command_id, code="failed", text="git failed", session_id="")], hands.host.hearing
    )
    assert hands.see("lane_trash_state").text() == "git failed"
    assert not hands.see("lane_restore").isEnabled()


def test_the_trash_lists_restores_and_forgets_lanes(hands):
    show_trash(hands.host)
    assert hands.last(LoadTrash)
    assert "Loading" in hands.see("lane_trash_state").text()
    gone = [
        TrashedLane(trash_id=f"{LANE.id}/{n}", lane=LANE, deleted_at=NOW - timedelta(days=n), holds="2 files")
        for n in (1, 2)
    ]
    hands.host.requests.deliver([TrashListed(lanes=tuple(gone))], hands.host.hearing)
    assert not hands.shown("lane_trash_state")
    items = hands.see("lane_trash_list").items
    assert [item.title for item in items] == [LANE.name] * 2
    assert ("2 files" in items[0].below, items[0].keys) == (True, "")
    hands.click("lane_restore")
    sent = hands.last(RestoreLane)
    assert sent.trash_id == gone[0].trash_id
    assert not hands.see("lane_restore").isEnabled()
    back = LaneCreated(command_id=sent.command_id, lane=LANE, notices=("Its branch has another name.",))
    hands.host.requests.deliver([back, TrashListed(lanes=(gone[1],))], hands.host.hearing)
    assert "another name" in hands.see("lane_trash_state").text()
    hands.click("lane_trash_purge")
    hands.click("lane_purge_go")
    assert hands.last(PurgeTrash).trash_id == gone[1].trash_id
    hands.host.requests.deliver([TrashListed(lanes=())], hands.host.hearing)
    assert "another name" in hands.see("lane_trash_state").text()
    assert hands.see("lane_trash_list").items == []
    assert not hands.see("lane_restore").isEnabled()


def finding(kind, *offers, path=""):
    return LaneFinding(
        lane_id=LANE.id, kind=kind, text="The lane folder is gone: /srv/lanes/x.", offers=offers, path=path
    )


def test_a_chat_says_what_is_wrong_with_its_lane_and_offers_what_helps(hands, qtbot):
    strip = LaneStrip(hands.window)
    asked = []
    strip.asked.connect(lambda action, lane_id: asked.append((action, lane_id)))
    facts = ChatFacts(
        session_id="s", lane_id=LANE.id, lane_state="broken", finding=finding("gone", "recreate", "delete")
    )
    strip.show_facts(facts)
    assert "folder is gone" in hands.see("lane_strip_text").text()
    hands.click("lane_repair_recreate")
    hands.click("lane_repair_delete")
    assert asked == [("repair_recreate", LANE.id), ("repair_delete", LANE.id)]
    assert not hands.shown("lane_repair_unlock")
    assert not hands.shown("lane_strip_more")
    many = finding("gone", "recreate", "recreate_checkpoint", "locate", "delete")
    strip.show_facts(ChatFacts(session_id="s", lane_id=LANE.id, lane_state="broken", finding=many))
    assert [hands.shown(f"lane_repair_{one}") for one in many.offers] == [True, False, False, True]
    more = hands.see("lane_strip_more").menu().actions()
    assert [one.objectName() for one in more] == ["lane_repair_recreate_checkpoint", "lane_repair_locate"]
    more[1].trigger()
    assert asked.pop() == ("repair_locate", LANE.id)
    strip.show_facts(ChatFacts(session_id="s", lane_id=LANE.id, lane_state="deleted"))
    hands.click("lane_strip_trash")
    strip.show_facts(ChatFacts(session_id="s", lane_id=LANE.id, lane_state="archived"))
    hands.click("lane_strip_unarchive")
    assert asked[2:] == [("trash", LANE.id), ("unarchive", LANE.id)]
    strip.show_facts(ChatFacts(session_id="s", lane_id=LANE.id, lane_state="active"))
    assert not hands.shown("lane_strip")


def test_each_offer_of_a_finding_is_in_the_menu_and_is_carried_out(hands):
    offers = tuple(OFFERS)
    hands.host.book.hearing.take([LanesChanged(lanes=(LANE,), findings=(finding("gone", *offers, path="/srv/found"),))])
    menu = QMenu(hands.window)
    fill_lane_menu(menu, hands.host, LANE.id)
    names = {action.objectName() for action in menu.actions()}
    assert {f"lane_menu_repair_{offer}" for offer in offers} <= names
    hands.host.act("repair_recreate", LANE.id)
    assert hands.last(RepairLane).offer == "recreate"
    hands.host.act("repair_locate", LANE.id)
    assert (hands.last(RepairLane).offer, hands.last(RepairLane).path) == ("locate", "/srv/found")
    hands.host.act("repair_forget", LANE.id)
    hands.click("lane_forget_go")
    assert hands.last(RepairLane).offer == "forget"
    hands.host.act("repair_delete", LANE.id)
    assert hands.last(PlanDelete).lane_ids == (LANE.id,)


def test_a_folder_that_was_not_found_is_asked_for(hands):
    hands.host.book.hearing.take([LanesChanged(lanes=(LANE,), findings=(finding("gone", "locate"),))])
    hands.host.act("repair_locate", LANE.id)
    dialog = next(one for one in hands.window.findChildren(QFileDialog) if one.isVisible())
    dialog.fileSelected.emit("/srv/there")
    assert hands.last(RepairLane).path == "/srv/there"
    dialog.close()
