"""HunkView: the lines of the diff that a thread stands on, with their signs and colours."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from desktop.domain.display.text import Run, code_runs
from desktop.language import tr
from desktop.ui.text.safe_text import write_runs
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1

MOST_LINES = 6
_GROUNDS = {"+": "diff_add", "-": "diff_del"}


class HunkView(QTextEdit):
    """The last lines of a hunk, where the comment stands; long lines scroll sideways."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._hunk = ""
        self.setObjectName("pr_thread_code")
        self.setAccessibleName(tr("Code that the thread is about"))
        self.setProperty("kind", "evidence")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._draw)

    def show_hunk(self, hunk: str) -> None:
        """Show the end of a hunk; hidden where there is none."""
        self.setVisible(bool(hunk))
        if hunk != self._hunk:
            self._hunk = hunk
            self._draw()

    def sizeHint(self) -> QSize:
        """The height of the hunk's lines."""
        lines = max(1, self.document().blockCount())
        height = lines * self.fontMetrics().lineSpacing() + theme().px(SPACE_1 * 6)
        return QSize(1, height)

    def minimumSizeHint(self) -> QSize:
        """The height of the hunk's lines."""
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters are left to the panel."""
        if event.text() and event.text().isprintable() and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _draw(self) -> None:
        lines = self._hunk.splitlines()
        shown = [line for line in lines if not line.startswith("@@")][-MOST_LINES:]
        document = QTextDocument(self)
        document.setDefaultFont(theme().mono())
        document.setDocumentMargin(theme().px(SPACE_1))
        cursor = QTextCursor(document)
        for number, line in enumerate(shown):
            shape = QTextBlockFormat()
            ground = _GROUNDS.get(line[:1])
            if ground:
                shape.setBackground(theme().color(ground))
            if number:
                cursor.insertBlock(shape)
            else:
                cursor.setBlockFormat(shape)
            look = QTextCharFormat()
            look.setForeground(theme().color("text"))
            look.setFont(theme().mono())
            write_runs(cursor, (Run(kind="text", text=line[:1]), *code_runs(line[1:])), look)
        self.setDocument(document)
        self.updateGeometry()
