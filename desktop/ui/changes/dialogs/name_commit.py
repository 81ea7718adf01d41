"""CommitDialog: which commit a person wants to look at."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.language import tr
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class CommitDialog(AskDialog):
    """`named`: an id, a branch or a tag, as git takes it; never blank."""

    named = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        question = Question(
            "changes_commit_dialog",
            tr("Changes of a commit"),
            tr("An id, a branch or a tag. HEAD is the lane's last commit."),
            (tr("Cancel"), "changes_commit_cancel"),
            (tr("Show"), "changes_commit_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.name = QLineEdit("HEAD", self)
        self.name.setObjectName("changes_commit_name")
        self.name.setAccessibleName(tr("Commit"))
        self.name.returnPressed.connect(self.go.click)
        self.name.textChanged.connect(lambda text: set_off(self.go, "" if text.strip() else tr("Name a commit.")))
        self.details.addWidget(self.name)
        self.go.setProperty("kind", "primary")
        self.agreed.connect(lambda: self.named.emit(self.name.text().strip()))
        self.name.selectAll()
        self.name.setFocus()
