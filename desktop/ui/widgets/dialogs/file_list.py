"""FileList: the files that something is about to change, one a line, to read and to copy."""

from collections.abc import Collection, Sequence

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.text.format import changed_lines, count
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.layouts.edge_fade import EdgeFade

OUTSIDE = tr("not the agent’s work")
_SHOWN, _MOST, _WIDTH = 7, 500, 440
_WORDS = {
    "added": tr("is added"),
    "untracked": tr("is added"),
    "modified": tr("is changed"),
    "deleted": tr("is deleted"),
    "renamed": tr("is renamed"),
}


class FileList(QPlainTextEdit):
    """A list of files, as high as its lines, up to seven."""

    def __init__(self, name: str, files: Sequence[ChangedFile], outside: Collection[str], parent: QWidget) -> None:
        """`outside`: paths among the files that something other than the agent changed."""
        lines = [file_line(file, file.path in outside) for file in files[:_MOST]]
        if len(files) > _MOST:
            lines.append(tr("… and {files}", files=count(len(files) - _MOST, "more file", "more files")))
        super().__init__("\n".join(lines), parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Files"))
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(theme().mono())
        shown = min(_SHOWN, max(1, len(lines)))
        around = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        self.setFixedHeight((shown + (1 if len(lines) else 0)) * self.fontMetrics().lineSpacing() + around)
        self.setMinimumWidth(theme().px(_WIDTH))
        EdgeFade(self, "surface")


def file_line(file: ChangedFile, outside: bool = False) -> str:
    """ "app.py is changed  +1 −1  not the agent’s work"."""
    path = display_text(file.path)
    path = tr("{path} (was {old_path})", path=path, old_path=display_text(file.old_path)) if file.old_path else path
    parts = [f"{path} {_WORDS[file.status]}", changed_lines(file.added, file.removed)]
    return "  ".join(part for part in (*parts, OUTSIDE if outside else "") if part)
