"""FactList: a few facts one under the other, each with an icon; it scrolls by wheel and keys when they are many."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_MOST = 184
_ROWS = 40
_LEAST_WIDTH = 420


class FactList(QScrollArea):
    """`look`: icon and colour token of every line; of very many lines the last stand together. Lines must have passed
    display_text()."""

    def __init__(self, name: str, title: str, look: tuple[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._look = look
        self._contents = QWidget(self)
        self._contents.setMinimumWidth(1)
        self._rows = QVBoxLayout(self._contents)
        self._rows.setContentsMargins(0, 0, 0, 0)
        set_gaps(self._rows, spacing=SPACE_1)
        self.setWidget(self._contents)
        theme().changed.connect(self._fit)

    def show_lines(self, lines: Sequence[str], looks: Mapping[str, tuple[str, str]] | None = None) -> None:
        """Show these lines and no others. `looks`: of lines that have one of their own."""
        while (item := self._rows.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        rows = lines if len(lines) <= _ROWS else [*lines[: _ROWS - 1], "\n".join(lines[_ROWS - 1 :])]
        for line in rows:
            row = self._row(line, (looks or {}).get(line, self._look))
            self._rows.addWidget(row)
            row.show()
        self.setAccessibleDescription("\n".join(lines))
        self.setVisible(bool(lines))
        self._fit()

    def sizeHint(self) -> QSize:
        """The room for the lines of the list, up to a limit."""
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        """The height of the lines: a question shows what it is about."""
        return QSize(1, self._height())

    def event(self, event: QEvent) -> bool:
        """Break the lines anew when the width changed."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return done

    def _height(self) -> int:
        width = max(self.viewport().width(), theme().px(_LEAST_WIDTH))
        return min(theme().px(_MOST), max(1, self._rows.heightForWidth(width)))

    def _fit(self) -> None:
        fits = self._rows.heightForWidth(max(1, self.width())) <= theme().px(_MOST)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if fits else Qt.FocusPolicy.StrongFocus)
        height = self._height()
        if (self.minimumHeight(), self.maximumHeight()) != (height, height):
            self.setFixedHeight(height)

    def _row(self, line: str, look: tuple[str, str]) -> QWidget:
        row = QWidget(self._contents)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_2)
        layout.addWidget(IconLabel(*look, row), 0, Qt.AlignmentFlag.AlignTop)
        words = plain_label(row)
        words.setText(line)
        layout.addWidget(words, 1)
        return row
