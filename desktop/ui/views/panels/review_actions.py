"""ReviewActions: what a person does with the changes shown: tick, commit, push, revert, comment, look at it large."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent
from PySide6.QtWidgets import QWidget

from desktop.domain.display import display_text
from desktop.domain.lane_updates import ChangeReverted, ChangesCommitted, LanePushed, MessageSuggested
from desktop.domain.review import ChangeScope, Picked
from desktop.domain.review_commands import CommitChanges, PushLane, RevertPicked, SuggestMessage, UndoRevert
from desktop.domain.session_commands import CommandBase
from desktop.domain.updates import CommandFailed, Update
from desktop.ui.dialogs.ask import AskDialog, Question
from desktop.ui.format import count
from desktop.ui.models.line_key import LineKey
from desktop.ui.models.picks import picked_lines, whole_file
from desktop.ui.sink import CommandSink
from desktop.ui.views.diff.diff_rows import FieldPlace
from desktop.ui.views.panels.changes import ChangesPanel
from desktop.ui.views.panels.commit_box import CommitFacts
from desktop.ui.views.panels.large_review import LargeReview
from desktop.ui.views.panels.review_menu import fill_menu

UNDO_MS = 10_000
_COMMITTING, _PUSHING, _ASKING = "Committing…", "Pushing…", "Asking for a message…"


class ReviewActions(QObject):
    """`noted`: a sentence and whether it tells of a failure; `undo_offered`: a sentence and what brings it back, for
    ten seconds."""

    noted = Signal(str, bool)
    undo_offered = Signal(str, object)

    def __init__(self, panel: ChangesPanel, sink: CommandSink) -> None:
        super().__init__(panel)
        self._panel, self._sink = panel, sink
        self._sent: dict[str, str] = {}
        self._busy = ""
        self._large: LargeReview | None = None
        self.region: Callable[[], QWidget | None] = lambda: None
        panel.pane.view.ticked = self._is_ticked
        self._connect()
        self.refresh()

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what came of the commands, after the panel."""
        lane_id = self._panel.loader.lane_id
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id in self._sent:
                self._end(update.command_id)
                self.noted.emit(update.text, True)
            elif isinstance(update, ChangeReverted) and update.command_id in self._sent:
                self._on_reverted(update)
            elif isinstance(update, ChangesCommitted) and update.lane_id == lane_id:
                self._on_committed(update)
            elif isinstance(update, MessageSuggested) and update.command_id in self._sent:
                self._on_suggested(update)
            elif isinstance(update, LanePushed) and update.command_id in self._sent:
                self._end(update.command_id)
                self.noted.emit(update.text or f"Pushed {update.branch} to {update.remote}.", False)
        self.refresh()

    # ticks and commit

    def refresh(self) -> None:
        """Offer what is possible now."""
        panel, status = self._panel, self._panel.fold.status
        committing = panel.loader.scope.kind == "uncommitted"
        lane = panel.fold.lane
        panel.commit.setVisible(bool(panel.loader.lane_id) and lane is not None and lane.type != "primary")
        panel.commit.set_open(committing and bool(panel.tree.files or (status is not None and status.ahead)))
        conflicts = any(file.status == "conflicted" for file in panel.tree.files)
        ticked = sum(panel.picks.state(file) > 0 for file in panel.tree.files) if committing else 0
        remote = status.remote_ahead if status is not None else None
        pushed = remote == 0
        made = status is not None and bool(status.ahead)
        panel.commit.set_facts(
            CommitFacts(
                files=ticked,
                hindrance=panel.can_act or ("Resolve the conflicts first." if conflicts else ""),
                no_amend=""
                if made and not pushed
                else "The last commit was pushed."
                if pushed
                else "Nothing to amend.",
                push=(remote if remote is not None else -1) if made else 0,
                busy=self._busy,
            )
        )

    def tick_file(self, path: str, on: bool) -> None:
        """Tick a file, or all files of a folder, or take the ticks away."""
        panel = self._panel
        for file in panel.tree.files:
            if file.path == path or file.path.startswith(f"{path}/"):
                panel.picks.set_file(file.path, on)
        self._ticked()

    def tick_lines(self, keys: Sequence[LineKey], on: bool) -> None:
        """Tick lines of the chosen file."""
        panel = self._panel
        if panel.file is not None and panel.reference is not None:
            panel.picks.set_lines(panel.file, panel.reference, keys, on)
            self._ticked()

    def commit(self, message: str, amend: bool) -> None:
        """Commit what is ticked."""
        panel = self._panel
        if panel.list is None:
            return
        picked = panel.picks.picked(panel.tree.files)
        command = CommitChanges(
            lane_id=panel.loader.lane_id, message=message, picked=picked, head=panel.list.head, amend=amend
        )
        self._send(command, _COMMITTING)

    def suggest(self) -> None:
        """Ask the model for a message."""
        panel = self._panel
        picked = panel.picks.picked(panel.tree.files)
        command = SuggestMessage(lane_id=panel.loader.lane_id, session_id=panel.loader.session_id, picked=picked)
        self._send(command, _ASKING)

    def push(self) -> None:
        """Push the lane's branch."""
        self._send(PushLane(lane_id=self._panel.loader.lane_id), _PUSHING)

    # revert

    def revert_lines(self, keys: Sequence[LineKey]) -> None:
        """Ask, then take back lines of the chosen file."""
        panel = self._panel
        if panel.file is None or panel.reference is None:
            return
        picked = picked_lines(panel.reference, set(keys))
        if picked is not None:
            self._ask_revert(f"Revert {count(len(keys), 'line')} of {display_text(panel.file.path)}?", (picked,))

    def revert_file(self, path: str = "") -> None:
        """Ask, then take back all changes of a file, the chosen one for want of another."""
        files = self._panel.tree.files
        file = next((one for one in files if one.path == path), self._panel.file)
        if file is not None:
            self._ask_revert(f"Revert {display_text(file.path)}?", (whole_file(file),))

    def revert_all(self) -> None:
        """Ask, then take back every file that is listed."""
        files = self._panel.tree.files
        if files:
            self._ask_revert(f"Revert {count(len(files), 'file')}?", tuple(whole_file(file) for file in files))

    def _ask_revert(self, title: str, picked: tuple[Picked, ...]) -> None:
        panel = self._panel
        why = panel.can_act or ("Show white space first." if panel.loader.ignore_space else "")
        if why:
            self.noted.emit(why, True)
            return
        text = "The lane's files become what they were before the change. A checkpoint is taken first."
        question = Question(
            "changes_revert_dialog", title, text, ("Keep", "changes_revert_keep"), ("Revert", "changes_revert_go")
        )
        dialog = AskDialog(question, panel.window())
        loader = panel.loader
        command = RevertPicked(lane_id=loader.lane_id, session_id=loader.session_id, scope=loader.scope, picked=picked)
        dialog.agreed.connect(lambda: self._send(command))
        dialog.open()

    def _on_reverted(self, update: ChangeReverted) -> None:
        self._end(update.command_id)
        if update.undone:
            self.noted.emit(update.text, False)
            return

        def undo() -> None:
            self._send(UndoRevert(lane_id=update.lane_id, revert_id=update.revert_id))

        self.undo_offered.emit(update.text, undo)

    # the rest

    def toggle_large(self) -> None:
        """The diff over the whole centre, or back at the side."""
        if self._large is not None and not self._large.isHidden():
            self._large.leave()
            return
        region = self.region()
        if region is None:
            return
        if self._large is None:
            self._large = LargeReview(region)
            self._large.left.connect(self._on_left)
        self._large.take(self._panel.pane)
        self._panel.pane.set_large(True)
        self._panel.pane.view.setFocus()

    def close_large(self) -> None:
        """The diff goes back to the side."""
        if self._large is not None:
            self._large.leave()

    def _on_left(self) -> None:
        self._panel.take_back()
        self._panel.pane.set_large(False)
        if self._panel.isVisible():
            self._panel.files.setFocus()

    def show_menu(self, path: str = "", at: QPoint | None = None) -> None:
        """The menu of a file, and of the chosen lines where it is opened on them."""
        file = next((one for one in self._panel.tree.files if one.path == path), self._panel.file)
        if file is not None:
            fill_menu(self._panel, self, file, lines=not path).popup(at if at is not None else QCursor.pos())

    def act(self, action: str) -> None:
        """Do what an action of the palette asks for, by its id without `changes_`."""
        panel = self._panel
        view = panel.pane.view
        acts: dict[str, Callable[[], object]] = {
            "next_file": lambda: panel.step_file(1), "previous_file": lambda: panel.step_file(-1),
            "next_change": lambda: view.step_change(1), "previous_change": lambda: view.step_change(-1),
            "viewed": panel.mark_viewed, "unified": lambda: panel.pane.set_split(False),
            "split": lambda: panel.pane.set_split(True), "comment": view.open_field,
            "revert_change": lambda: self.revert_lines(view.chosen_keys()), "revert_file": self.revert_file,
            "more_lines": lambda: panel.show_more("more"), "whole_file": lambda: panel.show_more("whole"),
            "large": self.toggle_large, "filter": panel.bar.open_filter, "send_comments": panel.notes.send,
            "commit": lambda: panel.choose_scope(ChangeScope(kind="uncommitted")),
        }  # fmt: skip
        acts[action]()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Letters in the list of files and in the diff."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        keys = {Qt.Key.Key_J: "next_file", Qt.Key.Key_K: "previous_file", Qt.Key.Key_V: "viewed",
                Qt.Key.Key_U: "unified", Qt.Key.Key_S: "split"}  # fmt: skip
        if watched is self._panel.files:
            keys |= {Qt.Key.Key_N: "next_change", Qt.Key.Key_P: "previous_change", Qt.Key.Key_C: "comment",
                     Qt.Key.Key_R: "revert_change", Qt.Key.Key_Slash: "filter"}  # fmt: skip
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._panel.pane.view.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        action = keys.get(Qt.Key(event.key()))
        if action is None:
            return False
        self.act(action)
        return True

    def _is_ticked(self, key: LineKey) -> bool:
        file = self._panel.file
        return file is not None and self._panel.picks.is_ticked(file, key)

    def _ticked(self) -> None:
        self._panel.tree.refresh()
        self._panel.pane.view.viewport().update()
        self.refresh()

    def _on_comment(self, place: FieldPlace, text: str, comment_id: str) -> None:
        if self._panel.shown is not None:
            self._panel.notes.write(self._panel.shown, place, text, comment_id)

    def _on_committed(self, update: ChangesCommitted) -> None:
        if update.command_id in self._sent:
            self._end(update.command_id)
            self._panel.commit.done()
            self._panel.picks.clear()
        self.noted.emit(f"Committed {count(update.files, 'file')}: {update.subject}", False)

    def _on_suggested(self, update: MessageSuggested) -> None:
        self._end(update.command_id)
        if update.problem:
            self.noted.emit(update.problem, True)
        else:
            self._panel.commit.take_message(update.text)

    def _send(self, command: CommandBase, busy: str = "") -> None:
        self._sent[command.command_id] = busy
        self._busy = busy or self._busy
        self._sink.send(command)  # type: ignore[arg-type]  # every command of a review is a Command
        self.refresh()

    def _end(self, command_id: str) -> None:
        if self._sent.pop(command_id, ""):
            self._busy = ""

    def _connect(self) -> None:
        panel = self._panel
        view = panel.pane.view
        for widget in (panel.files, view):
            widget.installEventFilter(self)
        panel.listed.connect(self.refresh)
        panel.files.tick_asked.connect(self.tick_file)
        panel.files.menu_asked.connect(self.show_menu)
        panel.pane.menu_asked.connect(lambda: self.show_menu())
        panel.pane.large_asked.connect(self.toggle_large)
        view.tick_asked.connect(self.tick_lines)
        view.revert_asked.connect(self.revert_lines)
        view.menu_asked.connect(lambda at: self.show_menu("", at))
        view.comment_written.connect(self._on_comment)
        view.comment_removed.connect(panel.notes.remove)
        view.comment_resolved.connect(panel.notes.resolve)
        panel.commit.opened.connect(lambda _open: self.act("commit"))
        panel.commit.committed.connect(self.commit)
        panel.commit.suggest_asked.connect(self.suggest)
        panel.commit.push_asked.connect(self.push)
