"""The answers of GitHub's REST interface, as far as they are used; everything else of an answer is passed over."""

from datetime import datetime

from pydantic import BaseModel, Field


class User(BaseModel):
    """An account, as GitHub's REST interface tells it."""

    login: str = ""
    type: str = "User"


class Team(BaseModel):
    """A team of an organisation."""

    slug: str = ""


class Label(BaseModel):
    """A label of a pull request."""

    name: str = ""


class Permissions(BaseModel):
    """The rights of the account in a repository."""

    push: bool = False
    maintain: bool = False
    admin: bool = False


class Repository(BaseModel):
    """A repository. `parent`, `source`: of a fork, what it was made from and where its family begins."""

    name: str
    owner: User
    html_url: str = ""
    clone_url: str = ""
    ssh_url: str = ""
    parent: "Repository | None" = None
    source: "Repository | None" = None
    private: bool | None = None
    archived: bool = False
    default_branch: str = ""
    permissions: Permissions = Permissions()
    allow_merge_commit: bool | None = None
    allow_squash_merge: bool | None = None
    allow_rebase_merge: bool | None = None
    delete_branch_on_merge: bool = False


class Side(BaseModel):
    """Head or base of a request. `repo` None: it was deleted."""

    ref: str
    sha: str
    label: str | None = None
    repo: Repository | None = None


class Pull(BaseModel):
    """A pull request; in lists without `mergeable` and the counts."""

    number: int = Field(gt=0)
    node_id: str = ""
    title: str = ""
    body: str | None = None
    state: str = "open"
    draft: bool = False
    merged_at: datetime | None = None
    merge_commit_sha: str | None = None
    head: Side
    base: Side
    user: User | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    html_url: str = ""
    mergeable: bool | None = None
    mergeable_state: str = "unknown"
    labels: list[Label] = []
    requested_reviewers: list[User] | None = None
    requested_teams: list[Team] | None = None
    additions: int = 0
    deletions: int = 0
    changed_files: int = 0
    maintainer_can_modify: bool = False


class File(BaseModel):
    """A file of a request."""

    filename: str
    previous_filename: str = ""
    status: str = "modified"
    additions: int = 0
    deletions: int = 0


class GitAuthor(BaseModel):
    """The author of a commit, as git has it."""

    name: str | None = None
    date: datetime | None = None


class GitCommit(BaseModel):
    """A commit, as git has it."""

    message: str = ""
    author: GitAuthor | None = None


class Commit(BaseModel):
    """A commit."""

    sha: str
    commit: GitCommit
    author: User | None = None


class App(BaseModel):
    """The app that made a check."""

    slug: str | None = None
    name: str = ""


class Suite(BaseModel):
    """A group of checks of one app."""

    id: int = 0


class Output(BaseModel):
    """The texts of a check's result."""

    title: str | None = None
    annotations_count: int = 0


class CheckRun(BaseModel):
    """A check run of a commit."""

    id: int
    name: str = ""
    status: str = "queued"
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    html_url: str | None = None
    details_url: str | None = None
    output: Output = Output()
    check_suite: Suite | None = None
    app: App | None = None


class CheckRuns(BaseModel):
    """A page of checks."""

    check_runs: list[CheckRun]


class Status(BaseModel):
    """A commit status."""

    id: int = 0
    context: str = ""
    state: str = "pending"
    description: str | None = None
    target_url: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


class CombinedStatus(BaseModel):
    """A page of commit statuses, the newest of each context."""

    statuses: list[Status]


class Annotation(BaseModel):
    """A remark of a check about lines of a file."""

    path: str = ""
    start_line: int = 0
    end_line: int = 0
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class Run(BaseModel):
    """A run of a workflow."""

    id: int
    name: str | None = None
    workflow_id: int = 0
    event: str = ""
    check_suite_id: int = 0
    run_attempt: int = 1
    status: str | None = None
    conclusion: str | None = None
    html_url: str = ""


class Runs(BaseModel):
    """A page of runs."""

    workflow_runs: list[Run]


class Step(BaseModel):
    """A step of a job."""

    number: int = 0
    name: str = ""
    status: str = "completed"
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None


class Job(BaseModel):
    """A job of a run."""

    id: int
    run_id: int = 0
    name: str = ""
    status: str = "completed"
    conclusion: str | None = None
    html_url: str | None = None
    steps: list[Step] | None = None


class Jobs(BaseModel):
    """A page of jobs."""

    jobs: list[Job]


class IssueComment(BaseModel):
    """A comment on a request as a whole."""

    id: int
    node_id: str = ""
    user: User | None = None
    body: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    html_url: str = ""


class Review(BaseModel):
    """A review of a pull request."""

    id: int
    node_id: str = ""
    user: User | None = None
    body: str | None = None
    state: str = ""
    submitted_at: datetime | None = None
    commit_id: str | None = None
    html_url: str = ""


class Merged(BaseModel):
    """The result of a merge."""

    sha: str = ""
    merged: bool = False
    message: str = ""


class RequiredChecks(BaseModel):
    """The checks that a protected branch wants."""

    contexts: list[str] = []


class Protection(BaseModel):
    """The protection of a branch, as far as everybody may know."""

    required_status_checks: RequiredChecks | None = None


class Branch(BaseModel):
    """A branch."""

    name: str
    protected: bool = False
    protection: Protection | None = None


class RuleContext(BaseModel):
    """A check that a rule wants."""

    context: str


class RuleParameters(BaseModel):
    """The parameters of a rule for branches."""

    required_status_checks: list[RuleContext] = []


class Rule(BaseModel):
    """A rule that counts for a branch."""

    type: str
    parameters: RuleParameters | None = None
