"""What the stand-in knows besides its git repositories. Plain values that change in place, under `World.lock`."""

import itertools
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fakes.github.git_repository import BareRepository

ROLES = ("none", "read", "triage", "write", "maintain", "admin")


@dataclass
class Account:
    """A person, a bot (its login ends in `[bot]`) or an organisation."""

    id: int
    login: str
    type: str = "User"
    name: str = ""

    @property
    def node_id(self) -> str:
        return f"U_kgDO{self.id:08x}"


@dataclass
class Token:
    """`scopes` None: a fine-grained token, whose answers carry no scopes header; it may only read if `read_only`."""

    value: str
    login: str
    scopes: tuple[str, ...] | None = ("repo", "workflow", "read:org")
    expires_at: datetime | None = None
    revoked: bool = False
    read_only: bool = False

    def reaches(self, *, private: bool, writing: bool) -> bool:
        """Whether it may do so at all; its account must be allowed to as well."""
        if self.scopes is None:
            return not (self.read_only and writing)
        return "repo" in self.scopes or (not private and ("public_repo" in self.scopes or not writing))


@dataclass
class App:
    """An app that reports checks."""

    id: int
    slug: str
    name: str


@dataclass
class Annotation:
    """A remark of a check on lines of a file. `level`: notice, warning or failure."""

    path: str
    start_line: int
    message: str
    level: str = "failure"
    end_line: int | None = None
    title: str | None = None


@dataclass
class Check:
    """A check run; for GitHub Actions its id is also the id of the job."""

    id: int
    suite_id: int
    sha: str
    name: str
    app: App
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    title: str | None = None
    summary: str | None = None
    details_url: str | None = None
    annotations: list[Annotation] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return self.conclusion in {"failure", "timed_out", "cancelled", "startup_failure", "action_required"}


@dataclass
class CommitStatus:
    """A status of a commit, the older way to report a check. `state`: error, failure, pending or success."""

    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    created_at: datetime


@dataclass
class Step:
    """A step of a job."""

    name: str
    conclusion: str | None = "success"


@dataclass
class Job:
    """A job of a workflow run. `log` None: it is no longer kept. State and times are those of its check."""

    check: Check
    attempt: int
    steps: list[Step]
    log: str | None


@dataclass
class WorkflowRun:
    """A run of a workflow for a commit; `jobs` of all attempts, oldest first."""

    id: int
    suite_id: int
    number: int
    name: str
    path: str
    event: str
    sha: str
    branch: str
    actor: Account
    created_at: datetime
    attempt: int = 1
    jobs: list[Job] = field(default_factory=list)

    @property
    def latest_jobs(self) -> list[Job]:
        """The newest job of each name."""
        return list({job.check.name: job for job in self.jobs}.values())

    @property
    def status(self) -> str:
        states = {job.check.status for job in self.latest_jobs}
        if states <= {"completed"}:
            return "completed"
        return "in_progress" if states & {"in_progress", "completed"} else "queued"

    @property
    def conclusion(self) -> str | None:
        if self.status != "completed":
            return None
        ends = {job.check.conclusion for job in self.latest_jobs}
        order = ("startup_failure", "failure", "timed_out", "cancelled", "action_required", "stale")
        return next((end for end in order if end in ends), "success" if ends - {"skipped"} or not ends else "skipped")


@dataclass
class Comment:
    """A comment in the conversation of a pull request."""

    id: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass
class Review:
    """`state`: APPROVED, CHANGES_REQUESTED, COMMENTED, PENDING or DISMISSED."""

    id: int
    author: Account
    body: str
    state: str
    sha: str
    submitted_at: datetime


@dataclass
class ReviewComment:
    """A comment in a review thread."""

    id: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    review: Review
    edited_at: datetime | None = None

    @property
    def node_id(self) -> str:
        return f"PRRC_kwDO{self.id:08x}"


@dataclass
class Thread:
    """A review thread. `line` is where it was written, in commit `sha` (side RIGHT) or in its base (side LEFT).
    `line` 0: it is about the whole file."""

    id: int
    path: str
    line: int
    side: str
    sha: str
    base_sha: str
    comments: list[ReviewComment]
    start_line: int | None = None
    resolved_by: Account | None = None
    outdated: bool | None = None  # None: by what git says

    @property
    def node_id(self) -> str:
        return f"PRRT_kwDO{self.id:08x}"


