"""A repository with lanes, for tests of what brings their work together; and the hash of what must never change."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.lanes.lane import Lane
from desktop.services.projects import project_id
from tests.agent.rig import git, make_repository

LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"


@dataclass
class Place:
    """`root`: the person's checkout, on main."""

    root: Path
    lanes: Path

    def lane(self, name: str, *, base: str = "main", parent: Lane | None = None) -> Lane:
        """A lane on a branch of its own."""
        folder, branch = self.lanes / name, f"lane/{name}"
        start = parent.branch if parent is not None else base
        git(self.root, "worktree", "add", "-q", "--no-track", "-b", branch, str(folder), start)
        found = folder.stat()
        return Lane(
            id=f"ln_{hashlib.sha256(name.encode()).hexdigest()[:12]}", project_id=project_id(self.root / ".git"),
            name=name, branch=branch, worktree_path=str(folder), base_ref=base, base_oid=self.oid(branch),
            parent_id=parent.id if parent is not None else "", device=found.st_dev, inode=found.st_ino,
            created_at=datetime.now(UTC),
        )  # fmt: skip

    def oid(self, name: str) -> str:
        """The commit that a name means."""
        return git(self.root, "rev-parse", name).strip()

    def commit(self, folder: Path | str, subject: str, files: dict[str, str]) -> str:
        """Write files and commit them; the commit."""
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        git(Path(folder), "add", "-A")
        git(Path(folder), "commit", "-q", "-m", subject)
        return git(Path(folder), "rev-parse", "HEAD").strip()

    def untouched(self) -> str:
        """A hash of the checkout's files, index, HEAD, branch and stash: equal before and after whatever lanes do."""
        return checkout_hash(self.root)

    def subjects(self, name: str) -> list[str]:
        """The subjects of a branch, newest first."""
        return git(self.root, "log", "--format=%s", name).splitlines()


def checkout_hash(root: Path) -> str:
    """Files with modes and times, index, HEAD and stash of a checkout."""
    digest = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if ".git" not in p.relative_to(root).parts):
        found = path.lstat()
        digest.update(f"{path.relative_to(root)} {found.st_mode} {found.st_mtime_ns} {found.st_size}\n".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    for name in ("index", "HEAD", "refs/stash", "ORIG_HEAD", "config"):
        path = root / ".git" / name
        digest.update(name.encode() + (path.read_bytes() if path.is_file() else b"-"))
    return digest.hexdigest()


def make_place(folder: Path) -> Place:
    """A repository whose person has an identity of their own."""
    root = make_repository(folder / "shop", {"app.py": LINES, "readme.md": "# Shop\n", "a/b.txt": "b\n"})
    git(root, "config", "user.name", "Petra")
    git(root, "config", "user.email", "petra@example.org")
    return Place(root, folder / "lanes")
