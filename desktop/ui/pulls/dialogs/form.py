"""PullForm: a wide dialog of the PR tab: a heading, contents that scroll, a sentence of what is wrong, two buttons."""

from PySide6.QtCore import QRegularExpression, QSize, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT, _AROUND = 600, 720, 40


class PullForm(Dialog):
    """`name` is the dialog's object name. Parts are added with `add` and `add_field`; `submitted`: go on."""

    submitted = Signal()

    def __init__(self, name: str, title: str, go: tuple[str, str], parent: QWidget, *, danger: bool = False) -> None:
        """`go`: label and object name of the button that does it."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setModal(True)
        self._go_words = go[0]
        self.working = False
        self.heading = plain_label(self, "title")
        self.heading.setText(title)
        self.state = plain_label(self, "muted", f"{name}_state")
        self.pages = BodyScroll(self)
        self.pages.setAccessibleName(title)
        set_gaps(self.pages.column, (0, 0, 0, 0), SPACE_3)
        self._problem = plain_label(self, name=f"{name}_problem", role="danger")
        self._reason = plain_label(self, "caption", f"{name}_why")
        self._reason.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.cancel = push_button(tr("Cancel"), f"{name}_cancel", self)
        self.go = push_button(go[0], go[1], self)
        self.set_danger(danger)
        self._buttons = QHBoxLayout()
        set_gaps(self._buttons, spacing=SPACE_2)
        self._buttons.addWidget(self._reason, 1)
        self._buttons.addStretch()
        self._buttons.addWidget(self.cancel)
        self._buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for part in (self.heading, self.state):
            layout.addWidget(part)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self._problem)
        layout.addLayout(self._buttons)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self.submitted)
        self.say("")
        self.fail("")
        say(self._reason, "")

    def sizeHint(self) -> QSize:
        """The size of the contents, within the window."""
        px, parent = theme().px, self.parentWidget()
        window = parent.window().size() if parent is not None else QSize(px(_WIDTH * 2), px(_HEIGHT))
        width = min(px(_WIDTH), window.width() - px(_AROUND))
        inner = self.pages.wanted_height(width - 2 * px(SPACE_5))
        rest = super().sizeHint().height() - self.pages.sizeHint().height()
        return QSize(width, min(inner + rest + px(SPACE_1), px(_HEIGHT), window.height() - px(_AROUND)))

    def add(self, widget: QWidget) -> None:
        """Add one more part to the column."""
        self.pages.column.addWidget(widget)

    def add_field(self, label: str, *widgets: QWidget) -> QWidget:
        """Add a label; gives the field for what belongs below it, to be shown or hidden as a whole."""
        field = QWidget(self)
        rows = QVBoxLayout(field)
        set_gaps(rows, (0, 0, 0, 0), SPACE_1)
        title = plain_label(field, "caption", wrap=False)
        title.setText(label)
        title.setVisible(bool(label))
        rows.addWidget(title)
        for widget in widgets:
            rows.addWidget(widget)
        self.add(field)
        return field

    def add_choice(self, widget: QWidget) -> None:
        """Something that stays in view, at the left of the buttons."""
        self._buttons.insertWidget(0, widget)

    def add_button(self, text: str, name: str) -> QPushButton:
        """A button at the left of the others."""
        button = push_button(text, name, self)
        self._buttons.insertWidget(0, button)
        return button

    def words(self, kind: str, name: str) -> QLabel:
        """A new label without text."""
        return plain_label(self, kind, name)

    def say(self, text: str) -> None:
        """Show what is going on, "" for nothing; the text must have passed display_text()."""
        say(self.state, text)

    def fail(self, text: str) -> None:
        """Show what is wrong, "" for nothing; everything else stays. The text may hold any characters."""
        say(self._problem, display_text(text, multiline=True))

    def set_working(self, working: bool, words: str = "") -> None:
        """Wait for the engine, or for the person again."""
        self.working = working
        self.go.setText(words if working else self._go_words)
        if working:
            self.fail("")

    def set_go(self, words: str, *, enabled: bool, why: str = "") -> None:
        """Set what the button says, whether it can be pressed, and why not."""
        self._go_words = words
        if not self.working:
            self.go.setText(words)
        set_off(self.go, UNDER_WAY if self.working else "" if enabled else why or UNDER_WAY)
        said_above = self.working or enabled or why == self.state.text()
        say(self._reason, "" if said_above else why)

    def set_danger(self, danger: bool) -> None:
        """Whether what the button does goes past a rule or cannot be taken back."""
        restyle(self.go, kind="danger" if danger else "primary", role="filled" if danger else "")

    def fit(self) -> None:
        """Make the dialog as high as what it shows needs; it does not get narrower or lower."""
        layout = self.layout()
        if self.isVisible() and layout is not None:
            layout.activate()
            self.resize(self.size().expandedTo(self.sizeHint()))
            parent = self.parentWidget()
            if parent is not None:
                self.move(parent.window().geometry().center() - self.rect().center())

    def hide_buttons(self, *, close: str) -> None:
        """Hide all buttons but the one that closes the dialog."""
        self.go.hide()
        self._reason.hide()
        self.cancel.setText(close)
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)


class NumberField(QLineEdit):
    """A field that takes the number of a request: digits alone."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setValidator(QRegularExpressionValidator(QRegularExpression("[1-9][0-9]{0,8}"), self))
