"""picked(): the events of some kinds in a log, without reading the others, whose text may be packed."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Envelope

E = TypeVar("E", bound=EventBase)


def picked(log: Iterable[Envelope], *types: type[E]) -> Iterator[tuple[Envelope, E]]:
    """The events of these classes with their envelopes, in the order of the log. Each is read once."""
    kinds = {one.model_fields["type"].default for one in types}
    for envelope in log:
        if envelope.kind in kinds:
            event = envelope.event
            if isinstance(event, types):
                yield envelope, event
