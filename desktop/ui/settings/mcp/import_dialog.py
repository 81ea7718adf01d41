"""ImportDialog: MCP servers that other programs of the person would start, to be ticked and taken over."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.updates import McpImportsFound
from desktop.language import tr
from desktop.ui.settings.mcp.words import fault_line, import_lines
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 720, 560
_TEXT = tr(
    "These are read from the settings of other programs, which stay as they are. What you tick becomes a server of "
    "your own here; it starts only when it is used, and its tools wait until you have looked at them."
)
_TICK = tr("Tick the servers that you want.")
_NONE = tr("No MCP server was found in the settings of other programs.")


class ImportDialog(Dialog):
    """`chosen` carries the keys of the ticked rows. Deletes itself when closed."""

    chosen = Signal(tuple)

    def __init__(self, found: McpImportsFound, parent: QWidget) -> None:
        super().__init__(parent)
        self._found = found
        self.setObjectName("mcp_import_dialog")
        self.setWindowTitle(tr("Import MCP servers"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = plain_label(self, "title")
        title.setText(tr("Import MCP servers"))
        words = plain_label(self, "muted", "mcp_import_words")
        words.setText(_TEXT if found.imports else _NONE)
        faults = FactList("mcp_import_faults", tr("Files that cannot be read"), ("triangle-alert", "warning"), self)
        faults.show_lines([fault_line(fault) for fault in found.faults])
        self.list = self._make_list()
        self._problem = plain_label(self, "strong", "mcp_import_problem", role="danger")
        say(self._problem, "")
        cancel = push_button(tr("Cancel"), "mcp_import_cancel", self, self.reject)
        self._go = push_button(tr("Import"), "mcp_import_go", self, self._on_go)
        self._go.setProperty("kind", "primary")
        set_off(self._go, _TICK)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._go)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (title, words, faults):
            layout.addWidget(widget)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._problem)
        layout.addLayout(buttons)
        room = self.screen().availableSize()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))
        self.list.setFocus()

    def show_problem(self, text: str) -> None:
        """Say why they were not imported; the person can try again."""
        say(self._problem, display_text(text))
        self._fit()

    def _fit(self) -> None:
        set_off(self._go, "" if self._keys() else _TICK)

    def _make_list(self) -> BoxList:
        found = BoxList("mcp_import_list", tr("Servers of other programs"), self)
        found.setWordWrap(True)
        found.setSpacing(theme().px(SPACE_2))
        for one in self._found.imports:
            item = QListWidgetItem(import_lines(one), found)
            if one.problem:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            else:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        found.setVisible(bool(self._found.imports))
        found.itemChanged.connect(lambda _item: self._fit())
        return found

    def _keys(self) -> tuple[str, ...]:
        return tuple(
            one.key
            for at, one in enumerate(self._found.imports)
            if self.list.item(at).checkState() is Qt.CheckState.Checked
        )

    def _on_go(self) -> None:
        set_off(self._go, UNDER_WAY)
        self.chosen.emit(self._keys())
