"""One task given to several models or agents, each in a lane of its own: what is compared, and what became of it."""

from datetime import datetime

from desktop.domain.core.base import Frozen
from desktop.domain.lanes.commands import LaneSlot


class RunFigures(Frozen):
    """What a chat did so far. `worked_ms`: without the time for which people were waited for, of the turns that ended
    and, as far as it is known, of the one that runs. `status`: how its last turn ended, "" where none did; `declined`:
    how many of the calls of that turn were declined."""

    steps: int = 0
    worked_ms: int = 0
    cost_microusd: int = 0
    cost_unknown: bool = False
    status: str = ""
    declined: int = 0


class ComparedRun(Frozen):
    """One of several that were given the same task."""

    slot: LaneSlot
    figures: RunFigures = RunFigures()
    archived: bool = False


class KeptResult(Frozen):
    """The result that a person kept, and what was archived with it."""

    session_id: str
    chats: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()


class Comparison(Frozen):
    """A task and those that work on it, as they were begun. `id`: of the operation that began them."""

    id: str
    at: datetime
    text: str = ""
    runs: tuple[ComparedRun, ...]
    kept: KeptResult | None = None

    def run_of(self, session_id: str) -> ComparedRun | None:
        """The run that this chat is, None if it is not one of them."""
        return next((run for run in self.runs if run.slot.session_id == session_id), None)
