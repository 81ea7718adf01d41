"""SummaryText: what a model wrote about a handover, as high as it is long, up to eight lines."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

_MOST_LINES = 8


class SummaryText(QPlainTextEdit):
    """Read-only; keys scroll it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("handover_summary")
        self.setAccessibleName(tr("Summary by a model"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        EdgeFade(self, "surface")
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width wraps the lines anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = min(max(1, round(self.document().documentLayout().documentSize().height())), _MOST_LINES)
        edges = 2 * (self.frameWidth() + round(self.document().documentMargin())) + theme().px(SPACE_1)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + edges)
