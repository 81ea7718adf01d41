"""Popover: a small frame over the window that belongs to a button; Esc, a click elsewhere or a new size closes it."""

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1


class Popover(QFrame):
    """Lies over the window of `owner`. Closing gives the focus back to where it was, unless it went elsewhere."""

    def __init__(self, object_name: str, name: str, owner: QWidget) -> None:
        super().__init__(owner.window())
        self.hide()
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.setProperty("kind", "popup")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        add_shadow(self)
        self._before: QWidget | None = None
        self._size_of_window = QSize()

    def open_over(self, widget: QWidget) -> None:
        """Show it above the widget, or below where there is no room; its first control gets the focus."""
        area = self.parentWidget() or self
        gap = theme().px(SPACE_1)
        origin = area.mapFromGlobal(widget.mapToGlobal(QPoint(0, 0)))
        size = self.sizeHint()
        width = min(size.width(), area.width() - 2 * gap)
        layout = self.layout()
        needed = layout.heightForWidth(width) if layout is not None and layout.hasHeightForWidth() else size.height()
        height = min(needed, area.height() - 2 * gap)
        top = origin.y() - height - gap
        if top < gap:
            top = min(origin.y() + widget.height() + gap, area.height() - height - gap)
        left = min(max(gap, origin.x() + widget.width() - width), area.width() - width - gap)
        self.setGeometry(left, top, width, height)
        self._before, self._size_of_window = self.window().focusWidget(), self.window().size()
        self.show()
        self.raise_()
        self._first_control().setFocus()
        self._watch(True)

    def dismiss(self, *, give_back: bool = True) -> None:
        """Close the popover."""
        if self.isHidden():
            return
        self._watch(False)
        before, self._before = self._before, None
        self.hide()
        if give_back and before is not None:
            before.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close on Esc, a click elsewhere, or another size of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return True
        resized = event.type() == QEvent.Type.Resize and watched is self.window()
        if resized and self.window().size() != self._size_of_window:
            self.dismiss()
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget) and self._outside(watched):
            self.dismiss(give_back=False)
        return super().eventFilter(watched, event)

    def _first_control(self) -> QWidget:
        controls = self.findChildren(QWidget)
        found = (one for one in controls if one.focusPolicy() != Qt.FocusPolicy.NoFocus and one.isEnabledTo(self))
        return next(found, self)

    def _outside(self, widget: QWidget) -> bool:
        return widget is not self and not self.isAncestorOf(widget) and widget.window() is self.window()

    def _watch(self, watched: bool) -> None:
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self) if watched else application.removeEventFilter(self)
