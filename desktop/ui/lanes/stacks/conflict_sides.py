"""ConflictSides: both sides of a file in conflict beside each other, with the lines marked that the base has not."""

import difflib

from PySide6.QtGui import QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import code_runs, joined
from desktop.domain.lanes.updates import ConflictFile
from desktop.language import tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST_COMPARED = 4_000
_NONE = tr("This side has no such file.")
_NO_TEXT = tr("Not shown: no text, or too large.")


class ConflictSides(QWidget):
    """`ours` is what the lane's work is put on, `theirs` what is put there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("conflict_sides")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        set_gaps(row, spacing=SPACE_2)
        sides = [QWidget(self) for _ in range(3)]
        self._ours = _side(sides[0], "conflict_ours", tr("Ours"))
        self._base = _side(sides[1], "conflict_base", tr("Before both"))
        self._theirs = _side(sides[2], "conflict_theirs", tr("Theirs"))
        self._between = sides[1]
        for side in sides:
            row.addWidget(side, 1)
        self._marked: list[tuple[QPlainTextEdit, list[int]]] = []
        theme().changed.connect(self._paint_marks)
        self.show_base(False)

    def show_file(self, file: ConflictFile | None, ours: str, theirs: str) -> None:
        """Show a file; the names say where its sides come from. They must have passed display_text()."""
        texts = (file.ours, file.base, file.theirs) if file is not None else (None, None, None)
        names = (ours, tr("Before both"), theirs)
        for (title, view), text, name in zip((self._ours, self._base, self._theirs), texts, names, strict=True):
            title.set_full_text(name)
            view.setAccessibleName(name)
            missing = _NO_TEXT if file is not None and not file.note.startswith("Deleted") else _NONE
            view.setPlainText(_shown(text) if text is not None else (missing if file is not None else ""))
        base = texts[1] or ""
        sides = ((self._ours[1], texts[0]), (self._theirs[1], texts[2]))
        self._marked = [(view, changed_lines(base, text) if text is not None else []) for view, text in sides]
        self._paint_marks()
        for view, changed in self._marked:
            if changed:
                view.setTextCursor(QTextCursor(view.document().findBlockByNumber(changed[0])))
                view.centerCursor()

    def show_base(self, shown: bool) -> None:
        """Show what both sides come from between them."""
        self._between.setVisible(shown)

    def _paint_marks(self) -> None:
        """Lines that the base has not stand on another ground."""
        for view, changed in self._marked:
            marks = []
            for line in changed:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(view.document().findBlockByNumber(line))
                mark.format.setBackground(theme().color("diff_add"))
                mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                marks.append(mark)
            view.setExtraSelections(marks)


def _side(parent: QWidget, name: str, words: str) -> tuple[ElidedLabel, QPlainTextEdit]:
    column = QVBoxLayout(parent)
    column.setContentsMargins(0, 0, 0, 0)
    set_gaps(column, spacing=SPACE_1)
    title = ElidedLabel("", parent)
    title.setObjectName(f"{name}_name")
    title.setProperty("kind", "strong")
    view = QPlainTextEdit(parent)
    view.setObjectName(name)
    view.setAccessibleName(words)
    view.setReadOnly(True)
    view.setTabChangesFocus(True)
    view.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    view.setFont(theme().mono())
    EdgeFade(view, "surface")
    column.addWidget(title)
    column.addWidget(view, 1)
    return title, view


def changed_lines(base: str, text: str) -> list[int]:
    """The lines of a text, from 0, that are not the base's; none for very long ones."""
    before, after = base.splitlines(), text.splitlines()
    if len(before) > MOST_COMPARED or len(after) > MOST_COMPARED:
        return []
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [line for kind, _, _, start, end in steps if kind != "equal" for line in range(start, end)]


def _shown(text: str) -> str:
    """Line by line, so that none is lost and nothing misleads."""
    return "\n".join(joined(code_runs(line)) for line in text.split("\n"))
