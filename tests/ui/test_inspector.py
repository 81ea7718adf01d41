"""The inspector: changes, todos and audit of the shown chat."""

from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QLineEdit, QWidget

from desktop.domain.commands import LoadChanges
from desktop.domain.content import Card, TouchedFile
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    TodosChanged,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.pending import Answer
from desktop.domain.permissions import PermissionMode, Verdict
from desktop.domain.updates import ChangesLoaded, CommandFailed, SessionOpened
from desktop.domain.work import ChangedFile, Todo
from desktop.ui.models.audit_model import COLUMNS
from desktop.ui.models.keyed_rows import KEY_ROLE
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.views.inspector import Inspector
from tests.ui.card_scenes import NOW, SESSION, Sink, approval, envelope

UNIFIED = "@@ -41,3 +41,4 @@ def expire\n same\n-    old\n+    new\n+        more\n"
TOUCHED = ToolCallFinished(call_id="c", outcome="ok", touched=(TouchedFile(path="a.py", kind="modify"),))


class Scene:
    def __init__(self, now=NOW):
        self.sink = Sink()
        self.now = now
        self.inspector = Inspector(self.sink, lambda: self.now)
        self.inspector.resize(360, 700)

    @property
    def loads(self):
        return [command for command in self.sink.sent if isinstance(command, LoadChanges)]

    def get(self, name):
        found = self.inspector.findChild(QWidget, name)
        assert found is not None, f"no {name}"
        return found

    def loaded(self, *files, at=NOW, problem=""):
        self.inspector.apply([ChangesLoaded(session_id=SESSION, base="main", files=files, at=at, problem=problem)])

    def words(self):
        return [label.text() for label in self.inspector.findChildren(QLabel) if label.isVisible() and label.text()]

    def tab_texts(self):
        tabs = self.get("inspector_tabs")
        return [tabs.tabText(index) for index in range(tabs.count())]


@pytest.fixture
def scene(qtbot):
    scene = Scene()
    qtbot.addWidget(scene.inspector)
    with qtbot.waitExposed(scene.inspector):
        scene.inspector.show()
    scene.inspector.show_session(SESSION)
    assert not scene.loads
    scene.inspector.apply([SessionOpened(session_id=SESSION, envelopes=())])
    return scene


def changed(path="auth/middleware.py", **fields):
    return ChangedFile(path=path, **{"status": "modified", "added": 2, "removed": 1, "unified": UNIFIED, **fields})


def opened(*events):
    envelopes = tuple(envelope(seq, event, minutes_ago=10 - seq) for seq, event in enumerate(events))
    return SessionOpened(session_id=SESSION, envelopes=envelopes)


def decided(call_id="c1", verdict=Verdict.ALLOW, title="Read a.py", **fields):
    return ToolCallDecided(
        call_id=call_id,
        name_called="read_file",
        tool="read_file",
        verdict=verdict,
        rule="read",
        mode=PermissionMode.EDIT,
        card=Card(title=title),
        **fields,
    )


def test_only_the_tabs_of_this_part_exist(scene):
    assert scene.tab_texts() == ["Changes", "Todos", "Audit", "Timeline"]


def test_a_chat_that_was_opened_has_its_changes_asked_for_once(scene):
    assert [command.session_id for command in scene.loads] == [SESSION]


def test_changes_are_asked_again_after_touched_files_and_a_turns_end_one_at_a_time(scene):
    scene.inspector.apply([envelope(1, TOUCHED), envelope(2, TurnEnded(turn_id="t", status="completed"))])
    assert len(scene.loads) == 1
    scene.loaded()
    assert len(scene.loads) == 2
    scene.loaded()
    assert len(scene.loads) == 2
    scene.inspector.apply([envelope(3, ToolCallFinished(call_id="c", outcome="ok"))])
    assert len(scene.loads) == 2
    scene.inspector.apply([envelope(4, TOUCHED)])
    assert len(scene.loads) == 3


def test_events_of_another_chat_ask_for_nothing(scene):
    scene.loaded()
    scene.inspector.apply([envelope(1, TOUCHED).model_copy(update={"session_id": "ses_other"})])
    assert len(scene.loads) == 1


def test_a_hidden_inspector_asks_only_when_it_is_shown_again(scene, qtbot):
    scene.loaded()
    scene.inspector.hide()
    scene.inspector.apply([envelope(1, TOUCHED)])
    assert len(scene.loads) == 1
    scene.inspector.show()
    qtbot.waitUntil(lambda: len(scene.loads) == 2)


