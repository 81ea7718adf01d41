"""The footer of a card: a row of buttons with the key hint, and rows that stand in its place for a while."""

from collections.abc import Callable, Sequence
from dataclasses import field

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop.records import dataclass
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.flow_layout import FlowLayout


class _HintedFlow(FlowLayout):
    """Items side by side, and at the right of their one line a label that gives way where there is no room."""

    def __init__(self, parent: QWidget, hint: QLabel) -> None:
        super().__init__(parent, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2), fair=True)
        self._hint = hint
        self.setContentsMargins(0, theme().px(SPACE_1), 0, 0)

    def heightForWidth(self, width: int) -> int:
        """The height of all lines, and the gap above them."""
        return super().heightForWidth(width) + self.contentsMargins().top()

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place the items, and the hint if it fits beside them."""
        inner = rect.adjusted(0, self.contentsMargins().top(), 0, 0)
        super().setGeometry(inner)
        wanted = self._hint.sizeHint()
        left = inner.right() + 1 - wanted.width()
        fits = self.sizeHint().width() + theme().px(SPACE_3) <= left - inner.left()
        if fits:
            self._hint.setGeometry(left, inner.top(), wanted.width(), inner.height())
        self._hint.setVisible(fits)


class ButtonRow(QWidget):
    """Buttons from the left, wrapping where there is no room; the key hint at the right where there is."""

    def __init__(self, card: InputCard, buttons: Sequence[CardButton], keys: str) -> None:
        super().__init__(card)
        hint = plain_label(self, "muted", f"{card.prefix}_keys", wrap=False)
        hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        hint.setText(keys)
        self._hint = hint
        flow = _HintedFlow(self, hint)
        for button in buttons:
            flow.addWidget(button)

    def say_keys(self, keys: str) -> None:
        """Other keys do something now."""
        self._hint.setText(keys)


@dataclass
class _Row:
    """A row that can be opened. `pane`: what is shown in the body with it; `hides`: what gives way to that."""

    row: QWidget
    pane: QWidget | None = None
    hides: Sequence[QWidget] = ()
    on_open: Callable[[], None] | None = None
    hidden: list[QWidget] = field(default_factory=list)


class Footer:
    """One row at a time in a card's footer: the buttons, or a row that `open` put in their place."""

    def __init__(self, card: InputCard, buttons: ButtonRow) -> None:
        self._card = card
        self._buttons = buttons
        self._rows: list[_Row] = []
        self._open: _Row | None = None
        card.footer.addWidget(buttons)

    def add(
        self,
        row: QWidget,
        pane: QWidget | None = None,
        hides: Sequence[QWidget] = (),
        on_open: Callable[[], None] | None = None,
    ) -> None:
        """A row that can be opened; hidden until then, and so is its pane in the body."""
        row.hide()
        if pane is not None:
            pane.hide()
        self._rows.append(_Row(row, pane, hides, on_open))
        self._card.footer.addWidget(row)

    @property
    def opened(self) -> int:
        """Which of the added rows is open; -1 for none."""
        return self._rows.index(self._open) if self._open is not None else -1

    def is_open(self, row: QWidget) -> bool:
        """Whether that row stands in place of the buttons."""
        return self._open is not None and self._open.row is row

    def reopen(self, position: int) -> None:
        """Open that row again, wherever the focus is; -1 opens none."""
        if 0 <= position < len(self._rows):
            self._show(self._rows[position])

    def open(self, row: QWidget, field: QWidget) -> None:
        """Show the row in place of the buttons and put the focus into its field."""
        self.close(focus=False)
        self._show(next(each for each in self._rows if each.row is row))
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._card.content_changed()

    def close(self, *, focus: bool = True) -> bool:
        """Show the buttons again, with the focus on the card; False when they were there."""
        if self._open is None:
            return False
        closed, self._open = self._open, None
        closed.row.hide()
        if closed.pane is not None:
            closed.pane.hide()
        for part in closed.hidden:
            part.show()
        closed.hidden.clear()
        self._buttons.show()
        if focus:
            self._card.setFocus(Qt.FocusReason.OtherFocusReason)
            self._card.content_changed()
        return True

    def _show(self, row: _Row) -> None:
        self._buttons.hide()
        row.hidden = [part for part in row.hides if not part.isHidden()]
        for part in row.hidden:
            part.hide()
        if row.pane is not None:
            row.pane.show()
        row.row.show()
        self._open = row
        if row.on_open is not None:
            row.on_open()
