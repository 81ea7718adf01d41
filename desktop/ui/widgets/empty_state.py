"""EmptyState: what a region shows when it has nothing to show: icon, title, sentence, buttons."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_EMPTY, SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps


class EmptyState(QWidget):
    """Centred. Texts are plain; buttons are added with `add_button` and sit in one row. `column`: its layout."""

    def __init__(self, icon_name: str, title: str, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.title = _label(self, "title")
        self.sentence = _label(self, "muted")
        self._buttons = QHBoxLayout()
        self._buttons.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        set_gaps(self._buttons, spacing=SPACE_2)
        self.column = layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_2)
        layout.addStretch(1)
        for part in (self._icon, self.title, self.sentence):
            layout.addWidget(part)
        layout.addSpacing(SPACE_3)
        layout.addLayout(self._buttons)
        layout.addStretch(1)
        self.set_texts(title, sentence)
        self._icon.setFixedHeight(theme().px(ICON_EMPTY))
        theme().changed.connect(self._take_icon)

    def set_texts(self, title: str, sentence: str = "") -> None:
        """Replace the title and the sentence."""
        self.title.setText(title)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.setAccessibleName(f"{title} {sentence}".strip())

    def set_icon(self, name: str) -> None:
        """Replace the icon."""
        if name != self._icon_name:
            self._icon_name = name
            self._take_icon()

    def add_button(self, text: str, object_name: str, *, primary: bool = False) -> QPushButton:
        """A button under the sentence."""
        button = push_button(text, object_name, self)
        if primary:
            button.setProperty("kind", "primary")
        self._buttons.addWidget(button)
        return button

    def fit(self, size: QSize) -> None:
        """Show the icon only where it and the texts have room, and no room around texts that need it."""
        self._icon.setVisible(True)
        self._pad(SPACE_5)
        if self.heightForWidth(size.width()) > size.height():
            self._icon.setVisible(False)
            self.column.activate()
            if self.heightForWidth(size.width()) > size.height():
                self._pad(0)

    def _pad(self, above: int) -> None:
        px = theme().px
        self.column.setContentsMargins(px(SPACE_5), px(above), px(SPACE_5), px(above))
        self.column.activate()

    def showEvent(self, event: QShowEvent) -> None:
        """The icon is drawn when it can be seen: many are made that never are."""
        if self._icon.pixmap().isNull():
            self._take_icon()
        super().showEvent(event)

    def _take_icon(self) -> None:
        self._icon.setFixedHeight(theme().px(ICON_EMPTY))
        self._icon.setPixmap(pixmap(self._icon_name, "control", ICON_EMPTY, self.devicePixelRatio()))


class EmptyPage(QScrollArea):
    """An EmptyState that never takes the room of what stands below it: in a low place it goes without its icon, and
    scrolls where that is not enough."""

    def __init__(self, state: EmptyState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(1)
        self.setWidget(state)

    def set_texts(self, title: str, sentence: str = "") -> None:
        """Replace the title and the sentence; the same ones again cost nothing."""
        if (title, sentence) != (self._state.title.text(), self._state.sentence.text()):
            self._state.set_texts(title, sentence)
            self._state.fit(self.viewport().size())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More room, or less."""
        super().resizeEvent(event)
        self._state.fit(self.viewport().size())


def _label(parent: QWidget, kind: str) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setWordWrap(True)
    label.setProperty("kind", kind)
    return label
