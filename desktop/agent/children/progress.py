"""ChildProgress: how far a child is, told as the progress of the call that waits for it, never stored."""

import asyncio

from desktop.agent.children.runs import ChildRun, ChildRuns
from desktop.domain.children.values import tokens_of
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import ToolProgress
from desktop.tools.text import count_words

EVERY_S = 0.25
_TELLING = frozenset({"assistant_message", "tool_call_decided", "tool_call_started", "input_resolved"})


class ChildProgress:
    """Engine thread. At most four times a second for each child; nothing while no child runs."""

    def __init__(self, runs: ChildRuns) -> None:
        self._runs = runs
        self._due: dict[str, asyncio.TimerHandle] = {}
        runs.over.add(lambda _parent, child_id: self._forget(child_id))

    def saw(self, update: Update) -> None:
        """An event of a child in the foreground is told a moment later, with what follows it."""
        if not isinstance(update, Envelope) or update.kind not in _TELLING or update.session_id in self._due:
            return
        run = self._runs.run_of(update.session_id)
        if run is not None and not run.start.background:
            loop = asyncio.get_running_loop()
            self._due[update.session_id] = loop.call_later(EVERY_S, self._tell, run)

    async def close(self) -> None:
        """Nothing more is told."""
        for child_id in [*self._due]:
            self._forget(child_id)

    def _forget(self, child_id: str) -> None:
        handle = self._due.pop(child_id, None)
        if handle is not None:
            handle.cancel()

    def _tell(self, run: ChildRun) -> None:
        self._due.pop(run.child_id, None)
        state = run.parent.state.children.get(run.child_id)
        if run.child is None or run.child.state.turn is None or state is None:
            return
        turn = run.child.state.turn
        steps, tokens = count_words(turn.steps, "step"), tokens_of(run.child.state.usage)
        lines = [f"{steps} · {tokens:,} tokens"]
        lines += [call.title for call in turn.calls.values() if not call.finished][-1:]
        elapsed = run.child.now() - turn.started_at
        run.parent.publish(
            ToolProgress(
                session_id=run.parent.session_id,
                call_id=state.call_id,
                tail="\n".join(lines),
                output_bytes=0,
                elapsed_ms=round(elapsed.total_seconds() * 1000),
            )
        )
