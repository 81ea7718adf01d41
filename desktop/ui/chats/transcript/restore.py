"""RestoreDialog: which files would be put back to a checkpoint; and the one that brings back what a rewind left."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.domain.chats.updates import CheckpointsCompared
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.text.format import count
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.file_list import FileList

NOTHING = tr("The files are as they were then. There is nothing to put back.")
_KEPT = tr("A checkpoint of the files as they are now is taken first, so this can be undone. Commits and branch stay.")


class RestoreDialog(AskDialog):
    """Emits `agreed`. A comparison of the checkpoint with the files now says what would change."""

    def __init__(self, compared: CheckpointsCompared, parent: QWidget) -> None:
        files = tuple(file.model_copy(update=_turned(file.status)) for file in compared.files)
        problem = display_text(said(compared.problem))
        title = tr("Put {files} back?", files=count(len(files), "file")) if files else tr("Put files back?")
        question = Question(
            "restore_dialog",
            title,
            problem or (_KEPT if files else NOTHING),
            (tr("Cancel"), "restore_cancel"),
            (tr("Put back"), "restore_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        set_off(self.go, problem or ("" if files else NOTHING))
        if files:
            swapped = [file.model_copy(update={"added": file.removed, "removed": file.added}) for file in files]
            self.details.addWidget(FileList("restore_file_list", swapped, (), self))


class BringBackDialog(AskDialog):
    """`back_asked`: whether the files that a rewind put back come back too."""

    back_asked = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        text = tr(
            "The rewind put files back too. What was said since leaves the conversation and stays in the history."
        )
        question = Question(
            "bring_back_dialog",
            tr("Bring the messages back?"),
            text,
            (tr("Cancel"), "bring_back_cancel"),
            (tr("Bring back"), "bring_back_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.files = QCheckBox(tr("Also bring back the files as they were before the rewind"), self)
        self.files.setObjectName("bring_back_files")
        self.files.setChecked(True)
        self.details.addWidget(self.files)
        self.agreed.connect(lambda: self.back_asked.emit(self.files.isChecked()))


def _turned(status: str) -> dict[str, str]:
    """What was added since goes, what was deleted since appears."""
    return {"status": {"added": "deleted", "untracked": "deleted", "deleted": "added"}.get(status, status)}
