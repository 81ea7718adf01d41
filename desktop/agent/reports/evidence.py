"""Evidence: a record of every command that ran for an agent, written by the app and by nothing else (lanes-E1)."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable
from dataclasses import field

from desktop.agent.core.session import Session
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.ids import new_id
from desktop.domain.gate.redaction import Redactor
from desktop.domain.reports.events import EvidenceRecorded
from desktop.domain.reports.suite_totals import suite_totals
from desktop.domain.reports.verdicts import command_sha256
from desktop.records import dataclass
from desktop.services.git.run import Git, head_commit
from desktop.services.history.tree_id import commit_tree_id, lane_tree_id
from desktop.services.processes.running import Completed
from desktop.services.processes.witness import CommandRun
from desktop.store.core.blobs import BlobStore

logger = logging.getLogger(__name__)

SHORT = 4_096


@dataclass(frozen=True)
class _Printed:
    """What a command printed. `clean`: without secrets."""

    sha256: str
    size: int
    clean: bytes
    text: str


@dataclass(frozen=True)
class _LaneNow:
    """The id of a lane's files, "" for none, its commit, and whether the files differ from it."""

    tree: str
    head: str = ""
    dirty: bool | None = None


@dataclass
class EvidenceWriter:
    """The witness of one chat's commands. `is_open`: the chat is still there to be written to.

    A command that was shown to only read leaves the files as they are: their id is found while it runs, once.
    """

    session: Session
    keeper: LaneKeeper
    blobs: BlobStore
    redactor: Callable[[], Redactor]
    is_open: Callable[[], bool]
    _looks: dict[CommandRun, asyncio.Task[_LaneNow]] = field(default_factory=dict)
    _head_trees: dict[str, str] = field(default_factory=dict)

    def began(self, run: CommandRun) -> None:
        """No look from before serves any more. A reading command starts: look at the files meanwhile."""
        self.session.look_may_serve("")
        if run.reading:
            self._looks[run] = asyncio.create_task(self._lane_now(), name="tree id")

    async def ended(self, run: CommandRun, completed: Completed) -> None:
        """Record what came of it. Never raises but for a stop, and then it is recorded all the same."""
        look = self._looks.pop(run, None)
        self.session.look_may_serve(run.call_id)
        try:
            printed, lane = await asyncio.gather(self._printed(completed), self._lane_now() if look is None else look)
            before = lane.tree
            if look is None:
                before = self.keeper.tree_before(self.session.session_id, run.call_id)
        except asyncio.CancelledError:
            self._record(run, _completed_fields(completed))
            raise
        except Exception:  # a command keeps its result, whatever became of its record
            logger.exception("the evidence of %s is not whole", run.call_id)
            self._record(run, _completed_fields(completed))
            return
        totals = suite_totals(printed.text)
        fields = {
            **_completed_fields(completed),
            **totals.model_dump(),
            "tree_before": before,
            "tree_after": lane.tree,
            "head": lane.head,
            "dirty": lane.dirty,
            "output_sha256": printed.sha256,
            "output_bytes": printed.size,
            "output": self._kept(printed),
        }
        self._record(run, fields)

    def stopped(self, run: CommandRun, duration_s: float) -> None:
        """Record that nobody knows how it would have ended."""
        look = self._looks.pop(run, None)
        if look is not None:
            look.cancel()
        self._record(run, {"ending": "interrupted", "duration_ms": round(duration_s * 1000)})

    async def _printed(self, completed: Completed) -> _Printed:
        """What was printed; what is short costs less here than on the way to a thread."""
        redactor = self.redactor()
        if completed.output.total <= SHORT:
            return _printed(completed, redactor)
        return await asyncio.to_thread(_printed, completed, redactor)

    async def _lane_now(self) -> _LaneNow:
        try:
            return await self.keeper.work(self.session, lambda kept: self._with_head(lane_tree_id(kept)))
        except (BanksmanError, OSError) as error:
            logger.warning("the files of %s have no id: %s", self.session.session_id, error)
            return await asyncio.to_thread(self._with_head, "")

    def _with_head(self, tree: str) -> _LaneNow:
        """These files with the lane's commit. Blocking."""
        if self.session.files is None:
            return _LaneNow(tree)
        root = self.session.files.root
        head = head_commit(root)
        if head and head not in self._head_trees:
            self._head_trees[head] = commit_tree_id(Git(root), head)
        known = self._head_trees.get(head, "")
        return _LaneNow(tree, head, tree != known if tree and known else None)

    def _kept(self, printed: _Printed) -> BlobRef | None:
        if not printed.clean or not self.is_open():
            return None
        with contextlib.suppress(BanksmanError):
            return self.blobs.put(printed.clean, "text/plain", lazy=True)
        return None

    def _record(self, run: CommandRun, fields: dict[str, object]) -> None:
        if not self.is_open() or self.session.files is None:
            return
        cwd = run.cwd.relative_to(self.session.files.root).as_posix()
        known = {
            "evidence_id": new_id("ev_"),
            "call_id": run.call_id,
            "command": run.command,
            "command_sha256": command_sha256(run.command),
            "cwd": cwd,
            "environment": run.environment,
            "sandbox": run.sandbox,
            "started_at": run.started_at,
            "background": run.background,
        }
        recorded = EvidenceRecorded.model_validate({**known, **fields})
        if run.background:
            self.session.record(recorded, lazy=True)
        else:
            self.session.hold(recorded)  # the result of its call follows


def _completed_fields(completed: Completed) -> dict[str, object]:
    return {
        "duration_ms": round(completed.duration_s * 1000),
        "exit_code": completed.exit_code,
        "signal": completed.signal_name,
        "ending": completed.ending,
    }


def _printed(completed: Completed, redactor: Redactor) -> _Printed:
    """What was printed, whole. Blocking."""
    raw = completed.output.read()
    text = raw.decode("utf-8", "surrogateescape")
    clean = redactor.redact(text).text
    return _Printed(hashlib.sha256(raw).hexdigest(), len(raw), clean.encode("utf-8", "surrogateescape"), clean)