@dataclass
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str = "ededed"


@dataclass
class Pull:
    """A pull request. Its commits, files and ability to merge are read from git, never stored."""

    id: int
    number: int
    author: Account
    title: str
    body: str | None
    base: str
    head: str
    head_repo: "Repo | None"
    head_owner: str
    draft: bool
    created_at: datetime
    updated_at: datetime
    head_sha: str
    base_sha: str
    state: str = "open"
    merged: bool = False
    merged_at: datetime | None = None
    closed_at: datetime | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    maintainer_can_modify: bool = True
    labels: list[Label] = field(default_factory=list)
    reviewers: list[Account] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    mergeable_unknown: int = 0

    @property
    def node_id(self) -> str:
        return f"PR_kwDO{self.id:08x}"


@dataclass
class Protection:
    """Rules of a branch. `strict`: it must hold the newest base before it merges; `by_ruleset`: a ruleset says so, not
    the older protection of branches."""

    required_checks: tuple[str, ...] = ()
    required_reviews: int = 0
    strict: bool = False
    by_ruleset: bool = False


@dataclass
class Repo:
    """A repository: its git and what surrounds it. Numbers of pull requests are keys, in order."""

    id: int
    owner: Account
    name: str
    git: BareRepository
    created_at: datetime
    default_branch: str = "main"
    private: bool = True
    archived: bool = False
    parent: "Repo | None" = None
    roles: dict[str, str] = field(default_factory=dict)
    merge_methods: set[str] = field(default_factory=lambda: {"merge", "squash", "rebase"})
    delete_branch_on_merge: bool = False
    protections: dict[str, Protection] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    checks: dict[int, Check] = field(default_factory=dict)
    statuses: list[CommitStatus] = field(default_factory=list)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    jobs: dict[int, Job] = field(default_factory=dict)
    next_number: int = 1

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def node_id(self) -> str:
        return f"R_kgDO{self.id:08x}"

    def role(self, viewer: Account | None) -> str:
        """What that account may do here, one of ROLES."""
        if viewer is not None and viewer.login == self.owner.login:
            return "admin"
        given = self.roles.get(viewer.login, "none") if viewer is not None else "none"
        return given if self.private or given != "none" else "read"

    def allows_login(self, login: str, need: str) -> bool:
        """`allows` for the account of that login."""
        return login == self.owner.login or ROLES.index(self.roles.get(login, "none")) >= ROLES.index(need)

    def allows(self, viewer: Account | None, need: str) -> bool:
        """Whether that account has the role `need` or a higher one."""
        return ROLES.index(self.role(viewer)) >= ROLES.index(need)


class World:
    """All there is on this GitHub. Hold `lock` while reading or changing it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[str, Token] = {}
        self.apps: dict[str, App] = {}
        self.repos: dict[int, Repo] = {}
        self.old_names: dict[str, int] = {}
        self.clock_ahead = timedelta()
        self._ids = itertools.count(1_000_001)

    def new_id(self) -> int:
        """A number that nothing here has yet."""
        return next(self._ids)

    def now(self) -> datetime:
        """The time on this GitHub, in whole seconds as its answers have it."""
        return (datetime.now(UTC) + self.clock_ahead).replace(microsecond=0)

    def account(self, login: str) -> Account:
        """The account of that login, made if there is none; a login ending in `[bot]` is a bot."""
        key = login.lower()
        if key not in self.accounts:
            kind = "Bot" if login.endswith("[bot]") else "User"
            self.accounts[key] = Account(self.new_id(), login, kind)
        return self.accounts[key]

    def app(self, slug: str) -> App:
        """The app of that slug, made if there is none."""
        if slug not in self.apps:
            self.apps[slug] = App(self.new_id(), slug, slug.replace("-", " ").title())
        return self.apps[slug]

    def repo_named(self, owner: str, name: str) -> Repo | None:
        """The repository of that name today; case does not matter."""
        wanted = f"{owner}/{name}".lower()
        return next((repo for repo in self.repos.values() if repo.full_name.lower() == wanted), None)
