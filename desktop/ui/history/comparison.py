"""Comparison: the files that differ between two checkpoints, or one and now, and the difference of the chosen one."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.domain.chats.updates import CheckpointsCompared
from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.changes.diff.canvas import DiffShape
from desktop.ui.changes.diff.view import DiffView
from desktop.ui.changes.file_rows import row_list
from desktop.ui.changes.model import ChangesModel, FileRow
from desktop.ui.history.timeline_model import CheckpointRow, TimelineModel
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.text.diff_lines import file_diff
from desktop.ui.text.format import changed_lines, count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

ASK = tr("Choose a checkpoint, or two with Ctrl, and compare.")
_FILES_SHOWN = 4


class Comparison(QWidget):
    """Shows the answer to the question asked last. `file_wanted`: a checkpoint and the paths of one file that is to be
    as it was there; a rename has two."""

    file_wanted = Signal(str, tuple)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self._asked = ("", "")
        self.model = ChangesModel(self)
        self._said = QLabel(ASK, self)
        self._said.setObjectName("comparison_said")
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setWordWrap(True)
        self._said.setProperty("kind", "muted")
        self._said.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_2), 0)
        self._back = push_button(tr("Put this file back"), "comparison_put_back", self)
        self._back.setProperty("compact", "true")
        self._back.setToolTip(tr("As it was in the checkpoint. What it is now is kept in a checkpoint of its own."))
        self._back.clicked.connect(self._on_back)
        self._files = row_list(self, "comparison_files", tr("Files that differ"), self.model)
        self._files.selectionModel().currentChanged.connect(self._on_file)
        self._diff = DiffView(self, "comparison_diff")
        self._diff.can_comment = False
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        head = QHBoxLayout()
        set_gaps(head, (0, 0, SPACE_2, 0), SPACE_1)
        head.addWidget(self._said, 1)
        head.addWidget(self._back)
        column.addLayout(head)
        column.addWidget(self._files)
        column.addWidget(self._diff, 1)
        self.clear()

    def clear(self) -> None:
        """Compare nothing."""
        self._asked = ("", "")
        self._show((), ASK)

    def ask(self, checkpoint_id: str, other: str) -> None:
        """The next answer about these two is shown."""
        self._asked = (checkpoint_id, other)

    def take(self, compared: CheckpointsCompared, timeline: TimelineModel) -> None:
        """Show what came, if it answers the question asked last."""
        if compared.session_id == timeline.session_id and (compared.checkpoint_id, compared.other) == self._asked:
            self._take(compared, {row.key: row for row in timeline.rows})

    def _take(self, compared: CheckpointsCompared, rows: dict[str, CheckpointRow]) -> None:
        names = [rows[one].title if one in rows else tr("now") for one in (compared.checkpoint_id, compared.other)]
        files = compared.files
        added, removed = sum(file.added for file in files), sum(file.removed for file in files)
        figures = (
            f"{count(len(files), 'file')} {changed_lines(added, removed)}".strip() if files else tr("no difference")
        )
        words = f"{names[0]} → {names[1]}: {figures}"
        self._show(files, display_text(said(compared.problem)) or words)

    def _show(self, files: Sequence[ChangedFile], words: str) -> None:
        self._said.setText(words)
        self._said.setToolTip(plain_tooltip(words))
        self.model.set_rows([FileRow(file) for file in files])
        self._files.setVisible(bool(files))
        self._diff.setVisible(bool(files))
        self._files.setFixedHeight(theme().px(theme().dense(SIDEBAR_ROW)) * min(_FILES_SHOWN, max(1, len(files))) + 2)
        self._files.setCurrentIndex(self.model.index(0, 0) if files else QModelIndex())
        self._on_file(self._files.currentIndex(), QModelIndex())

    def _on_file(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = current.data(ROW_ROLE)
        made = file_diff(row.file.path, row.file.unified) if isinstance(row, FileRow) else file_diff("", "")
        self._diff.show_file(made, (), DiffShape())
        self._back.setVisible(isinstance(row, FileRow) and not self._asked[1])

    def _on_back(self) -> None:
        row = self._files.currentIndex().data(ROW_ROLE)
        if isinstance(row, FileRow):
            self.file_wanted.emit(self._asked[0], tuple(path for path in (row.file.path, row.file.old_path) if path))
