"""Finding boundaries without its patterns being compiled before a person says something (0.02 s)."""

from collections.abc import Collection

from desktop.domain.boundaries.values import Boundary, Lifting
from desktop.late import late

_FORBIDS = (
    *("not", "n't", "n’t", "dont", "never", "no ", "ask", "only", "hands off", "leave ", "offline", "avoid"),
    *("refrain", "check with", "tell", "confirm", "talk to", "spend", "at most"),
)
"""One of these stands in every text that forbids something."""


def detect(text: str, names: Collection[str] = ()) -> tuple[Boundary, ...]:
    """As `detect.detect`."""
    plain = text.casefold()
    if not any(word in plain for word in _FORBIDS):
        return ()
    found: tuple[Boundary, ...] = late("desktop.policy.boundaries.detect").detect(text, names)
    return found


def liftings(text: str) -> tuple[Lifting, ...]:
    """As `detect.liftings`."""
    found: tuple[Lifting, ...] = late("desktop.policy.boundaries.detect").liftings(text)
    return found
