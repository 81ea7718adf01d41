"""The menu of a transcript row: only what applies to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from desktop.ui.models.transcript_rows import Row, plain_text
from desktop.ui.views.transcript_selection import row_text

if TYPE_CHECKING:
    from desktop.ui.views.transcript_view import TranscriptView


def entries(view: "TranscriptView", row: Row) -> list[tuple[str, str, Callable[[], None]]]:
    """(action id, title, what it does) of the entries that apply to a row, in order."""

    def emit(action: str) -> Callable[[], None]:
        return lambda: view.row_action.emit(row.key, action)

    found: list[tuple[str, str, Callable[[], None]]] = [
        ("copy", "Copy", view.copy if view.selection.has_text else lambda: view.copy_text(row_text(row)))
    ]
    if row.kind in ("assistant", "plan"):
        found.append(("copy_markdown", "Copy as Markdown", lambda: view.copy_text(plain_text(row))))
    hits = view.layouts.layout_of(view.model.index_of(row.key)).hits
    code = next((hit for hit in hits if hit.name == "code_copy"), None)
    if code is not None:
        found.append(("copy_code", "Copy code block", lambda: view.copy_text(code.argument)))
    table = next((hit for hit in hits if hit.name.startswith("code_copy_csv")), None)
    if table is not None:
        found.append(("copy_csv", "Copy as CSV", lambda: view.copy_text(table.argument)))
        found.append(("export_csv", "Export as CSV…", lambda: view.export_asked.emit(table.argument)))
    found.append(("select_all", "Select all in chat", view.select_all))
    if row.kind in ("calls", "resolved"):
        found.append(("show_audit", "Show in Audit", emit("show_audit")))
    if any(call.touched for call in row.calls):
        found.append(("show_changes", "Show in Changes", emit("show_changes")))
    if row.turn_id:
        found.append(("expand_turn", "Expand all in this turn", lambda: view.expand_turn(row.turn_id, True)))
        found.append(("collapse_turn", "Collapse all in this turn", lambda: view.expand_turn(row.turn_id, False)))
    return found


def open_menu(view: "TranscriptView", row: Row, at: QPoint) -> QMenu:
    """Show the row's menu at a screen position; it goes when it is closed."""
    menu = QMenu(view)
    menu.setObjectName("transcript_menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for name, title, act in entries(view, row):
        action = menu.addAction(title)
        action.setObjectName(f"action_{name}")
        action.triggered.connect(lambda _checked=False, act=act: act())
    menu.popup(at)
    return menu
