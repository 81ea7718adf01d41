"""CommitActions: ticks, the commit of what is ticked, a suggested message, and the push."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.domain.changes.commands import CommitChanges, LoadCommitState, PushLane, SuggestMessage
from desktop.domain.changes.updates import ChangesCommitted, CommitHeld, CommitStateLoaded, LanePushed, MessageSuggested
from desktop.domain.changes.values import ChangeScope
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.changes.commit_box import CommitFacts
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.models.line_key import LineKey
from desktop.ui.text.format import count
from desktop.ui.widgets.dialogs.ask import Question, ask_first

READING = tr("The diff is being read. Try again in a moment.")
_Order = CommitChanges | PushLane | SuggestMessage
BROKEN = tr("This lane cannot be used as it is. Repair it first.")
_COMMITTING, _PUSHING, _ASKING = tr("Committing…"), tr("Pushing…"), tr("Asking for a message…")


class CommitActions(QObject):
    """`noted`: a sentence and whether it tells of a failure."""

    noted = Signal(str, bool)

    def __init__(self, panel: ChangesPanel, requests: Requests) -> None:
        super().__init__(panel)
        self._panel, self._requests = panel, requests
        self._doing, self._words = Request(), ""
        self._state: CommitStateLoaded | None = None
        panel.listed.connect(self._on_listed)
        panel.files.tick_asked.connect(self.tick_file)
        panel.pane.view.tick_asked.connect(self.tick_lines)
        panel.commit.opened.connect(self.open)
        panel.commit.committed.connect(self.commit)
        panel.commit.suggest_asked.connect(self.suggest)
        panel.commit.push_asked.connect(self.push)
        self.hearing = (
            Hearing()
            .on(CommitStateLoaded, self._on_state)
            .on(ChangesCommitted, self._on_any_commit)
            .after(self.refresh)
        )
        self.refresh()

    def refresh(self) -> None:
        """Offer what is possible now."""
        panel, lane = self._panel, self._panel.fold.lane
        committing = panel.loader.scope.kind == "uncommitted"
        panel.commit.setVisible(bool(panel.loader.lane_id) and lane is not None and lane.type != "primary")
        panel.commit.set_open(committing)
        ticked = sum(panel.picks.state(file) > 0 for file in panel.tree.files) if committing else 0
        panel.commit.set_facts(self._facts(ticked))

    @property
    def _busy(self) -> str:
        """What was ordered last and is under way."""
        return self._words if self._doing.is_waiting else ""

    def _facts(self, ticked: int) -> CommitFacts:
        panel, state = self._panel, self._state
        conflicts = any(file.status == "conflicted" for file in panel.tree.files)
        empty = panel.loader.scope.kind == "lane" and panel.list is not None and not panel.tree.files
        broken = panel.fold.lane is not None and panel.fold.lane.state == "broken"
        nothing = BROKEN if broken else tr("There are no changes in this lane yet.") if empty else ""
        torn = panel.can_act or (tr("Resolve the conflicts first.") if conflicts else "")
        if state is None or state.lane_id != panel.loader.lane_id:
            return CommitFacts(ticked, torn, nothing, no_amend=tr("The lane was not read yet."), busy=self._busy)
        return CommitFacts(
            files=ticked,
            hindrance=torn or display_text(state.no_author or state.blocked),
            nothing=nothing,
            author=display_text(state.author),
            no_amend=display_text(state.amend_problem),
            last=state.message,
            push=0 if state.push_problem else -1 if state.ahead is None else state.ahead,
            busy=self._busy,
        )

    # ticks

    def tick_file(self, path: str, on: bool) -> None:
        """Tick a file, or all files of a folder, or take the ticks away."""
        for file in self._panel.tree.files:
            if file.path == path or file.path.startswith(f"{path}/"):
                self._panel.picks.set_file(file.path, on)
        self._ticked()

    def tick_lines(self, keys: Sequence[LineKey], on: bool) -> None:
        """Tick lines of the chosen file."""
        chosen = self._panel.chosen
        diff = chosen.named
        if chosen.file is not None and diff is not None:
            self._panel.picks.set_lines(chosen.file, diff, keys, on)
            self._ticked()
        elif chosen.file is not None:
            self.noted.emit(READING, False)

    def _ticked(self) -> None:
        self._panel.tree.refresh()
        self._panel.pane.view.viewport().update()
        self.refresh()

    # commit and push

    def open(self, _open: bool = True) -> None:
        """Show what is not committed, with the box."""
        self._panel.choose_scope(ChangeScope(kind="uncommitted"))
        self.refresh()
        self._panel.commit.message.setFocus()

    def commit(self, message: str, amend: bool) -> None:
        """Commit what is ticked."""
        panel = self._panel
        if panel.list is not None:
            picked = panel.picks.picked(panel.tree.files)
            self._send(
                CommitChanges(
                    lane_id=panel.loader.lane_id, message=message, picked=picked, head=panel.list.head, amend=amend
                ),
                _COMMITTING,
            )

    def suggest(self) -> None:
        """Ask the model for a message."""
        loader, picked = self._panel.loader, self._panel.picks.picked(self._panel.tree.files)
        self._send(SuggestMessage(lane_id=loader.lane_id, session_id=loader.session_id, picked=picked), _ASKING)

    def push(self) -> None:
        """Push the lane's branch; where that replaces commits of the remote, ask first."""
        lane_id, state = self._panel.loader.lane_id, self._state
        if state is None or not state.rewritten:
            self._send(PushLane(lane_id=lane_id), _PUSHING)
            return
        question = Question(
            "commit_push_dialog",
            tr("Push {branch}?", branch=display_text(state.branch)),
            tr("The remote branch has commits that are no longer part of this one. Pushing replaces them."),
            (tr("Keep"), "commit_push_keep"),
            (tr("Replace them"), "commit_push_go"),
        )
        self._ask(question, PushLane(lane_id=lane_id, force=True), _PUSHING)

    def _on_state(self, update: CommitStateLoaded) -> None:
        if update.lane_id == self._panel.loader.lane_id:
            self._state = update

    def _on_held(self, former: CommitChanges, update: CommitHeld) -> None:
        """Files that need a tick of their own: name them, and commit them too only on order."""
        lines = [
            tr("{path}: files of this name usually hold secrets.", path=display_text(path)) for path in update.secret
        ]
        lines += [tr("{path}: larger than 50 MB.", path=display_text(path)) for path in update.large]
        question = Question(
            "commit_held_dialog",
            tr("Commit these files too?"),
            "\n".join(lines),
            (tr("Do not commit"), "commit_held_keep"),
            (tr("Commit them too"), "commit_held_go"),
        )
        allowed = (*former.allowed, *update.secret, *update.large)
        again = CommitChanges(
            lane_id=former.lane_id,
            message=former.message,
            picked=former.picked,
            head=former.head,
            amend=former.amend,
            allowed=allowed,
        )
        self._ask(question, again, _COMMITTING)

    def _on_committed(self, update: ChangesCommitted) -> None:
        """It was ordered here."""
        if update.lane_id == self._panel.loader.lane_id:
            self._panel.commit.done()
            self._panel.picks.clear()

    def _on_any_commit(self, update: ChangesCommitted) -> None:
        """Whoever ordered it."""
        if update.lane_id != self._panel.loader.lane_id:
            return
        words = (
            tr("Committed {files}: {subject}", files=count(update.files, "file"), subject=update.subject),
            *update.notes,
        )
        self.noted.emit("\n".join(words), False)
        self._load_state()

    def _on_pushed(self, update: LanePushed) -> None:
        self.noted.emit(
            update.text or tr("Pushed {branch} to {remote}.", branch=update.branch, remote=update.remote), False
        )
        self._load_state()

    def _on_failed(self, former: _Order, failed: CommandFailed) -> None:
        """Say it. A push that was refused may be possible in another way: what is known of the branch is read anew."""
        self.noted.emit(failed.text, True)
        if isinstance(former, PushLane):
            self._load_state()

    def _on_suggested(self, update: MessageSuggested) -> None:
        if update.problem:
            self.noted.emit(update.problem, True)
        else:
            self._panel.commit.take_message(update.text)

    def _on_listed(self) -> None:
        self._load_state()
        self.refresh()

    def _load_state(self) -> None:
        lane = self._panel.fold.lane
        if lane is not None and lane.type != "primary":
            self._requests.send(LoadCommitState(lane_id=lane.id))

    def _ask(self, question: Question, command: CommitChanges | PushLane, busy: str) -> None:
        ask_first(question, self._panel.window(), lambda: self._send(command, busy))

    def _send(self, command: _Order, busy: str) -> None:
        replies = [
            answer(ChangesCommitted, self._on_committed),
            answer(LanePushed, self._on_pushed),
            answer(MessageSuggested, self._on_suggested),
        ]
        if isinstance(command, CommitChanges):
            replies.append(answer(CommitHeld, partial(self._on_held, command)))
        self._words = busy
        self._doing = self._requests.ask(command, self, *replies, failed=partial(self._on_failed, command))
        self.refresh()
