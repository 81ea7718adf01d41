"""The chats that work in a lane, and what they are told when a person changes its files."""

from collections.abc import Iterable

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.keeper import made_event
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.history.checkpoints import Taken
from desktop.store.core.events import EventStore


@dataclass(frozen=True)
class LaneChats:
    """The chats of lanes: `sessions` has those that are open, `events` the rows of all."""

    sessions: Sessions
    events: EventStore

    def of(self, lane: Lane) -> list[Session]:
        """Every chat of the lane that can still be talked to, opened if it was not."""
        rows = (row for row in self.events.rows(lane.project_id) if row.lane_id == lane.id and not row.archived)
        found = [self.sessions.get(row.session_id) for row in rows if row.kind in ("interactive", "hosted")]
        return [session for session in found if not session.state.imported]


def record_kept(chats: Iterable[Session], taken: Taken) -> None:
    """The checkpoint from before a person's change stands in the log of each chat.

    Raises:
        StoreError: it could not be recorded, so nothing may be changed.
    """
    for session in chats:
        session.append(made_event(taken, "revert"))


def tell_changed(chats: Iterable[Session], text: str, paths: Iterable[str]) -> None:
    """The agents are told with their next request, and what they had read of these files counts no more."""
    changed = tuple(paths)
    for session in chats:
        for path in changed:
            session.reads.sha256.pop(path, None)
        session.record(note("reverted", text))
