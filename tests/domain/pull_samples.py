"""Values of a pull request as tests need them."""

from datetime import UTC, datetime, timedelta

from desktop.domain.pulls.pull_request import (
    Author,
    Check,
    Comment,
    Conclusion,
    PullRequest,
    PullSnapshot,
    RepositoryId,
    ReviewThread,
)

T0 = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
REPOSITORY = RepositoryId(host="github.com", owner="acme", name="shop")
BOT = Author(login="coderabbitai[bot]", bot=True)
ROBIN = Author(login="robin")
EVERY = frozenset({"pull", "checks", "threads", "comments", "reviews", "files", "commits"})


def minute(n: int) -> datetime:
    """n minutes after the first moment."""
    return T0 + timedelta(minutes=n)


def pull(**changes: object) -> PullRequest:
    """An open request of lane/fix."""
    given: dict[str, object] = {
        "number": 42, "repository": REPOSITORY, "title": "Fix the login", "base": "main", "head": "lane/fix",
        "head_oid": "a" * 40, "mergeable": "yes", **changes,
    }  # fmt: skip
    return PullRequest.model_validate(given)


def check(name: str, conclusion: Conclusion = "failure", run: int = 1, *, pending: bool = False) -> Check:
    """A check run."""
    state = "running" if pending else "completed"
    return Check.model_validate({"id": run, "name": name, "state": state, "conclusion": "" if pending else conclusion})


def said(ref: str, body: str, author: Author = BOT, at: int = 0, edited: int | None = None) -> Comment:
    """A comment at a minute."""
    return Comment(
        id=ref, author=author, body=body, created_at=minute(at), edited_at=None if edited is None else minute(edited)
    )


def thread(ref: str, *comments: Comment, resolved: bool = False, outdated: bool = False) -> ReviewThread:
    """A thread on a.py:3."""
    return ReviewThread(id=ref, path="a.py", line=3, comments=comments, resolved=resolved, outdated=outdated)


def snapshot(**changes: object) -> PullSnapshot:
    """Everything is known."""
    given = {"lane_id": "ln_1", "repository": REPOSITORY, "pull": pull(), "known": EVERY, "as_of": T0, **changes}
    return PullSnapshot.model_validate(given)
