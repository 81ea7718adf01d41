"""LogDialog: what an MCP server said on its error stream and by messages of its own; no model reads it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.updates import McpLogLoaded
from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.log_view import LogView

_WIDTH, _HEIGHT = 780, 560
_NOTHING = tr("It has said nothing yet.")


class LogDialog(Dialog):
    """`again`: the newest lines are wanted. Deletes itself when closed."""

    again = Signal(str)

    def __init__(self, loaded: McpLogLoaded, parent: QWidget) -> None:
        super().__init__(parent)
        self.server_id = loaded.server_id
        self.setObjectName("mcp_log_dialog")
        self.setWindowTitle(tr("Log of an MCP server"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = plain_label(self, "title")
        title.setText(tr("Log of {server}", server=display_text(loaded.server_id)))
        words = plain_label(self, "muted")
        words.setText(tr("Text of the server. Nothing of it reaches an agent."))
        self._view = LogView("mcp_log", tr("What the server said"), self)
        anew = push_button(tr("Read again"), "mcp_log_again", self, lambda: self.again.emit(self.server_id))
        close = push_button(tr("Close"), "mcp_log_close", self, self.reject)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(anew)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(words)
        layout.addWidget(self._view, 1)
        layout.addLayout(buttons)
        room = self.screen().availableSize()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))
        self.show_log(loaded)
        close.setFocus()

    def show_log(self, loaded: McpLogLoaded) -> None:
        """Show these lines; the end stays in view."""
        self._view.set_log("\n".join(loaded.lines) or _NOTHING)
