"""The menu of a transcript row: only what applies to it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QPoint, Qt, SignalInstance
from PySide6.QtWidgets import QMenu, QWidget

from desktop.language import tr
from desktop.ui.chats.folds.model import TranscriptModel
from desktop.ui.chats.folds.rows import Call, Row, plain_text
from desktop.ui.chats.transcript.painting.child import OPEN_CHILD
from desktop.ui.chats.transcript.painting.row_layouts import RowLayouts
from desktop.ui.chats.transcript.selection import TranscriptSelection, row_text

_SPOKEN = ("user", "agent_message", "assistant")
_NO_PLACE = frozenset({"date", "rewound", "retry"})
Entry = tuple[str, str, Callable[[], None]]


class MenuView(Protocol):
    """What the menu needs of the transcript: where its rows are, what is selected, and what can be done with them."""

    model: TranscriptModel
    layouts: RowLayouts
    selection: TranscriptSelection
    row_action: SignalInstance
    export_asked: SignalInstance

    def copy(self) -> None:
        """Put what is selected on the clipboard."""

    def copy_text(self, text: str) -> None:
        """Put a text on the clipboard."""

    def select_all(self) -> None:
        """Select the whole chat."""

    def expand_turn(self, turn_id: str, opened: bool) -> None:
        """Open or close all rows of a turn."""


def entries(view: MenuView, row: Row, call_id: str = "") -> list[Entry]:
    """(action id, title, what it does) of the entries that apply to a row, in order; `call_id`: the call pointed at."""

    def emit(action: str) -> Callable[[], None]:
        return lambda: view.row_action.emit(row.key, action)

    found: list[Entry] = [
        ("copy", tr("Copy"), view.copy if view.selection.has_text else lambda: view.copy_text(row_text(row)))
    ]
    if row.kind in ("assistant", "plan"):
        found.append(("copy_markdown", tr("Copy as Markdown"), lambda: view.copy_text(plain_text(row))))
    hits = view.layouts.layout_of(view.model.index_of(row.key)).hits
    code = next((hit for hit in hits if hit.name == "code_copy"), None)
    if code is not None:
        found.append(("copy_code", tr("Copy code block"), lambda: view.copy_text(code.argument)))
    table = next((hit for hit in hits if hit.name.startswith("code_copy_csv")), None)
    if table is not None:
        found.append(("copy_csv", tr("Copy as CSV"), lambda: view.copy_text(table.argument)))
        found.append(("export_csv", tr("Export as CSV…"), lambda: view.export_asked.emit(table.argument)))
    found.append(("select_all", tr("Select all in chat"), view.select_all))
    found += [(name.partition(":")[0], title, emit(name)) for name, title in _of_history(row, call_id)]
    call = _pointed(row, call_id)
    if call is not None and call.child_id:
        found.append(("open_child", tr("Open sub-agent"), emit(f"{OPEN_CHILD}{call.child_id}")))
    if row.kind in ("calls", "resolved"):
        found.append(("show_audit", tr("Show in Audit"), emit("show_audit")))
    if any(call.touched for call in row.calls):
        found.append(("show_changes", tr("Show in Changes"), emit("show_changes")))
    if row.turn_id:
        found.append(("expand_turn", tr("Expand all in this turn"), lambda: view.expand_turn(row.turn_id, True)))
        found.append(("collapse_turn", tr("Collapse all in this turn"), lambda: view.expand_turn(row.turn_id, False)))
    return found


def _of_history(row: Row, call_id: str) -> list[tuple[str, str]]:
    """Where the conversation can go on from, and what it consists of: (action, title)."""
    found: list[tuple[str, str]] = []
    if row.live or row.running or row.kind in _NO_PLACE or not row.last_id:
        return found
    found.append(("fork", tr("Fork from here")))
    if row.left:
        return found
    if row.before_id:
        found.append(("rewind", tr("Rewind to before this message…") if row.kind == "user" else tr("Rewind to here…")))
    if row.kind == "user" and row.before_id:
        found.append(("edit", tr("Edit and resend…")))
    if row.kind in _SPOKEN and row.event_id:
        found.append(("put_back", tr("Put back in context")) if row.muted else ("remove", tr("Remove from context")))
    call = _pointed(row, call_id)
    if call is not None and call.result_id:
        title = tr("Put result back in context") if call.removed else tr("Remove result from context")
        found.append((f"{'put_back' if call.removed else 'remove'}:{call.result_id}", title))
    return found


def _pointed(row: Row, call_id: str) -> Call | None:
    """The call that the pointer is over, or the only one."""
    if len(row.calls) == 1:
        return row.calls[0]
    return next((call for call in row.calls if call.call_id == call_id), None)


def open_menu(shown: Sequence[Entry], at: QPoint, parent: QWidget) -> QMenu:
    """Show a row's menu with these entries at a screen position; it goes when it is closed."""
    menu = QMenu(parent)
    menu.setObjectName("transcript_menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for name, title, act in shown:
        action = menu.addAction(title)
        action.setObjectName(f"action_{name}")
        action.triggered.connect(lambda _checked=False, act=act: act())
    menu.popup(at)
    return menu
