"""The Memory tab: its lists, what is done with an entry, what a model was given, and files to read in."""

from datetime import UTC, datetime
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QListWidget, QWidget

from desktop.config.settings import Settings
from desktop.domain.core.command import Command
from desktop.domain.memory import commands as m
from desktop.domain.memory import updates as u
from desktop.domain.memory.values import Entry, FileMark, MemoryHit, ScoreParts, Source
from desktop.domain.updates import CommandFailed, EngineReady, SettingsChanged
from desktop.ui.core.requests import Requests
from desktop.ui.memory.panel import MemoryPanel
from desktop.ui.memory.words import entry_facts
from desktop.ui.widgets.pick_list import PickList
from tests.ui.card_scenes import SESSION, Sink

AT = datetime(2026, 11, 22, 12, tzinfo=UTC)
LEFT = Qt.MouseButton.LeftButton
PARTS = ScoreParts(text=200, recency=180, tier=150)


def entry(number: int = 1, **changes: Any) -> Entry:
    made = Entry(id=f"mem_{number}", content=f"Rule {number}\nwith a reason", created_at=AT, updated_at=AT)
    return made.model_copy(update={"status": "promoted", "tier": 2, **changes})


class Place:
    def __init__(self) -> None:
        self.sink = Sink()
        self.requests = Requests(self.sink)
        self.panel = MemoryPanel(self.requests)
        self.panel.resize(380, 760)

    def get(self, name: str, kind: type[QWidget] = QWidget) -> Any:
        found = self.panel.findChild(kind, name)
        assert found is not None, f"no {name}"
        return found

    def tell(self, *updates: Any) -> None:
        self.requests.deliver(list(updates), self.panel.hearing)

    def last(self, kind: type[Command]) -> Any:
        return [command for command in self.sink.sent if isinstance(command, kind)][-1]

    def find(self, *hits: MemoryHit, problem: str = "", gone: tuple[str, ...] = ()) -> None:
        self.panel.refresh()
        asked = self.last(m.SearchMemory)
        self.tell(u.MemoryFound(command_id=asked.command_id, hits=hits, problem=problem, gone=gone))

    def click(self, name: str) -> None:
        QTest.mouseClick(self.get(name), LEFT)

    def choose(self, words: str) -> None:
        box: QComboBox = self.get("memory_lists")
        box.setCurrentIndex(next(at for at in range(box.count()) if box.itemText(at).startswith(words)))

    @property
    def rows(self) -> list[tuple[str, str]]:
        found: PickList = self.get("memory_list")
        return [(item.title, item.below) for item in found.items]

    @property
    def buttons(self) -> set[str]:
        found = self.get("memory_detail").findChildren(QAbstractButton)
        return {button.objectName() for button in found if button.isVisible() and button.objectName()}


@pytest.fixture
def place(qtbot) -> Place:
    place = Place()
    qtbot.addWidget(place.panel)
    with qtbot.waitExposed(place.panel):
        place.panel.show()
    place.panel.show_session(SESSION)
    return place


def dialog(name: str) -> QWidget:
    return next(one for one in QApplication.topLevelWidgets() if one.objectName() == name and one.isVisible())


@pytest.mark.promise("memory-ME23")
def test_entries_are_listed_with_what_can_be_done_with_each(place: Place) -> None:
    waits = entry(2, status="quarantined", source=Source(session_id="ses_9", tainted=("github:o/r#1",)))
    place.find(MemoryHit(entry=entry(tier=1, version=3), parts=PARTS), MemoryHit(entry=waits, parts=ScoreParts()))
    assert place.rows == [
        ("Rule 1 with a reason", "fact · project · pinned"), ("Rule 2 with a reason", "fact · project · waits for you"),
    ]  # fmt: skip
    assert place.get("memory_text", QLabel).text() == "Rule 1\nwith a reason"
    assert "Score 0.53: text 0.20, recency 0.18, tier 0.15." in place.get("memory_facts", QLabel).text()
    assert place.buttons == {"memory_edit", "memory_unpin", "memory_archive", "memory_undo", "memory_delete"}
    QTest.keyClick(place.get("memory_list"), Qt.Key.Key_Down)
    assert "Its chat had read github:o/r#1." in place.get("memory_facts", QLabel).text()
    assert place.buttons == {"memory_accept", "memory_edit", "memory_archive", "memory_source", "memory_delete"}
    assert place.get("memory_accept").property("kind") == "", "what was kept from use is not what one accepts first"
    asked = []
    place.panel.chat_asked.connect(asked.append)
    place.click("memory_source")
    assert asked == ["ses_9"]
    place.click("memory_accept")
    assert (place.last(m.AcceptMemory).memory_id, place.last(m.AcceptMemory).version) == ("mem_2", 1)


