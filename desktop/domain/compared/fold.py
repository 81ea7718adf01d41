"""The fold over the log of a repository that tells which tasks were given to several, and which result was kept."""

from collections.abc import Mapping

from pydantic import Field, JsonValue, ValidationError

from desktop.domain.compared.values import ComparedRun, Comparison, KeptResult
from desktop.domain.core.base import Frozen
from desktop.domain.events import Envelope
from desktop.domain.lanes.commands import LaneSlot
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted

LAUNCH, KEEP, UNDO = "launch", "keep_result", "undo_keep_result"


class Compared(Frozen):
    """What was folded so far. `begun`: by operation, the comparison and the result that it is about to keep, "" for
    none."""

    comparisons: dict[str, Comparison] = Field(default_factory=dict)
    begun: dict[str, tuple[str, str]] = Field(default_factory=dict)


def fold_compared(known: Compared, envelope: Envelope) -> Compared:
    """With one more event of the log of the repository."""
    event = envelope.event
    if isinstance(event, LaneOperationStarted) and event.operation == LAUNCH:
        slots = launched_slots(event.arguments)
        if not slots:
            return known
        text = event.arguments.get("text")
        one = Comparison(
            id=event.operation_id,
            at=envelope.at,
            text=text if isinstance(text, str) else "",
            runs=tuple(ComparedRun(slot=slot) for slot in slots),
        )
        return known.model_copy(update={"comparisons": {**known.comparisons, one.id: one}})
    if isinstance(event, LaneOperationStarted) and event.operation in (KEEP, UNDO):
        about = _word(event.arguments, "comparison_id"), _word(event.arguments, "session_id")
        return known.model_copy(update={"begun": {**known.begun, event.operation_id: about}})
    if isinstance(event, LaneOperationFinished) and event.operation_id in known.begun:
        return _ended(known, event)
    return known


def launched_slots(arguments: Mapping[str, JsonValue]) -> tuple[LaneSlot, ...]:
    """The lanes and chats that a launch is about, () where its record does not say."""
    listed = arguments.get("slots")
    try:
        return tuple(LaneSlot.model_validate(slot) for slot in listed) if isinstance(listed, list) else ()
    except ValidationError:
        return ()


def _ended(known: Compared, event: LaneOperationFinished) -> Compared:
    begun = dict(known.begun)
    comparison_id, session_id = begun.pop(event.operation_id)
    one = known.comparisons.get(comparison_id)
    if one is None or event.status != "done":
        return known.model_copy(update={"begun": begun})
    kept = None
    if event.operation == KEEP:
        kept = KeptResult(
            session_id=session_id, chats=_words(event.result, "chats"), lanes=_words(event.result, "lanes")
        )
    comparisons = {**known.comparisons, one.id: one.model_copy(update={"kept": kept})}
    return known.model_copy(update={"begun": begun, "comparisons": comparisons})


def _word(fields: Mapping[str, JsonValue], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _words(fields: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    listed = fields.get(name)
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()
