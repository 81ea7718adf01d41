"""Place: one repository as one account sees it; what all calls to it share."""

from collections.abc import Callable

from desktop.domain.pulls.pull_request import RepositoryId
from desktop.records import dataclass
from desktop.services.github.transport import Transport


@dataclass
class Place:
    """`repository` changes when it turns out to have another name now, which `renamed` is told. `viewer`: the login of
    the account."""

    transport: Transport
    repository: RepositoryId
    viewer: str = ""
    renamed: Callable[[RepositoryId], None] = lambda now: None

    def path(self, rest: str = "") -> str:
        """The path of something of this repository."""
        return f"/repos/{self.repository.slug}{rest}"
