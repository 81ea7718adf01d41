"""Toasts: short notes at the bottom right of a region, at most three, six seconds each unless they report an error."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.gaps import set_gaps
from desktop.ui.widgets.icon_button import IconButton

_SHOWN_MS, _OFFERED_MS = 6_000, 30_000
_AT_MOST = 3
_WIDTH = 380


class Toast(QFrame):
    """One note. Stays while it is hovered or focused; an error stays until it is closed."""

    def __init__(self, text: str, area: "ToastArea", *, error: bool = False, shown_ms: int = _SHOWN_MS) -> None:
        super().__init__(area)
        self.setObjectName("toast")
        self.setProperty("kind", "card")
        self.setProperty("role", "danger" if error else "accent")
        self.setAccessibleName(text)
        self._area = area
        add_shadow(self)
        self.text = QLabel(text, self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        close = IconButton("x", "Close this note", self)
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

    def add_action(self, text: str, act: Callable[[], None]) -> None:
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
        if self.underMouse() or self.isAncestorOf(self.focusWidget() or self):
            self._timer.start()
            return
        self.dismiss()


class ToastArea(QWidget):
    """Lies over the bottom right of its parent and is hidden when empty. `toasts`: the notes, oldest first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._region = parent
        self.setObjectName("toast_area")
        self.setAccessibleName("Notes")
        self.toasts: list[Toast] = []
        self._floors: tuple[QWidget, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(self._layout, spacing=SPACE_2)
        parent.installEventFilter(self)
        self.hide()

    def show_toast(self, text: str, *, error: bool = False, shown_ms: int = _SHOWN_MS) -> Toast:
        """Show a note, for `shown_ms` milliseconds unless it reports an error; the oldest goes when there are three."""
        while len(self.toasts) >= _AT_MOST:
            self.toasts[0].dismiss()
        toast = Toast(text, self, error=error, shown_ms=shown_ms)
        self.toasts.append(toast)
        self._layout.addWidget(toast)
        self.show()
        self.raise_()
        self._place()
        return toast

    def offer(self, text: str, button: str, act: Callable[[], None]) -> None:
        """A note with a button that takes something back, for half a minute."""
        self.show_toast(text, shown_ms=_OFFERED_MS).add_action(button, act)

    def keep_above(self, *widgets: QWidget) -> None:
        """While these are shown in the region, notes lie over them, not on them."""
        self._floors = widgets
        for widget in widgets:
            widget.installEventFilter(self)
        self._place()

    def remove(self, toast: Toast) -> None:
        """Take a note away."""
        if toast in self.toasts:
            self.toasts.remove(toast)
            self._layout.removeWidget(toast)
            toast.hide()
            toast.setParent(None)
            toast.deleteLater()
        self.setVisible(bool(self.toasts))
        self._place()

    def event(self, event: QEvent) -> bool:
        """Take the height that the notes need, also when they learn it later."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner when the region changes its size."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        region = self._region
        width = min(_WIDTH, max(0, region.width() - 2 * SPACE_4))
        self.setFixedWidth(width)
        height = self._layout.heightForWidth(width)
        self.resize(width, height if height > 0 else self.sizeHint().height())
        tops = [floor.mapTo(region, QPoint(0, 0)).y() for floor in self._floors if floor.isVisible()]
        bottom = min([region.height(), *tops])
        self.move(region.width() - width - SPACE_4, max(0, bottom - self.height() - SPACE_4))
