"""BoxList: rows to be chosen or ticked, in a box of their own that scrolls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QWidget

from desktop.ui.widgets.layouts.edge_fade import EdgeFade


class BoxList(QListWidget):
    """`sideways`: it may scroll so too, where the whole of a long row must be readable."""

    def __init__(self, name: str, title: str, parent: QWidget | None, *, sideways: bool = False) -> None:
        """`name` is its object name, `title` what people hear."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setProperty("kind", "box")
        if not sideways:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        EdgeFade(self, "surface")

    def fit(self, most: int) -> None:
        """As high as its rows are, up to the first `most` of them; never lower than one."""
        self.ensurePolished()
        heights = [self.sizeHintForRow(row) for row in range(min(most, self.count()))]
        one = self.fontMetrics().height()
        self.setFixedHeight((sum(heights) or one) + 2 * self.frameWidth())
