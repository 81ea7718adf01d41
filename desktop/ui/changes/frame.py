"""ChangesFrame: the parts of the Changes tab and where they stand; what happens in them is the panel's."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.changes.changed_files import ChangedFilesView
from desktop.ui.changes.changed_tree import ChangedTree
from desktop.ui.changes.commit_box import CommitBox
from desktop.ui.changes.diff.canvas import Ticked
from desktop.ui.changes.diff.review_pane import ReviewPane
from desktop.ui.changes.review_notes import NotesBar, ReviewNotes
from desktop.ui.changes.scope_bar import ScopeBar
from desktop.ui.core.panel import Panel
from desktop.ui.core.requests import Requests
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps


class ChangesFrame(Panel):
    """From top to bottom: scopes, what is wrong, files, diff, comments, commit; or a state in place of two."""

    def __init__(self, requests: Requests, ticked: Ticked, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("changes_panel")
        self.notes = ReviewNotes(requests, self)
        self.tree = ChangedTree(self)
        self.bar, self.files = ScopeBar(self), ChangedFilesView(self.tree, self)
        self.pane = ReviewPane(self, ticked)
        self.notes_bar, self.commit = NotesBar(self.notes, self), CommitBox(self)
        self._state = EmptyState("file-diff", "", "", self)
        self.try_again = self._state.add_button(tr("Try again"), "changes_try_again")
        self.cancel = self._state.add_button(tr("Cancel"), "changes_cancel")
        self._page = EmptyPage(self._state, self)
        self.primary_note = plain_label(self, "caption", "changes_primary_note", wrap=False)
        self.more = small_button("", "changes_more_files", self)
        self._build_problem()
        self._build_conflicts()
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setObjectName("changes_splitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(max(1, theme().px(1)))
        self._stack = QStackedWidget(self)
        self._lay_out()

    def show_state(self, text: str, *, more: str = "", cancel: bool = False, again: bool = False) -> None:
        """Words in place of files and diff, `more` below them; "" shows nothing yet."""
        self._page.set_texts(text, more)
        self._state.setVisible(bool(text))
        self.cancel.setVisible(cancel)
        self.try_again.setVisible(again)
        self._stack.setCurrentWidget(self._page)

    def show_files(self) -> None:
        """Files and diff."""
        self._stack.setCurrentWidget(self.splitter)

    def say_problem(self, text: str) -> None:
        """A line above the files, "" for none."""
        self.problem.setText(text)
        self.problem_line.setVisible(bool(text))

    def take_back(self) -> None:
        """The diff stands below the files (again)."""
        self.splitter.addWidget(self.pane)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.pane.show()

    def _build_problem(self) -> None:
        self.problem_line = QWidget(self)
        line = QHBoxLayout(self.problem_line)
        set_gaps(line, (SPACE_3, 0, SPACE_3, 0), SPACE_2)
        self.problem = plain_label(self, "", "changes_problem", wrap=False)
        self.problem.setProperty("role", "danger")
        self.problem.setWordWrap(True)
        self.problem_again = small_button(tr("Try again"), "changes_problem_again", self)
        line.addWidget(self.problem, 1)
        line.addWidget(self.problem_again)
        self.problem_line.hide()

    def _build_conflicts(self) -> None:
        self.conflict_line = QWidget(self)
        line = QHBoxLayout(self.conflict_line)
        set_gaps(line, (SPACE_3, 0, SPACE_3, 0), SPACE_2)
        self.conflict_words = plain_label(self, "strong", "changes_conflict_words", wrap=False)
        self.conflict_words.setWordWrap(True)
        self.conflict_words.setProperty("role", "danger")
        self.conflicts = small_button(tr("Show conflicts…"), "changes_conflicts", self)
        line.addWidget(self.conflict_words, 1)
        line.addWidget(self.conflicts)
        self.conflict_line.hide()

    def _lay_out(self) -> None:
        top = QWidget(self)
        listed = QVBoxLayout(top)
        set_gaps(listed, (0, 0, 0, 0), 0)
        listed.addWidget(self.files, 1)
        listed.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.splitter.addWidget(top)
        self.take_back()
        self.splitter.setSizes([theme().px(190), theme().px(420)])
        self._stack.addWidget(self._page)
        self._stack.addWidget(self.splitter)
        self.primary_note.setWordWrap(True)
        self.primary_note.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_2, 0, 0), SPACE_1)
        for part in (self.bar, self.primary_note, self.problem_line, self.conflict_line):
            column.addWidget(part)
        column.addWidget(self._stack, 1)
        column.addWidget(self.notes_bar)
        column.addWidget(self.commit)
