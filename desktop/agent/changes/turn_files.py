"""Between which checkpoints the turns of a chat changed files, told from its log."""

from collections.abc import Sequence
from itertools import pairwise

from desktop.agent.history.path_checkpoints import FilesAt, own_part
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.events import Envelope, TurnEnded, TurnStarted
from desktop.domain.history.path_state import path_to
from desktop.records import dataclass


@dataclass
class TurnFiles:
    """One turn. `number` counts from 1 over the whole log, as the timeline does. `start`, `end`: the files before and
    after it, None where that is not kept. `changing`: a call that could change files ran. `left`: it was taken back."""

    number: int
    turn_id: str
    start: FilesAt | None = None
    end: FilesAt | None = None
    changing: bool = False
    over: bool = False
    left: bool = False

    @property
    def words(self) -> str:
        """What people call it."""
        return f"turn {self.number}"


def turns_of(log: Sequence[Envelope]) -> list[TurnFiles]:
    """The turns of a log, oldest first. A turn whose end was not kept ends where the next one starts."""
    if not log:
        return []
    on_path = {envelope.event_id for envelope in path_to(log, log[-1].event_id)}
    own = {envelope.event_id for envelope in own_part(log)}
    turns: list[TurnFiles] = []
    for envelope in log:
        event = envelope.event
        if isinstance(event, TurnStarted):
            turns.append(TurnFiles(len(turns) + 1, event.turn_id, left=envelope.event_id not in on_path))
        elif turns and isinstance(event, TurnEnded):
            turns[-1].over = True
        elif turns and isinstance(event, CheckpointMade) and envelope.event_id in own:
            _note(turns, event)
    for turn, following in pairwise(turns):
        if turn.end is None and turn.changing:
            turn.end = following.start
    return turns


def _note(turns: list[TurnFiles], event: CheckpointMade) -> None:
    turn, at = turns[-1], FilesAt(event.checkpoint_id, event.commit)
    if event.reason == "turn_start":
        turn.start = at
    elif event.reason == "turn_end":
        turn.end = at
    elif event.reason == "call" and not turn.over:
        turn.changing = True


def found_turn(turns: Sequence[TurnFiles], reference: str) -> TurnFiles | None:
    """The turn of that id or number; None: there is none."""
    return next((turn for turn in turns if reference in (turn.turn_id, str(turn.number))), None)
