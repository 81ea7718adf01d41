"""What GraphQL sees of accounts, repositories, pull requests and threads: names of fields to values or functions."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.github.diffs import hunk_around
from tests.fakes.github.mergeability import base_now, mergeable, mergeable_state, review_decision
from tests.fakes.github.model import Account, Pull, Repo, Review, ReviewComment, Thread, World
from tests.fakes.github.pull_shapes import association, pull_files
from tests.fakes.github.router import Urls
from tests.fakes.github.shapes import moment
from tests.fakes.github.talk import current_line, is_outdated

Node = dict[str, Any]
CAN_MERGE = {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}


class GraphqlRefusal(Exception):
    """An entry of the errors list, of that type."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Graph:
    """The nodes as that viewer sees them."""

    world: World
    viewer: Account
    urls: Urls

    def actor(self, account: Account) -> Node:
        """A person, a bot (whose login has no `[bot]` here) or an organisation."""
        login = account.login.removesuffix("[bot]")
        shown: Node = {
            "__typename": account.type, "id": account.node_id, "login": login, "resourcePath": f"/{login}",
            "url": f"{self.urls.web}/{login}", "databaseId": account.id,
            "avatarUrl": lambda size=None: f"{self.urls.web}/avatars/u/{account.id}",
        }  # fmt: skip
        return shown if account.type == "Bot" else {**shown, "name": account.name or None}

    def repo(self, repo: Repo) -> Node:
        """A repository."""
        return {
            "__typename": "Repository", "id": repo.node_id, "databaseId": repo.id, "name": repo.name,
            "nameWithOwner": repo.full_name, "isPrivate": repo.private, "owner": lambda: self.actor(repo.owner),
            "url": f"{self.urls.web}/{repo.full_name}", "pullRequest": lambda number: self._numbered(repo, number),
            "forks": lambda **page: self._forks(repo, page),
        }  # fmt: skip

    def _forks(self, repo: Repo, page: dict[str, Any]) -> Node:
        """Direct forks that the viewer sees; `affiliations`: how the viewer belongs to them."""
        wanted = page.get("affiliations")
        seen = [one for one in self.world.repos.values() if one.parent is repo and one.allows(self.viewer, "read")]
        shown = [one for one in seen if wanted is None or self._affiliation(one) in wanted]
        return connection("forks", shown, self.repo, page)

    def _affiliation(self, repo: Repo) -> str:
        if repo.owner is self.viewer:
            return "OWNER"
        return "COLLABORATOR" if self.viewer.login in repo.roles else ""

    def _numbered(self, repo: Repo, number: int) -> Node:
        pull = repo.pulls.get(number)
        if pull is None:
            message = f"Could not resolve to a PullRequest with the number of {number}."
            raise GraphqlRefusal("NOT_FOUND", message)
        return self.pull(repo, pull)

    def pull(self, repo: Repo, pull: Pull) -> Node:
        """A pull request."""
        source = pull.head_repo
        return {
            "__typename": "PullRequest", "id": pull.node_id, "databaseId": pull.id, "fullDatabaseId": str(pull.id),
            "number": pull.number, "title": pull.title, "body": pull.body or "", "isDraft": pull.draft,
            "state": "MERGED" if pull.merged else pull.state.upper(), "merged": pull.merged,
            "closed": pull.state == "closed", "author": lambda: self.actor(pull.author),
            "createdAt": moment(pull.created_at), "updatedAt": moment(pull.updated_at),
            "closedAt": moment(pull.closed_at), "mergedAt": moment(pull.merged_at),
            "baseRefName": pull.base, "baseRefOid": lambda: base_now(repo, pull), "headRefName": pull.head,
            "headRefOid": pull.head_sha, "headRepository": lambda: self.repo(source) if source else None,
            "headRepositoryOwner": lambda: self.actor(source.owner) if source else None,
            "isCrossRepository": source is not repo, "repository": lambda: self.repo(repo),
            "mergeable": lambda: CAN_MERGE[mergeable(repo, pull)],
            "mergeStateStatus": lambda: mergeable_state(repo, pull, mergeable(repo, pull)).upper(),
            "reviewDecision": lambda: review_decision(repo, pull),
            "reviewThreads": self._threads(repo, pull),
            "additions": lambda: sum(file.additions for file in pull_files(repo, pull)),
            "deletions": lambda: sum(file.deletions for file in pull_files(repo, pull)),
            "changedFiles": lambda: len(pull_files(repo, pull)),
            "url": f"{self.urls.web}/{repo.full_name}/pull/{pull.number}",
            "viewerCanUpdate": repo.allows(self.viewer, "write") or pull.author is self.viewer,
            "viewerDidAuthor": pull.author is self.viewer,
        }  # fmt: skip

    def _threads(self, repo: Repo, pull: Pull) -> Callable[..., Node]:
        def make(thread: Thread) -> Node:
            return self.thread(repo, pull, thread)

        return lambda **page: connection("reviewThreads", pull.threads, make, page)

    def thread(self, repo: Repo, pull: Pull, thread: Thread) -> Node:
        """A review thread; whether it is outdated and where its line is today is git's."""
        may = repo.allows(self.viewer, "write") or pull.author is self.viewer
        resolved = thread.resolved_by
        whole_file = not thread.line

        def comments(**page: Any) -> Node:
            def make(comment: ReviewComment) -> Node:
                return self.comment(repo, pull, thread, comment)

            return connection("comments", thread.comments, make, page)

        return {
            "__typename": "PullRequestReviewThread", "id": thread.node_id, "path": thread.path,
            "line": lambda: current_line(repo, pull, thread, thread.line), "originalLine": thread.line or None,
            "startLine": lambda: current_line(repo, pull, thread, thread.start_line),
            "originalStartLine": thread.start_line, "diffSide": thread.side,
            "startDiffSide": thread.side if thread.start_line else None,
            "subjectType": "FILE" if whole_file else "LINE", "isOutdated": lambda: is_outdated(repo, pull, thread),
            "isResolved": resolved is not None, "isCollapsed": resolved is not None, "comments": comments,
            "resolvedBy": lambda: self.actor(resolved) if resolved and resolved.type == "User" else None,
            "pullRequest": lambda: self.pull(repo, pull), "repository": lambda: self.repo(repo),
            "viewerCanReply": True, "viewerCanResolve": may and resolved is None,
            "viewerCanUnresolve": may and resolved is not None,
        }  # fmt: skip

    def comment(self, repo: Repo, pull: Pull, thread: Thread, comment: ReviewComment) -> Node:
        """A comment of a thread."""
        first = thread.comments[0]
        path = f"/{repo.full_name}/pull/{pull.number}#discussion_r{comment.id}"

        def replied_to() -> Node | None:
            return self.comment(repo, pull, thread, first) if comment is not first else None

        def hunk() -> str:
            patch = next((file.patch for file in pull_files(repo, pull) if file.path == thread.path), None)
            return hunk_around(patch, thread.line, thread.side)

        return {
            "__typename": "PullRequestReviewComment", "id": comment.node_id, "databaseId": comment.id,
            "fullDatabaseId": str(comment.id), "author": lambda: self.actor(comment.author),
            "authorAssociation": association(repo, comment.author), "body": comment.body, "bodyText": comment.body,
            "createdAt": moment(comment.created_at), "publishedAt": moment(comment.created_at),
            "updatedAt": moment(comment.updated_at), "lastEditedAt": moment(comment.edited_at),
            "commit": lambda: self.commit(repo, pull.head_sha), "originalCommit": lambda: self.commit(repo, thread.sha),
            "path": thread.path, "line": lambda: current_line(repo, pull, thread, thread.line),
            "startLine": lambda: current_line(repo, pull, thread, thread.start_line),
            "originalLine": thread.line or None, "originalStartLine": thread.start_line, "diffHunk": hunk,
            "outdated": lambda: is_outdated(repo, pull, thread), "state": "SUBMITTED", "isMinimized": False,
            "minimizedReason": None, "replyTo": replied_to, "pullRequest": lambda: self.pull(repo, pull),
            "pullRequestReview": lambda: self.review(repo, pull, comment.review),
            "repository": lambda: self.repo(repo), "resourcePath": path, "url": self.urls.web + path,
            "viewerDidAuthor": comment.author is self.viewer,
        }  # fmt: skip

    def review(self, repo: Repo, pull: Pull, review: Review) -> Node:
        """A review."""
        return {
            "__typename": "PullRequestReview", "id": f"PRR_kwDO{review.id:08x}", "databaseId": review.id,
            "fullDatabaseId": str(review.id), "author": lambda: self.actor(review.author), "body": review.body,
            "authorAssociation": association(repo, review.author), "state": review.state,
            "createdAt": moment(review.submitted_at), "submittedAt": moment(review.submitted_at),
            "url": f"{self.urls.web}/{repo.full_name}/pull/{pull.number}#pullrequestreview-{review.id}",
        }  # fmt: skip

    def commit(self, repo: Repo, sha: str) -> Node:
        """A commit."""
        page = f"{self.urls.web}/{repo.full_name}/commit/{sha}"
        return {"__typename": "Commit", "id": f"C_kwDO{sha}", "oid": sha, "abbreviatedOid": sha[:7], "url": page}


