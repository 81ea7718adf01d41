"""PullHere: an order about a lane's request: which request that is now, and what was recorded of the order."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import JsonValue

from desktop.agent.lanes.project_log import Operation, ProjectLog
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.places import PullPlace
from desktop.agent.pulls.reader import OPEN
from desktop.domain.core.errors import CommandError
from desktop.domain.core.event_base import By
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import PullRequest
from desktop.records import dataclass

NO_PULL = "This lane has no pull request."


@dataclass(frozen=True)
class PullHere:
    """A lane's request as it is now, and where."""

    lane: Lane
    place: PullPlace
    pull: PullRequest

    @property
    def number(self) -> int:
        """Of the request."""
        return self.pull.number


async def pull_here(book: PullBook, lane_id: str, *, by: By = "person") -> PullHere:
    """The request of a lane that something is to be done with.

    Raises:
        CommandError: there is none, nothing may be written, or (for agents) it is no longer open.
        GitHubError: GitHub could not be asked.
    """
    lane = book.ground.lane(lane_id)
    link = book.link(lane_id)
    if not link.number:
        raise CommandError("no_pull", NO_PULL)
    place = await book.place(lane)
    if place.read_only:
        raise CommandError("read_only", place.read_only)
    pull = await place.client.pulls.one(link.number)
    if by == "tool" and pull.state not in OPEN:
        raise CommandError("not_open", f"Pull request #{pull.number} is {pull.state}.")
    return PullHere(lane, place, pull)


@asynccontextmanager
async def recorded(
    log: ProjectLog, here: PullHere, name: str, *, by: By = "person", **arguments: JsonValue
) -> AsyncIterator[Operation]:
    """The intent is on record before the block, what came of it after it."""
    repository = here.place.repository
    where = f"{repository.host}/{repository.slug}#{here.number}"
    async with log.operation(name, here.lane.id, by=by, request=where, **arguments) as operation:
        yield operation