@pytest.mark.parametrize(
    ("button", "changes", "command"),
    [
        ("pin", {}, m.PinMemory), ("unpin", {"tier": 1}, m.PinMemory), ("archive", {}, m.ArchiveMemory),
        ("restore", {"status": "archived"}, m.ArchiveMemory), ("undo", {"version": 2}, m.RestoreMemory),
    ],
)  # fmt: skip
def test_a_click_asks_for_one_thing(place: Place, button: str, changes: dict[str, Any], command: type[Command]) -> None:
    place.find(MemoryHit(entry=entry(**changes), parts=ScoreParts()))
    place.click(f"memory_{button}")
    assert place.last(command).memory_id == "mem_1"


def test_what_the_app_wrote_is_not_edited(place: Place) -> None:
    place.find(MemoryHit(entry=entry(category="episode", source=Source(by="app")), parts=ScoreParts()))
    assert place.buttons == {"memory_pin", "memory_archive", "memory_delete"}


def test_a_changed_file_is_named_and_can_be_said_to_be_as_it_was(place: Place) -> None:
    one = entry(files=(FileMark(path="a.py"), FileMark(path="b.py")))
    place.find(MemoryHit(entry=one, parts=ScoreParts(), stale=("a.py",)))
    assert place.rows[0][1] == "fact · project · changed: a.py"
    place.click("memory_still_true")
    assert (place.last(m.ConfirmMemory).memory_id, place.last(m.ConfirmMemory).session_id) == ("mem_1", SESSION)
    place.find(MemoryHit(entry=one, parts=ScoreParts()))
    assert "About a.py, b.py." in place.get("memory_facts", QLabel).text()


def test_words_lists_and_categories_choose_what_is_asked_for(place: Place) -> None:
    assert (place.last(m.SearchMemory).list, place.last(m.SearchMemory).session_id) == ("all", SESSION)
    place.choose("Check these")
    place.get("memory_category", QComboBox).setCurrentText("gotcha")
    QTest.keyClicks(place.get("memory_search", QLineEdit), "tax")
    asked = place.last(m.SearchMemory)
    assert (asked.list, asked.category, asked.text) == ("stale", "gotcha", "tax")
    place.find()
    assert "No memory matches." in [label.text() for label in place.panel.findChildren(QLabel) if label.isVisible()]
    place.find(problem="The memory could not be searched: gone")
    assert any("could not be searched" in label.text() for label in place.panel.findChildren(QLabel))
    place.panel.search("law")
    assert (place.last(m.SearchMemory).list, place.last(m.SearchMemory).text) == ("all", "law")


def test_what_changes_is_counted_and_asked_for_again(place: Place) -> None:
    counted = []
    place.panel.counted.connect(counted.append)
    before = len(place.sink.sent)
    place.tell(u.MemoryChanged(entries=12, review=2, archived=1))
    assert (counted, len(place.sink.sent)) == ([2], before + 1)
    box: QComboBox = place.get("memory_lists")
    assert [box.itemText(at) for at in range(5)] == [
        "All · 12", "Review · 2", "Check these", "Archived · 1", "In this prompt",
    ]  # fmt: skip


def test_a_memory_that_is_off_says_so(place: Place) -> None:
    place.find()
    place.tell(SettingsChanged(settings=Settings(memory=False)))
    assert "Memory is off." in [label.text() for label in place.panel.findChildren(QLabel) if label.isVisible()]
    place.tell(EngineReady(settings=Settings()))
    assert "No memories yet." in [label.text() for label in place.panel.findChildren(QLabel) if label.isVisible()]


