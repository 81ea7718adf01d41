"""ToolsView: the tools of an MCP server all that it says of the chosen one, boxes to tick some."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.display.surfaces import surface_runs
from desktop.domain.mcp.updates import McpServerRow, McpToolRow
from desktop.language import tr
from desktop.ui.gate.cards.evidence.evidence import paint_bands
from desktop.ui.settings.mcp.words import acceptable, pretty, tool_line, tool_text
from desktop.ui.text.safe_text import write_runs
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_ROWS, _LINES = 7, 12
_ICONS = {
    "on": "check",
    "new": "plus",
    "changed": "file-diff",
    "gone": "minus",
    "never": "minus",
    "kept_off": "minus",
}
_NAME_IT = tr("Its name cannot be used. Call it, for example, read_notes")
_SERVER = tr("The server itself: what is started")
_SERVER_CHANGED = tr("The server itself: what changed in what is started")


class ToolsView(QWidget):
    """What changed stands before the rest. A tool that changed shows the difference from what was accepted;
    one whose name keeps it off can be given another, of which `named_one` tells."""

    named_one = Signal()

    def __init__(self, row: McpServerRow, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = row
        self.setObjectName("mcp_tools_view")
        shown = {"changed": 0, "new": 1}
        self._tools = sorted(row.tools, key=lambda tool: shown.get(tool.state, 2))
        self.list = self._make_list()
        self.text = self._make_text()
        self._names: dict[str, str] = {}
        self._name = QLineEdit(self)
        self._name.setObjectName("mcp_tool_name")
        self._name.setPlaceholderText(_NAME_IT)
        self._name.setAccessibleName(_NAME_IT)
        self._name.textEdited.connect(self._on_named)
        self._name.hide()
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addWidget(self.list)
        column.addWidget(self._name)
        column.addWidget(self.text, 1)
        self._fill()
        theme().changed.connect(self._show_again)

    def let_choose(self) -> None:
        """Boxes before the tools that a yes would put in force, all empty."""
        able = acceptable(self._row)
        first = self.list.count() - len(self._tools)
        for at, tool in enumerate(self._tools):
            if tool in able:
                item = self.list.item(first + at)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked)
        self.list.setFocus()

    def named(self) -> tuple[tuple[McpToolRow, str], ...]:
        """The tools that a person gave a name, with it."""
        found = ((tool, self._names.get(tool.sha256, "").strip()) for tool in self._tools)
        return tuple((tool, name) for tool, name in found if name)

    def ticked(self) -> tuple[tuple[str, str], ...]:
        """The ticked tools: name and the digest of what is shown."""
        first = self.list.count() - len(self._tools)
        return tuple(
            (tool.tool.name, tool.sha256)
            for at, tool in enumerate(self._tools)
            if self.list.item(first + at).checkState() is Qt.CheckState.Checked
        )

    def _fill(self) -> None:
        if self._row.difference or self._row.basis is not None:
            QListWidgetItem(_SERVER_CHANGED if self._row.difference else _SERVER, self.list)
        for tool in self._tools:
            QListWidgetItem(tool_line(tool), self.list)
        self._draw_icons()
        self.list.fit(_ROWS)
        self.list.setCurrentRow(0 if self._row.difference or not self._tools else self.list.count() - len(self._tools))

    def _show(self, at: int) -> None:
        place = at - (self.list.count() - len(self._tools))
        tool = self._tools[place] if place >= 0 else None
        self._name.setVisible(tool is not None and tool.nameless)
        self._name.setText(self._names.get(tool.sha256, "") if tool is not None else "")
        if place >= 0:
            self._show_tool(self._tools[place])
        elif at >= 0:
            self._write(_headed(self._row.difference) or pretty(self._row.basis or {}), diff=bool(self._row.difference))

    def _show_again(self) -> None:
        """In the colours of now: what is shown is consented to, so it can be read in every theme."""
        self._draw_icons()
        self._show(self.list.currentRow())

    def _draw_icons(self) -> None:
        names = [_ICONS.get(tool.state, "circle-x") for tool in self._tools]
        if len(names) < self.list.count():
            names.insert(0, "file-diff" if self._row.difference else "server")
        for at, name in enumerate(names):
            self.list.item(at).setIcon(icon(name))

    def _on_named(self, text: str) -> None:
        place = self.list.currentRow() - (self.list.count() - len(self._tools))
        if place >= 0:
            self._names[self._tools[place].sha256] = text
            self.named_one.emit()

    def _show_tool(self, tool: McpToolRow) -> None:
        diff = bool(tool.difference)
        self._write(_headed(tool.difference) if diff else tool_text(tool), diff=diff)

    def _write(self, text: str, *, diff: bool) -> None:
        self.text.clear()
        cursor = QTextCursor(self.text.document())
        write_runs(cursor, surface_runs(text, "diff" if diff else "mcp_tool_description"), QTextCharFormat())
        if diff:
            paint_bands(self.text)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _make_list(self) -> BoxList:
        tools = BoxList("mcp_tools", tr("Tools of the server"), self)
        tools.currentRowChanged.connect(self._show)
        return tools

    def _make_text(self) -> TextBox:
        text = TextBox("mcp_tool_text", tr("All that the server says of it"), self)
        text.setMinimumHeight(_LINES * text.fontMetrics().lineSpacing())
        return text


def _headed(difference: str) -> str:
    """A difference whose first two lines say in the language of the window what its sides are."""
    old, new = tr("accepted", context="side of a difference"), tr("now", context="side of a difference")
    return difference.replace("--- accepted\n+++ now\n", f"--- {old}\n+++ {new}\n", 1)
