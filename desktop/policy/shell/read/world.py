"""The world as the shell judgement must know it, and the world where nothing is known. Touches no disk."""

import posixpath
from functools import lru_cache
from typing import Protocol

from desktop.policy.path_words import PathKind
from desktop.policy.paths import PathFacts, PathOp, WalkFacts, assess_path, screen_path

SETTINGS_CHANGED = "its settings changed since the lane was opened"
"""What `git_fault` says where the settings are other ones than the chat knows."""

SYSTEM_FOLDERS = ("/proc", "/dev", "/sys")


class ShellWorld(Protocol):
    """The facts about one lane. Every path is relative to the lane root or absolute; no method raises."""

    @property
    def home(self) -> str:
        """The person's home folder, absolute."""

    @property
    def lane(self) -> str:
        """The lane root, absolute; "" when it is not known."""

    @property
    def own_folders(self) -> tuple[str, ...]:
        """The product's own folders, absolute."""

    @property
    def on_disk(self) -> bool:
        """Whether there is a disk to look at. False: a glob word stands for every name that fits it."""

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """The facts of a path: where it leads, and how that is judged."""

    def expand(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """The words that bash could make of a glob in `folder`, none when nothing fits; None: too many, or it looks
        where it may not. In `pattern` a backslash takes the meaning from the next character."""

    def knows_program(self, name: str) -> bool:
        """Whether a bare name is a program on the PATH that commands get."""

    def can_enter(self, folder: str) -> bool:
        """Whether `cd` into this folder cannot fail."""

    def secret_below(self, folder: str) -> bool:
        """Whether a file whose name usually holds secrets lies in this folder or below, or it cannot be told."""

    def link_out_below(self, folder: str) -> bool:
        """Whether a link in this folder or below leads out of the lane, or it cannot be told."""

    def odd_name_below(self, folder: str) -> bool:
        """Whether a name in this folder or below begins with a dash or plus or holds a blank, a quote or a backslash,
        or it cannot be told."""

    def lane_file(self, name: str) -> bool:
        """Whether a file of this name lies in the lane, at any depth."""

    def git_fault(self) -> str:
        """The key and file of a program that Git would run unknown to the person, "" if there is none (gate-S15)."""

    def own_repository(self, path: str) -> bool:
        """Whether Git takes this path for one of the lane's own repository, and not of another one."""

    def git_prints(self, folder: str, argv: tuple[str, ...]) -> str | None:
        """The output of Git in a folder for words that only list names or types, None when it cannot be told in time.
        To be asked only where `git_fault` is ""."""


class TextWorld:
    """A lane of which only the text of a command is known: what stays below the root is an ordinary file or folder."""

    on_disk = False

    def __init__(self, home: str = "/home/person", lane: str = "", own_folders: tuple[str, ...] = ()) -> None:
        self.home = home
        self.lane = lane
        self.own_folders = own_folders

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """Judged by the names alone."""
        return _facts(path, op, self.own_folders)

    def expand(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """None: without a disk no pattern can be expanded."""
        return None

    def knows_program(self, name: str) -> bool:
        """True: every plain name counts as a program."""
        return True

    def can_enter(self, folder: str) -> bool:
        """Every folder can be entered."""
        return True

    def secret_below(self, folder: str) -> bool:
        """A scan finds nothing."""
        return False

    def link_out_below(self, folder: str) -> bool:
        """A scan finds nothing."""
        return False

    def odd_name_below(self, folder: str) -> bool:
        """A scan finds nothing."""
        return False

    def lane_file(self, name: str) -> bool:
        """False: without a disk no file of the lane is known."""
        return False

    def git_fault(self) -> str:
        """The configuration is clean."""
        return ""

    def own_repository(self, path: str) -> bool:
        """The whole lane is one repository."""
        return True

    def git_prints(self, folder: str, argv: tuple[str, ...]) -> str | None:
        """None: without a disk git is not asked."""
        return None


@lru_cache(maxsize=1_024)
def _facts(path: str, op: PathOp, own_folders: tuple[str, ...]) -> PathFacts:
    if screened := screen_path(path, op, windows=False):
        return screened
    return assess_path(path, op, _walk(path, op, own_folders))


def _walk(path: str, op: PathOp, own_folders: tuple[str, ...]) -> WalkFacts:
    plain = posixpath.normpath(path)
    if plain.startswith("/"):
        plain = "/" + plain.lstrip("/")
        system = any(plain == folder or plain.startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)
        own = any(plain == folder or plain.startswith(f"{folder}/") for folder in own_folders)
        return WalkFacts(place="outside", rel=plain, system=system, product_folder=own, kind="file", nlink=1)
    if plain == ".." or plain.startswith("../"):
        return WalkFacts(place="outside", rel=plain, kind="dir", nlink=1)
    parts = () if plain == "." else tuple(plain.split("/"))
    kind: PathKind = "dir" if op == "list" or not parts else "file"
    return WalkFacts(rel=plain, names=(parts,), git_folder=".git" in parts, kind=kind, nlink=1)