@pytest.mark.promise("memory-ME21")
def test_in_this_prompt_lists_what_the_model_was_given_and_why(place: Place) -> None:
    place.choose("In this prompt")
    given = (
        u.GivenEntry(memory_id="mem_1", version=2, parts=PARTS, entry=entry(version=2), newer=True),
        u.GivenEntry(memory_id="mem_2", version=1, parts=PARTS),
    )
    asked = place.last(m.ShowGiven)
    place.tell(u.MemoryGiven(command_id=asked.command_id, searched=True, found=9, given=given))
    assert place.rows == [
        ("Rule 1 with a reason", "1. · version 2 · score 0.53 · changed since"), ("This entry was deleted.", "mem_2"),
    ]  # fmt: skip
    assert (place.get("memory_text", QLabel).text(), place.buttons) == ("Rule 1\nwith a reason", set())
    place.panel.refresh()
    place.tell(u.MemoryGiven(command_id=place.last(m.ShowGiven).command_id, searched=True, found=3))
    shown = [label.text() for label in place.panel.findChildren(QLabel)]
    assert "Searched, 3 entries found, none given." in shown
    place.panel.show_session("")
    shown = [label.text() for label in place.panel.findChildren(QLabel)]
    assert "Nothing was looked up in this turn." in shown


@pytest.mark.promise("memory-ME23")
def test_an_earlier_turn_is_chosen_and_stays_chosen_while_its_chat_is_shown(place: Place) -> None:
    place.choose("In this prompt")
    turns = (
        u.GivenTurn(turn_id="t2", at=AT, said="Go on"),
        u.GivenTurn(turn_id="t1", at=AT, said="Fix how invoices\nare rounded", given=2),
    )
    place.tell(u.MemoryGiven(command_id=place.last(m.ShowGiven).command_id, turn_id="t2", turns=turns))
    box: QComboBox = place.get("memory_turns")
    words = [box.itemText(at).rpartition(" · ")[0] for at in range(box.count())]
    assert words == ["Go on · 0 given", "Fix how invoices are rounded · 2 given"]
    assert (box.isVisible(), place.get("memory_category").isVisible()) == (True, False)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    asked = place.last(m.ShowGiven)
    assert asked.turn_id == "t1"
    given = (u.GivenEntry(memory_id="mem_1", version=1, parts=PARTS, entry=entry()),)
    place.tell(
        u.MemoryGiven(command_id=asked.command_id, turn_id="t1", searched=True, found=1, given=given, turns=turns)
    )
    assert place.rows == [("Rule 1 with a reason", "1. · version 1 · score 0.53")]
    place.panel.refresh()
    assert place.last(m.ShowGiven).turn_id == "t1"
    place.panel.show_session("ses_other")
    assert place.last(m.ShowGiven).turn_id == ""
    place.choose("All")
    assert (box.isVisible(), place.get("memory_category").isVisible()) == (False, True)


def test_a_person_writes_an_entry_and_what_is_wrong_with_it_is_said_there(place: Place) -> None:
    place.panel.remember("Round half up")
    written = dialog("memory_dialog")
    written.findChild(QComboBox, "memory_dialog_category").setCurrentText("convention")
    written.findChild(QAbstractButton, "memory_dialog_personal").click()
    save = written.findChild(QAbstractButton, "memory_dialog_save")
    save.click()
    asked = place.last(m.SaveMemory)
    assert (asked.content, asked.category, asked.importance, asked.personal) == (
        "Round half up", "convention", "medium", True,
    )  # fmt: skip
    place.tell(CommandFailed(command_id=asked.command_id, code="not_saved", text="Not saved: it is blank."))
    assert "Not saved: it is blank." in [label.text() for label in written.findChildren(QLabel)]
    save.click()
    place.tell(u.MemorySaved(command_id=place.last(m.SaveMemory).command_id, memory_id="mem_1"))
    assert not written.isVisible()


