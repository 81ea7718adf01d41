"""TerminalView: a terminal with its keys, mouse and input methods, which go to its program."""

from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from desktop.language import tr
from desktop.ui.core.accessible import read_as
from desktop.ui.terminals.access import TerminalAccess, tell_change
from desktop.ui.terminals.keys import Own, key_text, own_key, stays_with_window
from desktop.ui.terminals.links import link_at
from desktop.ui.terminals.mouse import TerminalMouse
from desktop.ui.terminals.screen import TerminalCanvas
from desktop.ui.widgets.buttons.off import set_action_off

_MENU: tuple[tuple[Own, str], ...] = (
    ("copy", f"{tr('Copy')}\tCtrl+Shift+C"),
    ("paste", f"{tr('Paste')}\tCtrl+Shift+V"),
    ("find", f"{tr('Find…')}\tCtrl+Shift+F"),
    ("all", f"{tr('Select all')}\tCtrl+Shift+A"),
)


class TerminalView(TerminalCanvas):
    """A terminal that a person works in. `find_asked`: Ctrl+Shift+F."""

    find_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._mouse = TerminalMouse(self)
        read_as(self, TerminalAccess)

    def take_change(self, moved: bool, rows: list[int]) -> None:
        """The terminal that is shown has changed; a screen reader is told."""
        if self.facts is not None:
            tell_change(self)
        super().take_change(moved, rows)

    def copy(self) -> bool:
        """Put what is selected on the clipboard. False: nothing is."""
        text = self.selection.text(self.facts) if self.facts is not None else ""
        if text:
            QGuiApplication.clipboard().setText(text)
        return bool(text)

    def paste(self) -> None:
        """Ask for the clipboard's text to be pasted."""
        if text := QGuiApplication.clipboard().text():
            self.pasted.emit(text)

    # keys and input methods

    def event(self, event: QEvent) -> bool:
        """Keys of the shell are not taken by actions of the window while the terminal has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._own(event) or not self._is_of_window(event):
                event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self.keyPressEvent(event)  # Tab too, which would move the focus
            return True
        return super().event(event)

    def _is_of_window(self, event: QKeyEvent) -> bool:
        full_screen = self.facts is not None and "alternate" in self.facts.modes
        return stays_with_window(Qt.Key(event.key()), event.modifiers(), full_screen=full_screen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """To the program; Shift+Page Up and Down, Home and End move in the scroll-back."""
        facts = self.facts
        if own := self._own(event):
            self.act(own)
            return
        if facts is None or self._is_of_window(event):
            event.ignore()
            return
        if self._scroll_key(event):
            return
        text = key_text(event.keyCombination(), event.text(), facts.modes)
        if text and facts.closed is None:
            self.type_text(text)

    @staticmethod
    def _own(event: QKeyEvent) -> Own:
        return own_key(Qt.Key(event.key()), event.modifiers())

    def act(self, what: Own) -> None:
        """Copy, paste, find, or select all."""
        if what == "copy":
            self.copy()
        elif what == "paste":
            self.paste()
        elif what == "find":
            self.find_asked.emit()
        elif what == "all" and self.facts is not None:
            self.selection.select_all(self.facts)
            self.selected.emit()
            self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy, paste, find, select all; not where a program takes the mouse."""
        if self.facts is None or self._mouse.is_taken(event.modifiers()):
            return
        menu = QMenu(self)
        menu.setObjectName("terminal_menu")
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for what, title in _MENU:
            action = menu.addAction(title)
            action.setObjectName(f"terminal_menu_{what}")
            action.triggered.connect(partial(self.act, what))
            hindrances = {
                "copy": "" if self.selected_text() else tr("Select something first."),
                "paste": "" if self.facts.closed is None else tr("The terminal has ended."),
            }
            set_action_off(action, hindrances.get(what, ""))
        menu.popup(event.globalPos())

    def _scroll_key(self, event: QKeyEvent) -> bool:
        if event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            return False
        bar, page = self.verticalScrollBar(), max(self.rows_of_page - 1, 1)
        steps = {
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -bar.maximum(),
            Qt.Key.Key_End: bar.maximum(),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is not None:
            bar.setValue(bar.value() + step)
        return step is not None

    def type_text(self, text: str) -> None:
        """Send text to the program and show the end."""
        if self.selection.clear():
            self.selected.emit()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self.viewport().update()
        self.typed.emit(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Text that is being composed stands at the cursor until it is finished."""
        self._composing = event.preeditString()
        if event.commitString() and self.facts is not None and self.facts.closed is None:
            self.type_text(event.commitString())
        self._update_cursor_row()
        event.accept()

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> object:  # noqa: N802  (a name of Qt)
        """Where the cursor is, and that text can be typed."""
        if query == Qt.InputMethodQuery.ImEnabled:
            return True
        if query == Qt.InputMethodQuery.ImCursorRectangle and self.facts is not None and self.facts.cursor is not None:
            x, y = self.facts.cursor
            cell = self.painter.cell
            return QRect(self._margin + x * cell.width, self._top_of(self.first_of_screen + y), cell.width, cell.height)
        return super().inputMethodQuery(query)

    # mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select, or tell the program."""
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select further; a link under the mouse is underlined while Ctrl is held."""
        self._mouse.move(event)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        link = link_at(self.facts, self.place_at(event.position().toPoint())) if control and self.facts else None
        mark = (link.row, link.start, link.end) if link is not None else None
        if mark != self._link:
            self._link = mark
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.IBeamCursor
            )
            self.viewport().setToolTip(link.address if link is not None else "")
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The selection stands."""
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The word."""
        self._mouse.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or tell the program."""
        if not self._mouse.wheel(event):
            super().wheelEvent(event)

    # focus

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The cursor is filled."""
        super().focusInEvent(event)
        self._focus_changed("\x1b[I")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The cursor is an outline."""
        super().focusOutEvent(event)
        self._focus_changed("\x1b[O")

    def _focus_changed(self, told: str) -> None:
        self._update_cursor_row()
        if self.facts is not None and "focus" in self.facts.modes and self.facts.closed is None:
            self.typed.emit(told)
