"""AnsweredCard: a request that a person answered, folded from the record."""

from collections.abc import Iterable
from datetime import datetime

from desktop.domain.events import Envelope, InputRequested, InputResolved
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.records import dataclass

MOST = 200


@dataclass(frozen=True)
class AnsweredCard:
    """A request as it was asked last, and its answer. `digest`: of what ran, "" for what is no call."""

    input_id: str
    session_id: str
    call_id: str
    request: InputRequest
    answer: Answer
    at: datetime
    digest: str = ""


def answered(envelopes: Iterable[Envelope], since: datetime) -> tuple[AnsweredCard, ...]:
    """What a person answered since then, newest first, the newest 200. `envelopes`: of each chat in order."""
    asked: dict[str, tuple[str, InputRequest]] = {}
    found: list[AnsweredCard] = []
    for envelope in envelopes:
        event = envelope.event
        if isinstance(event, InputRequested) and event.request.blocking:
            asked[event.input_id] = (event.call_id, event.request)
        elif isinstance(event, InputRevised) and event.input_id in asked:
            asked[event.input_id] = (asked[event.input_id][0], event.request)
        elif isinstance(event, InputResolved) and event.input_id in asked:
            call_id, request = asked[event.input_id]
            if event.reason == "person" and envelope.at >= since:
                chat = envelope.session_id
                found.append(
                    AnsweredCard(event.input_id, chat, call_id, request, event.answer, envelope.at, event.digest)
                )
    return tuple(sorted(found, key=lambda one: (one.at, one.input_id), reverse=True)[:MOST])
