"""Fields of the settings: a label, a control, what is wrong with it below, and "Saved" for a moment."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSpacerItem, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem

SAVED_MS = 1500
_LABEL_WIDTH = 184


class Field(QWidget):
    """A row. Add the control to `row` and what belongs under it to `below`; `name` is its object name, `help_text`
    stands at the end."""

    def __init__(self, label: str, name: str, parent: QWidget, help_text: str = "") -> None:
        super().__init__(parent)
        self.label = label
        self._title = plain_label(self, wrap=False)
        self._title.setText(label)
        self._help = plain_label(self, "caption", f"{name}_help")
        self._problem = plain_label(self, name=f"{name}_problem", role="danger")
        self._saved = plain_label(self, "caption", f"{name}_saved", role="success", wrap=False)
        self._saved.setText(tr("Saved"))
        self._saved.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVED_MS)
        self._timer.timeout.connect(self._saved.hide)
        self.row = QHBoxLayout()
        set_gaps(self.row, spacing=SPACE_2)
        self._strut = QSpacerItem(0, 0)
        self.row.addItem(self._strut)
        self._left = QWidget(self)
        left = QHBoxLayout(self._left)
        left.setContentsMargins(0, 0, 0, 0)
        set_gaps(left, spacing=SPACE_1)
        left.addWidget(self._title)
        left.addStretch(1)
        left.addWidget(self._saved)
        self.below = QVBoxLayout()
        set_gaps(self.below, spacing=SPACE_1)
        right = QVBoxLayout()
        set_gaps(right, spacing=SPACE_1)
        right.addLayout(self.row)
        right.addLayout(self.below)
        right.addWidget(self._problem)
        right.addWidget(self._help)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        layout.addWidget(self._left, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(right, 1)
        self._take_size()
        theme().changed.connect(self._take_size)
        say(self._help, help_text)
        say(self._problem, "")

    def _take_size(self) -> None:
        self._title.ensurePolished()
        width = max(theme().px(_LABEL_WIDTH), self._title.sizeHint().width())
        self._left.setFixedSize(width, theme().px(CONTROL_HEIGHT))
        self._strut.changeSize(0, theme().px(CONTROL_HEIGHT))
        self.row.invalidate()

    @property
    def problem(self) -> str:
        """What is wrong with the value in the field, "" for nothing."""
        return self._problem.text()

    def set_help(self, text: str) -> None:
        """What stands at the end. The text must have passed display_text()."""
        say(self._help, text)

    def set_problem(self, text: str) -> None:
        """Say what is wrong; "" for nothing. The text must have passed display_text()."""
        say(self._problem, text)
        if text:
            self._saved.hide()

    def confirm_saved(self) -> None:
        """Say "Saved" for a moment."""
        self._saved.show()
        self._timer.start()

    def commit(self) -> None:
        """Leave the field as if the focus went: a changed value is handed over."""
        self.set_problem("")

    def discard(self) -> None:
        """Forget what is not valid and show the value in force."""
        self.set_problem("")


class TextField(Field):
    """One line of text. `entered` carries what was typed, when the field is left and it is not the value in force."""

    entered = Signal(str)

    def __init__(self, label: str, name: str, parent: QWidget, help_text: str = "") -> None:
        super().__init__(label, name, parent, help_text)
        self._value = ""
        self._handing_over = False
        self.edit = QLineEdit(self)
        self.edit.setObjectName(name)
        self.edit.setAccessibleName(label)
        self.row.addWidget(self.edit, 1)
        self.edit.editingFinished.connect(self.commit)

    def keep_narrow(self, width: int) -> None:
        """No wider than this, in logical pixels: for a figure."""
        self.edit.setMaximumWidth(theme().px(width))
        self.row.addStretch(1)

    def set_value(self, value: str) -> None:
        """The value in force; what is being typed, or is not valid, stays in the field."""
        if value == self._value and self.edit.text() == value:
            return
        typing = self.edit.hasFocus() and self.edit.text() != self._value and not self._handing_over
        self._value = value
        if not typing and not self.problem:
            self.edit.setText(value)

    def set_problem(self, text: str) -> None:
        """Say what is wrong, and mark the field."""
        super().set_problem(text)
        restyle(self.edit, invalid="true" if text else "")
        self.edit.setAccessibleDescription(text)

    def commit(self) -> None:
        """Hand over what was typed."""
        text = self.edit.text()
        if text == self._value:
            self.set_problem("")
        else:
            self._handing_over = True
            self.entered.emit(text)
            self._handing_over = False

    def discard(self) -> None:
        """Show the value in force again."""
        super().discard()
        self.edit.setText(self._value)


class ChoiceField(Field):
    """A few choices, one lit. `chosen` asks; `set_value` lights."""

    chosen = Signal(str)

    def __init__(
        self, label: str, name: str, choices: Sequence[tuple[str, str]], parent: QWidget, help_text: str = ""
    ) -> None:
        super().__init__(label, name, parent, help_text)
        self._choice = Segmented(name, label, choices, self)
        self._choice.chosen.connect(self.chosen)
        self.row.addWidget(self._choice)
        self.row.addStretch(1)

    @property
    def value(self) -> str:
        """The choice that is lit."""
        return self._choice.value

    def set_value(self, value: str) -> None:
        """The choice in force."""
        self._choice.set_value(value)


class PickField(Field):
    """`chosen` carries the key of what was picked."""

    chosen = Signal(str)

    def __init__(self, label: str, name: str, parent: QWidget, help_text: str = "") -> None:
        super().__init__(label, name, parent, help_text)
        self._button = ChoiceButton(name, label, self)
        self._button.setAccessibleName(label)
        self._button.chosen.connect(self.chosen)
        self.row.addWidget(self._button, 1)

    def show_choices(self, items: Sequence[PickItem], chosen: str) -> None:
        """These can be picked; this one is."""
        self._button.set_items(items)
        self._button.set_value(chosen)
