"""The worktrees of a repository as git lists them, and where branches are open."""

from collections.abc import Iterable
from pathlib import Path

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import Lane
from desktop.records import dataclass
from desktop.services.git.run import Git
from desktop.services.lanes.base import where_open

_HEADS = "refs/heads/"


@dataclass(frozen=True)
class Worktree:
    """One worktree. `branch` "" when detached; `locked` and `prunable`: git's reason, None when it is not."""

    path: Path
    head: str
    branch: str = ""
    bare: bool = False
    locked: str | None = None
    prunable: str | None = None


async def list_worktrees(git: Git) -> list[Worktree]:
    """All worktrees, the main one first, those whose folder is gone too.

    Raises:
        GitError: they could not be listed.
    """
    listed = await git.run("worktree", "list", "--porcelain", "-z")
    found: list[Worktree] = []
    facts: dict[str, str] = {}
    for line in listed.raw.decode("utf-8", "surrogateescape").split("\0"):
        if line:
            word, _, rest = line.partition(" ")
            facts[word] = rest
        elif facts:
            found.append(_worktree(facts))
            facts = {}
    return found


def require_not_open(git: Git, branch: str, lanes: Iterable[Lane]) -> None:
    """Raises LaneError when the branch is checked out somewhere, with where that is (lanes-L10). Blocking."""
    found = where_open(git, branch)
    if found is None:
        return
    if found.primary:
        raise LaneError(f'Branch "{branch}" is open in your checkout.')
    lane = next((lane for lane in lanes if same_folder(Path(lane.worktree_path), found.path)), None)
    where = f'lane "{lane.name}"' if lane is not None else f"the folder {found.path}"
    raise LaneError(f'Branch "{branch}" is open in {where}.')


def same_folder(one: Path, other: Path) -> bool:
    """Whether two paths name the same folder; it need not exist."""
    return one == other or one.resolve() == other.resolve()


def _worktree(facts: dict[str, str]) -> Worktree:
    branch = facts.get("branch", "")
    return Worktree(
        path=Path(facts.get("worktree", "")),
        head=facts.get("HEAD", ""),
        branch=branch.removeprefix(_HEADS),
        bare="bare" in facts,
        locked=facts.get("locked"),
        prunable=facts.get("prunable"),
    )