def connection(name: str, items: Sequence[Any], make: Callable[[Any], Node], page: dict[str, Any]) -> Node:
    """A part of a list. As GitHub wants it, `first` or `last` must be given, at most 100."""
    first, last = page.get("first"), page.get("last")
    if first is None and last is None:
        message = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise GraphqlRefusal("MISSING_PAGINATION_BOUNDARIES", message)
    if max(first or 0, last or 0) > 100:
        limit = "first" if first else "last"
        message = (
            f"Requesting {first or last} records on the `{name}` connection exceeds the `{limit}` limit of 100 records."
        )
        raise GraphqlRefusal("EXCESSIVE_PAGINATION", message)
    start = _position(page.get("after")) if page.get("after") else 0
    end = _position(page.get("before")) - 1 if page.get("before") else len(items)
    if first is not None:
        end = min(end, start + first)
    if last is not None:
        start = max(start, end - last)
    shown = list(enumerate(items))[start:end]
    cursors = [_cursor(position) for position, _ in shown]
    return {
        "totalCount": len(items), "nodes": lambda: [make(item) for _, item in shown],
        "edges": lambda: [{"cursor": _cursor(position), "node": make(item)} for position, item in shown],
        "pageInfo": {
            "hasNextPage": end < len(items), "hasPreviousPage": start > 0,
            "startCursor": cursors[0] if cursors else None, "endCursor": cursors[-1] if cursors else None,
        },
    }  # fmt: skip


def _cursor(position: int) -> str:
    return b64encode(f"cursor:v2:{position + 1}".encode()).decode()


def _position(cursor: Any) -> int:
    try:
        return int(b64decode(cursor).decode().removeprefix("cursor:v2:"))
    except ValueError:
        raise GraphqlRefusal("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from None