def test_files_are_listed_with_what_changed_and_the_first_ones_difference(scene):
    scene.loaded(changed(), changed("b.py", status="added", removed=0))
    files = scene.get("changes_files")
    assert scene.get("changes_summary").text() == "2 files"
    assert scene.get("changes_figure").text() == "+4 −1"
    assert scene.tab_texts()[0] == "Changes 2"
    assert files.model().index(0, 0).data(KEY_ROLE) == "file:auth/middleware.py"
    assert files.model().rows[0].detail == "modified  +2 −1"
    shown = scene.get("changes_diff").toPlainText().splitlines()
    assert shown[1:] == [
        " same",
        "-    old",
        "+    new",
        "+        more",
    ]


def test_choosing_a_file_shows_its_difference(scene):
    scene.loaded(changed(), changed("b.py", unified="@@ -0,0 +1 @@\n+hello\n"))
    files = scene.get("changes_files")
    files.setFocus()
    QTest.keyClick(files, Qt.Key.Key_Down)
    assert "+hello" in scene.get("changes_diff").toPlainText()


def test_a_refresh_keeps_the_chosen_file(scene):
    scene.loaded(changed("a.py"), changed("b.py"))
    files = scene.get("changes_files")
    files.setCurrentIndex(files.model().index(1, 0))
    scene.loaded(changed("0.py"), changed("a.py"), changed("b.py", added=9))
    assert files.currentIndex().data() == "b.py"
    scene.loaded(changed("a.py"))
    assert files.currentIndex().data() == "a.py"


def test_no_changes_are_said(scene):
    scene.loaded()
    assert "No changes in this lane yet." in scene.words()


def test_loading_is_said_after_200_ms(scene, qtbot):
    assert "Loading changes…" not in scene.words()
    qtbot.waitUntil(lambda: "Loading changes…" in scene.words())


def test_a_failed_refresh_keeps_the_old_files_and_offers_to_try_again(scene):
    scene.loaded(changed())
    scene.loaded(problem="fatal: not a git repository")
    assert "fatal: not a git repository" in scene.words()
    assert scene.get("changes_files").model().rowCount() == 1
    QTest.mouseClick(scene.get("changes_try_again"), Qt.MouseButton.LeftButton)
    assert len(scene.loads) == 2


def test_a_command_that_failed_is_told_and_does_not_block_the_next(scene):
    scene.inspector.apply([CommandFailed(command_id=scene.loads[0].command_id, code="lane", text="The lane is gone.")])
    assert "The lane is gone." in scene.words()
    scene.inspector.apply([envelope(1, TOUCHED)])
    assert len(scene.loads) == 2


def test_old_changes_say_as_of_when(scene):
    scene.loaded(changed(), at=NOW - timedelta(seconds=61))
    assert scene.get("changes_as_of").text().startswith("as of ")
    scene.loaded(changed(), at=NOW - timedelta(seconds=59))
    assert scene.get("changes_as_of").text() == ""


def test_binary_and_too_large_files_say_so_in_place_of_the_difference(scene):
    scene.loaded(changed(binary=True, unified=""))
    assert "This is a binary file. Its contents are not shown." in scene.words()
    scene.loaded(changed(too_large=True, unified="", added=12_400))
    assert "This diff is too large to load (12,401 lines)." in scene.words()
    assert not scene.get("changes_show_large").isVisible()


def test_a_large_difference_is_shown_on_request(scene):
    scene.loaded(changed(added=5_001))
    assert "This diff is large (5,002 lines)." in scene.words()
    QTest.mouseClick(scene.get("changes_show_large"), Qt.MouseButton.LeftButton)
    assert scene.get("changes_diff").isVisible()


def test_n_and_p_go_from_change_to_change_and_copy_leaves_the_signs_out(scene):
    scene.loaded(changed(unified="@@ -1,4 +1,4 @@\n-one\n+two\n same\n+three\n"))
    diff = scene.get("changes_diff")
    QTest.keyClick(diff, Qt.Key.Key_N)
    assert diff.textCursor().block().text() == "-one"
    QTest.keyClick(diff, Qt.Key.Key_N)
    assert diff.textCursor().block().text() == "+three"
    QTest.keyClick(diff, Qt.Key.Key_P)
    assert diff.textCursor().block().text() == "-one"
    diff.selectAll()
    diff.copy()
    assert QApplication.clipboard().text().splitlines()[1:] == ["one", "two", "same", "three"]


def test_todos_are_grouped_and_counted(scene):
    todos = (
        Todo(id="1", content="Read", status="completed"),
        Todo(id="2", content="Fix", status="in_progress"),
        Todo(id="3", content="Test"),
        Todo(id="4", content="  "),
    )
    scene.inspector.apply([opened(TodosChanged(todos=todos))])
    scene.inspector.show_tab("Todos")
    rows = [row.text for row in scene.inspector.todos.model.rows]
    assert rows == ["In progress", "Fix", "To do", "Test", "Done", "Read"]
    assert scene.get("todos_count").text() == "1 of 3"
    scene.inspector.apply([envelope(9, TodosChanged(todos=()))])
    assert "Nothing planned." in scene.words()


