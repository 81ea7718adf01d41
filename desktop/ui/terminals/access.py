"""The terminal for screen readers: one text, the rows that are in view, with the line of the cursor as description."""

from PySide6.QtGui import QAccessible, QAccessibleValueChangeEvent

from desktop.domain.terminals.updates import row_text
from desktop.ui.core.accessible import PaintedView
from desktop.ui.terminals.screen import TerminalCanvas
from desktop.ui.text.safe_text import safe_line


class TerminalAccess(PaintedView):
    """Made for one view."""

    surface = "sunken"

    def __init__(self, view: TerminalCanvas) -> None:
        super().__init__(view)
        self.view = view

    def role(self) -> QAccessible.Role:
        """A terminal."""
        return QAccessible.Role.Terminal

    def state(self) -> QAccessible.State:
        """Can have the focus; its text cannot be changed by a screen reader."""
        state = super().state()
        state.multiLine = state.readOnly = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """Its name; the rows in view as value; the row of the cursor as description."""
        facts = self.view.facts
        if facts is None or kind in (QAccessible.Text.Name, QAccessible.Text.Identifier):
            return super().text(kind)
        if kind is QAccessible.Text.Value:
            first = self.view.first_shown
            rows = range(first, min(first + self.view.rows_of_page, facts.end))
            return "\n".join(safe_line(row_text(facts.row(number))) for number in rows).rstrip("\n")
        if kind is QAccessible.Text.Description and facts.cursor is not None:
            return safe_line(row_text(facts.row(self.view.first_of_screen + facts.cursor[1])))
        return ""


def tell_change(view: TerminalCanvas) -> None:
    """Other rows are in view; costs nothing while no screen reader listens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(view, ""))
