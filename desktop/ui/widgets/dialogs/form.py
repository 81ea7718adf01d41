"""LaneForm: a dialog with fields, a sentence about what is wrong, and a button that works until the engine answers."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH = 480


class LaneForm(Dialog):
    """`name` is the dialog's object name; its buttons are `<name>_cancel` and `go_name`. `submitted`: the person wants
    it done. Fields stand in `fields`, in the order in which they are added."""

    submitted = Signal()

    def __init__(self, name: str, title: str, go: tuple[str, str], parent: QWidget) -> None:
        """`go`: the label and the object name of the button that does it."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setModal(True)
        self._go_words = go[0]
        self._working = False
        heading = plain_label(self, "title")
        heading.setText(title)
        heading.setMinimumWidth(theme().px(_WIDTH))
        self.fields = QVBoxLayout()
        set_gaps(self.fields, spacing=SPACE_3)
        self._error = plain_label(self, name="lane_error", role="danger")
        self.cancel = push_button(tr("Cancel"), f"{name}_cancel", self)
        self.go = push_button(go[0], go[1], self)
        self.go.setProperty("kind", "primary")
        self.go.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self.submitted)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(heading)
        layout.addLayout(self.fields)
        layout.addStretch(1)
        layout.addWidget(self._error)
        layout.addLayout(buttons)
        say(self._error, "")

    def add_field(self, label: str, *widgets: QWidget) -> QWidget:
        """Add a label; gives the field for what belongs below it, to be shown or hidden as a whole."""
        field = QWidget(self)
        rows = QVBoxLayout(field)
        set_gaps(rows, (0, 0, 0, 0), SPACE_1)
        if label:
            title = plain_label(field, "caption", wrap=False)
            title.setText(label)
            rows.addWidget(title)
        for widget in widgets:
            rows.addWidget(widget)
        self.fields.addWidget(field)
        return field

    def words(self, name: str, kind: str = "muted", role: str = "") -> QLabel:
        """An empty, hidden sentence to be put under a field."""
        label = plain_label(self, kind, name, role=role)
        say(label, "")
        return label

    def fail(self, text: str) -> None:
        """Say what is wrong, "" for nothing; the person can try again. The text may hold any characters."""
        self.set_working(False)
        say(self._error, display_text(text))
        self.fit()

    @property
    def working(self) -> bool:
        """The engine was asked and has not answered."""
        return self._working

    def set_working(self, working: bool, words: str = "") -> None:
        """Wait for the engine, or for the person again. `words`: what the button says meanwhile."""
        self._working = working
        self.go.setText(words if working else self._go_words)
        if working:
            say(self._error, "")

    def set_go(self, words: str, *, enabled: bool, why: str = "") -> None:
        """Set what the button says, whether it can be pressed, and why not."""
        self._go_words = words
        if not self._working:
            self.go.setText(words)
        set_off(self.go, UNDER_WAY if self._working else "" if enabled else why or UNDER_WAY)

    def fit(self) -> None:
        """Make the dialog as high as what it shows needs."""
        layout = self.layout()
        if self.isVisible() and layout is not None:
            layout.activate()
            self.adjustSize()
