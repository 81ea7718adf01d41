"""LaneUse: who works in a lane at the moment, and how all of it is ended before the lane goes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import LaneHolder


class LaneUser(Protocol):
    """A part of the engine whose processes or turns work in lanes."""

    def holders(self, lane_id: str) -> Sequence[LaneHolder]:
        """What works in this lane now."""

    async def stop_in(self, lane_id: str) -> None:
        """End it all; nothing of it runs when this returns."""


class LaneUse:
    """All on the engine thread. Locks keep two operations from changing the same repository or lane at once."""

    def __init__(
        self, lane_lock: Callable[[str], asyncio.Lock], repository_lock: Callable[[str], asyncio.Lock]
    ) -> None:
        self._users: list[LaneUser] = []
        self._lane_lock = lane_lock
        self._repository_lock = repository_lock

    def add(self, user: LaneUser) -> None:
        """Ask this part too from here on."""
        self._users.append(user)

    def holders(self, lane_id: str) -> tuple[LaneHolder, ...]:
        """Everything that works in the lane now."""
        return tuple(holder for user in self._users for holder in user.holders(lane_id))

    async def stop(self, lane_id: str) -> None:
        """End everything that works in the lane."""
        for user in self._users:
            await user.stop_in(lane_id)

    def repository(self, project_id: str) -> asyncio.Lock:
        """Held while refs or worktrees of a repository are changed."""
        return self._repository_lock(project_id)

    def lane(self, lane_id: str) -> asyncio.Lock:
        """Held while something writes a lane: the same lock that calls of its chats take."""
        return self._lane_lock(lane_id)

    def require_quiet(self, lane_id: str, *, kinds: frozenset[str] = frozenset({"turn"})) -> None:
        """Refuse while something of these kinds works in the lane.

        Raises:
            CommandError: `lane_busy`, with what it is.
        """
        busy = [holder for holder in self.holders(lane_id) if holder.kind in kinds]
        if busy:
            raise CommandError("lane_busy", f"Something works in this lane: {busy[0].label}. Stop it first, or wait.")
