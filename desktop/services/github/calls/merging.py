"""MergeCalls: bringing a request up to date with its base, and merging it."""

from pydantic import JsonValue

from desktop.domain.pulls.pull_request import ForgeMergeMethod
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.problems import failure
from desktop.services.github.transport import parsed


class MergeCalls:
    """Calls about merging. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def update_branch(self, number: int, head_oid: str) -> None:
        """GitHub will merge the base into the head, if the head is still that; it does so after it answered."""
        path = self._place.path(f"/pulls/{number}/update-branch")
        await self._place.transport.write("PUT", path, {"expected_head_sha": head_oid})

    async def merge(
        self, number: int, head_oid: str, method: ForgeMergeMethod, *, title: str = "", text: str = ""
    ) -> str:
        """Merge, if the head is still that; the id of the commit on the base.

        405 → kind invalid, 409 → kind conflict. `title` and `text` of the commit, "" for GitHub's own.
        """
        given: dict[str, JsonValue] = {"sha": head_oid, "merge_method": method}
        given |= {name: value for name, value in (("commit_title", title), ("commit_message", text)) if value}
        answer = await self._place.transport.write("PUT", self._place.path(f"/pulls/{number}/merge"), given)
        told = parsed(answer, rest.Merged.model_validate_json)
        if not told.merged:
            raise failure(
                "invalid", "GitHub did not merge it. Refresh and look at what is in the way.", said=told.message
            )
        return told.sha
