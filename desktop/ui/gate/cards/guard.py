"""The key guard: presses do nothing until a card has stood still for half a second; and the buttons that obey it."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.language import tr
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_1
from desktop.ui.widgets.chip import Chip

GUARD_S = 0.5
DROPPED = tr("Too soon: the card had just changed. Press again.")
_FLASH_MS, _WORDS_MS = 300, 2_000
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowActivate)
_PLACES = (QEvent.Type.Show, QEvent.Type.ParentChange)


class CardGuard(QObject):
    """Says whether a card may act now.

    It restarts by itself when `card` is shown, moved or resized on screen, or its window becomes active; the card
    restarts it for the rest (content changed, became current, got the focus). `monotonic` gives seconds.
    """

    def __init__(self, card: QWidget, monotonic: Callable[[], float]) -> None:
        super().__init__(card)
        self._card = card
        self._monotonic = monotonic
        self._since = monotonic()
        self._place = QRect()
        self._watched: list[QWidget] = []
        card.installEventFilter(self)

    def restart(self) -> None:
        """Drop presses for the next 500 ms."""
        self._since = self._monotonic()

    def is_open(self) -> bool:
        """True when a press may act: 500 ms have passed, the window is active and the card is where it was."""
        if not self._card.isVisible() or not self._card.window().isActiveWindow():
            return False
        place = self._on_screen()
        if place != self._place:
            self._place = place
            self.restart()
        return round(self._monotonic() - self._since, 6) >= GUARD_S

    def tell_dropped(self, pressed: QWidget) -> None:
        """Say that a press on this widget of the card was dropped."""
        tell_dropped(pressed, self._card)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Watch the card and everything it stands in; nothing is ever eaten here."""
        kind = event.type()
        if watched is self._card and kind in _PLACES:
            self._watch_ancestors()
            self._place = self._on_screen()
            self.restart()
        elif kind in _MOVES:
            self._place = self._on_screen()
            self.restart()
        return False

    def _on_screen(self) -> QRect:
        return QRect(self._card.mapToGlobal(QPoint(0, 0)), self._card.size())

    def _watch_ancestors(self) -> None:
        ancestors = []
        parent = self._card.parentWidget()
        while parent is not None:
            ancestors.append(parent)
            parent = None if parent.isWindow() else parent.parentWidget()
        for widget in self._watched:
            if widget not in ancestors:
                widget.removeEventFilter(self)
        for widget in ancestors:
            if widget not in self._watched:
                widget.installEventFilter(self)
        self._watched = ancestors


class CardButton(QPushButton):
    """A button on a card: it never is a default button, and acts only if press and release both pass the guard.

    It is focused by Tab only, so that a click does not count as the card getting the focus. Enter and Space press it
    while it has the focus; a held key counts once.
    """

    def __init__(self, text: str, name: str, guard: CardGuard, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._guard = guard
        self.setObjectName(name)
        self.setAutoDefault(False)
        self.setDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a press, or drop it."""
        if self._guard.is_open():
            super().mousePressEvent(event)
        else:
            self._guard.tell_dropped(self)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second press of a double click is a press like any other."""
        self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a press; one that began before the guard restarted is dropped."""
        if self.isDown() and not self._guard.is_open():
            self.setDown(False)
            self._guard.tell_dropped(self)
        else:
            super().mouseReleaseEvent(event)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space begins a press, Enter is one; other keys and combinations go to the card."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if not plain or event.key() not in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
            return
        event.accept()
        if event.isAutoRepeat():
            return
        if not self._guard.is_open():
            self._guard.tell_dropped(self)
            return
        if event.key() == Qt.Key.Key_Space:
            self.setDown(True)
        else:
            self.click()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space ends the press it began, if the guard is still open."""
        if event.key() != Qt.Key.Key_Space:
            event.ignore()
            return
        event.accept()
        if event.isAutoRepeat() or not self.isDown():
            return
        self.setDown(False)
        if self._guard.is_open():
            self.click()


class DroppedNote(Chip):
    """Lies over the card for a moment, above what was pressed, so that nothing on the card moves."""

    def __init__(self, card: QWidget) -> None:
        super().__init__(DROPPED, "warning", card)
        self.setObjectName("card_dropped")
        self.hide()
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.setInterval(_WORDS_MS)
        self._end.timeout.connect(self.hide)

    def show_over(self, pressed: QWidget) -> None:
        """Say it above this widget of the card."""
        card = self.parentWidget()
        self.adjustSize()
        self.resize(self.width(), theme().px(CONTROL_HEIGHT))  # a whole line is behind it, none is cut in two
        gap = theme().px(SPACE_1)
        place = pressed.mapTo(card, QPoint(0, -self.height() - gap)) if card is not None else QPoint()
        room = card.width() - self.width() if card is not None else 0
        self.move(max(0, min(place.x(), room)), max(0, place.y()))
        self.show()
        self.raise_()
        self._end.start()


def tell_dropped(pressed: QWidget, card: QWidget) -> None:
    """Say that a press on a card was dropped, and let what was pressed flash."""
    note = card.findChild(DroppedNote) or DroppedNote(card)
    note.show_over(pressed)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(card, DROPPED))
    restyle(pressed, dropped="true")
    QTimer.singleShot(_FLASH_MS, pressed, lambda: restyle(pressed, dropped=""))
