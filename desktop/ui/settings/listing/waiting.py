"""WaitingCards and WaitingFrame: what waits for a person on a page of the settings, each a card of its own."""

from collections.abc import Iterable
from math import ceil

from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

MOST_LINES = 12


class WaitingCards(QWidget):
    """The place of the cards; hidden while there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = QVBoxLayout(self)
        set_gaps(self._rows, (0, 0, 0, 0), SPACE_2)

    def show_cards(self, cards: Iterable[QWidget]) -> None:
        """Show these, made with this as their parent, in place of those before."""
        while (item := self._rows.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        for card in cards:
            self._rows.addWidget(card)
            card.show()
        self.setVisible(self._rows.count() > 0)


class WaitingFrame(QFrame):
    """A card with its title; `lay_out` puts the rest below."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("kind", "card")
        self.setProperty("role", "warning")
        self._title = plain_label(self, "title", f"{name}_title")
        self._title.setText(title)
        self.setAccessibleName(title)

    def lay_out(self, *parts: QWidget, foot: tuple[QWidget | None, QWidget]) -> None:
        """Put the parts below the title, and last what stands at the left and the right of the foot."""
        left, right = foot
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_3)
        if left is not None:
            row.addWidget(left, 1)
        else:
            row.addStretch(1)
        row.addWidget(right)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_2)
        for part in (self._title, *parts):
            layout.addWidget(part)
        layout.addLayout(row)

    def evidence(self, name: str, title: str, text: str) -> QPlainTextEdit:
        """A text to be read whole. A view of text draws what is seen of it; labels would be laid out whole."""
        shown = Evidence(name, title, self)
        shown.setPlainText(text)
        return shown


class Evidence(TextBox):
    """As high as its lines, up to a limit."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(name, title, parent)
        self.textChanged.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrower text has more lines."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        around = self.height() - self.viewport().height() + 2 * round(self.document().documentMargin())
        lines = min(MOST_LINES, max(1, round(self.document().size().height())))
        height = ceil(lines * QFontMetricsF(self.font()).lineSpacing()) + around + theme().px(SPACE_1)
        if (self.minimumHeight(), self.maximumHeight()) != (height, height):
            self.setFixedHeight(height)
