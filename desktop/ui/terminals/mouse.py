"""TerminalMouse: selecting with the mouse, and the mouse of programs that ask for it."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from desktop.ui.terminals.keys import mouse_text
from desktop.ui.terminals.links import link_at
from desktop.ui.terminals.screen import TerminalCanvas
from desktop.ui.terminals.selection import By

_BUTTONS = {Qt.MouseButton.LeftButton: 0, Qt.MouseButton.MiddleButton: 1, Qt.MouseButton.RightButton: 2}
_MOVES = frozenset({"mouse_drag", "mouse_move"})
_ANY = _MOVES | {"mouse_click"}
_NOTCH, _WHEEL_ROWS = 120, 3


class TerminalMouse:
    """Shift gives the mouse to the window although a program has asked for it, as terminals do."""

    def __init__(self, view: TerminalCanvas) -> None:
        self._view = view
        self._clicks, self._clicked_at = 0, QPoint()
        self._selecting = False
        self._cell = (-1, -1)
        self._turned = 0

    def press(self, event: QMouseEvent) -> None:
        """Begin to select; a third click takes the line; the middle button pastes what is selected anywhere."""
        view = self._view
        if view.facts is None:
            return
        point = event.position().toPoint()
        if self._tell(event, pressed=True):
            return
        if event.button() == Qt.MouseButton.MiddleButton:
            clipboard = QGuiApplication.clipboard()
            if clipboard.supportsSelection() and (text := clipboard.text(clipboard.Mode.Selection)):
                view.pasted.emit(text)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            link = link_at(view.facts, view.place_at(point))
            if link is not None:
                view.link_asked.emit(link.address)
                return
        third = self._clicks == 2 and (point - self._clicked_at).manhattanLength() < QApplication.startDragDistance()
        self._clicks, self._clicked_at = (0 if third else 1), point
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not third:
            view.selection.reach(view.facts, view.place_at(point, between=True))
            self._selecting = True
            view.viewport().update()
        else:
            self._begin(point, "line" if third else "character")

    def double_click(self, event: QMouseEvent) -> None:
        """Select the word."""
        if self._view.facts is None or self._tell(event, pressed=True):
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self._clicks, self._clicked_at = 2, event.position().toPoint()
            self._begin(self._clicked_at, "word")

    def move(self, event: QMouseEvent) -> None:
        """Select as far as here."""
        view = self._view
        if view.facts is None:
            return
        if self._selecting:
            point = event.position().toPoint()
            bar, height = view.verticalScrollBar(), view.viewport().height()
            bar.setValue(bar.value() + (-1 if point.y() < 0 else 1 if point.y() > height else 0))
            view.selection.reach(view.facts, view.place_at(point, between=True))
            view.viewport().update()
            return
        held = [number for button, number in _BUTTONS.items() if event.buttons() & button]
        modes = view.facts.modes
        if self._is_program(event) and ("mouse_move" in modes or (held and "mouse_drag" in modes)):
            cell = self._cell_at(event.position().toPoint())
            if cell != self._cell:
                self._cell = cell
                view.typed.emit(mouse_text((held[0] if held else 3) + 32, cell, pressed=True, modes=modes))

    def release(self, event: QMouseEvent) -> None:
        """The selection stands; where the system has one for the middle button, it is that."""
        view = self._view
        if self._selecting:
            self._selecting = False
            clipboard = QGuiApplication.clipboard()
            text = view.selected_text()
            if text and clipboard.supportsSelection():
                clipboard.setText(text, clipboard.Mode.Selection)
            view.selected.emit()
        elif view.facts is not None:
            self._tell(event, pressed=False)

    def wheel(self, event: QWheelEvent) -> bool:
        """Tell a program of it; in a full-screen program without a mouse it moves the cursor. Whether it was dealt
        with."""
        view, facts = self._view, self._view.facts
        if facts is None or facts.closed is not None or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return False
        wants = bool(facts.modes & _ANY)
        if not wants and "alternate" not in facts.modes:
            return False
        self._turned += event.angleDelta().y()
        notches, self._turned = int(self._turned / _NOTCH), self._turned - int(self._turned / _NOTCH) * _NOTCH
        cell = self._cell_at(event.position().toPoint())
        if wants:
            text = mouse_text(64 if notches > 0 else 65, cell, pressed=True, modes=facts.modes) * abs(notches)
        else:
            first = "O" if "application_cursor" in facts.modes else "["
            text = f"\x1b{first}{'A' if notches > 0 else 'B'}" * (abs(notches) * _WHEEL_ROWS)
        if text:
            view.typed.emit(text)
        return True

    def _begin(self, point: QPoint, by: By) -> None:
        view = self._view
        if view.facts is not None:
            view.selection.begin(view.facts, view.place_at(point, between=by == "character"), by)
            self._selecting = True
            view.viewport().update()
            view.selected.emit()

    def _is_program(self, event: QMouseEvent) -> bool:
        return self.is_taken(event.modifiers())

    def is_taken(self, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether a program has asked for the mouse; not while Shift is held."""
        facts = self._view.facts
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        return facts is not None and facts.closed is None and bool(facts.modes & _ANY) and not shift

    def _tell(self, event: QMouseEvent, *, pressed: bool) -> bool:
        """Tell the program of a button. False: the mouse is the window's."""
        facts = self._view.facts
        button = _BUTTONS.get(event.button())
        if facts is None or button is None or not self._is_program(event):
            return False
        self._cell = self._cell_at(event.position().toPoint())
        self._view.typed.emit(mouse_text(button, self._cell, pressed=pressed, modes=facts.modes))
        return True

    def _cell_at(self, point: QPoint) -> tuple[int, int]:
        row, cell = self._view.place_at(point)
        return cell, max(row - self._view.first_of_screen, 0)
