"""PullCalls: pull requests themselves: finding, making and changing them, their files and commits."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, JsonValue, TypeAdapter

from desktop.domain.pulls.pull_request import PullCommit, PullFile, PullRequest, PullSummary
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.transport import Listed, all_of, parsed
from desktop.services.github.values import author, pull_commit, pull_file, pull_request, pull_state

_PULLS = TypeAdapter(list[rest.Pull]).validate_json
_FILES = TypeAdapter(list[rest.File]).validate_json
_COMMITS = TypeAdapter(list[rest.Commit]).validate_json
SETTLE_TRIES = 3
TO_DRAFT = """
mutation ToDraft($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""
TO_READY = """
mutation ToReady($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""


class PullCalls:
    """Calls about pull requests. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def open_ones(self) -> Listed[PullSummary]:
        """The open requests, the one changed last first."""
        listed = await self._place.transport.listed(
            self._place.path("/pulls"), _PULLS, all_of, state="open", sort="updated", direction="desc"
        )
        return Listed(tuple(self._summary(one) for one in listed.items), listed.capped)

    async def of_branch(self, branch: str, *, owner: str = "") -> tuple[PullRequest, ...]:
        """The requests that were ever opened from this branch, the newest first. `owner`: of the fork that holds it;
        GitHub lists all requests for one that it does not know, which are left out."""
        head = f"{owner or self._place.repository.owner}:{branch}"
        listed = await self._place.transport.listed(self._place.path("/pulls"), _PULLS, all_of, head=head, state="all")
        found = [one for one in listed.items if (one.head.label or head).lower() == head.lower()]
        return tuple(pull_request(self._place.repository, one) for one in sorted(found, key=lambda one: -one.number))

    async def one(self, number: int) -> PullRequest:
        """A request as it is now."""
        told = await self._place.transport.get(self._place.path(f"/pulls/{number}"), rest.Pull)
        return pull_request(self._place.repository, told)

    async def settled(self, number: int) -> PullRequest:
        """As `one`, asked again three times while GitHub works out whether it can be merged."""
        pull = await self.one(number)
        for _ in range(SETTLE_TRIES):
            if pull.mergeable != "unknown" or pull.state not in ("open", "draft"):
                break
            await self._place.transport.pace.sleep(self._place.transport.pace.settle_s)
            pull = await self.one(number)
        return pull

    async def create(self, title: str, body: str, *, head: str, base: str, draft: bool = True) -> PullRequest:
        """A new request. `head`: a branch here, or `owner:branch` of a fork. One without a number is an error."""
        given: dict[str, JsonValue] = {"title": title, "body": body, "head": head, "base": base, "draft": draft}
        answer = await self._place.transport.write("POST", self._place.path("/pulls"), given)
        return pull_request(self._place.repository, parsed(answer, rest.Pull.model_validate_json))

    async def edit(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
        base: str | None = None,
    ) -> PullRequest:
        """Change the words or the base of a request, close it or open it again; None leaves a value as it is."""
        given: dict[str, JsonValue] = {"title": title, "body": body, "state": state, "base": base}
        given = {name: value for name, value in given.items() if value is not None}
        answer = await self._place.transport.write("PATCH", self._place.path(f"/pulls/{number}"), given)
        return pull_request(self._place.repository, parsed(answer, rest.Pull.model_validate_json))

    async def set_draft(self, node_id: str, *, draft: bool) -> None:
        """A draft, or ready for review. `node_id`: the request's `id`."""
        await self._place.transport.mutate(TO_DRAFT if draft else TO_READY, {"id": node_id}, _Anything)

    async def ask_reviewers(self, number: int, reviewers: Sequence[str]) -> None:
        """Ask accounts for a review, and teams by `team/name` or `organisation/name`."""
        people: list[JsonValue] = [one for one in reviewers if "/" not in one]
        teams: list[JsonValue] = [one.rpartition("/")[2] for one in reviewers if "/" in one]
        given: dict[str, JsonValue] = {"reviewers": people, "team_reviewers": teams}
        given = {name: value for name, value in given.items() if value}
        await self._place.transport.write("POST", self._place.path(f"/pulls/{number}/requested_reviewers"), given)

    async def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Put labels on it, beside those it has."""
        given: dict[str, JsonValue] = {"labels": list(labels)}
        await self._place.transport.write("POST", self._place.path(f"/issues/{number}/labels"), given)

    async def files(self, number: int) -> Listed[PullFile]:
        """The files that it changes."""
        listed = await self._place.transport.listed(self._place.path(f"/pulls/{number}/files"), _FILES, all_of)
        return Listed(tuple(pull_file(one) for one in listed.items), listed.capped)

    async def commits(self, number: int) -> Listed[PullCommit]:
        """The commits of a request, oldest first; GitHub tells at most 250."""
        listed = await self._place.transport.listed(self._place.path(f"/pulls/{number}/commits"), _COMMITS, all_of)
        return Listed(tuple(pull_commit(one) for one in listed.items), listed.capped)

    def _summary(self, told: rest.Pull) -> PullSummary:
        asked = {user.login for user in told.requested_reviewers or ()}
        return PullSummary(
            number=told.number,
            title=told.title,
            state=pull_state(told),
            base=told.base.ref,
            head=told.head.ref,
            head_owner=told.head.repo.owner.login if told.head.repo is not None else "",
            author=author(told.user),
            updated_at=told.updated_at,
            review_asked=self._place.viewer in asked,
            url=told.html_url,
        )


class _Anything(BaseModel):
    """An answer of which only matters that it is no error."""
