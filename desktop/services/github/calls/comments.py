"""CommentCalls: comments and reviews of a request as a whole."""

from typing import Literal

from pydantic import JsonValue, TypeAdapter

from desktop.domain.pulls.pull_request import Comment, Review
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.transport import Listed, all_of, parsed
from desktop.services.github.values import issue_comment, review

_COMMENTS = TypeAdapter(list[rest.IssueComment]).validate_json
_REVIEWS = TypeAdapter(list[rest.Review]).validate_json
_EVENTS = {"approve": "APPROVE", "request_changes": "REQUEST_CHANGES", "comment": "COMMENT"}


class CommentCalls:
    """Calls about comments. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def comments(self, number: int) -> Listed[Comment]:
        """Comments on the request as a whole, oldest first."""
        listed = await self._place.transport.listed(self._place.path(f"/issues/{number}/comments"), _COMMENTS, all_of)
        return Listed(tuple(issue_comment(one, self._place.viewer) for one in listed.items), listed.capped)

    async def post(self, number: int, body: str) -> Comment:
        """A comment by this account."""
        path = self._place.path(f"/issues/{number}/comments")
        answer = await self._place.transport.write("POST", path, {"body": body})
        return issue_comment(parsed(answer, rest.IssueComment.model_validate_json), self._place.viewer)

    async def reviews(self, number: int) -> Listed[Review]:
        """Reviews, oldest first."""
        listed = await self._place.transport.listed(self._place.path(f"/pulls/{number}/reviews"), _REVIEWS, all_of)
        return Listed(tuple(review(one) for one in listed.items), listed.capped)

    async def post_review(
        self,
        number: int,
        verdict: Literal["approve", "request_changes", "comment"],
        body: str = "",
        *,
        commit: str = "",
    ) -> Review:
        """A review by this account, of that commit if one is given."""
        given: dict[str, JsonValue] = {"event": _EVENTS[verdict]}
        given |= {name: value for name, value in (("body", body), ("commit_id", commit)) if value}
        answer = await self._place.transport.write("POST", self._place.path(f"/pulls/{number}/reviews"), given)
        return review(parsed(answer, rest.Review.model_validate_json))
