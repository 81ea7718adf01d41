"""The suggestion to update a lane that lacks commits of its base: what it says, and how it is put off."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from desktop.ui.chats.book import ChatFacts
from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.lanes.stacks.behind_notes import BehindNotes
from desktop.ui.lanes.stacks.behind_strip import BehindStrip
from tests.ui.shell_samples import LANE, NOW

BEHIND = ChatFacts("s1", lane_id=LANE.id, lane_state="active", behind=3, base_oid="a" * 40, base="main")


class Place:
    def __init__(self, qtbot, tmp_path):
        self.settings = QSettings(str(tmp_path / "layout.ini"), QSettings.Format.IniFormat)
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.show()
        self.now = NOW
        self.strip = self.made()

    def made(self):
        strip = BehindStrip(BehindNotes(LayoutStore(self.settings), lambda: self.now), self.window)
        strip.show_facts(BEHIND)
        return strip

    def choose(self, label):
        menu = self.strip.findChild(QWidget, "behind_strip_menu")
        next(action for action in menu.actions() if action.text() == label).trigger()


@pytest.fixture
def place(qtbot, tmp_path):
    return Place(qtbot, tmp_path)


def test_it_says_how_far_and_leads_to_the_update(place):
    assert place.strip.text.text() == "This lane is 3 commits behind main."
    asked = []
    place.strip.asked.connect(lambda action, lane_id: asked.append((action, lane_id)))
    place.strip.findChild(QWidget, "behind_strip_update").click()
    assert asked == [("update", LANE.id)]


@pytest.mark.parametrize(
    "facts",
    [
        None, ChatFacts("s1"), *(
            ChatFacts(**{**vars(BEHIND), **change})
            for change in (
                {"behind": 0}, {"operation": "rebase"}, {"primary": True}, {"lane_state": "archived"},
                {"archived": True},
            )
        ),
    ],
)  # fmt: skip
def test_it_says_nothing_where_the_lane_cannot_be_updated_or_need_not_be(place, facts):
    place.strip.show_facts(facts)
    assert place.strip.isHidden()


def test_a_dismissed_base_is_silent_after_a_restart_until_it_moves(place):
    place.choose("When the base moves again")
    assert place.strip.isHidden()
    again = place.made()
    assert again.isHidden()
    again.show_facts(ChatFacts(**{**vars(BEHIND), "base_oid": "b" * 40}))
    assert not again.isHidden()


@pytest.mark.parametrize(
    ("label", "long"),
    [
        ("In 5 minutes", timedelta(minutes=5)), ("In an hour", timedelta(hours=1)), ("Tomorrow", timedelta(days=1)),
        ("In 7 days", timedelta(days=7)),
    ],
)  # fmt: skip
def test_a_snooze_holds_for_its_time_whatever_the_base_does(place, label, long):
    place.choose(label)
    place.now += long - timedelta(minutes=1)
    place.strip.show_facts(ChatFacts(**{**vars(BEHIND), "base_oid": "b" * 40}))
    assert place.strip.isHidden()
    place.now += timedelta(minutes=2)
    place.strip.show_facts(BEHIND)
    assert not place.strip.isHidden()
