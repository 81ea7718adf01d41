"""One choice of a question: a radio button or tick box, its words, a tag when recommended, and a description."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from desktop.ui.text.direction import reading_direction
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_CARD, RADIUS_CONTROL, SPACE_1, SPACE_2
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.layouts.flow_layout import FlowLayout


class _Radio(QRadioButton):
    """One of several choices."""

    focused = Signal()

    def sizeHint(self) -> QSize:
        """The mark and its focus ring."""
        return QSize(theme().px(ICON_CARD), theme().px(ICON_CARD))

    def hitButton(self, pos: QPoint) -> bool:  # noqa: N802
        """All of it takes clicks."""
        return self.rect().contains(pos)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell of it."""
        super().focusInEvent(event)
        self.focused.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it from the theme."""
        _paint_mark(self, round_mark=True)


class _Tick(QCheckBox):
    """Any of several choices."""

    focused = Signal()

    def sizeHint(self) -> QSize:
        """The mark and its focus ring."""
        return QSize(theme().px(ICON_CARD), theme().px(ICON_CARD))

    def hitButton(self, pos: QPoint) -> bool:  # noqa: N802
        """All of it takes clicks."""
        return self.rect().contains(pos)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell of it."""
        super().focusInEvent(event)
        self.focused.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it from the theme."""
        _paint_mark(self, round_mark=False)


class AnswerOption(QWidget):
    """A click anywhere on it chooses. `chosen` follows every change; `looked_at` when it has focus or pointer.

    The texts must have passed display_text().
    """

    chosen = Signal(bool)
    looked_at = Signal()

    def __init__(self, texts: tuple[str, str], name: str, parent: QWidget, *, several: bool) -> None:
        super().__init__(parent)
        label, description = texts
        self.setLayoutDirection(reading_direction(label))
        self.button: _Radio | _Tick = _Tick(self) if several else _Radio(self)
        self.button.setObjectName(name)
        self.button.setAccessibleName(label)
        self.button.setAccessibleDescription(description)
        self.button.setAutoExclusive(False)
        self.button.toggled.connect(self._toggled)
        self.button.focused.connect(self.looked_at)
        px = theme().px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(SPACE_2), px(SPACE_1), px(SPACE_2), px(SPACE_1))
        row.setSpacing(px(SPACE_2))
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self.words = QVBoxLayout()
        self.words.setSpacing(0)
        heading = QWidget(self)
        self.heading = FlowLayout(heading, gap_x=px(SPACE_2))
        text = plain_label(heading, wrap=True)
        text.setText(label)
        self.heading.addWidget(text)
        self.words.addWidget(heading)
        if description:
            more = plain_label(self, "caption")
            more.setText(description)
            self.words.addWidget(more)
        row.addLayout(self.words, 1)

    def add_tag(self, text: str) -> None:
        """A tag after the words."""
        self.heading.addWidget(Chip(text, "accent", self))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Taken, so that the release comes here."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose, as a click on the button itself does."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.button.click()

    def enterEvent(self, event: QEnterEvent) -> None:
        """The pointer looks at it too."""
        self.looked_at.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A frame, filled when it is chosen."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        checked = self.button.isChecked()
        painter.setPen(QPen(theme().color("accent" if checked else "border"), 1))
        painter.setBrush(theme().color("selection" if checked else "surface"))
        radius = theme().px(RADIUS_CONTROL)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _toggled(self, checked: bool) -> None:
        self.update()
        self.chosen.emit(checked)


def choose_one(rows: list[AnswerOption], row: AnswerOption) -> None:
    """Take the choice from all other rows, as radio buttons do."""
    for other in rows:
        button: QAbstractButton = other.button
        if other is not row and button.isChecked():
            button.setChecked(False)


def _paint_mark(button: QAbstractButton, *, round_mark: bool) -> None:
    """Outline, filling when checked, ring when focused."""
    painter = QPainter(button)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inset = theme().px(SPACE_1) / 2 + 1
    box = button.rect().toRectF().adjusted(inset, inset, -inset, -inset)
    radius = box.width() / 2 if round_mark else theme().px(SPACE_1)
    checked = button.isChecked()
    painter.setPen(QPen(theme().color("accent" if checked else "control"), max(1.0, theme().zoom)))
    painter.setBrush(theme().color("accent") if checked and not round_mark else QColor(0, 0, 0, 0))
    painter.drawRoundedRect(box, radius, radius)
    if checked and round_mark:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("accent"))
        painter.drawEllipse(box.center(), box.width() / 4, box.height() / 4)
    elif checked:
        tick = pixmap("check", "on_accent", (box.width() - 2) / theme().zoom, button.devicePixelRatio())
        painter.drawPixmap(box.adjusted(1, 1, -1, -1).topLeft(), tick)
    if button.hasFocus():
        painter.setBrush(QColor(0, 0, 0, 0))
        painter.setPen(QPen(theme().color("accent"), max(2, theme().px(2))))
        painter.drawRoundedRect(button.rect().adjusted(1, 1, -1, -1), radius + inset, radius + inset)
