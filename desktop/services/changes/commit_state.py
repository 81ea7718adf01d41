"""The facts a person needs before a commit or a push: author, branch, last commit, remote."""

from collections.abc import Callable

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.changes.agent_commit import check_conflicts
from desktop.services.changes.push import PushPlan, plan_push
from desktop.services.git.commit_facts import check_unpushed, head_branch, head_commit_id, person_identity
from desktop.services.git.reads import Repository
from desktop.services.git.run import Git


@dataclass(frozen=True)
class CommitState:
    """Texts are sentences, "" where nothing stands against it. `plan` None: `push_problem` says why."""

    branch: str
    head: str
    author: str
    no_author: str
    message: str
    amend_problem: str
    blocked: str
    plan: PushPlan | None
    push_problem: str


def commit_state(git: Git, repository: Repository) -> CommitState:
    """The state that a commit box shows of the lane now. Nothing is asked of a remote. Blocking. Raises GitError."""
    head = head_commit_id(git)
    author, no_author = "", ""
    try:
        known = person_identity(git)
        author = f"{known['GIT_AUTHOR_NAME']} <{known['GIT_AUTHOR_EMAIL']}>"
    except GitError as error:
        no_author = str(error)
    branch, plan, push_problem = "", None, ""
    try:
        branch = head_branch(git)
        plan = plan_push(git)
    except GitError as error:
        push_problem = str(error)
    message = ""
    if head:
        shown = ("log", "-1", "--no-show-signature", "--no-notes", "--encoding=UTF-8", "--format=%B", head, "--")
        message = git.run_now(*shown).stdout.strip()
    return CommitState(
        branch,
        head,
        author,
        no_author,
        message,
        _said(lambda: check_unpushed(git, head)),
        _blocked(git, repository),
        plan,
        push_problem,
    )


def _blocked(git: Git, repository: Repository) -> str:
    if repository.operation:
        return f"A {repository.operation} is under way in this lane. Finish it or take it back first."
    return _said(lambda: check_conflicts(git)) or _said(lambda: head_branch(git))


def _said(ask: Callable[[], object]) -> str:
    """What it says against something, "" when nothing."""
    try:
        ask()
    except GitError as error:
        return str(error)
    return ""
