"""Which checkpoint holds the files as they were at an entry of a conversation, and what happened to them since."""

from collections.abc import Iterable, Sequence

from desktop.domain.chats.updates import LeavingEffect
from desktop.domain.context.events import Rewound
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Envelope, SessionForked, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.titles import title_of
from desktop.domain.history.path_state import path_to
from desktop.domain.history.picked import picked
from desktop.records import dataclass

_CHANGING = (FilesRestored, ToolCallStarted)
"""What may change files."""


@dataclass(frozen=True)
class FilesAt:
    """A checkpoint as an entry names it. `commit`: what it must still be, "" where the entry does not say."""

    checkpoint_id: str
    commit: str = ""


def files_at(log: Sequence[Envelope], event_id: str) -> FilesAt | None:
    """What holds the files as of an event: the next checkpoint, if nothing changed files before it, else the last one
    before. None: there is none.

    Raises:
        UnknownEventId: the log does not hold the event.
    """
    own = own_part(log)
    known = {envelope.event_id for envelope in own}
    path = [envelope for envelope in path_to(log, event_id) if envelope.event_id in known]
    for _, event in picked(_following(own, event_id), CheckpointMade, *_CHANGING):
        if isinstance(event, CheckpointMade):
            return FilesAt(event.checkpoint_id, event.commit)
        if _changes_files(event):
            break
    for _, event in picked(reversed(path), CheckpointMade, FilesRestored):
        if isinstance(event, CheckpointMade):
            return FilesAt(event.checkpoint_id, event.commit)
        if isinstance(event, FilesRestored) and not event.failed:
            return FilesAt(event.to_checkpoint_id)
    return None


def own_part(log: Sequence[Envelope]) -> Sequence[Envelope]:
    """What was recorded here: what a file says of checkpoints names none of ours."""
    marks = (index for index in range(len(log) - 1, -1, -1) if log[index].kind == "imported")
    return log[next(marks, -1) + 1 :]


def _following(log: Sequence[Envelope], event_id: str) -> Iterable[Envelope]:
    """What was written straight after an event, until somebody went back or forked."""
    back = {envelope.event_id for envelope, _ in picked(log, Rewound, SessionForked)}
    first_child: dict[str, Envelope] = {}
    for envelope in log:
        if envelope.parent_id is not None and envelope.event_id not in back:
            first_child.setdefault(envelope.parent_id, envelope)
    current = first_child.get(event_id)
    while current is not None:
        yield current
        current = first_child.pop(current.event_id, None)


def _changes_files(event: EventBase) -> bool:
    return isinstance(event, FilesRestored) or (isinstance(event, ToolCallStarted) and bool(event.checkpoint_id))


def quiet_pairs(events: Iterable[Envelope]) -> list[tuple[CheckpointMade, CheckpointMade | None]]:
    """Neighbouring checkpoints between which no call and no restore could change files: what differs between them came
    from outside. None: the files now."""
    pairs: list[tuple[CheckpointMade, CheckpointMade | None]] = []
    before: CheckpointMade | None = None
    for _, event in picked(events, CheckpointMade, *_CHANGING):
        if isinstance(event, CheckpointMade):
            if before is not None and before.tree != event.tree:
                pairs.append((before, event))
            before = event
        elif _changes_files(event):
            before = None
    return [*pairs, (before, None)] if before is not None else pairs


def touched_paths(events: Iterable[Envelope]) -> tuple[str, ...]:
    """The files that calls are known to have changed, each once, in order."""
    finished = picked(events, ToolCallFinished)
    return tuple(dict.fromkeys(file.path for _, event in finished for file in event.touched))


def not_undone(events: Sequence[Envelope]) -> tuple[LeavingEffect, ...]:
    """Calls that ran and whose effect files cannot undo: written rows, calls to the outside, commands with network."""
    decided = {event.call_id: event for _, event in picked(events, ToolCallDecided)}
    effects: list[LeavingEffect] = []
    for envelope, begun in picked(events, ToolCallStarted):
        call = decided.get(begun.call_id)
        if call is not None and _reaches_out(call):
            title, verbatim = title_of(call)
            effects.append(LeavingEffect(event_id=envelope.event_id, title=title, verbatim=verbatim))
    return tuple(effects)


def _reaches_out(call: ToolCallDecided) -> bool:
    facts = call.facts.get("call")
    if not isinstance(facts, dict):
        return False
    assessment = facts.get("assessment")
    outside = isinstance(assessment, dict) and assessment.get("category") == "external"
    return outside or facts.get("network") is True
