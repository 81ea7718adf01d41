"""Viewers: who looks at which lane's request, so that one who leaves takes it from nobody else."""

from collections.abc import Iterator


class Viewers:
    """Lanes that somebody looks at. A viewer that begins twice ends once."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}

    def __contains__(self, lane_id: str) -> bool:
        """Whether anybody looks at it."""
        return lane_id in self._of

    def __iter__(self) -> Iterator[str]:
        """The lanes that are looked at, as of now."""
        return iter(tuple(self._of))

    def begin(self, lane_id: str, viewer: str) -> None:
        """This viewer looks at the lane from here on."""
        self._of.setdefault(lane_id, set()).add(viewer)

    def end(self, lane_id: str, viewer: str) -> None:
        """This viewer no longer does; one that did not changes nothing."""
        viewers = self._of.get(lane_id, set())
        viewers.discard(viewer)
        if not viewers:
            self._of.pop(lane_id, None)

    def clear(self) -> None:
        """Nobody looks at anything."""
        self._of.clear()
