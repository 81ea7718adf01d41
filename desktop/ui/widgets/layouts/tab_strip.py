"""TabStrip: tabs in one line; those that do not fit are in the menu "More"."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.stepping_button import SteppingButton
from desktop.ui.widgets.chip import button_text

_MORE = tr("More")


class TabStrip(QWidget):
    """`chosen` carries the key of the tab that a person picked; which one is lit is told with `set_value`. Tabs are
    named `<object_name>_<key>`, the menu's button `<object_name>_more`."""

    chosen = Signal(str)

    def __init__(self, object_name: str, name: str, tabs: Sequence[tuple[str, str]], parent: QWidget) -> None:
        """`tabs`: key and label, in order."""
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._labels = dict(tabs)
        self.value = tabs[0][0]
        self._hidden: list[str] = []
        self._buttons: dict[str, _Tab] = {}
        for key, label in tabs:
            self._add(key, label)
        self._more = push_button(_MORE, f"{object_name}_more", self)
        self._more.setProperty("kind", "tab")
        self._more.setCheckable(True)
        self._more.clicked.connect(self._open_menu)
        theme().changed.connect(self._place)
        self.set_value(self.value)

    @property
    def keys(self) -> list[str]:
        """The tabs, in order."""
        return list(self._labels)

    @property
    def hidden_keys(self) -> list[str]:
        """The keys of the tabs that are in the menu."""
        return list(self._hidden)

    def set_label(self, key: str, label: str) -> None:
        """Another label for a tab."""
        if self._labels[key] != label:
            self._labels[key] = label
            self._buttons[key].set_label(label)
            self._place()

    def set_value(self, key: str) -> None:
        """Light the tab of this key."""
        self.value = key
        for name, button in self._buttons.items():
            button.setChecked(name == key)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if name == key else Qt.FocusPolicy.ClickFocus)
        self._place()

    def sizeHint(self) -> QSize:
        """The room for all tabs side by side."""
        return QSize(sum(self._width(key) for key in self._labels), theme().px(CONTROL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """The room for one tab and the menu."""
        return QSize(theme().px(CONTROL_HEIGHT * 4), theme().px(CONTROL_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put away what does not fit, or bring it back."""
        super().resizeEvent(event)
        self._place()

    def showMenu(self) -> QMenu:  # noqa: N802  (as QPushButton names it)
        """Open the menu of what is put away."""
        menu = QMenu(self)
        menu.setObjectName(f"{self.objectName()}_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for key in self._hidden:
            action = menu.addAction(button_text(self._labels[key]))
            action.setCheckable(True)
            action.setChecked(key == self.value)
            action.triggered.connect(lambda _checked=False, key=key: self.chosen.emit(key))
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
        return menu

    def _add(self, key: str, label: str) -> None:
        button = _Tab(label, self)
        button.setObjectName(f"{self.objectName()}_{key}")
        button.clicked.connect(lambda _checked=False, key=key: self._ask(key))
        button.stepped.connect(self._step)
        self._buttons[key] = button
        button.show()

    def _ask(self, key: str) -> None:
        self.set_value(self.value)
        if key != self.value:
            self.chosen.emit(key)

    def _step(self, step: int) -> None:
        keys = self.keys
        key = keys[(keys.index(self.value) + step) % len(keys)]
        self.chosen.emit(key)
        (self._more if key in self._hidden else self._buttons[key]).setFocus(Qt.FocusReason.TabFocusReason)

    def _open_menu(self) -> None:
        self._more.setChecked(self.value in self._hidden)
        self.showMenu()

    def _place(self) -> None:
        room, keys = self.width(), self.keys
        fits = len(keys)
        if sum(self._width(key) for key in keys) > room:
            while fits > 1 and sum(self._width(key) for key in keys[:fits]) + self._more_width(keys[fits:]) > room:
                fits -= 1
        self._hidden = keys[fits:]
        left, height = 0, theme().px(CONTROL_HEIGHT)
        for key, button in self._buttons.items():
            button.setVisible(key not in self._hidden)
            if key not in self._hidden:
                button.setGeometry(left, 0, self._width(key), height)
                left += self._width(key)
        current = self.value in self._hidden
        words = f"{self._labels[self.value] if current else _MORE} ▾"
        self._more.setText(button_text(words))
        self._more.setAccessibleName(
            tr("{tab}, more tabs", tab=self._labels[self.value]) if current else tr("More tabs")
        )
        self._more.setChecked(current)
        self._more.setVisible(bool(self._hidden))
        self._more.setGeometry(left, 0, min(self._more_width(self._hidden), max(0, room - left)), height)

    def _more_width(self, hidden: Sequence[str]) -> int:
        words = self._labels[self.value] if self.value in hidden else _MORE
        return self._text_width(f"{words} ▾")

    def _width(self, key: str) -> int:
        return self._text_width(self._labels[key])

    def _text_width(self, text: str) -> int:
        font = QFont(theme().font())
        font.setWeight(QFont.Weight.DemiBold)
        return QFontMetrics(font).horizontalAdvance(text) + 2 * theme().px(SPACE_2) + 2


class _Tab(SteppingButton):
    """One tab: checkable for its looks."""

    def __init__(self, label: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "tab")
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.set_label(label)

    def set_label(self, label: str) -> None:
        """Another label."""
        self.setText(button_text(label))
        self.setAccessibleName(label)
