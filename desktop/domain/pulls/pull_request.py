"""Pull requests as a forge tells them: the request itself, its checks, threads, comments and reviews at one moment.

Every text in here was written by somebody else: it is shown through `display_safe`, and given to agents as untrusted.
"""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen

PullState = Literal["draft", "open", "merged", "closed"]
CheckState = Literal["queued", "running", "completed"]
Conclusion = Literal[
    "",
    "success",
    "neutral",
    "skipped",
    "failure",
    "timed_out",
    "cancelled",
    "action_required",
    "startup_failure",
    "stale",
    "error",
]
Outcome = Literal["ok", "bad", "pending"]
Mergeable = Literal["yes", "conflicts", "blocked", "behind", "unknown"]
ReviewState = Literal["none", "requested", "approved", "changes_requested"]
ReviewVerdict = Literal["approved", "changes_requested", "commented", "dismissed", "pending"]
ForgeMergeMethod = Literal["merge", "squash", "rebase"]
Part = Literal["pull", "checks", "threads", "comments", "reviews", "files", "commits"]

_OK = ("success", "neutral", "skipped")


class RepositoryId(Frozen):
    """A repository on a forge. `host` without scheme, in lower case."""

    host: str
    owner: str
    name: str

    @property
    def slug(self) -> str:
        """The repository as `owner/name`."""
        return f"{self.owner}/{self.name}"


class OwnFork(Frozen):
    """The signed-in account's fork of a repository, and its addresses for git."""

    repository: RepositoryId
    https: str
    ssh: str


class RepositoryFacts(Frozen):
    """The rights of the signed-in account in a repository, and its settings. `private` None: not told."""

    repository: RepositoryId
    url: str = ""
    default_branch: str = ""
    private: bool | None = None
    can_push: bool = False
    archived: bool = False
    methods: tuple[ForgeMergeMethod, ...] = ()
    deletes_branch: bool = False


class Check(Frozen):
    """One check run or commit status of the head commit, the newest of its name and app.

    `kind` status: a commit status, which has no log. `required` None: not known. `run_id`, `job_id`: of the workflow
    run behind it, 0 for none. `annotations`: how many there are.
    """

    id: int
    kind: Literal["run", "status"] = "run"
    name: str
    app: str = ""
    workflow: str = ""
    state: CheckState = "completed"
    conclusion: Conclusion = ""
    required: bool | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    url: str = ""
    run_id: int = 0
    job_id: int = 0
    title: str = ""
    annotations: int = 0

    @property
    def outcome(self) -> Outcome:
        """ok, bad or pending (lanes-P9): a completed check is ok only if its conclusion says so."""
        if self.state != "completed":
            return "pending"
        return "ok" if self.conclusion in _OK else "bad"


class CheckStep(Frozen):
    """One step of a job."""

    number: int
    name: str
    state: CheckState = "completed"
    conclusion: Conclusion = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None


class WorkflowRun(Frozen):
    """A run of a workflow on a commit; `workflow` and `event` tell it from others. `id` is what is run again."""

    id: int
    name: str = ""
    workflow: int = 0
    event: str = ""
    suite: int = 0
    attempt: int = 1
    state: CheckState = "completed"
    conclusion: Conclusion = ""
    url: str = ""


class WorkflowJob(Frozen):
    """A job of a workflow run, with its steps in order. Its log is asked for by `id`."""

    id: int
    run_id: int
    name: str = ""
    state: CheckState = "completed"
    conclusion: Conclusion = ""
    steps: tuple[CheckStep, ...] = ()
    url: str = ""


