"""A repository as real ones are: odd names, line ends, a submodule, pointers of LFS, a huge file, a picture."""

import os
import subprocess
from pathlib import Path

from tests.agent.rig import git, make_repository

WINDOWS = b"".join(b"line %d\r\n" % n for n in range(20))
ABOUT = "docs/Über uns & mehr/read me.md"
NO_END = "no end.txt"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{:064x}\nsize 12345\n"
HUGE_BYTES = 51 * 1024 * 1024
FILES = {
    ".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
    ABOUT: "# Über uns\n\nGrüße\n",
    NO_END: "no line end",
    "art/logo.psd": POINTER.format(1),
    ".gitignore": "cache/\n",
}


def make_odd_repository(folder: Path, *, remote: bool, huge: bool = True, more: dict[str, str] | None = None) -> Path:
    """On main, with a submodule `lib`, and with a bare remote beside it that has all of it, if wanted. `more`: files
    that the test works with, by path."""
    library = make_repository(folder / "library", {"lib.py": "x = 1\n"})
    root = make_repository(folder / "Lädchen für Tee", FILES | (more or {}))
    (root / "win.txt").write_bytes(WINDOWS)
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    with (root / "huge.dat").open("wb") as file:
        file.truncate(HUGE_BYTES if huge else 0)
    git(root, "config", "core.autocrlf", "false")
    git(root, "config", "user.name", "Petra")
    git(root, "config", "user.email", "petra@example.org")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "odd things")
    if remote:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder / "origin.git"], check=True)
        git(root, "remote", "add", "origin", str(folder / "origin.git"))
        git(root, "push", "-q", "-u", "origin", "main")
    return root


def change_all(lane: Path) -> dict[str, bytes]:
    """Change, add and delete files of a lane; what it holds afterwards."""
    (lane / "win.txt").write_bytes(WINDOWS.replace(b"line 1\r", b"first\r").replace(b"line 15", b"fifteenth"))
    (lane / ABOUT).write_text("# Über uns\n\nGrüße aus Köln\n", encoding="utf-8")
    (lane / "art/logo.psd").write_text(POINTER.format(2))
    (lane / NO_END).unlink()
    (lane / "new ünd \u202eneu.txt").write_text("new\n")
    with (lane / "huge.dat").open("ab") as huge:
        huge.write(b"end")
    return contents(lane)


def contents(lane: Path) -> dict[str, bytes]:
    """Every file below a folder that is not git's, by its name."""
    found = {}
    for folder, folders, names in os.walk(lane):
        folders[:] = [name for name in folders if name != ".git"]
        for path in (Path(folder, name) for name in names if name != ".git"):
            found[str(path.relative_to(lane))] = path.read_bytes()
    return found
