"""LaneKin: how lanes stack on one another: parents, what stands above and below, and which parent one can have."""

from desktop.agent.core.lane_register import Lanes
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.lane import Lane

MOST_ANCESTORS = 10


class LaneKin:
    """Engine thread only. Records that lead in a circle end nowhere."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    def parent(self, lane: Lane) -> Lane | None:
        """The lane that this one stacks on, None for none or when it is deleted."""
        found = self._lanes.get(lane.parent_id) if lane.parent_id else None
        return found if found is not None and found.state != "deleted" and found.type != "primary" else None

    def above(self, lane: Lane) -> list[Lane]:
        """Its parent, the parent's parent and so on."""
        found: list[Lane] = []
        at = lane
        while len(found) <= MOST_ANCESTORS and (parent := self.parent(at)) is not None:
            found.append(parent)
            at = parent
        return found

    def top(self, lane: Lane) -> Lane:
        """The lowest of its stack, which has no parent."""
        return [lane, *self.above(lane)][-1]

    def below(self, lane: Lane) -> list[Lane]:
        """Those in use that stack on it, parents before their children."""
        every = self._lanes.of_project(lane.project_id)
        found: list[Lane] = []
        level = [lane]
        while level and len(found) < len(every):
            ids = {one.id for one in level}
            level = [one for one in every if one.parent_id in ids and one.id != lane.id]
            found += level
        return found

    def base_ref(self, lane: Lane, parent_id: str) -> str:
        """What the lane is measured against with this parent; without one, the base of the stack that it was in."""
        return lane.base_ref if parent_id else self.top(lane).base_ref

    def require_parent(self, lane: Lane, parent: Lane) -> None:
        """Refuse a parent that a lane cannot have (lanes-L42).

        Raises:
            CommandError: `bad_parent`.
        """
        if parent.type == "primary" or parent.state != "active" or parent.project_id != lane.project_id:
            raise CommandError("bad_parent", f"'{parent.name}' cannot be a parent: it is no active lane.")
        if parent.id == lane.id or parent.id in {one.id for one in self.below(lane)}:
            raise CommandError("bad_parent", f"'{parent.name}' is this lane, or stacks on it.")
        if len(self.above(parent)) + 2 > MOST_ANCESTORS:
            raise CommandError("bad_parent", f"A stack can be {MOST_ANCESTORS} lanes high at most.")
