"""IgnoreDialog: why an item is not to be fixed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.domain.rounds.inventory import REASON_CHARS
from desktop.language import tr
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class IgnoreDialog(AskDialog):
    """`given`: the reason, never blank."""

    given = Signal(str)

    def __init__(self, what: str, parent: QWidget) -> None:
        """`what`: how many, in words."""
        question = Question(
            "issue_ignore_dialog",
            tr("Ignore {what}?", what=what),
            tr(
                "It stays away, whatever its check does, until somebody writes in its thread again. You can restore it."
            ),
            (tr("Cancel"), "issue_ignore_cancel"),
            (tr("Ignore"), "issue_ignore_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.reason = QLineEdit(self)
        self.reason.setObjectName("issue_ignore_reason")
        self.reason.setAccessibleName(tr("Reason"))
        self.reason.setPlaceholderText(tr("Why is it not to be fixed?"))
        self.reason.setMaxLength(REASON_CHARS)
        self.reason.returnPressed.connect(self.go.click)
        self.reason.textChanged.connect(self._refresh)
        self.details.addWidget(self.reason)
        self.go.setProperty("kind", "primary")
        self.agreed.connect(lambda: self.given.emit(self.reason.text().strip()))
        self._refresh()
        self.reason.setFocus()

    def _refresh(self) -> None:
        set_off(self.go, "" if self.reason.text().strip() else tr("Write the reason."))
