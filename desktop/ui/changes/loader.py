"""ChangesLoader: asks for the list of a scope and for diffs, one of each at a time, and drops late answers."""

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.core.work import ChangedFile
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.text.waiting import Waiting

STILL = (tr("Still loading…"), tr("Still computing the diff…"))
"""What is said while the list, or the diff, takes long."""

CONTEXT, MORE_CONTEXT, WHOLE = 3, 20, -1
SETTLE_MS = 300


class ChangesLoader(QObject):
    """`listed` (LaneChangesLoaded) and `loaded` (DiffLoaded) give answers; `failed` (what: "list" or "diff", why);
    `waiting` (what, words) when one takes long."""

    listed = Signal(object)
    loaded = Signal(object)
    failed = Signal(str, str)
    waiting = Signal(str, str)

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self._listing, self._diffing = Request(), Request()
        self.lane_id = self.session_id = ""
        self.scope = ChangeScope()
        self.ignore_space = False
        self.limit = LoadLaneChanges(lane_id="").limit
        self._again = False
        self._list = Waiting(tr("Loading changes…"), STILL[0], self)
        self._diff = Waiting(tr("Computing the diff…"), STILL[1], self)
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
        self._listing.drop()
        self._list.end()
        self.drop_diff()

    def drop_diff(self) -> None:
        """The diff that is under way is not waited for any more."""
        self._diffing.drop()
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
        if self._listing.is_waiting:
            self._again = True
            return
        command = LoadLaneChanges(
            lane_id=self.lane_id,
            session_id=self.session_id,
            scope=self.scope,
            ignore_space=self.ignore_space,
            limit=self.limit,
        )
        self._list.begin()
        self._listing = self._requests.ask(
            command, self, answer(LaneChangesLoaded, self._on_list), failed=self._on_no_list
        )

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
        self._diff.begin()
        self._diffing.drop()
        self._diffing = self._requests.ask(command, self, answer(DiffLoaded, self._on_diff), failed=self._on_no_diff)

    def _on_list(self, update: LaneChangesLoaded) -> None:
        self._list.end()
        self.listed.emit(update)
        self._load_again()

    def _on_no_list(self, failed: CommandFailed) -> None:
        self._list.end()
        self.failed.emit("list", failed.text)
        self._load_again()

    def _on_diff(self, update: DiffLoaded) -> None:
        self._diff.end()
        self.loaded.emit(update)

    def _on_no_diff(self, failed: CommandFailed) -> None:
        self._diff.end()
        self.failed.emit("diff", failed.text)

    def _load_again(self) -> None:
        again, self._again = self._again, False
        if again:
            self.load()
