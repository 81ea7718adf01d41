"""Small parts of cards: plain labels, the title with its target in bold, and a scroll area as high as its contents."""

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from desktop.language import said, tr
from desktop.ui.text.utf16 import to_units
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.layouts.edge_fade import EdgeFade


def plain_label(parent: QWidget, kind: str = "", name: str = "", *, role: str = "", wrap: bool = True) -> QLabel:
    """A label that never reads markup; `kind` and `role` as the stylesheet names them. Empty until it is given text."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if wrap:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        label.setSizePolicy(policy)
    if name:
        label.setObjectName(name)
    for key, value in (("kind", kind), ("role", role)):
        if value:
            label.setProperty(key, value)
    return label


def say(label: QLabel, text: str) -> None:
    """Show the text, or hide the label when there is none. The text must have passed display_text()."""
    label.setText(said(text))
    label.setVisible(bool(text))


class CardTitle(QLabel):
    """A title of which one part, the target, is bold. Wraps between words, and inside one that is too long.

    `ink`: the colour token it is drawn in.
    """

    def __init__(self, parent: QWidget, name: str, ink: str = "text") -> None:
        super().__init__(parent)
        self._ink = ink
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._bold = (0, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_title(self, text: str, bold: str = "") -> None:
        """Show the text; the first place where `bold` stands in it is bold."""
        start = text.find(bold) if bold else -1
        self._bold = (to_units(text, start), to_units(bold, len(bold))) if start >= 0 else (0, 0)
        self.setText(text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for the whole title in one line."""
        layout = self._layout(float(2**20))
        return QSize(int(layout.lineAt(0).naturalTextWidth()) + 2, self._height(layout))

    def minimumSizeHint(self) -> QSize:
        """The title may become as narrow as a few characters."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.averageCharWidth() * 8, metrics.height())

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at that width."""
        return self._height(self._layout(width))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw all lines of the title."""
        painter = QPainter(self)
        painter.setPen(theme().color(self._ink))
        layout = self._layout(self.width())
        layout.draw(painter, QPointF(0, max(0, (self.height() - self._height(layout)) // 2)))

    def _height(self, layout: QTextLayout) -> int:
        last = layout.lineAt(layout.lineCount() - 1)
        return int(last.y() + last.height() + 0.99)

    def _layout(self, width: float) -> QTextLayout:
        layout = QTextLayout(self.text(), self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        if self._bold[1]:
            bold = QTextLayout.FormatRange()
            bold.start, bold.length = self._bold
            look = QTextCharFormat()
            look.setFontWeight(QFont.Weight.DemiBold)
            bold.format = look
            layout.setFormats([bold])
        layout.beginLayout()
        y = 0.0
        line = layout.createLine()
        while line.isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, y))
            y += line.height()
            line = layout.createLine()
        layout.endLayout()
        return layout


class BodyScroll(QScrollArea):
    """The part of a card that scrolls when there is not room for all of it. Add parts to `column`. `ground`: the token
    of what it stands on."""

    def __init__(self, parent: QWidget, ground: str = "raised") -> None:
        super().__init__(parent)
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(1)
        self._together: tuple[QWidget, ...] = ()
        self.setAccessibleName(tr("Contents of the card"))
        self.contents = QWidget(self)
        self.contents.setMinimumWidth(1)  # never wider than what is seen, whatever word stands in it
        self.column = QVBoxLayout(self.contents)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(theme().px(SPACE_2))
        self.setWidget(self.contents)
        EdgeFade(self, ground)
        self.verticalScrollBar().sliderPressed.connect(self.let_go)

    def show_together(self, first: QWidget, second: QWidget) -> None:
        """Scroll until both are seen, or as much of the second as leaves the first in sight; and again when the room
        or the contents change, until a person scrolls."""
        self._together = (second, first)  # what comes last is seen for sure
        self._show_together()

    def let_go(self) -> None:
        """Nothing is kept in sight any more."""
        self._together = ()

    def wanted_height(self, width: int) -> int:
        """The height at which nothing needs to scroll."""
        return self.column.heightForWidth(width) if self.column.hasHeightForWidth() else self.column.sizeHint().height()

    def minimumSizeHint(self) -> QSize:
        """The body may shrink to nothing: what stands above and below it must stay visible."""
        return QSize(1, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Look whether a scroll bar is needed."""
        self._settle_bar()
        super().resizeEvent(event)
        self._show_together()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A person scrolls."""
        self.let_go()
        super().wheelEvent(event)

    def _show_together(self) -> None:
        if not self._together:
            return
        bar, room = self.verticalScrollBar(), self.viewport().height()
        for part in self._together:
            top = part.mapTo(self.contents, QPoint(0, 0)).y()
            bar.setValue(min(max(bar.value(), top + part.height() - room), top))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The contents became another height."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._settle_bar()
        taken = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.Resize:
            self._show_together()
        return taken

    def _settle_bar(self) -> None:
        """No bar where all fits: Qt keeps one that it showed once, and its width alone can make it needed."""
        fits = self.height() >= self.wanted_height(self.width())
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        self.setViewportMargins(0, 0, 0 if fits else theme().px(SPACE_1), 0)
