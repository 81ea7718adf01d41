"""ChildProgress: how far a child is, told as the progress of the call that began it, never stored."""

import asyncio

from desktop.agent.children.runs import ChildRun, ChildRuns
from desktop.domain.children.events import ChildBegun
from desktop.domain.children.values import WAITS_FOR_PERSON, WAITS_FOR_ROOM, tokens_of
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import ToolProgress
from desktop.tools.text import count_words

EVERY_S = 0.25
_TELLING = frozenset(
    {
        "turn_started",
        "assistant_message",
        "tool_call_decided",
        "tool_call_started",
        "tool_call_finished",
        "input_requested",
        "input_resolved",
    }
)


class ChildProgress:
    """Engine thread. At most four times a second for each child; nothing while no child runs."""

    def __init__(self, runs: ChildRuns) -> None:
        self._runs = runs
        self._due: dict[str, asyncio.TimerHandle] = {}
        runs.over.add(lambda _parent, child_id: self._forget(child_id))

    def saw(self, update: Update) -> None:
        """An event of a child, or that one is to begin, is told a moment later, with what follows it."""
        if not isinstance(update, Envelope):
            return
        if update.kind in _TELLING and self._runs.run_of(update.session_id) is not None:
            self._soon(update.session_id)
        elif isinstance(update.event, ChildBegun):
            self._soon(update.event.child_id)

    async def close(self) -> None:
        """Nothing more is told."""
        for child_id in [*self._due]:
            self._forget(child_id)

    def _forget(self, child_id: str) -> None:
        handle = self._due.pop(child_id, None)
        if handle is not None:
            handle.cancel()

    def _soon(self, child_id: str) -> None:
        if child_id not in self._due:
            self._due[child_id] = asyncio.get_running_loop().call_later(EVERY_S, self._tell, child_id)

    def _tell(self, child_id: str) -> None:
        self._due.pop(child_id, None)
        run = self._runs.run_of(child_id)
        state = run.parent.state.children.get(child_id) if run is not None else None
        if run is None or state is None:
            return
        run.parent.publish(
            ToolProgress(
                session_id=run.parent.session_id,
                call_id=state.call_id,
                tail=_words(run),
                output_bytes=0,
                elapsed_ms=_elapsed_ms(run),
            )
        )


def _words(run: ChildRun) -> str:
    """What it does, in figures, and below that the newest of its calls that runs."""
    turn = run.child.state.turn if run.child is not None else None
    if run.child is None or turn is None or not turn.steps:
        return "" if run.seated else WAITS_FOR_ROOM
    steps, tokens = count_words(turn.steps, "step"), tokens_of(run.child.state.usage)
    waits = f"{WAITS_FOR_PERSON} · " if run.child.state.open_inputs else ""
    calls = [call.title for call in turn.calls.values() if not call.finished]
    return "\n".join([f"{waits}{steps} · {tokens:,} tokens", *calls[-1:]])


def _elapsed_ms(run: ChildRun) -> int:
    turn = run.child.state.turn if run.child is not None else None
    return round((run.child.now() - turn.started_at).total_seconds() * 1000) if run.child and turn else 0
