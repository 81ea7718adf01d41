"""EventListeners: who is told of each event after its commit, in order of writing."""

import logging
from collections import deque
from collections.abc import Iterable

from desktop.domain.events import Envelope
from desktop.store.core.events import Listener

logger = logging.getLogger(__name__)


class EventListeners:
    """Engine thread. What a listener raises is logged: the event stands, and the others are told."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._untold: deque[Envelope] = deque()
        self._telling = False

    def add(self, listener: Listener) -> None:
        """Tell this one too from here on."""
        self._listeners.append(listener)

    def clear(self) -> None:
        """Nobody is told anything any more."""
        self._listeners.clear()

    def tell(self, envelopes: Iterable[Envelope]) -> None:
        """Tell all of each. What a listener appends meanwhile comes after the event that it was told of, for every
        listener."""
        self._untold.extend(envelopes)
        if self._telling:
            return
        self._telling = True
        try:
            while self._untold:
                envelope = self._untold.popleft()
                for listener in tuple(self._listeners):
                    _call(listener, envelope)
        finally:
            self._telling = False


def _call(listener: Listener, envelope: Envelope) -> None:
    try:
        listener(envelope)
    except Exception:  # the append stands, and the other listeners are called (sessions-ST10)
        logger.exception("A listener failed on %s of %s", envelope.event_id, envelope.session_id)
