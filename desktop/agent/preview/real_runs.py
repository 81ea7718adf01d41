"""RealRuns: says when a command that was tried in a copy did otherwise in the lane (memory-EP7)."""

import asyncio

from desktop.agent.core.session import Session
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, Notice, ToolCallFinished
from desktop.domain.preview.effect import Effect
from desktop.domain.reports.events import EvidenceRecorded
from desktop.services.preview.applying import what_differs

_KINDS = frozenset({"evidence_recorded", "tool_call_finished"})


class RealRuns:
    """All on the engine thread. Looks at updates only while such a command is to run."""

    def __init__(self) -> None:
        self._expected: dict[str, tuple[Session, Effect]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def expect(self, call_id: str, session: Session, effect: Effect) -> None:
        """The command of this call was allowed for real after it had this effect in a copy."""
        if effect.tree_after:
            self._expected[call_id] = (session, effect)

    def saw(self, update: Update) -> None:
        """The record of the run says what the lane's files are then."""
        if not self._expected or not isinstance(update, Envelope) or update.kind not in _KINDS:
            return
        event = update.event
        if isinstance(event, ToolCallFinished):
            self._expected.pop(event.call_id, None)
        elif isinstance(event, EvidenceRecorded) and event.call_id in self._expected:
            session, effect = self._expected.pop(event.call_id)
            if event.tree_after and event.tree_after != effect.tree_after:
                task = asyncio.create_task(self._tell(session, effect), name="unlike in the copy")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for what is being told."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _tell(self, session: Session, effect: Effect) -> None:
        if (files := session.files) is not None:
            words = await asyncio.to_thread(what_differs, files, effect, after=True)
            text = f"The command did otherwise than in the copy: {words}."
            session.record(Notice(kind="effect", text=text), lazy=True)