class Annotation(Frozen):
    """A remark of a check about some lines of a file. Lines count from 1."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"] = "warning"
    title: str = ""
    message: str = ""


class Author(Frozen):
    """The author of a pull request, a review or a comment. `login` as the forge has it, "" for a deleted account."""

    login: str = ""
    bot: bool = False


class Comment(Frozen):
    """A comment: of a thread, or of the request as a whole. `number`: its id in REST, 0 where there is none."""

    id: str
    number: int = 0
    author: Author = Author()
    body: str = ""
    created_at: datetime | None = None
    edited_at: datetime | None = None
    url: str = ""
    mine: bool = False


class ReviewThread(Frozen):
    """A thread on a place of the diff, with its comments, oldest first. `line` None: on the file, or outdated."""

    id: str
    path: str = ""
    line: int | None = None
    start_line: int | None = None
    side: Literal["left", "right"] = "right"
    resolved: bool = False
    outdated: bool = False
    resolved_by: str = ""
    hunk: str = ""
    comments: tuple[Comment, ...] = ()
    can_reply: bool = True
    can_resolve: bool = True
    url: str = ""

    @property
    def open(self) -> bool:
        """Unresolved and current (lanes-P9)."""
        return not self.resolved and not self.outdated


class Review(Frozen):
    """One review of the request."""

    id: str
    author: Author = Author()
    verdict: ReviewVerdict = "commented"
    body: str = ""
    at: datetime | None = None
    commit: str = ""
    url: str = ""


class PullFile(Frozen):
    """A file that the request changes."""

    path: str
    old_path: str = ""
    change: Literal["added", "modified", "removed", "renamed", "copied", "changed", "unchanged"] = "modified"
    added: int = 0
    removed: int = 0


class PullCommit(Frozen):
    """A commit of the request, oldest first in lists."""

    oid: str
    subject: str
    author: str = ""
    at: datetime | None = None


class PullRequest(Frozen):
    """A pull request. `id`: the forge's node id. `head_repository` None: it was deleted. `reason`: why it cannot be
    merged, in words. `behind`: commits of the base that the head lacks, None when not told."""

    number: int
    id: str = ""
    repository: RepositoryId
    title: str
    body: str = ""
    state: PullState = "open"
    base: str
    head: str
    head_oid: str
    base_oid: str = ""
    head_repository: RepositoryId | None = None
    author: Author = Author()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    merged_at: datetime | None = None
    merge_oid: str = ""
    url: str = ""
    mergeable: Mergeable = "unknown"
    reason: str = ""
    behind: int | None = None
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    additions: int = 0
    deletions: int = 0
    changed_files: int = 0
    maintainer_can_modify: bool = False


class ForgeProblem(Frozen):
    """Why something was not told or not done. `text`: a sentence for people with what to do next. `until`: when the
    forge may be asked again. `right`: the missing right, for kind forbidden."""

    kind: Literal[
        "not_connected",
        "no_remote",
        "other_host",
        "choose_remote",
        "unauthorised",
        "forbidden",
        "rate_limited",
        "not_found",
        "conflict",
        "invalid",
        "server",
        "offline",
        "bad_answer",
        "too_large",
        "busy",
    ]
    text: str
    until: datetime | None = None
    right: str = ""


class PullSnapshot(Frozen):
    """A lane's pull request as it was at `as_of`, or why there is none to show.

    `pull` None with no `problem`: the branch has no request. `known`: the parts that were told at `as_of`; a part that
    is not in it is unknown, never empty (lanes-P11). `capped`: parts of which only the first 1,000 were read.
    `problem`: the last attempt failed; everything else is then of the last good one. `read_only`: why writing is off.
    `missing`: why parts are unknown, as sentences.
    """

    lane_id: str
    repository: RepositoryId | None = None
    facts: RepositoryFacts | None = None
    pull: PullRequest | None = None
    checks: tuple[Check, ...] = ()
    threads: tuple[ReviewThread, ...] = ()
    comments: tuple[Comment, ...] = ()
    reviews: tuple[Review, ...] = ()
    files: tuple[PullFile, ...] = ()
    commits: tuple[PullCommit, ...] = ()
    known: frozenset[Part] = frozenset()
    capped: frozenset[Part] = frozenset()
    missing: tuple[tuple[Part, str], ...] = ()
    as_of: datetime | None = None
    problem: ForgeProblem | None = None
    read_only: str = ""
    viewer: str = ""

    @property
    def failing(self) -> tuple[Check, ...]:
        """Checks with a bad conclusion."""
        return tuple(check for check in self.checks if check.outcome == "bad")

    @property
    def pending(self) -> tuple[Check, ...]:
        """Checks that are not completed."""
        return tuple(check for check in self.checks if check.outcome == "pending")

    @property
    def open_threads(self) -> tuple[ReviewThread, ...]:
        """Threads that are unresolved and current."""
        return tuple(thread for thread in self.threads if thread.open)

    @property
    def review(self) -> ReviewState:
        """The newest word of each reviewer, joined; a comment is no word (lanes 14.1)."""
        latest: dict[str, ReviewVerdict] = {}
        for review in self.reviews:
            if review.verdict in ("approved", "changes_requested", "dismissed"):
                latest[review.author.login] = review.verdict
        said = set(latest.values())
        if "changes_requested" in said:
            return "changes_requested"
        if "approved" in said:
            return "approved"
        return "requested" if self.pull is not None and self.pull.reviewers else "none"


class PullLink(Frozen):
    """The link between a lane and its pull request. `remote`: the one that a person chose, "" for none. `number` 0:
    none is known; `declined`: a person said that the lane has none, so none is looked up. `branch`: the lane's when it
    was linked."""

    lane_id: str
    remote: str = ""
    repository: RepositoryId | None = None
    number: int = 0
    branch: str = ""
    declined: bool = False


class PullSummary(Frozen):
    """A request in a list. `lane_id`: the lane whose branch it is, "" for none."""

    number: int
    title: str
    state: PullState
    base: str
    head: str
    head_owner: str = ""
    author: Author = Author()
    updated_at: datetime | None = None
    review_asked: bool = False
    url: str = ""
    lane_id: str = ""


class Hindrance(Frozen):
    """Something in the way of opening or merging a request. `blocks`: it cannot be done before this is solved;
    otherwise a person may go on with a tick. `action`: the name of what the window offers, "" for nothing."""

    kind: str
    text: str
    blocks: bool = True
    action: str = ""
