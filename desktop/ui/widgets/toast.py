"""Toasts: short notes at the right of a region, at most three, six seconds each unless they report an error."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.layouts.gaps import set_gaps

SHOWN_MS, OFFERED_MS = 6_000, 10_000
_AT_MOST = 3
_WIDTH = 380
_SHADE = QMargins(14, 6, 14, 14)
"""What is around the notes in their area, for their shadows."""


class Toast(QFrame):
    """One note over the window. Stays while a person points at it or has the focus in it (`stayed`: its time was over);
    an error stays until it is closed."""

    stayed = Signal()

    def __init__(self, text: str, area: "ToastArea", *, error: bool = False, shown_ms: int = SHOWN_MS) -> None:
        super().__init__(area)
        self.setObjectName("toast")
        self.setProperty("kind", "card")
        self.setProperty("role", "danger" if error else "accent")
        self.setAccessibleName(text)
        self._area = area
        self._pointer = QCursor.pos()
        add_shadow(self, low=True)
        self.text = QLabel(text, self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        close = IconButton("x", tr("Close this note"), self)
        close.setObjectName("toast_close")
        close.clicked.connect(self.dismiss)
        self._row = QHBoxLayout(self)
        set_gaps(self._row, (SPACE_3, SPACE_1, SPACE_1, SPACE_1))
        self._row.addWidget(self.text, 1)
        self._row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(shown_ms)
        self._timer.timeout.connect(self._expire)
        if not error:
            self._timer.start()

    def add_action(self, text: str, act: Callable[[], object]) -> None:
        """A button in the note; pressing it also closes the note."""
        button = QPushButton(text, self)
        button.setObjectName("toast_action")
        button.setProperty("kind", "link")
        button.clicked.connect(act)
        button.clicked.connect(self.dismiss)
        self._row.insertWidget(1, button)

    def goes_in_ms(self) -> int:
        """When it goes by itself, −1 if it stays."""
        return self._timer.remainingTime()

    def dismiss(self) -> None:
        """Take the note away."""
        self._timer.stop()
        self._area.remove(self)

    def _expire(self) -> None:
        if self._is_pointed_at() or self._has_focus():
            self._timer.start()
            self.stayed.emit()
            return
        self.dismiss()

    def _is_pointed_at(self) -> bool:
        """Whether the pointer was brought here: one that rested where the note appeared says nothing."""
        here = QCursor.pos()
        return here != self._pointer and self.isVisible() and self.rect().contains(self.mapFromGlobal(here))

    def _has_focus(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)


class ToastArea(QWidget):
    """Lies over the right of its parent and is hidden when empty. `toasts`: the notes, oldest first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._region = self._rows = parent
        self._keep_free: Callable[[int], object] = lambda _height: None
        self._kept = 0
        self.setObjectName("toast_area")
        self.setAccessibleName(tr("Notes"))
        self.toasts: list[Toast] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(_SHADE)
        set_gaps(self._layout, spacing=SPACE_2)
        parent.installEventFilter(self)
        self.hide()

    def show_toast(self, text: str, *, error: bool = False, shown_ms: int = SHOWN_MS) -> Toast:
        """Show a note, for `shown_ms` milliseconds unless it reports an error; the oldest goes when there are three."""
        while len(self.toasts) >= _AT_MOST:
            self.toasts[0].dismiss()
        toast = Toast(text, self, error=error, shown_ms=shown_ms)
        self.toasts.append(toast)
        self._layout.addWidget(toast)
        self.show()
        self.raise_()
        self.place()
        return toast

    def keep_within(self, rows: QWidget, keep_free: Callable[[int], object]) -> None:
        """While `rows` is shown, notes stay at its lower end. `keep_free`: leaves so much of that end to them, so that
        they cover nothing."""
        self._keep(0)
        self._rows, self._keep_free = rows, keep_free
        rows.installEventFilter(self)
        self.place()

    def remove(self, toast: Toast) -> None:
        """Take a note out of the area."""
        if toast in self.toasts:
            self.toasts.remove(toast)
            self._layout.removeWidget(toast)
            toast.hide()
            toast.setParent(None)
            toast.deleteLater()
        self.setVisible(bool(self.toasts))
        self.place()

    def place(self) -> None:
        """Stand where nothing is covered that a person reads or answers now."""
        if not self.toasts:
            self._keep(0)
            return
        room = self._room()
        note_px = min(_WIDTH, max(0, room.width() - 2 * SPACE_4))
        width = note_px + _SHADE.left() + _SHADE.right()
        self.setFixedWidth(width)
        height = self._layout.heightForWidth(width)
        self.resize(width, height if height > 0 else self.sizeHint().height())
        lower = room.bottom() + 1 - self.height() - SPACE_4 + _SHADE.bottom()
        left = room.right() + 1 - note_px - SPACE_4 - _SHADE.left()
        self.move(left, max(0, lower))
        self._keep(min(room.bottom() + 1 - lower, room.height() // 2))

    def event(self, event: QEvent) -> bool:
        """Take the height that the notes need, also when they learn it later."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.place()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the room that there is."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self.place()
        return super().eventFilter(watched, event)

    def _keep(self, height: int) -> None:
        if height != self._kept:
            self._kept = height
            self._keep_free(height)

    def _room(self) -> QRect:
        rows = self._rows
        if rows is self._region or not rows.isVisible():
            return self._region.rect()
        return QRect(rows.mapTo(self._region, QPoint(0, 0)), rows.size())
