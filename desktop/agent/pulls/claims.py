"""PullClaims: whether a pull request that somebody names is there, as GitHub says (lanes-E3)."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from desktop.agent.core.lane_register import Lanes
from desktop.agent.github.access import GitHubAccess
from desktop.agent.pulls.book import PullBook
from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryId

ASKED_AGAIN = timedelta(seconds=60)
_NUMBER = re.compile(r"#?([1-9][0-9]{0,9})")
_PATH = re.compile(r"/([^/]+/[^/]+)/pull/([1-9][0-9]{0,9})(?:/.*)?")


class PullClaims:
    """Engine thread. A request that was found is not asked for again; one that was not, once a minute."""

    def __init__(self, lanes: Lanes, clock: Callable[[], datetime], github: GitHubAccess, book: PullBook) -> None:
        self._lanes = lanes
        self._clock = clock
        self._github = github
        self._book = book
        self._known: dict[tuple[str, int], tuple[bool, datetime]] = {}

    async def exists(self, lane_id: str, pr: str) -> bool | None:
        """Whether the server has this request, by its number, id or address; None: it could not be asked."""
        snapshot = self._book.snapshot(lane_id)
        if snapshot is not None and snapshot.pull is not None and pr in (snapshot.pull.id, snapshot.pull.url):
            return True
        lane = self._lanes.get(lane_id)
        if lane is None:
            return None
        repository = await self._github.repository_for(lane, remote=self._book.link(lane_id).remote)
        if isinstance(repository, ForgeProblem):
            return None
        slug = repository.slug
        number = _number(pr, repository)
        if number is None:
            return None
        known = self._known.get((slug, number))
        if known is not None and (known[0] or self._clock() - known[1] < ASKED_AGAIN):
            return known[0]
        try:
            place = await self._book.place(lane)
            await place.client.pulls.one(number)
        except GitHubError as error:
            if error.kind != "not_found":
                return None
            self._known[slug, number] = False, self._clock()
            return False
        self._known[slug, number] = True, self._clock()
        return True


def _number(pr: str, repository: RepositoryId) -> int | None:
    """The number in this repository that is meant, None for what is not of it."""
    if found := _NUMBER.fullmatch(pr):
        return int(found[1])
    try:
        parts = urlsplit(pr)
    except ValueError:
        return None
    path = _PATH.fullmatch(parts.path)
    same = path is not None and path[1].casefold() == repository.slug.casefold() and parts.netloc == repository.host
    return int(path[2]) if path is not None and same else None
