"""What a test does to a repository and its pull requests from outside, as other people, bots and machines would."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.github.changes import Changes
from tests.fakes.github.checks import end_check, new_check, new_run
from tests.fakes.github.model import (
    Annotation,
    Check,
    Comment,
    CommitStatus,
    Protection,
    Pull,
    Repo,
    Review,
    Thread,
    WorkflowRun,
)
from tests.fakes.github.talk import add_comment, add_review, add_thread, reply

COLLEAGUE = "mona"


@dataclass(frozen=True)
class PullControl:
    """A pull request; `value` is what the stand-in holds of it and may be read at any time."""

    changes: Changes
    repo: Repo
    value: Pull

    @property
    def number(self) -> int:
        return self.value.number

    @property
    def head_sha(self) -> str:
        return self.value.head_sha

    @property
    def state(self) -> str:
        """open, closed or merged."""
        return "merged" if self.value.merged else self.value.state

    def comment(self, body: str, by: str = COLLEAGUE) -> Comment:
        """A comment in the conversation; `by` ending in `[bot]` is a bot."""
        with self.changes.world.lock:
            return add_comment(self.changes.world, self.value, self.changes.world.account(by), body)

    def request_review(self, login: str) -> None:
        """That collaborator is asked for a review."""
        with self.changes.world.lock:
            self.value.reviewers.append(self.changes.world.account(login))
            self.value.updated_at = self.changes.world.now()

    def mergeable_later(self, times: int) -> None:
        """The next so many questions are told that GitHub has not yet worked out whether it can be merged."""
        with self.changes.world.lock:
            self.value.mergeable_unknown = times

    def remove(self, comment: Comment) -> None:
        """A comment of the conversation is deleted."""
        with self.changes.world.lock:
            self.value.comments.remove(comment)

    def thread(self, path: str, line: int, body: str, by: str = COLLEAGUE, *, side: str = "RIGHT",
               start_line: int | None = None) -> Thread:  # fmt: skip
        """A review thread on a line of the head (LEFT: of the base)."""
        world = self.changes.world
        with world.lock:
            return add_thread(world, self.repo, self.value, world.account(by), (path, line, side, start_line), body)

    def reply(self, thread: Thread, body: str, by: str = COLLEAGUE) -> None:
        """Another comment in the thread."""
        with self.changes.world.lock:
            reply(self.changes.world, self.value, thread, self.changes.world.account(by), body)

    def resolve(self, thread: Thread, by: str | None = COLLEAGUE) -> None:
        """Resolve it, or open it again (None)."""
        with self.changes.world.lock:
            thread.resolved_by = self.changes.world.account(by) if by is not None else None

    def review(self, state: str, body: str = "", by: str = COLLEAGUE) -> Review:
        """A review: APPROVED, CHANGES_REQUESTED or COMMENTED."""
        with self.changes.world.lock:
            return add_review(self.changes.world, self.value, self.changes.world.account(by), state, body)

    def edit(self, comment: Comment, body: str) -> None:
        """Other words in a comment of the conversation."""
        with self.changes.world.lock:
            comment.body, comment.updated_at = body, self.changes.world.now()

    def edit_last(self, thread: Thread, body: str) -> None:
        """Other words in the last comment of a thread."""
        with self.changes.world.lock:
            last = thread.comments[-1]
            last.body = body
            last.updated_at = last.edited_at = self.changes.world.now()

    def close(self) -> None:
        """Closed by somebody."""
        with self.changes.world.lock:
            self.changes.edit_pull(self.repo, self.value, {"state": "closed"})

    def reopen(self) -> None:
        """Opened again by somebody."""
        with self.changes.world.lock:
            self.changes.edit_pull(self.repo, self.value, {"state": "open"})

    def change(self, **fields: object) -> None:
        """Other title, body or base, by somebody; `draft` too."""
        with self.changes.world.lock:
            self.value.draft = bool(fields.pop("draft", self.value.draft))
            self.changes.edit_pull(self.repo, self.value, fields)

    def merge(self, method: str = "merge", by: str = COLLEAGUE) -> str:
        """Merged by somebody, whatever the rules say; the new commit of the base."""
        with self.changes.world.lock:
            return self.changes.merge(self.repo, self.value, self.changes.world.account(by), method)


@dataclass(frozen=True)
class RepoControl:
    """A repository; `value` is what the stand-in holds of it and may be read at any time."""

    changes: Changes
    value: Repo
    base_url: str

    @property
    def full_name(self) -> str:
        return self.value.full_name

    @property
    def clone_url(self) -> str:
        """For git, over HTTP; no token in it."""
        return f"{self.base_url}/{self.full_name}.git"

    def push(self, branch: str = "main", files: Mapping[str, str | bytes | None] | None = None, message: str = "Change",
             by: str = COLLEAGUE, *, start: str | None = None) -> str:  # fmt: skip
        """One commit more on that branch (a new one starts at `start`, else at the default branch); its id.
        A file that is None is removed."""
        with self.changes.world.lock:
            git = self.value.git
            root = None if git.branch(branch) else git.resolve(start or self.value.default_branch)
            given = files if files is not None else {f"{message.lower().replace(' ', '-')}.txt": f"{message}\n"}
            return self.changes.commit(self.value, branch, given, message, self.changes.world.account(by), root)

    def take(self, folder: Path, by: str = COLLEAGUE) -> None:
        """All branches and tags of the repository in that folder, pushed by somebody; its own are replaced."""
        with self.changes.world.lock:
            before = self.value.git.refs()
            specs = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
            self.value.git.run("fetch", "--quiet", str(folder), *specs)
            self.changes.refs_moved(self.value, before, self.changes.world.account(by))

    def head(self, branch: str = "main") -> str | None:
        """The commit that branch is at."""
        return self.value.git.branch(branch)

    def remove_branch(self, branch: str, by: str = COLLEAGUE) -> None:
        """Removed by somebody; a pull request of it is closed."""
        with self.changes.world.lock:
            self.changes.set_branch(self.value, branch, None, self.changes.world.account(by))

    def force(self, branch: str, sha: str, by: str = COLLEAGUE) -> None:
        """The branch is at that commit now, by somebody."""
        with self.changes.world.lock:
            self.changes.set_branch(self.value, branch, sha, self.changes.world.account(by))

    def open_pull(self, head: str, base: str = "main", title: str = "A change", body: str | None = None, *,
                  draft: bool = False, by: str | None = None) -> PullControl:  # fmt: skip
        """A pull request by somebody (the owner). `head`: a branch, or `owner:branch` of a fork."""
        with self.changes.world.lock:
            author = self.changes.world.account(by or self.value.owner.login)
            pull = self.changes.open_pull(self.value, author, head, base, title, body, draft)
            return PullControl(self.changes, self.value, pull)

    def pull(self, number: int) -> PullControl:
        """The pull request of that number. Raises KeyError."""
        return PullControl(self.changes, self.value, self.value.pulls[number])

    @property
    def pulls(self) -> list[PullControl]:
        """All of them, oldest first."""
        return [PullControl(self.changes, self.value, pull) for pull in list(self.value.pulls.values())]

    def collaborator(self, login: str, role: str = "write") -> None:
        """That account may do so much here: none, read, triage, write, maintain, admin."""
        with self.changes.world.lock:
            self.changes.world.account(login)
            self.value.roles[login] = role

    def protect(
        self,
        branch: str = "main",
        *,
        checks: Sequence[str] = (),
        reviews: int = 0,
        strict: bool = False,
        by_ruleset: bool = False,
    ) -> None:
        """Rules before something is merged into that branch."""
        with self.changes.world.lock:
            self.value.protections[branch] = Protection(tuple(checks), reviews, strict, by_ruleset)

    def fork(self, owner: str, name: str = "") -> "RepoControl":
        """That account's copy, by the same name or this one."""
        world = self.changes.world
        with world.lock:
            account, source = world.account(owner), self.value
            fork = self.changes.new_repo(
                account, name or source.name, private=source.private, default_branch=source.default_branch
            )
            fork.git.run("fetch", "--quiet", str(source.git.folder), "+refs/heads/*:refs/heads/*")
            fork.parent = source
            return RepoControl(self.changes, fork, self.base_url)

    def rename(self, full_name: str) -> None:
        """Another name or owner; the old one leads here."""
        with self.changes.world.lock:
            self.changes.world.old_names[self.full_name.lower()] = self.value.id
            owner, _, self.value.name = full_name.partition("/")
            self.value.owner = self.changes.world.account(owner)

    def status(self, sha: str, context: str, state: str = "success", description: str | None = None,
               target_url: str | None = None) -> CommitStatus:  # fmt: skip
        """A status of a commit: error, failure, pending or success."""
        world = self.changes.world
        with world.lock:
            status = CommitStatus(world.new_id(), sha, context, state, description, target_url, world.now())
            self.value.statuses.append(status)
            return status

    def check(self, sha: str, name: str, conclusion: str | None = "success", *, app: str = "octo-checks",
              summary: str | None = None, annotations: Sequence[Annotation] = (),
              status: str = "in_progress") -> Check:  # fmt: skip
        """A check run of an app on a commit; conclusion None: it is in that status (queued, in_progress, waiting…). A
        newer one of the same name takes the place of an older one."""
        world = self.changes.world
        with world.lock:
            check = new_check(world, self.value, sha, name, world.app(app), conclusion, status=status)
            check.summary, check.annotations = summary, list(annotations)
            return check

    def finish(self, check: Check, conclusion: str = "success") -> None:
        """A check that ran, or a job's check, ends so."""
        with self.changes.world.lock:
            end_check(self.changes.world, check, conclusion)

    def workflow(self, sha: str, jobs: Mapping[str, str | None] | None = None, *, name: str = "CI", branch: str = "",
                 log: str = "2026-01-01T00:00:00.0000000Z ##[group]Run tests\n") -> WorkflowRun:  # fmt: skip
        """A workflow run of GitHub Actions with a job, and so a check, for each name of `jobs`; a conclusion None is a
        job that runs. `log` is every job's log; set `.log` of one of `.jobs` for another, or None: no longer kept."""
        world = self.changes.world
        with world.lock:
            given = {"test": "success"} if jobs is None else jobs
            return new_run(world, self.value, sha, given, name, branch or self._branch_of(sha), log)

    def _branch_of(self, sha: str) -> str:
        heads = {
            oid: ref.removeprefix("refs/heads/")
            for ref, oid in self.value.git.refs().items()
            if ref.startswith("refs/heads/")
        }
        return heads.get(sha, self.value.default_branch)
