"""TranscriptOverlays: what stands over or under the rows: the live line and the pill that leads to the end."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QPushButton, QWidget

from desktop.language import number, tr
from desktop.ui.text.safe_text import safe_line
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT_COMPACT, SPACE_3, SPACE_5


class TranscriptOverlays:
    """Both are hidden until they have something to say. `go`: what a click on the pill does."""

    def __init__(self, area: QAbstractScrollArea, viewport: QWidget, go: Callable[[], None]) -> None:
        self._viewport = viewport
        self._live_line = QLabel(viewport)
        self._live_line.setObjectName("transcript_live_line")
        self._live_line.setTextFormat(Qt.TextFormat.PlainText)
        restyle(self._live_line, kind="muted")
        self._live_line.hide()
        self._jump = QPushButton(area)
        self._jump.setObjectName("transcript_jump_latest")
        self._jump.setAutoDefault(False)
        self._jump.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        restyle(self._jump, compact="true")
        self._jump.clicked.connect(go)
        self._jump.hide()

    def show_live_line(self, words: str) -> None:
        """What happens now; "" hides the line."""
        text = safe_line(words)
        self._live_line.setText(text)
        self._live_line.setVisible(bool(text))

    def place_live_line(self, left: int, width: int, top: int) -> None:
        """Put the line under the last row of the column, which ends at `top` in the viewport."""
        look = theme()
        indent = look.px(SPACE_5)
        self._live_line.setGeometry(left + indent, top, width - indent, look.px(CONTROL_HEIGHT_COMPACT))

    def show_jump(self, new: int, *, shown: bool) -> None:
        """The pill, with the number of rows that came since the person scrolled up."""
        words = tr("↓ Latest · {n} new", n=number(new)) if new else tr("↓ Latest")
        if self._jump.text() != words:
            self._jump.setText(words)
            self.place_jump()
        self._jump.setVisible(shown)

    def place_jump(self) -> None:
        """Put the pill in the middle, above the lower edge."""
        size, area = self._jump.sizeHint(), self._viewport.geometry()
        left = area.left() + (area.width() - size.width()) // 2
        self._jump.setGeometry(QRect(QPoint(left, area.bottom() - size.height() - theme().px(SPACE_3)), size))
        self._jump.raise_()
