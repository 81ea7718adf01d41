"""A repository with lanes made by hand, for tests of what git says about them."""

from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.lanes.lane import Lane
from desktop.services.files.pointers import git_folders
from desktop.services.projects import project_id
from tests.agent.rig import git

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)


def add_lane(repository: Path, folder: Path, name: str, n: int = 1, base: str = "main", **changes: object) -> Lane:
    """A worktree on a branch of its own, with its record."""
    git(repository, "worktree", "add", "-q", "-b", f"lane/{name}", str(folder), base)
    return record(repository, folder, name, n, base_ref=base, **changes)


def record(repository: Path, folder: Path, name: str, n: int = 1, **changes: object) -> Lane:
    """The record of a lane whose folder is there."""
    found = folder.stat()
    fields: dict[str, object] = {
        "id": f"ln_{n:012x}", "project_id": project_id(git_folders(repository)[1]), "name": name,
        "branch": f"lane/{name}", "worktree_path": str(folder), "device": found.st_dev, "inode": found.st_ino,
        "created_at": NOW,
    }  # fmt: skip
    return Lane.model_validate({**fields, **changes})


def tree_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
