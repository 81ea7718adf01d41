"""Everything that changes on this GitHub, whoever causes it: a client's request, a push, or a test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fakes.github.git_repository import BareRepository
from tests.fakes.github.model import Account, Label, Protection, Pull, Repo, World
from tests.fakes.github.wire import Refusal, invalid

MERGED = "Pull Request successfully merged"


@dataclass(frozen=True)
class Pushed:
    """A branch moved. `before` None: it is new; `after` None: it is gone."""

    repo: Repo
    branch: str
    before: str | None
    after: str | None
    by: Account


class Changes:
    """The world and its rules. Callers hold `world.lock`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.log_host = ""  # where logs are, another host than the interface's
        self.on_push: list[Callable[[Pushed], object]] = []

    def new_repo(self, owner: Account, name: str, *, private: bool, default_branch: str) -> Repo:
        """An empty repository."""
        number = self.world.new_id()
        git = BareRepository.create(self.world.folder / f"{number}.git", default_branch)
        repo = Repo(number, owner, name, git, self.world.now(), default_branch, private)
        self.world.repos[number] = repo
        return repo

    def commit(self, repo: Repo, branch: str, files: Mapping[str, str | bytes | None], message: str, by: Account,
               parent: str | None = None) -> str:  # fmt: skip
        """One more commit on a branch, pushed by that account; its id."""
        before = repo.git.refs()
        at = int(self.world.now().timestamp())
        sha = repo.git.commit(branch, files, message, by.login, at, parent)
        self.refs_moved(repo, before, by)
        return sha

    def set_branch(self, repo: Repo, branch: str, sha: str | None, by: Account) -> None:
        """Move or remove a branch as a push would."""
        before = repo.git.refs()
        repo.git.set_ref(f"refs/heads/{branch}", sha)
        self.refs_moved(repo, before, by)

    def refs_moved(self, repo: Repo, before: Mapping[str, str], by: Account) -> None:
        """Pull requests follow their branches; then the hooks are told of each branch that moved."""
        after = repo.git.refs()
        moved = sorted(ref for ref in before.keys() | after.keys() if before.get(ref) != after.get(ref))
        heads = [ref for ref in moved if ref.startswith("refs/heads/")]
        for ref in heads:
            self._follow(repo, ref.removeprefix("refs/heads/"), after.get(ref), by)
        for ref in heads:
            event = Pushed(repo, ref.removeprefix("refs/heads/"), before.get(ref), after.get(ref), by)
            for hook in list(self.on_push):
                hook(event)

    def _follow(self, repo: Repo, branch: str, sha: str | None, by: Account) -> None:
        for target in self.world.repos.values():
            for pull in [each for each in target.pulls.values() if each.state == "open"]:
                if pull.head_repo is repo and pull.head == branch:
                    self._head_moved(target, pull, sha)
                elif target is repo and pull.base == branch and sha is not None:
                    self._base_moved(target, pull, sha, by)

    def _head_moved(self, repo: Repo, pull: Pull, sha: str | None) -> None:
        pull.updated_at = self.world.now()
        if sha is None:
            pull.state, pull.closed_at = "closed", self.world.now()
            return
        self._hold_head(repo, pull, sha)

    def _base_moved(self, repo: Repo, pull: Pull, sha: str, by: Account) -> None:
        pull.base_sha = sha
        if repo.git.contains(sha, pull.head_sha):
            self._close_merged(pull, sha, by)

    def _hold_head(self, repo: Repo, pull: Pull, sha: str) -> None:
        source = pull.head_repo
        if source is not None and source is not repo:
            repo.git.run("fetch", "--quiet", "--no-tags", str(source.git.folder), sha)
        repo.git.set_ref(f"refs/pull/{pull.number}/head", sha)
        pull.head_sha = sha

    def open_pull(
        self, repo: Repo, by: Account, head: str, base: str, title: str, body: str | None, draft: bool
    ) -> Pull:
        """A new pull request. `head` is a branch or `owner:branch`. Raises Refusal 422 with GitHub's reasons."""
        owner, _, branch = head.rpartition(":")
        owner = owner or repo.owner.login
        source = self._head_repo(repo, owner)
        sha = source.git.branch(branch) if source is not None else None
        if source is None or sha is None:
            raise invalid("PullRequest", field="head", code="invalid")
        base_sha = repo.git.branch(base)
        if base_sha is None:
            raise invalid("PullRequest", field="base", code="invalid")
        for other in repo.pulls.values():
            if (other.state, other.base, other.head, other.head_repo) == ("open", base, branch, source):
                raise invalid("PullRequest", f"A pull request already exists for {owner}:{branch}.")
        now, number = self.world.now(), repo.next_number
        pull = Pull(
            self.world.new_id(), number, by, title, body, base, branch, source, owner, draft, now, now, sha, base_sha
        )
        self._hold_head(repo, pull, sha)
        if repo.git.count(f"{base_sha}..{sha}") == 0:
            repo.git.set_ref(f"refs/pull/{number}/head", None)
            raise invalid("PullRequest", f"No commits between {base} and {head}")
        repo.next_number += 1
        repo.pulls[number] = pull
        return pull

    def _head_repo(self, repo: Repo, owner: str) -> Repo | None:
        if owner.lower() == repo.owner.login.lower():
            return repo
        forks = (each for each in self.world.repos.values() if each.parent is repo)
        return next((fork for fork in forks if fork.owner.login.lower() == owner.lower()), None)

    def edit_pull(self, repo: Repo, pull: Pull, fields: Mapping[str, object]) -> None:
        """Title, body, base and state as given. Raises Refusal 422 if it cannot be so."""
        base, state = fields.get("base"), fields.get("state")
        if isinstance(base, str) and repo.git.branch(base) is None:
            raise invalid("PullRequest", field="base", code="invalid")
        if state == "open" and pull.state == "closed":
            source = pull.head_repo
            if pull.merged or source is None or source.git.branch(pull.head) is None:
                raise invalid(
                    "PullRequest", f"state cannot be changed. The {pull.head} branch has been deleted.", field="state"
                )
            self._hold_head(repo, pull, source.git.branch(pull.head) or "")
            pull.state, pull.closed_at = "open", None
        if state == "closed" and pull.state == "open":
            pull.state, pull.closed_at = "closed", self.world.now()
        pull.title = str(fields.get("title", pull.title))
        if "body" in fields:
            pull.body = str(fields["body"]) if fields["body"] is not None else None
        if isinstance(base, str):
            pull.base, pull.base_sha = base, repo.git.branch(base) or ""
        pull.updated_at = self.world.now()

    def update_branch(self, repo: Repo, pull: Pull, expected: str | None, by: Account) -> None:
        """Merge the base into the head. Raises Refusal 422."""
        if expected is not None and expected != pull.head_sha:
            raise Refusal(422, "expected head sha didn’t match current head ref.")
        source = pull.head_repo or repo
        base = repo.git.branch(pull.base) or pull.base_sha
        if repo.git.contains(pull.head_sha, base):
            raise Refusal(422, "There are no new commits on the base branch.")
        tree = repo.git.merged_tree(pull.head_sha, base)
        if tree is None:
            raise Refusal(422, "merge conflict between base and head")
        message = f"Merge branch '{pull.base}' into {pull.head}\n"
        merged = repo.git.commit_tree(tree, (pull.head_sha, base), message)
        if source is not repo:
            repo.git.set_ref("refs/pull/updated", merged)
            source.git.run("fetch", "--quiet", str(repo.git.folder), "refs/pull/updated")
        self.set_branch(source, pull.head, merged, by)

    def merge(self, repo: Repo, pull: Pull, by: Account, method: str, message: tuple[str, str] = ("", "")) -> str:
        """Merge it whatever the rules of the branch say; the new commit. Raises Refusal 405 on a conflict."""
        base = repo.git.branch(pull.base) or pull.base_sha
        tree = repo.git.merged_tree(base, pull.head_sha)
        title, text = message
        if tree is None:
            raise Refusal(405, "Pull Request is not mergeable")
        if method == "rebase":
            merged = repo.git.rebased(base, repo.git.log(f"{base}..{pull.head_sha}"))
        elif method == "squash":
            merged = repo.git.commit_tree(tree, (base,), f"{title or f'{pull.title} (#{pull.number})'}\n\n{text}")
        else:
            default = f"Merge pull request #{pull.number} from {pull.head_owner}/{pull.head}"
            merged = repo.git.commit_tree(tree, (base, pull.head_sha), f"{title or default}\n\n{text or pull.title}")
        if merged is None:
            raise Refusal(405, "This branch can't be rebased")
        self._close_merged(pull, merged, by)
        self.set_branch(repo, pull.base, merged, by)
        if repo.delete_branch_on_merge and pull.head_repo is not None:
            self.set_branch(pull.head_repo, pull.head, None, by)
        return merged

    def _close_merged(self, pull: Pull, sha: str, by: Account) -> None:
        now = self.world.now()
        pull.state, pull.merged, pull.merged_by, pull.merge_commit_sha = "closed", True, by, sha
        pull.closed_at = pull.merged_at = pull.updated_at = now

    def label(self, repo: Repo, name: str) -> Label:
        """The label of that name, made if there is none."""
        return repo.labels.setdefault(name, Label(self.world.new_id(), name))

    def protection(self, repo: Repo, branch: str) -> Protection:
        """The rules of that branch."""
        return repo.protections.get(branch, Protection())