def test_an_entry_is_edited_and_deleted_after_a_question(place: Place) -> None:
    place.find(MemoryHit(entry=entry(version=4), parts=ScoreParts()))
    place.click("memory_edit")
    edited = dialog("memory_dialog")
    edited.findChild(QAbstractButton, "memory_dialog_save").click()
    asked = place.last(m.EditMemory)
    assert (asked.memory_id, asked.version, asked.content) == ("mem_1", 4, "Rule 1\nwith a reason")
    place.tell(u.MemorySaved(command_id=asked.command_id, memory_id="mem_1"))
    place.click("memory_delete")
    dialog("memory_delete_dialog").findChild(QAbstractButton, "memory_delete_go").click()
    assert place.last(m.DeleteMemory).memory_id == "mem_1"
    back = place.panel.findChild(QAction, "memory_bring_back")
    assert back.isVisible()
    back.trigger()
    assert (place.last(m.RestoreMemory).memory_id, back.isVisible()) == ("mem_1", False)
    said = []
    place.panel.noted.connect(lambda text, failed: said.append((text, failed)))
    place.tell(CommandFailed(command_id=place.last(m.DeleteMemory).command_id, code="gone", text="It is gone."))
    assert said == [("It is gone.", True)]


def test_of_a_file_only_what_is_ticked_is_asked_for(place: Place) -> None:
    said = []
    place.panel.noted.connect(lambda text, failed: said.append(text))
    place.panel.preview("/rules.md")
    asked = place.last(m.PreviewImport)
    items = (
        u.ImportItem(content="Round half up", kind="statement"),
        u.ImportItem(content="Use the key", kind="statement", problem="it holds a secret"),
        u.ImportItem(content="Deploy", kind="same"), u.ImportItem(content="Test first", kind="new"),
    )  # fmt: skip
    place.tell(u.ImportPreviewed(command_id=asked.command_id, path="/rules.md", sha256="ab", items=items))
    shown = dialog("memory_import")
    rows: QListWidget = shown.findChild(QListWidget, "memory_import_list")
    assert rows.item(1).text() == "Use the key (cannot be kept: it holds a secret)"
    keep = shown.findChild(QAbstractButton, "memory_import_keep")
    assert not keep.isEnabled()
    shown.findChild(QAbstractButton, "memory_import_all").click()
    rows.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert keep.text() == "Keep 1"
    keep.click()
    wanted = place.last(m.ImportMemory)
    assert (wanted.path, wanted.sha256, wanted.ticked) == ("/rules.md", "ab", (3,))
    place.tell(u.MemoryImported(command_id=wanted.command_id, added=1))
    assert not shown.isVisible()
    place.panel.preview("/none.md")
    again = place.last(m.PreviewImport)
    place.tell(u.ImportPreviewed(command_id=again.command_id, path="/none.md", problem="Could not read it."))
    assert said == ["Could not read it."]


@pytest.mark.promise("memory-ME9")
def test_an_entry_that_waits_says_why():
    by_words = entry(3, status="quarantined", source=Source(session_id="ses_9"))
    by_taint = entry(4, status="quarantined", source=Source(session_id="ses_9", tainted=("github:o/r#1",)))
    assert "because it speaks about what is allowed, or to a model." in entry_facts(by_words)
    assert "Its chat had read github:o/r#1." in entry_facts(by_taint)
    assert "because" not in entry_facts(entry(5))


@pytest.mark.promise("memory-ME3")
def test_an_entry_of_a_deleted_chat_says_so_and_leads_nowhere(place: Place) -> None:
    said = entry(1, source=Source(by="agent", session_id="ses_gone"))
    place.find(MemoryHit(entry=said, parts=ScoreParts()))
    assert "Written by an agent on " in place.get("memory_facts", QLabel).text()
    assert "memory_source" in place.buttons
    place.find(MemoryHit(entry=said, parts=ScoreParts()), gone=("ses_gone",))
    assert "Written by an agent in a deleted chat on " in place.get("memory_facts", QLabel).text()
    assert "memory_source" not in place.buttons
    assert "memory_edit" in place.buttons
