"""BehindNotes: which suggestions to update a lane a person put off, and until when; kept over restarts."""

from collections.abc import Callable
from datetime import UTC, datetime

from desktop.ui.core.layout_store import LayoutStore

_KEY = "lanes/behind"
_KEPT = 200
_DISMISSED = "-"


class BehindNotes:
    """One line a lane, the newest 200: its id, the commit of the base that was dismissed, or the time of the next one.
    `clock`: gives aware times."""

    def __init__(self, store: LayoutStore, clock: Callable[[], datetime]) -> None:
        self._store, self._clock = store, clock

    def is_hidden(self, lane_id: str, base_oid: str) -> bool:
        """Whether a person does not want to hear of this base now."""
        kind, _, value = self._notes().get(lane_id, "").partition(" ")
        if kind == _DISMISSED:
            return value == base_oid
        try:
            return bool(kind) and self._clock() < datetime.fromisoformat(kind)
        except (ValueError, TypeError):
            return False

    def dismiss(self, lane_id: str, base_oid: str) -> None:
        """Nothing more of this base, until it stands somewhere else."""
        self._save(lane_id, f"{_DISMISSED} {base_oid}")

    def snooze(self, lane_id: str, seconds: int) -> None:
        """Nothing of this lane for so long."""
        until = datetime.fromtimestamp(self._clock().timestamp() + seconds, UTC)
        self._save(lane_id, until.isoformat())

    def _notes(self) -> dict[str, str]:
        lines = (line.partition(" ") for line in self._store.text(_KEY).splitlines())
        return {lane_id: note for lane_id, _, note in lines}

    def _save(self, lane_id: str, note: str) -> None:
        notes = {one: kept for one, kept in self._notes().items() if one != lane_id}
        newest = [*notes.items(), (lane_id, note)][-_KEPT:]
        self._store.save(_KEY, "\n".join(f"{one} {kept}" for one, kept in newest))
