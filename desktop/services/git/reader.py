"""RepoReader: what a repository says in its own files, read by GitPython without starting git; else git is asked.

For reads that carry no judgement. Never for what is written, for status, differences, ignore rules or the settings that
decide which filters run.
"""

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from desktop.services.files.pointers import git_folders, read_pointer
from desktop.services.git.run import MAX_PACKED_BYTES, STATUS_LIMIT_S, Git

if TYPE_CHECKING:
    from desktop.services.git.clean_repo import CleanRepo

T = TypeVar("T")
MAX_CONFIG_BYTES = 1024 * 1024
MAX_SYMREFS = 5
_MODULE = "desktop.services.git.clean_repo"
_FULL_ID = re.compile(r"[0-9a-f]{40}")
_ODD_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|/\.|\.lock(?:/|\Z)|[./]\Z")
_OF_ONE_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
_LEADS_ELSEWHERE = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY")
_HEADS = "refs/heads/"


class _Odd(Exception):
    """Something stands in the repository that git itself should be asked about."""


def load() -> None:
    """Import GitPython, which takes a tenth of a second; until then git is asked. Blocking.

    While it is imported no program is found under the name that it would start to ask for git's version.
    """
    if _MODULE in sys.modules:
        return
    passing = {"GIT_PYTHON_REFRESH": "silent", "GIT_PYTHON_GIT_EXECUTABLE": os.devnull}
    before = {name: os.environ.get(name) for name in passing}
    os.environ.update(passing)
    try:
        importlib.import_module(_MODULE)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class RepoReader:
    """Reads of one worktree. Every method blocks. One thread at a time.

    Raises:
        GitError: git was asked, and could not tell.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._git = Git(folder)
        self._repo: CleanRepo | None = None

    def branch(self) -> str:
        """The branch that is checked out, "" when HEAD is detached; one without a commit too."""
        return self._read(self._branch, self._asked_branch)

    def ref_names(self, *below: str) -> list[str]:
        """The full names of all refs below these folders of refs, each with its `/` at the end, sorted."""
        return self._read(lambda repo: self._ref_names(repo, below), lambda: self._asked_names(below))

    def remotes(self) -> list[str]:
        """The names of the remotes, sorted."""
        return self._read(self._remotes, lambda: self._git.run_now("remote").stdout.split())

    def _read(self, by_files: "Callable[[CleanRepo], T]", by_git: Callable[[], T]) -> T:
        try:
            return by_files(self._opened())
        except Exception:  # noqa: BLE001 - a repository can be odd in many ways; then git says what holds
            self._repo = None
            return by_git()

    def _opened(self) -> "CleanRepo":
        if (module := sys.modules.get(_MODULE)) is None:
            raise _Odd("GitPython is not loaded yet")
        if any(name in os.environ for name in _LEADS_ELSEWHERE):
            raise _Odd("a variable leads elsewhere")
        own, common = git_folders(self._folder)
        _require_plain(own, common)
        if self._repo is None:
            self._repo = module.CleanRepo(str(self._folder.absolute()), expand_vars=False)
        found = (Path(self._repo.git_dir).resolve(), Path(self._repo.common_dir).resolve())
        if found != (own, common):
            raise _Odd("GitPython found another repository")
        return self._repo

    # By files

    def _branch(self, repo: "CleanRepo") -> str:
        head = Path(repo.git_dir, "HEAD")
        if head.is_symlink() or not head.is_file():
            raise _Odd("HEAD")
        if repo.head.is_detached:
            return ""
        path = repo.head.reference.path
        if not path.startswith(_HEADS) or _ODD_NAME.search(path):
            raise _Odd(path)
        return path.removeprefix(_HEADS)

    def _ref_names(self, repo: "CleanRepo", below: tuple[str, ...]) -> list[str]:
        found: set[str] = set()
        for folder in below:
            if any(folder.startswith(own) or own.startswith(folder) for own in _OF_ONE_WORKTREE):
                raise _Odd(folder)
            _require_walked(Path(repo.common_dir, folder))
            found |= sys.modules[_MODULE].names_below(repo, folder.rstrip("/"))
        names = sorted(name for name in found if name.startswith(below))
        for name in names:
            self._require_ref(Path(repo.common_dir), name, found)
        return names

    def _require_ref(self, common: Path, name: str, known: set[str]) -> None:
        """Git would list this ref: its file, where it has one, holds an id or leads to a ref that does."""
        for _ in range(MAX_SYMREFS):
            if _ODD_NAME.search(name) or not name.startswith("refs/"):
                raise _Odd(name)
            if not os.path.lexists(common / name):
                if name in known:
                    return
                raise _Odd(name)
            text = "" if (common / name).is_symlink() else read_pointer(common / name)
            if not text.startswith("ref: "):
                if _FULL_ID.fullmatch(text) is None or not text.strip("0"):
                    raise _Odd(name)
                return
            name = text.removeprefix("ref: ").strip()
        raise _Odd(name)

    def _remotes(self, repo: "CleanRepo") -> list[str]:
        if any(_names_remotes(path) for path in _persons_settings()):
            raise _Odd("the person's own settings name remotes")
        with repo.config_reader("repository") as settings:
            sections = [name for name in settings.sections() if name.casefold().startswith("remote ")]
            named = [name[len("remote ") :] for name in sections if settings.options(name)]
        if any(re.fullmatch(r'"[\w.-]+"', name) is None for name in named):
            raise _Odd("a remote's name")
        return sorted(name.strip('"') for name in named)

    # By git

    def _asked_branch(self) -> str:
        return self._git.run_now("branch", "--show-current", check=False).stdout.strip()

    def _asked_names(self, below: tuple[str, ...]) -> list[str]:
        listed = self._git.run_now("for-each-ref", "--format=%(refname)", *below, limit_s=STATUS_LIMIT_S)
        return [os.fsdecode(line) for line in listed.raw.splitlines()]


def _require_plain(own: Path, common: Path) -> None:
    """Raises _Odd for settings that lead to other files or mean another format, and for what is no regular file."""
    if not (common / "config").is_file() or (common / "config").stat().st_size > MAX_CONFIG_BYTES:
        raise _Odd("config")
    settings = read_pointer(common / "config", MAX_CONFIG_BYTES).casefold()
    if "include" in settings or "extensions" in settings:
        raise _Odd("includes or extensions")
    packed = common / "packed-refs"
    if os.path.lexists(packed) and (not packed.is_file() or packed.stat().st_size > MAX_PACKED_BYTES):
        raise _Odd("packed-refs")
    if not (own / "HEAD").is_file():
        raise _Odd("HEAD")


def _require_walked(folder: Path) -> None:
    """Raises _Odd for what GitPython leaves out below a folder of refs: linked folders, refs called packed-refs."""
    for place, folders, files in os.walk(folder):
        if "packed-refs" in files or any(Path(place, name).is_symlink() for name in folders):
            raise _Odd(place)


def _persons_settings() -> Iterator[Path]:
    """The files of settings that git reads for every repository of this person."""
    if given := os.environ.get("GIT_CONFIG_GLOBAL"):
        yield Path(given)
        return
    home = Path.home()
    yield home / ".gitconfig"
    yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git", "config")


def _names_remotes(path: Path) -> bool:
    text = read_pointer(path, MAX_CONFIG_BYTES).casefold()
    return "remote" in text or "include" in text
