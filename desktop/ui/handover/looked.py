"""LastLook: when a person was last at the program before they came back to it (memory-HO5)."""

from datetime import datetime, timedelta

from desktop.ui.core.layout_store import LayoutStore
from desktop.ui.core.sink import Clock

SHORT_AWAY = timedelta(minutes=5)
AWAY = timedelta(minutes=30)
LONG_AWAY = timedelta(hours=4)
_AWAY, _LOOKED = "handover/away", "handover/looked"


class LastLook:
    """Kept for all windows, and over restarts. Half an hour without a look is an absence; a shorter one is none."""

    def __init__(self, store: LayoutStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._went: datetime | None = None

    def take_absence(self) -> datetime | None:
        """When the person went who came back now after five minutes or more; None: they did not, or it was taken."""
        went, self._went = self._went, None
        return went

    @property
    def at(self) -> datetime | None:
        """When the last absence began, None before the first."""
        return _time(self._store.text(_LOOKED))

    def went(self) -> None:
        """The person looks at something else, or closed the window."""
        self._store.save(_AWAY, self._clock().isoformat())

    def came(self) -> timedelta:
        """The person is back; for how long they were away, nothing where that is not known."""
        now, since = self._clock(), _time(self._store.text(_AWAY))
        self._store.save(_AWAY, now.isoformat())
        if since is not None and now - since >= SHORT_AWAY:
            self._went = since
        if since is None or now - since < AWAY:
            return timedelta()
        self._store.save(_LOOKED, since.isoformat())
        return now - since


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None
