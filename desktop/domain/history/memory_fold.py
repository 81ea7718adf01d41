"""What a turn asks of the memory and what was searched, as its events fold."""

from datetime import datetime

from desktop.domain.events import TurnStarted
from desktop.domain.history.state import MemoryGuard, SessionState
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.values import GUARDS


def begun(state: SessionState, event: TurnStarted) -> MemoryGuard:
    """New in each turn; one that continues the last keeps what that had."""
    last = state.last_turn
    goes_on = event.kind == "continue" and last is not None and last.turn_id == event.continues_turn_id
    before = state.memory if goes_on else MemoryGuard()
    needed = max(before.needed, event.memory_guard, key=GUARDS.index)
    return before if needed == before.needed else before.model_copy(update={"needed": needed})


def searched(state: SessionState, event: MemorySearched, at: datetime, seq: int) -> dict[str, object]:
    """A search was made, or tried."""
    before = state.memory
    memory = MemoryGuard(
        needed=max(before.needed, event.guard, key=GUARDS.index),
        oriented=max(before.oriented, event.guard, key=GUARDS.index),
        satisfied=before.satisfied or event.satisfies,
    )
    return {"memory": memory}
