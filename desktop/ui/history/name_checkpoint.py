"""NameDialog: a name for a checkpoint that a person takes."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.language import tr
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

_MOST = 80


class NameDialog(AskDialog):
    """`named`: the name, blank for none."""

    named = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        question = Question(
            "checkpoint_dialog",
            tr("New checkpoint"),
            tr("The files of the lane as they are now. One with a name is kept."),
            (tr("Cancel"), "checkpoint_cancel"),
            (tr("Take checkpoint"), "checkpoint_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.name = QLineEdit(self)
        self.name.setObjectName("checkpoint_name")
        self.name.setAccessibleName(tr("Name of the checkpoint"))
        self.name.setPlaceholderText(tr("Name"))
        self.name.setMaxLength(_MOST)
        self.name.returnPressed.connect(self.go.click)
        self.details.addWidget(self.name)
        self.go.setProperty("kind", "primary")
        self.agreed.connect(lambda: self.named.emit(self.name.text().strip()))
        self.name.setFocus()
