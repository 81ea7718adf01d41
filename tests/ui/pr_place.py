"""A person at the PR tab of an inspector, and requests with checks, threads and comments as the engine tells them."""

from datetime import timedelta

from desktop.domain.pulls.pull_request import (
    Author,
    Check,
    Comment,
    ForgeProblem,
    PullCommit,
    PullFile,
    PullRequest,
    PullSnapshot,
    RepositoryFacts,
    RepositoryId,
    Review,
    ReviewThread,
)
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.ui.pulls.panel import PullPanel
from tests.ui.card_scenes import NOW
from tests.ui.review_place import LANE, Place

REPOSITORY = RepositoryId(host="github.com", owner="robin", name="shop-api")
ALL = frozenset({"pull", "checks", "threads", "comments", "reviews", "files", "commits"})
BODY = """## Summary

The middleware clears the cookie but keeps `next`, so each redirect adds it again. It is taken out **once**.

- `strip_next` drops the parameter
- a test walks three redirects

![before and after](https://example.org/loop.png)

See [the report](https://example.org/report/7).
"""
HUNK = """@@ -41,7 +41,9 @@ def expire(request):
     response.delete_cookie(COOKIE)
-    target = request.url
-    return redirect(login(target))
+    target = strip_next(request.url)
+    if target == login():
+        return response
+    return redirect(login(target))"""
ROBIN, MONA, BOT = Author(login="robin"), Author(login="mona"), Author(login="coderabbitai", bot=True)


def ago(**parts):
    """So long before now."""
    return NOW - timedelta(**parts)


def pull(**fields):
    """An open request."""
    values = {
        "number": 214, "id": "PR_1", "repository": REPOSITORY, "title": "Stop the login page redirecting to itself",
        "body": BODY, "state": "open", "base": "main", "head": "lane/fix-login", "head_oid": "a" * 40,
        "head_repository": REPOSITORY, "author": ROBIN, "created_at": ago(hours=3), "updated_at": ago(minutes=4),
        "url": "https://github.com/robin/shop-api/pull/214", "mergeable": "blocked",
        "reason": "2 required checks are failing.", "behind": 3, "labels": ("bug", "auth"), "reviewers": ("hubot",),
        "additions": 14, "deletions": 4, "changed_files": 3,
    }  # fmt: skip
    return PullRequest(**{**values, **fields})


def check(id, name, conclusion="success", state="completed", **fields):
    """A check."""
    values = {
        "workflow": "CI", "app": "GitHub Actions", "started_at": ago(minutes=9),
        "ended_at": ago(minutes=9, seconds=-(40 + 37 * id)) if state == "completed" else None,
        "job_id": 900 + id, "run_id": 90, "url": f"https://github.com/robin/shop-api/runs/{id}",
    }  # fmt: skip
    conclusion = conclusion if state == "completed" else ""
    return Check(id=id, name=name, conclusion=conclusion, state=state, **{**values, **fields})


CHECKS = (
    check(1, "tests (3.11)", "failure", required=True, annotations=2, title="2 tests failed"),
    check(2, "lint", "timed_out"),
    check(3, "tests (3.12)", state="running", required=True),
    check(4, "build"), check(5, "docs", workflow="Docs"), check(6, "deploy preview", "skipped", workflow="Deploy"),
)  # fmt: skip


def comment(id, body, author=MONA, **fields):
    """A comment."""
    values = {"created_at": ago(hours=1), "url": f"https://github.com/robin/shop-api/pull/214#c{id}"}
    return Comment(id=str(id), author=author, body=body, **{**values, **fields})


def thread(id, *comments, **fields):
    """A thread."""
    values = {"path": "auth/middleware.py", "line": 44, "hunk": HUNK, "url": f"https://github.com/robin/shop-api/t{id}"}
    return ReviewThread(id=f"T{id}", comments=comments, **{**values, **fields})


THREADS = (
    thread(1, comment(1, "**P1: this still loops when `next` is empty.**\n\nAn empty `next` gives `login()` again."),
           comment(2, "Good catch, I will add a test.", ROBIN, created_at=ago(minutes=30))),
    thread(2, comment(3, "[nit] Name it `without_next`.", BOT), path="auth/urls.py", line=12, start_line=9),
    thread(3, comment(4, "Should this be logged?"), line=None, outdated=True),
    thread(4, comment(5, "Typo: *redirekt*."), resolved=True, resolved_by="robin", path="docs/changes.md", line=3),
)  # fmt: skip
COMMENTS = (comment(10, "Can you say in the description how to try it?", created_at=ago(hours=2)),
            comment(11, "Deployed to https://preview.example.org/214", BOT, created_at=ago(minutes=50)))  # fmt: skip
REVIEWS = (Review(id="R1", author=MONA, verdict="changes_requested", body="One loop is left.", at=ago(hours=1)),)
FILES = (
    PullFile(path="auth/middleware.py", added=6, removed=2),
    PullFile(path="tests/test_auth.py", change="added", added=8),
    PullFile(path="docs/changes.md", removed=2),
)  # fmt: skip
COMMITS = (
    PullCommit(oid="c" * 40, subject="Stop redirecting the login page to itself", author="Robin", at=ago(hours=3)),
    PullCommit(oid="d" * 40, subject="Test the redirects", author="Robin", at=ago(hours=2)),
)


def snapshot(of=None, **fields):
    """How a request stands."""
    values = {
        "lane_id": LANE, "repository": REPOSITORY, "pull": of if of is not None else pull(), "checks": CHECKS,
        "facts": RepositoryFacts(repository=REPOSITORY, private=False, can_push=True, methods=("merge", "squash")),
        "threads": THREADS, "comments": COMMENTS, "reviews": REVIEWS, "files": FILES, "commits": COMMITS,
        "known": ALL, "as_of": NOW, "viewer": "robin",
    }  # fmt: skip
    return PullSnapshot(**{**values, **fields})


def nothing(problem=None, text="", **fields):
    """A lane without a request, or why there is none."""
    told = ForgeProblem(kind=problem, text=text, **fields) if problem else None
    return PullSnapshot(lane_id=LANE, known=ALL if told is None else frozenset(), as_of=NOW, problem=told)


class PullPlace(Place):
    """A person at the PR tab."""

    def __init__(self, qtbot, width=420, **lane_fields):
        super().__init__(qtbot, width, **lane_fields)
        self.inspector.show_tab("PR")
        self.pull = self.inspector.of(PullPanel)

    def tell(self, told=None, **fields):
        """The engine tells how the request stands."""
        self.apply(PullRequestChanged(snapshot=told if told is not None else snapshot(), **fields))

    def shown(self, name):
        """Whether a widget of that name can be seen."""
        return any(one.isVisible() for one in self.inspector.window().findChildren(type(self.get(name)), name))

    def rows(self, view):
        """What the rows of a list say."""
        return [row.title for row in view.rows.rows]
