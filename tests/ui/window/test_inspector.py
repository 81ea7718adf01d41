"""The inspector: changes, todos and audit of the shown chat."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QWidget

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.work import Todo
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    TodosChanged,
    ToolCallDecided,
    ToolCallFinished,
)
from desktop.domain.gate.pending import Answer
from desktop.domain.updates import SessionOpened
from desktop.ui.audit.model import COLUMNS
from desktop.ui.audit.panel import AuditPanel
from desktop.ui.context.todos import TodosPanel
from desktop.ui.core.requests import Requests
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.window.build import PANELS
from desktop.ui.window.inspector import Inspector
from tests.ui.card_scenes import NOW, SESSION, Sink, approval, envelope


class Scene:
    def __init__(self, now=NOW):
        self.sink = Sink()
        self.now = now
        self.requests = Requests(self.sink)
        self.inspector = Inspector(PANELS, self.requests, lambda: self.now)
        self.inspector.resize(360, 700)

    def get(self, name):
        found = self.inspector.findChild(QWidget, name)
        assert found is not None, f"no {name}"
        return found

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
    scene.requests.deliver([SessionOpened(session_id=SESSION, envelopes=())], scene.inspector.hearing)
    return scene


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
    assert scene.tab_texts() == ["Changes", "PR", "Proofs", "Todos", "Audit", "Timeline", "Ledger", "Memory"]


def test_todos_are_grouped_and_counted(scene):
    todos = (
        Todo(id="1", content="Read", status="completed"),
        Todo(id="2", content="Fix", status="in_progress"),
        Todo(id="3", content="Test"),
        Todo(id="4", content="  "),
    )
    scene.requests.deliver([opened(TodosChanged(todos=todos))], scene.inspector.hearing)
    scene.inspector.show_tab("Todos")
    rows = [row.text for row in scene.inspector.of(TodosPanel).model.rows]
    assert rows == ["In progress", "Fix", "To do", "Test", "Done", "Read"]
    assert scene.get("todos_count").text() == "1 of 3"
    scene.requests.deliver([envelope(9, TodosChanged(todos=()))], scene.inspector.hearing)
    assert "Nothing planned." in scene.words()


def test_older_todos_that_arrive_later_do_not_win(scene):
    new, old = (TodosChanged(todos=(Todo(id="1", content=word),)) for word in ("new", "old"))
    scene.requests.deliver(
        [SessionOpened(session_id=SESSION, envelopes=(envelope(9, new),), complete=False)], scene.inspector.hearing
    )
    scene.requests.deliver(
        [SessionOpened(session_id=SESSION, envelopes=(envelope(1, old),), first=False)], scene.inspector.hearing
    )
    assert [row.text for row in scene.inspector.of(TodosPanel).model.rows] == ["To do", "new"]


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
    scene.requests.deliver([opened(*events)], scene.inspector.hearing)
    cells = [row.cells[1:] for row in scene.inspector.of(AuditPanel).model.rows]
    assert cells == [
        ("Read a.py", "allowed", "read", "mode", "ok · 128 lines · 4 ms"),
        ("Run npm test", "declined", "read", "person", "declined"),
        ("rm -rf ~", "refused", "read", "rule", ""),
        ("Read a.py", "allowed", "session:npm", "rule", ""),
        ("npm install", "asked", "read", "", ""),
    ]


@pytest.mark.parametrize("width", [300, 360, 900])
def test_the_audit_columns_share_the_width_and_nothing_is_out_of_reach(scene, qtbot, width):
    scene.requests.deliver([opened(decided("c1", Verdict.DENY), decided("c2"))], scene.inspector.hearing)
    scene.inspector.show_tab("Audit")
    scene.inspector.resize(width, 600)
    table, audit = scene.get("audit_table"), scene.inspector.of(AuditPanel)
    assert table.isVisible()
    qtbot.waitUntil(lambda: table.width() >= width - SPACE_2)
    assert table.horizontalHeader().length() == table.viewport().width()
    shown = [name for at, name in enumerate(COLUMNS) if not table.isColumnHidden(at)]
    assert shown == (list(COLUMNS) if width > 600 else ["Time", "What", "Decision"])
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance("14:02") + SPACE_2
    assert "by rule" in audit.model.tooltip(audit.model.index(0, 1))


def test_the_audit_filter_takes_any_text(scene):
    scene.requests.deliver([opened(decided(), decided("c3", Verdict.DENY, "rm -rf ~"))], scene.inspector.hearing)
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
    scene.requests.deliver(
        [opened(decided(), TodosChanged(todos=(Todo(id="1", content="Fix"),)))], scene.inspector.hearing
    )
    scene.inspector.show_session("ses_other")
    assert scene.tab_texts() == ["Changes", "PR", "Proofs", "Todos", "Audit", "Timeline", "Ledger", "Memory"]
    assert scene.inspector.of(AuditPanel).model.rows == ()


def test_the_tab_is_kept_per_chat(scene):
    scene.inspector.show_tab("Audit")
    scene.inspector.show_session("ses_other")
    scene.inspector.show_tab("Todos")
    scene.inspector.show_session(SESSION)
    assert scene.inspector.tab == "Audit"


def test_the_names_that_must_exist_exist_and_every_control_and_row_has_an_accessible_name(scene):
    scene.requests.deliver(
        [opened(decided(), TodosChanged(todos=(Todo(id="1", content="Fix"),)))], scene.inspector.hearing
    )
    for name in ("inspector_tabs", "changes_tree", "changes_diff", "todos_list", "audit_table"):
        assert scene.get(name)
    assert scene.get("audit_filter")
    for control in scene.inspector.findChildren(QWidget):
        if isinstance(control, QAbstractButton | QLineEdit | QAbstractItemView) and control.isVisible():
            assert QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name), control
