"""PullFiles and PullCommits: what a request changes, and of what commits; each opens among the changes."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.language import tr
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.parts import PullList, column_in, line_of
from desktop.ui.pulls.rows import PullRow, PullRows, commit_row, file_row
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import part_note
from desktop.ui.text.format import changed_lines, count
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label, say


class _ListPage(PullPage):
    """A line of words and a list. `opened`: what a row that was chosen is about."""

    opened = Signal(str)

    def __init__(self, shown: ShownPull, name: str, title: str, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self.words: QLabel = plain_label(self, "muted", f"{name}_words")
        self._note = plain_label(self, "caption", f"{name}_note")
        self.rows = PullRows(self)
        self.list = PullList(self.rows, name, title, self)
        top = line_of(self.words, margins=(SPACE_3, SPACE_2, SPACE_3, 0))
        note = line_of(self._note, margins=(SPACE_3, 0, SPACE_3, 0))
        column = column_in(self, top, note, self.list, spacing=SPACE_1)
        for at in range(2):
            column.setStretch(at, 0)
        self.list.activated.connect(self._on_chosen)
        self.list.doubleClicked.connect(self._on_chosen)

    def main_list(self) -> PullList:
        """Its list."""
        return self.list

    def _show(self, rows: list[PullRow], words: str, note: str) -> None:
        self.rows.set_rows(rows)
        self.words.setText(words)
        say(self._note, note)

    def _on_chosen(self, _index: QModelIndex) -> None:
        key = self.list.key
        if key:
            self.opened.emit(key.partition(":")[2])


class PullFiles(_ListPage):
    """The files of the request; Enter or a double click shows one in Changes."""

    key, label, letter = "files", tr("Files"), Qt.Key.Key_F

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, "pr_files", tr("Files of the pull request"), parent)
        self.opened.connect(lambda path: shown.place_asked.emit(path, 0))

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The number of files that the request changes."""
        return len(snapshot.files)

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        if snapshot is None:
            return
        files = snapshot.files
        added, removed = sum(one.added for one in files), sum(one.removed for one in files)
        words = f"{count(len(files), 'file')} {changed_lines(added, removed)}".strip() if files else tr("No files.")
        if "files" not in snapshot.known:
            words = tr("Loading files…") if self._shown.fold.loading else tr("The files were not read yet.")
        self._show([file_row(file) for file in files], words, part_note(snapshot, "files"))


class PullCommits(_ListPage):
    """The commits of the request; Enter or a double click shows one in Changes."""

    key, label = "commits", tr("Commits")

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, "pr_commits", tr("Commits of the pull request"), parent)
        self.opened.connect(shown.commit_asked)

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The number of commits in the request."""
        return len(snapshot.commits)

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        if snapshot is None:
            return
        now = self._shown.clock()
        words = count(len(snapshot.commits), "commit") if snapshot.commits else tr("No commits.")
        if "commits" not in snapshot.known:
            words = tr("Loading commits…") if self._shown.fold.loading else tr("The commits were not read yet.")
        self._show([commit_row(one, now) for one in snapshot.commits], words, part_note(snapshot, "commits"))
