"""Segmented: a few choices side by side, one of them lit. To assistive programs: radio buttons in a group."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.stepping_button import SteppingButton


class Segmented(QWidget):
    """Buttons of which one is lit; `set_value` lights one, and a click only asks for it (`chosen`)."""

    chosen = Signal(str)

    def __init__(
        self,
        object_name: str,
        name: str,
        choices: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        compact: bool = False,
    ) -> None:
        """`choices`: value and label, in order. Segments are named `<object_name>_<value>` with `-` as `_`. `compact`:
        with less room around their words."""
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._value = ""
        self._busy = ""
        self._labels = dict(choices)
        self._short: Mapping[str, str] = {}
        self._buttons: dict[str, QPushButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for value, label in choices:
            button = _Segment(value, label, self)
            button.setObjectName(f"{object_name}_{value.replace('-', '_')}")
            button.picked.connect(self._ask)
            button.stepped.connect(self._step)
            button.setProperty("compact", "true" if compact else "")
            button.setProperty("last", "true" if value == choices[-1][0] else "")
            layout.addWidget(button)
            self._buttons[value] = button

    @property
    def value(self) -> str:
        """The choice that is lit."""
        return self._value

    def set_value(self, value: str, busy: str = "") -> None:
        """Light this choice. `busy`: the choice that was asked for and is not confirmed; it carries a mark."""
        self._value = value
        self._busy = busy
        for key, button in self._buttons.items():
            button.setChecked(key == value)
            words = self._short.get(key, self._labels[key])
            button.setText(f"{words} …" if key == busy else words)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if key == value else Qt.FocusPolicy.ClickFocus)
            restyle(button, role="busy" if key == busy else "")

    def set_label(self, value: str, label: str) -> None:
        """Another label for a choice."""
        if label != self._labels[value]:
            self._labels[value] = label
            self._buttons[value].setAccessibleName(label)
            self.set_value(self._value, self._busy)

    def set_short(self, words: Mapping[str, str]) -> None:
        """Shorter words for choices where there is little room, {} for their labels; their names stay."""
        if words != self._short:
            self._short = words
            self.set_value(self._value, self._busy)
            self.updateGeometry()

    def set_enabled(self, value: str, enabled: bool, why: str = "") -> None:
        """Whether a choice can be made, and why not."""
        set_off(self._buttons[value], "" if enabled else why)

    def set_shown(self, value: str, shown: bool) -> None:
        """Whether a choice is among them, where that is not always so; the last always is."""
        self._buttons[value].setVisible(shown)

    def set_tooltip(self, value: str, text: str) -> None:
        """Set the tooltip that says what a choice means."""
        self._buttons[value].setToolTip(text)

    def _step(self, step: int) -> None:
        buttons = [button for button in self._buttons.values() if not button.isHidden()]
        focused = next((i for i, button in enumerate(buttons) if button.hasFocus()), 0)
        buttons[(focused + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)

    def _ask(self, value: str) -> None:
        if value != self._value:
            self.chosen.emit(value)


class _Segment(SteppingButton):
    """One choice: checkable for its looks, but only `set_value` lights it."""

    picked = Signal(str)

    def __init__(self, value: str, label: str, parent: QWidget) -> None:
        super().__init__(label, parent)
        self._value = value
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setProperty("kind", "segment")
        self.setAccessibleName(label)
        self.clicked.connect(self._on_clicked)

    def sizeHint(self) -> QSize:
        """Room for the label as it is drawn when it is lit."""
        hint, font = super().sizeHint(), QFont(self.font())
        plain = self.fontMetrics().horizontalAdvance(self.text())
        font.setWeight(QFont.Weight.DemiBold)
        return QSize(hint.width() + max(0, QFontMetrics(font).horizontalAdvance(self.text()) - plain), hint.height())

    def nextCheckState(self) -> None:  # noqa: N802  (a name of Qt)
        """A click does not light it."""

    def _on_clicked(self) -> None:
        self.picked.emit(self._value)
