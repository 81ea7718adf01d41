"""LineList: short lines to read and to copy, as high as they are up to a few."""

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.language import tr
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

MOST = 500
_SHOWN = 6
Noun = Literal["line", "file", "commit"]
_MORE: dict[Noun, Callable[[int], str]] = {
    "line": lambda n: count(n, "more line"),
    "file": lambda n: count(n, "more file"),
    "commit": lambda n: count(n, "more commit"),
}


class LineList(QPlainTextEdit):
    """Lines must have passed display_text(). `noun`: what the lines that are left out are, "commit" for one."""

    def __init__(self, name: str, title: str, lines: Sequence[str], parent: QWidget, noun: Noun = "line") -> None:
        shown = list(lines[:MOST])
        if len(lines) > MOST:
            shown.append(tr("… and {more}", more=_MORE[noun](len(lines) - MOST)))
        super().__init__("\n".join(shown), parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(theme().mono())
        around = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        rows = min(_SHOWN, max(1, len(shown))) + (1 if shown else 0)
        EdgeFade(self, "surface")
        self.setFixedHeight(rows * self.fontMetrics().lineSpacing() + around)
