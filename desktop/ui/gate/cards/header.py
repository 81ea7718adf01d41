"""The header of a card: shape, title, chips, how long it has waited, and the tray's navigation."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.wording import Title, chips_of, icon_of, risk_of
from desktop.ui.text.format import full_time, interrupted_since, waiting_since
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, CONTROL_HEIGHT_COMPACT, ICON_CARD, SPACE_1, SPACE_2
from desktop.ui.widgets.card_parts import CardTitle, plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.flow_layout import FlowLayout


class CardHeader:
    """Fills `row`, which the card lays out. Nothing in it but the navigation can be pressed."""

    def __init__(self, card: QWidget, context: CardContext, prefix: str, title: Title) -> None:
        px = theme().px
        self._card, self._context = card, context
        self._icon_name, self._role = icon_of(context.request, interrupted=context.item.interrupted)
        self._icon = QLabel(card)
        self._icon.setFixedHeight(px(CONTROL_HEIGHT))
        heading = QWidget(card)
        heading.setObjectName(f"{prefix}_chips")
        flow = FlowLayout(heading, gap_x=px(SPACE_2), gap_y=px(SPACE_1))
        self.title = CardTitle(heading, f"{prefix}_title")
        self.title.set_title(title.text, title.bold)
        self.title.setMinimumHeight(px(CONTROL_HEIGHT_COMPACT))
        flow.addWidget(self.title)
        for text, role in chips_of(context.request):
            flow.addWidget(Chip(text, role, heading))
        self._risk = plain_label(heading, "caption", f"{prefix}_risk_short", wrap=False)
        self._risk.hide()
        flow.addWidget(self._risk)
        self.waiting = plain_label(card, "caption", f"{prefix}_waiting", wrap=False)
        lines = QVBoxLayout()
        lines.setContentsMargins(0, px(CONTROL_HEIGHT - CONTROL_HEIGHT_COMPACT) // 2, 0, 0)
        lines.setSpacing(0)
        lines.addWidget(heading)
        lines.addWidget(self._second_line(card, prefix))
        self.row = QHBoxLayout()
        self.row.setSpacing(px(SPACE_2))
        self.row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self.row.addLayout(lines, 1)

    def show_second_line(self, shown: bool, width: int) -> None:
        """The line under the title gives way where there is hardly room; how risky it is stands beside the title then,
        if it fits there."""
        self._second.setVisible(shown)
        self._risk.hide()
        if not shown and self._risk.text():
            before = self._height_at(width)
            self._risk.show()
            self._risk.setVisible(self._height_at(width) <= before)

    def _height_at(self, width: int) -> int:
        self.row.invalidate()
        return self.row.heightForWidth(width)

    def _second_line(self, card: QWidget, prefix: str) -> QWidget:
        """How long it has waited, and how risky it is."""
        self._second = QWidget(card)
        row = QHBoxLayout(self._second)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.waiting)
        words, role = risk_of(self._context.request)
        if words:
            risk = plain_label(self._second, "caption", f"{prefix}_risk", role=role, wrap=False)
            risk.setText(f" · {words}")
            risk.setAccessibleName(words)
            row.addWidget(risk)
            self._risk.setText(words)
            self._risk.setProperty("role", role)
        row.addStretch(1)
        return self._second

    def set_navigation(self, navigation: QWidget) -> None:
        """Take the tray's "1 of 2" and its buttons."""
        self.row.addWidget(navigation, 0, Qt.AlignmentFlag.AlignTop)
        navigation.show()

    def refresh_age(self) -> None:
        """Say how long it has been waiting."""
        item = self._context.item
        words = interrupted_since if item.interrupted else waiting_since
        text = words(item.asked_at, self._context.clock())
        if text != self.waiting.text():
            self.waiting.setText(text)
        self.waiting.setToolTip(full_time(item.asked_at))

    def take_theme(self) -> None:
        """Draw the shape and the title in the theme in force."""
        self._icon.setPixmap(pixmap(self._icon_name, self._role, ICON_CARD, self._card.devicePixelRatio()))
        self.title.setFont(theme().font())
        self.title.setToolTip(plain_tooltip(self.title.text()))
