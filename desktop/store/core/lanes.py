"""LaneStore and PortLeases: the lanes that were created, and which ports belong to which."""

from collections.abc import Callable
from typing import Protocol

from desktop.domain.lanes.lane import Lane

FIRST_PORT, LAST_PORT, BLOCK = 20_000, 29_999, 20


class LaneStore(Protocol):
    """One record per lane, replaced when the lane changes. Engine thread only.

    Its ports are those of its lease, whatever the record that is saved says of them. The lease ends with its use.
    """

    def save(self, lane: Lane) -> None:
        """Add the lane, or replace what is known of it; on the disk when this returns.

        Raises:
            StoreWriteFailed: it did not reach the disk.
        """

    def get(self, lane_id: str) -> Lane | None:
        """The lane; None when there is none."""

    def of_project(self, project_id: str) -> list[Lane]:
        """All lanes of a project, archived ones too, oldest first."""


class PortLeases(Protocol):
    """The blocks of ports that lanes have. Engine thread only; several processes may lease from one store."""

    def of(self, lane_id: str) -> int:
        """The first port of the lane's block, 0 for none."""

    def lease(self, lane_id: str, is_free: Callable[[int], bool]) -> int:
        """The lane's block: the one it has, else the first that nobody holds and that `is_free` says yes to. 0: there
        is none left.

        Raises:
            StoreWriteFailed: it could not be kept.
        """
