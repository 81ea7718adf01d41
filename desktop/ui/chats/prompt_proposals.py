"""Proposals: what a server proposes for the argument of a prompt that a person writes (guests-M24)."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import CompleteMcpArgument
from desktop.domain.mcp.updates import McpArgumentCompleted
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT
from desktop.ui.widgets.pick_list import PickItem, PickList

_ASK_AFTER_MS = 150
_MOST = 4


class Proposals(QObject):
    """A list below the fields, hidden while there is nothing in it. Up and Down choose, Tab takes, Escape hides it."""

    def __init__(self, server_id: str, prompt: str, requests: Requests, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._server_id, self._prompt, self._requests = server_id, prompt, requests
        self._fields: Mapping[str, QLineEdit] = {}
        self._name = ""
        self._asked = Request()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_ASK_AFTER_MS)
        self._soon.timeout.connect(self._ask)
        self.list = PickList("mcp_prompt_proposals", dialog)
        self.list.setAccessibleName(tr("Proposed by the server"))
        self.list.clicked.connect(self._on_clicked)
        self.list.hide()

    def watch(self, fields: Mapping[str, QLineEdit]) -> None:
        """These are the fields, by the names of their arguments."""
        self._fields = fields
        for edit in fields.values():
            edit.textEdited.connect(self._on_edited)
            edit.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the list, and the field that is being written."""
        if event.type() == QEvent.Type.FocusIn:
            self._name = next((name for name, edit in self._fields.items() if edit is watched), "")
            self.list.hide()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.list.isVisible():
            return self._on_key(event.key())
        return super().eventFilter(watched, event)

    def _on_key(self, key: int) -> bool:
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.list.step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Tab:
            self._on_clicked(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.list.hide()
        else:
            return False
        return True

    def _on_edited(self) -> None:
        self.list.hide()
        self._asked.drop()
        self._soon.start()

    def _ask(self) -> None:
        edit = self._fields.get(self._name)
        if edit is None:
            return
        others = ((name, one.text().strip()) for name, one in self._fields.items() if name != self._name)
        command = CompleteMcpArgument(
            server_id=self._server_id,
            kind="prompt",
            name=self._prompt,
            argument=self._name,
            value=edit.text(),
            given=tuple(one for one in others if one[1]),
        )
        self._asked = self._requests.ask(command, self, answer(McpArgumentCompleted, self._on_come), failed=_unheard)

    def _on_come(self, completed: McpArgumentCompleted) -> None:
        written = self._fields[self._name].text()
        values = [value for value in completed.values if value != written]
        self.list.show_items([PickItem(value, display_text(value), icon="chevron-right") for value in values])
        self.list.setFixedHeight(theme().px(CONTROL_HEIGHT) * min(_MOST, max(1, len(values))) + 2)
        self.list.setVisible(bool(values))

    def _on_clicked(self, index: QModelIndex) -> None:
        self._fields[self._name].setText(self.list.key_at(index))
        self.list.hide()


def _unheard(failed: CommandFailed) -> None:
    """A server that proposes nothing is no news."""
