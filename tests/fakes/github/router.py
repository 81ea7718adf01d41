"""Which function answers which described route, and what such a function is given."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from tests.fakes.github.model import Account, Pull, Repo, Token
from tests.fakes.github.wire import Answer, Refusal, Request, not_found

if TYPE_CHECKING:
    from tests.fakes.github.changes import Changes

T = TypeVar("T")
MISSING_RIGHT = "Resource not accessible by personal access token"


@dataclass(frozen=True)
class Urls:
    """The two addresses that answers name: of the interface and of the pages."""

    api: str
    web: str


@dataclass
class Call:
    """A request on its way to its function. `changes` is all of GitHub and how it may change; `now` its clock."""

    request: Request
    route: str
    params: dict[str, str]
    viewer: Account | None
    token: Token | None
    changes: "Changes"
    urls: Urls

    @property
    def body(self) -> dict[str, Any]:
        """The fields sent, {} for none."""
        return self.request.body if isinstance(self.request.body, dict) else {}

    def repo(self, need: str = "read") -> Repo:
        """The repository that the path names. Raises Refusal: 404 if it may not be seen, 403 without the role."""
        repo = self.changes.world.repo_named(self.params["owner"], self.params["repo"])
        if repo is None or not repo.allows(self.viewer, "read"):
            raise not_found()
        writing = self.request.method != "GET"
        if self.token is not None and not self.token.reaches(private=repo.private, writing=writing):
            raise Refusal(403, MISSING_RIGHT) if self.token.scopes is None else not_found()
        if need != "read" and self.viewer is None:
            raise Refusal(401, "Requires authentication")
        if not repo.allows(self.viewer, need):
            raise Refusal(403, MISSING_RIGHT)
        if need != "read" and repo.archived:
            raise Refusal(403, "Repository was archived so is read-only.")
        return repo

    def pull(self, repo: Repo) -> Pull:
        """The pull request that the path names. Raises Refusal 404."""
        number = self.params.get("pull_number") or self.params["issue_number"]
        pull = repo.pulls.get(int(number)) if number.isdigit() else None
        if pull is None:
            raise not_found()
        return pull

    def sender(self) -> Account:
        """Who asks. Raises Refusal 401 when nobody does."""
        if self.viewer is None:
            raise Refusal(401, "Requires authentication")
        return self.viewer

    def page(self, items: Sequence[T]) -> tuple[list[T], dict[str, str]]:
        """The part of `items` that was asked for, and the Link header that leads to the others."""
        size = min(self._number("per_page", 30), 100)
        number = self._number("page", 1)
        last = max((len(items) + size - 1) // size, 1)
        links = {"next": number + 1, "last": last} if number < last else {}
        links |= {"prev": number - 1, "first": 1} if number > 1 else {}
        header = ", ".join(f'<{self._page_address(to)}>; rel="{rel}"' for rel, to in links.items())
        return list(items[(number - 1) * size : number * size]), {"Link": header} if header else {}

    def _number(self, name: str, default: int) -> int:
        text = self.request.query.get(name, "")
        return max(int(text), 1) if text.isdigit() else default

    def _page_address(self, number: int) -> str:
        query = {**self.request.query, "page": str(number)}
        fields = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        return f"{self.urls.api}{quote(self.request.path)}?{fields}"


Handler = Callable[[Call], Answer]
SERVED: dict[tuple[str, str], Handler] = {}


def serves(method: str, template: str) -> Callable[[Handler], Handler]:
    """This function answers that route of GitHub's description."""

    def register(handler: Handler) -> Handler:
        SERVED[method, template] = handler
        return handler

    return register


def pattern_of(template: str) -> re.Pattern[str]:
    """What a described path matches: `{ref}` and `{branch}` may hold slashes, other parameters not."""
    parts = re.split(r"\{(\w+)\}", template)
    names = [f"(?P<{part}>.+)" if part in ("ref", "branch") else f"(?P<{part}>[^/]+)" for part in parts[1::2]]
    text = "".join(re.escape(fixed) + name for fixed, name in zip(parts[::2], [*names, ""], strict=True))
    return re.compile(text)
