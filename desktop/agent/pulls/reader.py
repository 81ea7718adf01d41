"""PullReader: one look at a lane's request: which one it is, and all its parts; what was not told stays unknown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from desktop.agent.pulls.places import PullPlace
from desktop.domain.github.values import GitHubError
from desktop.domain.lanes.lane import Lane
from desktop.domain.pulls.pull_request import Check, Part, PullLink, PullRequest, PullSnapshot
from desktop.records import dataclass
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id, is_ancestor

if TYPE_CHECKING:
    from desktop.services.github.transport import Listed

T = TypeVar("T")
OPEN = ("open", "draft")
REQUIRED_FOR = timedelta(minutes=10)
_OF_COMMITS: tuple[Part, ...] = ("files", "commits")
_OF_A_PART = ("forbidden", "not_found", "too_large")
"""Errors that are about one part alone; after any other the whole look counts for nothing."""


@dataclass(frozen=True)
class _Told:
    """What a list holds. `capped`: only its first 1,000."""

    items: tuple[object, ...]
    capped: bool


@dataclass
class _Gathered:
    """The parts of a snapshot as they come in."""

    values: dict[str, object] = field(default_factory=dict)
    known: set[Part] = field(default_factory=lambda: {"pull"})
    capped: set[Part] = field(default_factory=set)
    missing: list[tuple[Part, str]] = field(default_factory=list)


class PullReader:
    """Engine thread. What a branch wants of its checks is asked for every ten minutes only."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._required: dict[tuple[str, str], tuple[datetime, frozenset[str] | None]] = {}

    async def read(
        self, lane: Lane, link: PullLink, place: PullPlace, before: PullSnapshot | None
    ) -> tuple[PullSnapshot, PullLink]:
        """How the lane's request stands, with the link to it as it is now.

        Raises:
            GitHubError: GitHub could not be asked, or did not tell the request itself.
        """
        pull = await self._pull(lane, link, place)
        found = PullSnapshot(
            lane_id=lane.id,
            repository=place.repository,
            facts=place.facts,
            pull=pull,
            known=frozenset({"pull"}),
            as_of=self._clock(),
            viewer=place.client.viewer,
            read_only=place.read_only,
        )
        if pull is None:
            return found, link.model_copy(update={"repository": place.repository, "number": 0})
        gathered = await self._parts(place, pull, before)
        changes = {
            **gathered.values,
            "known": frozenset(gathered.known),
            "capped": frozenset(gathered.capped),
            "missing": tuple(gathered.missing),
            "as_of": self._clock(),
        }
        known = {"repository": place.repository, "number": pull.number, "branch": link.branch or lane.branch}
        return found.model_copy(update=changes), link.model_copy(update=known)

    async def _pull(self, lane: Lane, link: PullLink, place: PullPlace) -> PullRequest | None:
        """The linked request; of a branch that has another one open by now, that."""
        linked = await place.client.pulls.one(link.number) if link.number and not link.declined else None
        if link.declined or (linked is not None and linked.state in OPEN):
            return linked
        found = await open_or_own(lane, place) if lane.branch else None
        if found is None or (linked is not None and found.state not in OPEN):
            return linked
        # what GitHub lists lacks much of what it tells of one
        return await place.client.pulls.one(found.number)

    async def _parts(self, place: PullPlace, pull: PullRequest, before: PullSnapshot | None) -> _Gathered:
        gathered, client, number = _Gathered(), place.client, pull.number
        asked: dict[Part, Awaitable[_Told]] = {
            "checks": _told(self._checks(place, pull)),
            "threads": _told(client.threads.of_request(number)),
            "comments": _told(client.comments.comments(number)),
            "reviews": _told(client.comments.reviews(number)),
        }
        same = before is not None and before.pull is not None and _same_commits(before.pull, pull)
        for part in _OF_COMMITS:
            if before is not None and same and part in before.known:
                kept = before.files if part == "files" else before.commits
                _take(gathered, part, _Told(kept, part in before.capped))
            elif part == "files":
                asked[part] = _told(client.pulls.files(number))
            else:
                asked[part] = _told(client.pulls.commits(number))
        told = await asyncio.gather(*asked.values(), return_exceptions=True)
        for part, answer in zip(asked, told, strict=True):
            _take(gathered, part, answer)
        return gathered

    async def _checks(self, place: PullPlace, pull: PullRequest) -> "Listed[Check]":
        listed = await place.client.checks.of_commit(pull.head_oid)
        required = await self._required_of(place, pull.base)
        if required is None:
            return listed
        checks = tuple(one.model_copy(update={"required": one.name in required}) for one in listed.items)
        return type(listed)(checks, listed.capped)

    async def _required_of(self, place: PullPlace, base: str) -> frozenset[str] | None:
        key, now = (f"{place.repository.host}/{place.repository.slug}", base), self._clock()
        known = self._required.get(key)
        if known is None or now - known[0] > REQUIRED_FOR:
            known = now, await place.client.repositories.required_checks(base)
            self._required[key] = known
        return known[1]


async def open_or_own(lane: Lane, place: PullPlace) -> PullRequest | None:
    """The open request of the lane's branch; else the newest closed one, if its commits are the lane's own work: an
    older lane can have had a branch of this name.

    Raises:
        GitHubError: GitHub could not be asked.
    """
    found = [pull for owner in place.owners for pull in await place.client.pulls.of_branch(lane.branch, owner=owner)]
    for pull in found:
        if pull.state in OPEN:
            return pull
    for pull in found:
        if await asyncio.to_thread(_is_of, lane, pull.head_oid):
            return pull
    return None


def _is_of(lane: Lane, oid: str) -> bool:
    """Whether a commit was made in the lane after it began. Blocking."""
    folder = Path(lane.worktree_path)
    git = Git(folder)
    if not oid or not folder.is_dir() or not commit_id(git, oid):
        return False
    begun = bool(lane.base_oid) and is_ancestor(git, oid, lane.base_oid)
    return is_ancestor(git, oid, "HEAD") and not begun


def _same_commits(one: PullRequest, other: PullRequest) -> bool:
    return (one.number, one.head_oid, one.base_oid) == (other.number, other.head_oid, other.base_oid)


async def _told(asked: "Awaitable[Listed[T]]") -> _Told:
    listed = await asked
    return _Told(listed.items, listed.capped)


def _take(gathered: _Gathered, part: Part, answer: _Told | BaseException) -> None:
    """Raises what is not about this part alone."""
    if isinstance(answer, GitHubError) and answer.kind in _OF_A_PART:
        gathered.missing.append((part, str(answer)))
    elif isinstance(answer, BaseException):
        raise answer
    else:
        gathered.values[part] = answer.items
        gathered.known.add(part)
        if answer.capped:
            gathered.capped.add(part)
