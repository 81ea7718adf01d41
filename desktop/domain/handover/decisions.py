"""Who decided the calls of a log: each call once, by its newest decision and what came of the question."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Literal, NamedTuple

from desktop.domain.core.permissions import Verdict
from desktop.domain.events import Envelope, InputRequested, InputResolved, ToolCallDecided
from desktop.domain.handover.values import Decided

SETTLING = frozenset({"tool_call_decided", "input_requested", "input_resolved"})
"""The kinds of entries that say who decided a call."""
By = Literal["people", "rules", "modes", "refused", "nobody", "open"]


class Decision(NamedTuple):
    """The decision about one call. `envelope`: the entry that settled it; `decided`: what the gate said last; `answer`:
    what closed the question, if there was one."""

    by: By
    envelope: Envelope
    decided: ToolCallDecided
    answer: InputResolved | None = None


def decisions(log: Iterable[Envelope]) -> tuple[Decision, ...]:
    """The decisions about all calls of a log, in the order in which the calls were first judged."""
    judged: dict[str, tuple[Envelope, ToolCallDecided]] = {}
    answered: dict[str, tuple[Envelope, InputResolved]] = {}
    asked: dict[str, str] = {}
    for envelope in log:
        if envelope.kind not in SETTLING:
            continue
        event = envelope.event
        if isinstance(event, ToolCallDecided):
            judged[event.call_id] = envelope, event
        elif isinstance(event, InputRequested) and event.request.blocking:
            asked[event.input_id] = event.call_id
        elif isinstance(event, InputResolved) and event.input_id in asked:
            answered[asked[event.input_id]] = envelope, event
    return tuple(_decision(*entry, answered.get(call_id)) for call_id, entry in judged.items())


def _decision(envelope: Envelope, decided: ToolCallDecided, answer: tuple[Envelope, InputResolved] | None) -> Decision:
    if decided.verdict is Verdict.DENY:
        return Decision("refused", envelope, decided, answer[1] if answer else None)
    if answer is not None:
        closed, resolved = answer
        by: dict[str, By] = {"person": "people", "rule": "rules", "mode": "modes"}
        return Decision(by.get(resolved.reason, "nobody"), closed, decided, resolved)
    if decided.verdict is Verdict.ASK:
        return Decision("open", envelope, decided)
    return Decision("rules" if decided.lifted_by else "modes", envelope, decided)


def counted(found: Iterable[Decision]) -> Decided:
    """How many of these calls were settled by whom. A call that still waits is not counted."""
    by = Counter(one.by for one in found)
    calls = sum(by.values()) - by["open"]
    return Decided(
        calls=calls,
        people=by["people"],
        rules=by["rules"],
        modes=by["modes"],
        refused=by["refused"],
        nobody=by["nobody"],
    )


def within(at: datetime, since: datetime | None, until: datetime) -> bool:
    """Whether a moment lies after `since` and not after `until`."""
    return (since is None or at > since) and at <= until
