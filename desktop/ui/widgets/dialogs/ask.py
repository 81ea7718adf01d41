"""AskDialog: a question with a safe button that has the focus and one that goes on. It opens without a nested loop."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.records import dataclass
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH = 440


@dataclass(frozen=True)
class Question:
    """Texts and object names. `name`: the dialog's; `stay` and `go`: label and object name of the two buttons."""

    name: str
    title: str
    text: str
    stay: tuple[str, str]
    go: tuple[str, str]
    dangerous: bool = True


class AskDialog(Dialog):
    """Emits `agreed` when a person chose to go on; every other way out emits only `rejected`. Deletes itself.

    What is added to `details` stands between the text and the buttons.
    """

    agreed = Signal()

    def __init__(self, question: Question, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(question.name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(question.title)
        self.setModal(True)
        title = _plain(question.title, "title", self)
        text = _plain(question.text, "muted", self)
        text.setMinimumWidth(theme().px(_WIDTH))
        self.text = text
        self.stay = push_button(*question.stay, self)
        self.go = push_button(*question.go, self)
        if question.dangerous:
            self.go.setProperty("kind", "danger")
        self.stay.clicked.connect(self.reject)
        self.go.clicked.connect(self._on_go)
        self.details = QVBoxLayout()
        set_gaps(self.details, spacing=SPACE_2)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self.stay)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(text)
        layout.addLayout(self.details)
        layout.addSpacing(SPACE_3)
        layout.addLayout(buttons)
        self.stay.setFocus()

    def event(self, event: QEvent) -> bool:
        """Grow when what it says has become longer; nothing inside may lie over something else."""
        if event.type() != QEvent.Type.LayoutRequest:
            return super().event(event)
        taken = super().event(event)
        layout = self.layout()
        if layout is not None and self.height() < layout.totalHeightForWidth(self.width()):
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
        return taken

    def _on_go(self) -> None:
        self.agreed.emit()
        self.accept()


def ask_first(question: Question, parent: QWidget, go: Callable[[], object]) -> None:
    """Ask before something is done; `go` is called when the person agrees."""
    dialog = AskDialog(question, parent)
    dialog.agreed.connect(go)
    dialog.open()


def _plain(text: str, kind: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("kind", kind)
    return label
