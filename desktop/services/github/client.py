"""GitHubClient: everything that is asked of one repository for one account, by theme."""

from collections.abc import Callable

from desktop.domain.github.values import RateState
from desktop.domain.pulls.pull_request import RepositoryId
from desktop.records import dataclass
from desktop.services.github.calls.checks import CheckCalls
from desktop.services.github.calls.comments import CommentCalls
from desktop.services.github.calls.merging import MergeCalls
from desktop.services.github.calls.pulls import PullCalls
from desktop.services.github.calls.repository import RepositoryCalls
from desktop.services.github.calls.threads import ThreadCalls
from desktop.services.github.place import Place
from desktop.services.github.transport import Transport


@dataclass(frozen=True)
class GitHubClient:
    """Use it on the engine's loop. Every call raises GitHubError, whose `problem` is a sentence for people. Writes are
    sent once and never repeated; `GitHubError.answer_lost` tells that one may have been done all the same."""

    place: Place
    repositories: RepositoryCalls
    pulls: PullCalls
    checks: CheckCalls
    threads: ThreadCalls
    comments: CommentCalls
    merging: MergeCalls

    @property
    def repository(self) -> RepositoryId:
        """The repository, by its present name once `repositories.facts()` was asked."""
        return self.place.repository

    @property
    def viewer(self) -> str:
        """The login of the account."""
        return self.place.viewer

    @property
    def rate(self) -> RateState:
        """The rate limit of the client's host: how much it still answers."""
        return self.place.transport.watch.state


def client_of(
    transport: Transport,
    repository: RepositoryId,
    viewer: str,
    renamed: Callable[[RepositoryId], None] = lambda now: None,
) -> GitHubClient:
    """The calls to this repository over that connection. `renamed` is told its present name, if it has another."""
    place = Place(transport, repository, viewer, renamed)
    return GitHubClient(
        place,
        RepositoryCalls(place),
        PullCalls(place),
        CheckCalls(place),
        ThreadCalls(place),
        CommentCalls(place),
        MergeCalls(place),
    )