def test_older_todos_that_arrive_later_do_not_win(scene):
    new, old = (TodosChanged(todos=(Todo(id="1", content=word),)) for word in ("new", "old"))
    scene.inspector.apply([SessionOpened(session_id=SESSION, envelopes=(envelope(9, new),), complete=False)])
    scene.inspector.apply([SessionOpened(session_id=SESSION, envelopes=(envelope(1, old),), first=False)])
    assert [row.text for row in scene.inspector.todos.model.rows] == ["To do", "new"]


def test_audit_says_who_decided_what_and_what_came_of_it(scene):
    events = (
        decided(),
        ToolCallFinished(call_id="c1", outcome="ok", duration_ms=4, summary="128 lines"),
        decided("c2", Verdict.ASK, "Run npm test"),
        InputRequested(input_id="i2", call_id="c2", request=approval()),
        InputResolved(input_id="i2", answer=Answer(outcome="reject")),
        ToolCallFinished(call_id="c2", outcome="declined"),
        decided("c3", Verdict.DENY, "rm -rf ~"),
        decided("c4", lifted_by="session:npm"),
        decided("c5", Verdict.ASK, "npm install"),
    )
    scene.inspector.apply([opened(*events)])
    cells = [row.cells[1:] for row in scene.inspector.audit.model.rows]
    assert cells == [
        ("Read a.py", "allowed", "read", "mode", "ok · 128 lines · 4 ms"),
        ("Run npm test", "declined", "read", "person", "declined"),
        ("rm -rf ~", "refused", "read", "rule", ""),
        ("Read a.py", "allowed", "session:npm", "rule", ""),
        ("npm install", "asked", "read", "", ""),
    ]


@pytest.mark.parametrize("width", [300, 360, 900])
def test_the_audit_columns_share_the_width_and_nothing_is_out_of_reach(scene, qtbot, width):
    scene.inspector.apply([opened(decided("c1", Verdict.DENY), decided("c2"))])
    scene.inspector.show_tab("Audit")
    scene.inspector.resize(width, 600)
    table, audit = scene.get("audit_table"), scene.inspector.audit
    assert table.isVisible()
    qtbot.waitUntil(lambda: table.width() >= width - SPACE_2)
    assert table.horizontalHeader().length() == table.viewport().width()
    shown = [name for at, name in enumerate(COLUMNS) if not table.isColumnHidden(at)]
    assert shown == (list(COLUMNS) if width > 600 else ["Time", "What", "Decision"])
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance("14:02") + SPACE_2
    assert "by rule" in audit.model.tooltip(audit.model.index(0, 1))


def test_the_audit_filter_takes_any_text(scene):
    scene.inspector.apply([opened(decided(), decided("c3", Verdict.DENY, "rm -rf ~"))])
    scene.inspector.show_tab("Audit")
    table = scene.get("audit_table")
    QTest.keyClicks(scene.get("audit_filter"), "refused")
    assert table.model().rowCount() == 1
    QTest.keyClicks(scene.get("audit_filter"), " nothing")
    assert "Nothing matches “refused nothing”." in scene.words()


def test_an_empty_audit_says_so(scene):
    scene.inspector.show_tab("Audit")
    assert "No decisions yet." in scene.words()


def test_another_chat_shows_nothing_of_the_first(scene):
    scene.loaded(changed())
    scene.inspector.apply([opened(decided(), TodosChanged(todos=(Todo(id="1", content="Fix"),)))])
    scene.inspector.show_session("ses_other")
    assert scene.tab_texts() == ["Changes", "Todos", "Audit", "Timeline"]
    assert scene.inspector.audit.model.rows == ()


def test_the_tab_is_kept_per_chat(scene):
    scene.inspector.show_tab("Audit")
    scene.inspector.show_session("ses_other")
    scene.inspector.show_tab("Todos")
    scene.inspector.show_session(SESSION)
    assert scene.inspector.tab == "Audit"


def test_markup_and_hidden_characters_are_shown_as_they_are(scene):
    scene.loaded(changed("<b>a</b>\u202e.py"))
    assert scene.get("changes_files").model().index(0, 0).data() == "<b>a</b>⟦U+202E⟧.py"


def test_the_names_that_must_exist_exist_and_every_control_and_row_has_an_accessible_name(scene):
    scene.loaded(changed())
    scene.inspector.apply([opened(decided(), TodosChanged(todos=(Todo(id="1", content="Fix"),)))])
    for name in ("inspector_tabs", "changes_files", "changes_diff", "changes_show_large", "todos_list", "audit_table"):
        assert scene.get(name)
    assert scene.get("audit_filter")
    for control in scene.inspector.findChildren(QWidget):
        if isinstance(control, QAbstractButton | QLineEdit | QAbstractItemView) and control.isVisible():
            assert QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name), control
    files = scene.get("changes_files").model()
    assert (
        files.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "auth/middleware.py, modified, 2 added, 1 removed"
    )
