"""HistoryActions: fork, rewind, bring back, remove from the context, put files back, go on after a limit."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import (
    CompareCheckpoints,
    ForkSession,
    PreviewRewind,
    PutBackInContext,
    RaiseLimits,
    RemoveFromContext,
    ResolveUnknownCall,
    RestoreCheckpoint,
    RewindSession,
    UndoRewind,
)
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import CheckpointInfo, CheckpointsCompared, RewindPreviewed
from desktop.domain.context.events import Rewound
from desktop.domain.core.ids import new_command_id, new_session_id
from desktop.domain.events import Envelope
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.folds.rewind_fold import BROUGHT_FILES
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.folds.turn_words import MORE_STEPS
from desktop.ui.chats.transcript.restore import BringBackDialog, RestoreDialog
from desktop.ui.chats.transcript.rewind import RewindDialog
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.context.raise_limit import LimitDialog
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.widgets.dialogs.ask import Question, ask_first


class HistoryActions(QObject):
    """What a row's menu and buttons ask of the history of a chat. `limits`: those in force in the chat on screen.

    `offered`: a sentence, a button and what it does, for a toast; `edit_asked`: the entry to rewind to, the text and
    the names of the files of an earlier message; `refused`: a sentence.
    """

    offered = Signal(str, str, object)
    edit_asked = Signal(str, str, object)
    refused = Signal(str)

    def __init__(
        self,
        view: TranscriptView,
        requests: Requests,
        commands: ChatCommands,
        limits: Callable[[], Limits],
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._view, self._requests, self._commands, self._page = view, requests, commands, page
        self._limits = limits
        self._preview = Request()
        self._restore = ("", "")
        self._rewinding = ""
        self.hearing = Hearing().on(CheckpointsCompared, self._on_compared).on(Envelope, self._on_event)

    def act(self, row: Row, action: str) -> bool:
        """Carry out what a row asks for; False if it is nothing of this kind."""
        name, _, argument = action.partition(":")
        session_id = self._session_id
        simple = {
            "fork": lambda: self.fork(self.end_of(row)),
            "rewind": lambda: self.ask_rewind(row.before_id if row.kind == "user" else self.end_of(row), row.kind),
            "compaction_back": lambda: self.ask_rewind(row.before_id, row.kind),
            "edit": lambda: self.edit_asked.emit(row.before_id, row.text, row.files),
            "bring_back": lambda: self._bring_back(row.event_id, files=row.detail == BROUGHT_FILES),
            "remove": lambda: self._remove(row, argument or row.event_id),
            "put_back": lambda: self._put_back(argument or row.event_id),
            "restore": lambda: self.ask_restore(argument),
            "more_steps": lambda: self._raise(self._limits().model_copy(update={"steps": MORE_STEPS})),
            "raise_limit": lambda: self._ask_limit(row.detail),
            "stop_here": lambda: self._view.model.drop_actions(row.key),
            "leave_it": lambda: self._view.model.drop_actions(row.key),
        }
        if name in ("run_again", "took_effect"):
            fields = {"session_id": session_id, "call_id": argument, "how": name}
            self._commands.send(ResolveUnknownCall.model_validate(fields))
        elif name in simple:
            simple[name]()
        else:
            return False
        return True

    def end_of(self, row: Row) -> str:
        """A row's last entry; for the last row of a turn the turn's end, so that the turn stays whole."""
        rows = self._view.model.rows
        after = self._view.model.index_of(row.key) + 1
        last = after < len(rows) and rows[after].kind == "recap" and rows[after].turn_id == row.turn_id
        return rows[after].event_id if last and rows[after].event_id else row.last_id

    def fork(self, event_id: str) -> None:
        """A new chat that ends with this entry."""
        self._send_fork(ForkSession(session_id=self._session_id, at_event_id=event_id, new_session_id=new_session_id()))

    def ask_rewind(self, event_id: str, kind: str = "") -> None:
        """Ask the engine what would leave, then the person."""
        previewed = answer(RewindPreviewed, partial(self._show_rewind, to_message=kind == "user"))
        self._preview.drop()
        command = PreviewRewind(session_id=self._session_id, to_event_id=event_id)
        self._preview = self._commands.order(command, self, previewed)

    def rewind_to_checkpoint(self, info: CheckpointInfo) -> None:
        """Go back to where a checkpoint was taken: to before its turn, to the end of it, or to the call."""
        model = self._view.model
        seq = model.seq_of(info.event_id)
        if seq is None:
            self.refused.emit(tr("This part of the chat is not loaded yet. Try again in a moment."))
            return
        said = next((row for row in reversed(model.rows) if row.kind == "user" and row.seq <= seq), None)
        ended = next((row for row in model.rows if row.kind == "recap" and row.seq > seq), None)
        if info.reason == "turn_start" and said is not None:
            self.ask_rewind(said.before_id, "user")
        elif info.reason == "turn_end" and ended is not None:
            self.ask_rewind(ended.event_id)
        else:
            self.ask_rewind(info.event_id)

    def ask_restore(self, checkpoint_id: str) -> None:
        """Ask which files differ from a checkpoint, then whether they are put back."""
        self._restore = (self._session_id, checkpoint_id)
        self._commands.send(CompareCheckpoints(session_id=self._session_id, checkpoint_id=checkpoint_id))

    @property
    def _session_id(self) -> str:
        return self._view.model.session_id

    # rewinding

    def _show_rewind(self, preview: RewindPreviewed, *, to_message: bool) -> None:
        running = self._view.model.running
        dialog = RewindDialog(preview, to_message=to_message, running=running, parent=self._page)
        dialog.rewind_asked.connect(lambda files: self._go_back(preview, files=files))
        dialog.entry_asked.connect(lambda entry: self._view.reveal(entry, -1))
        dialog.open()

    def _go_back(self, preview: RewindPreviewed, *, files: bool) -> None:
        self._rewinding = preview.session_id
        self._commands.send(
            RewindSession(session_id=preview.session_id, to_event_id=preview.to_event_id, restore_files=files)
        )

    def _on_event(self, update: Envelope) -> None:
        if isinstance(update.event, Rewound):
            self._on_rewound(update, update.event)

    def _on_rewound(self, envelope: Envelope, event: Rewound) -> None:
        if envelope.session_id != self._rewinding or event.undo_of:
            return
        self._rewinding = ""
        files = bool(event.checkpoint_id)
        session_id = envelope.session_id
        words = tr("The conversation and its files went back.") if files else tr("The conversation went back.")
        undo = UndoRewind(session_id=session_id, rewound_event_id=envelope.event_id, restore_files=files)
        self.offered.emit(words, tr("Undo"), lambda: self._commands.send(undo))

    def _bring_back(self, event_id: str, *, files: bool) -> None:
        session_id = self._session_id
        if not files:
            self._commands.send(UndoRewind(session_id=session_id, rewound_event_id=event_id))
            return
        dialog = BringBackDialog(self._page)
        dialog.back_asked.connect(
            lambda too: self._commands.send(
                UndoRewind(session_id=session_id, rewound_event_id=event_id, restore_files=too)
            )
        )
        dialog.open()

    # forking

    def _send_fork(self, command: ForkSession) -> None:
        self._requests.ask(command, self, failed=partial(self._on_fork_refused, command))

    def _on_fork_refused(self, command: ForkSession, failed: CommandFailed) -> None:
        """No checkpoint, or no lane: offer what is possible instead."""
        instead = {
            ("no_checkpoint", "checkpoint"): (
                "head",
                tr("Fork from HEAD"),
                tr("The new lane begins with the last commit."),
            ),
            ("no_lane", "checkpoint"): (
                "none",
                tr("Fork without a lane"),
                tr("The fork can read and plan, not write."),
            ),
            ("no_lane", "head"): ("none", tr("Fork without a lane"), tr("The fork can read and plan, not write.")),
        }.get((failed.code, command.lane_from))
        if instead is None:
            self.refused.emit(failed.text)
            return
        lane_from, label, words = instead
        question = Question(
            "fork_dialog",
            tr("Fork without these files?"),
            f"{failed.text} {words}",
            (tr("Cancel"), "fork_cancel"),
            (label, "fork_go"),
            dangerous=False,
        )
        again = command.model_copy(update={"command_id": new_command_id(), "lane_from": lane_from})
        ask_first(question, self._page, lambda: self._send_fork(again))

    # context

    def _remove(self, row: Row, target_id: str) -> None:
        command = RemoveFromContext(session_id=self._session_id, target_id=target_id)
        if not self._takes_calls(row):
            self._commands.send(command)
            return
        question = Question(
            "remove_dialog",
            tr("Remove from the context?"),
            tr(
                "This is one half of a call and its result. The model still sees that there was a call, "
                "not what it said."
            ),
            (tr("Cancel"), "remove_cancel"),
            (tr("Remove"), "remove_go"),
            dangerous=False,
        )
        ask_first(question, self._page, lambda: self._commands.send(command))

    def _takes_calls(self, row: Row) -> bool:
        rows, after = self._view.model.rows, self._view.model.index_of(row.key) + 1
        calls = after < len(rows) and rows[after].kind == "calls" and rows[after].turn_id == row.turn_id
        return row.kind == "calls" or (row.kind == "assistant" and calls)

    def _put_back(self, target_id: str) -> None:
        self._commands.send(PutBackInContext(session_id=self._session_id, target_id=target_id))

    # files

    def _on_compared(self, compared: CheckpointsCompared) -> None:
        if (compared.session_id, compared.checkpoint_id) != self._restore or compared.other:
            return
        self._restore = ("", "")
        restore = RestoreCheckpoint(session_id=compared.session_id, checkpoint_id=compared.checkpoint_id)
        dialog = RestoreDialog(compared, self._page)
        dialog.agreed.connect(lambda: self._commands.send(restore))
        dialog.open()

    # limits

    def _raise(self, limits: Limits) -> None:
        self._commands.send(RaiseLimits(session_id=self._session_id, limits=limits))

    def _ask_limit(self, reason: str) -> None:
        dialog = LimitDialog(reason, self._limits(), self._page)
        dialog.raised.connect(self._raise)
        dialog.open()
