"""WindowsDialog: which of the windows on screen a person wants a picture of."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidgetItem, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.proofs.updates import ProgramWindow
from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.elided_label import plain_tooltip

_WIDTH, _HEIGHT = 460, 260
_TEXT = tr("The topmost is listed first. You see the picture before it is kept.")


class WindowsDialog(AskDialog):
    """`picked`: the number of the chosen window. `lane_id`: whose windows are marked as this lane's."""

    picked = Signal(int)

    def __init__(self, windows: Sequence[ProgramWindow], lane_id: str, parent: QWidget) -> None:
        question = Question(
            "proof_windows_dialog",
            tr("Capture a window"),
            _TEXT,
            (tr("Cancel"), "proof_windows_cancel"),
            (tr("Capture"), "proof_windows_take"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.list = BoxList("proof_windows_list", tr("Windows on screen"), self)
        self.list.setMinimumSize(theme().px(_WIDTH), theme().px(_HEIGHT))
        for window in windows:
            item = QListWidgetItem(_words(window, lane_id), self.list)
            item.setToolTip(plain_tooltip(item.text()))
            item.setSizeHint(QSize(0, theme().px(CONTROL_HEIGHT)))
            item.setData(Qt.ItemDataRole.UserRole, window.window_id)
        mine = next((row for row, window in enumerate(windows) if window.lane_id == lane_id), 0)
        self.list.setCurrentRow(mine)
        self.list.itemActivated.connect(lambda _item: self.go.click())
        self.go.setProperty("kind", "primary")
        self.go.setDefault(True)
        self.details.addWidget(self.list)
        self.agreed.connect(self._on_agreed)
        self.list.setFocus()

    def _on_agreed(self) -> None:
        chosen = self.list.currentItem()
        if chosen is not None:
            self.picked.emit(int(chosen.data(Qt.ItemDataRole.UserRole)))


def _words(window: ProgramWindow, lane_id: str) -> str:
    """Its title, its program, its size, and whether it is this lane's."""
    mine = tr("this lane") if window.lane_id == lane_id else ""
    parts = (window.title or tr("No title"), window.program, f"{window.width}×{window.height}", mine)
    return "  ·  ".join(display_text(part) for part in parts if part)
