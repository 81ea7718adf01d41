"""The footer of a card: a row of buttons with the key hint, and rows that stand in its place for a while."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.views.cards.card import Card
from desktop.ui.views.cards.guard import CardButton
from desktop.ui.views.cards.parts import plain_label
from desktop.ui.widgets.flow_layout import FlowLayout

_KEYS_FROM = 560


class ButtonRow(QWidget):
    """Buttons from the left, wrapping where there is no room; the key hint at the right where there is."""

    def __init__(self, card: Card, buttons: list[CardButton], keys: str) -> None:
        super().__init__(card)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, theme().px(SPACE_1), 0, 0)
        line.setSpacing(theme().px(SPACE_2))
        box = QWidget(self)
        flow = FlowLayout(box, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_1))
        for button in buttons:
            flow.addWidget(button)
        line.addWidget(box, 1)
        self._keys = plain_label(self, "muted", f"{card.prefix}_keys", wrap=False)
        self._keys.setText(keys)
        line.addWidget(self._keys)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The key hint gives way to the buttons."""
        super().resizeEvent(event)
        self._keys.setVisible(self.width() >= theme().px(_KEYS_FROM))


class Footer:
    """One row at a time in a card's footer: the buttons, or a row that `open` put in their place."""

    def __init__(self, card: Card, buttons: ButtonRow) -> None:
        self._card = card
        self._buttons = buttons
        self._rows: list[QWidget] = []
        self._open: QWidget | None = None
        card.footer.addWidget(buttons)

    def add(self, row: QWidget) -> None:
        """A row that can be opened; hidden until then."""
        row.hide()
        self._rows.append(row)
        self._card.footer.addWidget(row)

    @property
    def opened(self) -> int:
        """Which of the added rows is open; -1 for none."""
        return self._rows.index(self._open) if self._open is not None else -1

    def reopen(self, position: int) -> None:
        """Open that row again, wherever the focus is; -1 opens none."""
        if position >= 0:
            self._show(self._rows[position])

    def open(self, row: QWidget, field: QWidget) -> None:
        """Show the row in place of the buttons and put the focus into its field."""
        self.close(focus=False)
        self._show(row)
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._card.content_changed()

    def close(self, *, focus: bool = True) -> bool:
        """Show the buttons again, with the focus on the card; False when they were there."""
        if self._open is None:
            return False
        self._open.hide()
        self._open = None
        self._buttons.show()
        if focus:
            self._card.setFocus(Qt.FocusReason.OtherFocusReason)
            self._card.content_changed()
        return True

    def _show(self, row: QWidget) -> None:
        self._buttons.hide()
        row.show()
        self._open = row
