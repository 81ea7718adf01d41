"""PartsBlock: a box on a card whose lines and grids are told anew each time something is known."""

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label


class PartsBlock(QFrame):
    """Parts that go and come, below one another, beside what stays in the column."""

    def __init__(self, parent: QWidget, name: str, title: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("kind", "banner")
        self.setAccessibleName(title)
        self._column = QVBoxLayout(self)
        px = theme().px
        self._column.setContentsMargins(px(SPACE_3), px(SPACE_2), px(SPACE_3), px(SPACE_2))
        self._column.setSpacing(px(SPACE_1))
        self._parts: list[QWidget] = []

    def _take(self, part: QWidget) -> None:
        self._column.addWidget(part)
        part.show()
        self._parts.append(part)

    def _say(self, text: str, kind: str, name: str = "", role: str = "") -> None:
        label = plain_label(self, kind, name, role=role)
        label.setText(text)
        label.ensurePolished()
        self._take(label)

    def _clear(self) -> None:
        for part in self._parts:
            self._column.removeWidget(part)
            part.hide()
            part.setParent(None)
            part.deleteLater()
        self._parts = []
