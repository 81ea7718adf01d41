"""ChangesLoader: asks for the list of a scope and for diffs, one of each at a time, and drops late answers."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.update import Update
from desktop.domain.core.work import ChangedFile
from desktop.domain.updates import CommandFailed
from desktop.ui.core.sink import CommandSink
from desktop.ui.text.waiting import Waiting

CONTEXT, MORE_CONTEXT, WHOLE = 3, 20, -1
SETTLE_MS = 300


class ChangesLoader(QObject):
    """`listed` (LaneChangesLoaded) and `loaded` (DiffLoaded) give answers; `failed` (what: "list" or "diff", why);
    `waiting` (what, words) when one takes long."""

    listed = Signal(object)
    loaded = Signal(object)
    failed = Signal(str, str)
    waiting = Signal(str, str)

    def __init__(self, sink: CommandSink, parent: QObject) -> None:
        super().__init__(parent)
        self._sink = sink
        self.lane_id = self.session_id = ""
        self.scope = ChangeScope()
        self.ignore_space = False
        self.limit = LoadLaneChanges(lane_id="").limit
        self._again = False
        self._list = Waiting("Loading changes…", "Still loading…", self)
        self._diff = Waiting("Computing the diff…", "Still computing the diff…", self)
        self._list.said.connect(lambda words: self.waiting.emit("list", words))
        self._diff.said.connect(lambda words: self.waiting.emit("diff", words))
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.load)

    def show(self, lane_id: str, session_id: str) -> None:
        """Ask about this lane from now on; what is under way is dropped."""
        self.lane_id, self.session_id = lane_id, session_id
        self.limit = LoadLaneChanges(lane_id="").limit
        self.drop()

    def drop(self) -> None:
        """Whatever is under way is not waited for any more."""
        self._again = False
        self._settle.stop()
        self._list.end()
        self.drop_diff()

    def drop_diff(self) -> None:
        """The diff that is under way is not waited for any more."""
        self._diff.end()

    def set_scope(self, scope: ChangeScope) -> None:
        """Ask about another scope."""
        self.scope = scope
        self.drop()
        self.load()

    def load_soon(self) -> None:
        """Something changed: ask 300 ms later."""
        self._settle.start()

    def load(self) -> None:
        """Ask for the list now; once more after an answer that is under way."""
        self._settle.stop()
        if not self.lane_id:
            return
        if self._list.command_id:
            self._again = True
            return
        command = LoadLaneChanges(
            lane_id=self.lane_id,
            session_id=self.session_id,
            scope=self.scope,
            ignore_space=self.ignore_space,
            limit=self.limit,
        )
        self._list.begin(command.command_id)
        self._sink.send(command)

    def load_diff(self, file: ChangedFile, *, context: int = CONTEXT, anyway: bool = False) -> None:
        """Ask for the diff of a file; a former question is dropped."""
        command = LoadDiff(
            lane_id=self.lane_id,
            session_id=self.session_id,
            scope=self.scope,
            path=file.path,
            old_path=file.old_path,
            ignore_space=self.ignore_space,
            context=context,
            anyway=anyway,
        )
        self._diff.begin(command.command_id)
        self._sink.send(command)

    def apply(self, updates: Sequence[Update]) -> None:
        """Take the answers that are waited for."""
        for update in updates:
            if isinstance(update, LaneChangesLoaded) and update.command_id == self._list.command_id:
                self._list.end()
                self.listed.emit(update)
                self._load_again()
            elif isinstance(update, DiffLoaded) and update.command_id == self._diff.command_id:
                self._diff.end()
                self.loaded.emit(update)
            elif isinstance(update, CommandFailed) and update.command_id:
                self._on_failed(update)

    def _on_failed(self, update: CommandFailed) -> None:
        if update.command_id == self._list.command_id:
            self._list.end()
            self.failed.emit("list", update.text)
            self._load_again()
        elif update.command_id == self._diff.command_id:
            self._diff.end()
            self.failed.emit("diff", update.text)

    def _load_again(self) -> None:
        again, self._again = self._again, False
        if again:
            self.load()
