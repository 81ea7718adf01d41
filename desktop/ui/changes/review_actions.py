"""ReviewActions: what a person does with the changes shown: tick, commit, push, revert, comment, look at it large."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent

from desktop.domain.changes.commands import RevertPicked, UndoRevert
from desktop.domain.changes.updates import ChangeReverted
from desktop.domain.changes.values import ChangeScope, Picked
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import OpenInEditor
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.changes.commit_actions import READING, CommitActions
from desktop.ui.changes.dialogs.name_commit import CommitDialog
from desktop.ui.changes.diff.rows import FieldPlace
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.changes.picks import picked_lines, whole_file
from desktop.ui.changes.review_menu import fill_menu
from desktop.ui.core.requests import Requests, answer
from desktop.ui.models.line_key import LineKey
from desktop.ui.text.format import count
from desktop.ui.widgets.dialogs.ask import Question, ask_first

REVIEW_ACTIONS = (
    "next_file",
    "previous_file",
    "next_change",
    "previous_change",
    "viewed",
    "unified",
    "split",
    "large",
    "more_lines",
    "whole_file",
    "filter",
    "editor",
    "comment",
    "send_comments",
    "revert_change",
    "revert_file",
    "commit",
    "push",
)
"""What `act` knows; in the palette each is `changes_<name>`."""
_OF_A_FILE = frozenset(REVIEW_ACTIONS) - {"filter", "send_comments", "commit", "push"}
NO_FILE, NO_COMMENTS = tr("There are no changes to do this with."), tr("There are no comments to send.")
NO_CHANGE, NO_LINE = tr("Choose a change in the diff first."), tr("Choose a line in the diff first.")


class ReviewActions(QObject):
    """`noted`: a sentence and whether it tells of a failure; `undo_offered`: a sentence and what brings it back;
    `lane_asked`: an entry of the lane's menu, and the lane. `large_asked`: the pane of the diff is to be
    laid over the centre of the window; `large_ended`: it is to be given back, which `take_back` is told."""

    noted = Signal(str, bool)
    undo_offered = Signal(str, object)
    lane_asked = Signal(str, str)
    large_asked = Signal(object)
    large_ended = Signal()

    def __init__(self, panel: ChangesPanel, requests: Requests) -> None:
        super().__init__(panel)
        self._panel, self._requests = panel, requests
        self.commits = CommitActions(panel, requests)
        self._is_large = False
        self._connect()

    # revert

    def revert_lines(self, keys: Sequence[LineKey]) -> None:
        """Ask, then take back lines of the chosen file."""
        chosen = self._panel.chosen
        diff = chosen.named
        picked = picked_lines(diff, set(keys)) if diff is not None else None
        if picked is not None:
            self._ask_revert(
                tr("Revert {lines} of {path}?", lines=count(len(keys), "line"), path=display_text(chosen.path)),
                (picked,),
            )
        elif chosen.file is not None and diff is None:
            self.noted.emit(READING, False)

    def revert_file(self, path: str = "") -> None:
        """Ask, then take back all changes of a file, the chosen one for want of another."""
        files = self._panel.tree.files
        file = next((one for one in files if one.path == path), self._panel.chosen.file)
        if file is not None:
            self._ask_revert(tr("Revert {path}?", path=display_text(file.path)), (whole_file(file),))

    def revert_all(self) -> None:
        """Ask, then take back every file that is listed."""
        files = self._panel.tree.files
        if files:
            self._ask_revert(
                tr("Revert {files}?", files=count(len(files), "file")), tuple(whole_file(file) for file in files)
            )

    def _ask_revert(self, title: str, picked: tuple[Picked, ...]) -> None:
        panel = self._panel
        why = panel.can_act or (tr("Show white space first.") if panel.loader.ignore_space else "")
        if why:
            self.noted.emit(why, True)
            return
        text = tr("The lane's files become what they were before the change. A checkpoint is taken first.")
        question = Question(
            "changes_revert_dialog",
            title,
            text,
            (tr("Keep"), "changes_revert_keep"),
            (tr("Revert"), "changes_revert_go"),
        )
        loader = panel.loader
        command = RevertPicked(lane_id=loader.lane_id, session_id=loader.session_id, scope=loader.scope, picked=picked)
        ask_first(question, panel.window(), lambda: self._ask(command))

    def _on_reverted(self, update: ChangeReverted) -> None:
        if update.undone:
            self.noted.emit(update.text, False)
            return

        def undo() -> None:
            self._ask(UndoRevert(lane_id=update.lane_id, revert_id=update.revert_id))

        self.undo_offered.emit(update.text, undo)

    def _ask(self, command: Command) -> None:
        self._requests.ask(command, self, answer(ChangeReverted, self._on_reverted), failed=self._on_failed)

    def _on_failed(self, failed: CommandFailed) -> None:
        self.noted.emit(failed.text, True)

    # the rest

    def toggle_large(self) -> None:
        """The diff over the whole centre, or back at the side."""
        if self._is_large:
            self.close_large()
            return
        self._is_large = True
        self.large_asked.emit(self._panel.pane)
        self._panel.pane.set_large(True)
        self._panel.pane.view.setFocus()

    def close_large(self) -> None:
        """The diff goes back to the side."""
        if self._is_large:
            self.large_ended.emit()

    def take_back(self) -> None:
        """The centre of the window has given the diff back."""
        self._is_large = False
        self._panel.take_back()
        self._panel.pane.set_large(False)
        if self._panel.isVisible():
            self._panel.files.setFocus()

    def open_editor(self, line: int = 0, path: str = "") -> None:
        """Open a file in the person's editor, the chosen one for want of another, at a line where one is known."""
        path = path or self._panel.chosen.path
        if path:
            self._ask(OpenInEditor(lane_id=self._panel.loader.lane_id, path=path, line=line))

    def ask_commit(self) -> None:
        """Ask which commit is to be shown."""
        dialog = CommitDialog(self._panel.window())
        dialog.named.connect(lambda name: self._panel.choose_scope(ChangeScope(kind="commit", reference=name)))
        dialog.open()

    def show_menu(self, path: str = "", at: QPoint | None = None) -> None:
        """The menu of a file, and of the chosen lines where it is opened on them."""
        file = next((one for one in self._panel.tree.files if one.path == path), self._panel.chosen.file)
        if file is not None:
            fill_menu(self._panel, self, file, lines=not path).popup(at if at is not None else QCursor.pos())

    def act(self, action: str) -> None:
        """Do what an action of the palette asks for, by its id without `changes_`, or say what is missing."""
        if why := self._hindrance(action):
            self.noted.emit(why, False)
            return
        panel = self._panel
        view = panel.pane.view
        acts: dict[str, Callable[[], object]] = {
            "next_file": lambda: panel.step_file(1),
            "previous_file": lambda: panel.step_file(-1),
            "next_change": lambda: view.step_change(1),
            "previous_change": lambda: view.step_change(-1),
            "viewed": panel.mark_viewed,
            "unified": lambda: panel.pane.set_split(False),
            "split": lambda: panel.pane.set_split(True),
            "comment": view.open_field,
            "revert_change": lambda: self.revert_lines(view.chosen_keys()),
            "revert_file": self.revert_file,
            "more_lines": lambda: panel.chosen.show_more("more"),
            "whole_file": lambda: panel.chosen.show_more("whole"),
            "large": self.toggle_large,
            "editor": self.open_editor,
            "filter": panel.bar.open_filter,
            "send_comments": panel.notes.send,
            "commit": self.commits.open,
            "push": self.commits.push,
        }
        acts[action]()

    def _hindrance(self, action: str) -> str:
        """Why an action would do nothing now, "" if it does something."""
        panel, view = self._panel, self._panel.pane.view
        if action in ("commit", "push") and not panel.commit.isVisibleTo(panel):
            return panel.can_act or NO_FILE
        if action == "send_comments":
            return "" if panel.notes.drafts else NO_COMMENTS
        if action in _OF_A_FILE and panel.chosen.file is None:
            return READING if panel.is_reading else NO_FILE
        if action in ("comment", "revert_change") and panel.chosen.shown is None:
            return READING
        if action == "revert_change" and not view.chosen_keys():
            return NO_CHANGE
        return NO_LINE if action == "comment" and view.chosen_place() is None else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Letters in the list of files and in the diff."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        keys = {
            Qt.Key.Key_J: "next_file",
            Qt.Key.Key_K: "previous_file",
            Qt.Key.Key_V: "viewed",
            Qt.Key.Key_U: "unified",
            Qt.Key.Key_S: "split",
        }
        if watched is self._panel.files and event.key() == Qt.Key.Key_O:
            self.open_editor()
            return True
        if watched is self._panel.files:
            keys |= {
                Qt.Key.Key_N: "next_change",
                Qt.Key.Key_P: "previous_change",
                Qt.Key.Key_C: "comment",
                Qt.Key.Key_R: "revert_change",
                Qt.Key.Key_Slash: "filter",
            }
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._panel.pane.view.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        action = keys.get(Qt.Key(event.key()))
        if action is None:
            return False
        self.act(action)
        return True

    def _on_comment(self, place: FieldPlace, text: str, comment_id: str) -> None:
        if self._panel.chosen.shown is not None:
            scope = self._panel.loader.scope
            self._panel.notes.write(self._panel.chosen.shown, place, text, comment_id=comment_id, scope=scope)

    def _connect(self) -> None:
        panel = self._panel
        view = panel.pane.view
        for widget in (panel.files, view):
            widget.installEventFilter(self)
        view.editor_asked.connect(self.open_editor)
        panel.files.menu_asked.connect(self.show_menu)
        panel.pane.menu_asked.connect(lambda: self.show_menu())
        panel.pane.large_asked.connect(self.toggle_large)
        panel.emptied.connect(self.close_large)
        view.revert_asked.connect(self.revert_lines)
        view.menu_asked.connect(lambda at: self.show_menu("", at))
        panel.bar.commit_wanted.connect(self.ask_commit)
        panel.conflicts.clicked.connect(lambda: self.lane_asked.emit("conflicts", panel.loader.lane_id))
        view.comment_written.connect(self._on_comment)
        view.comment_removed.connect(panel.notes.remove)
        view.comment_resolved.connect(panel.notes.resolve)
        self.commits.noted.connect(self.noted)
        panel.notes.noted.connect(self.noted)
