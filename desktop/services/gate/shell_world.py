"""The world of the shell judgement on the real disk: one lane, looked at as it is now."""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from desktop.policy.paths import PathFacts, PathOp
from desktop.policy.protected_names import PERHAPS_SECRET, name_classes
from desktop.policy.shell.read.globs import components, literal, name_regex
from desktop.policy.shell.read.world import SETTINGS_CHANGED
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.config import exec_fault, printed_names, settings_sha256
from desktop.services.processes.environment import FALLBACK_PATH, clean_path, may_supply

MAX_MATCHES = 1_000
MAX_LISTED = 20_000
MAX_SCANNED = 50_000
_VERSION_FILES = (".tool-versions", "mise.toml", ".mise.toml")
"""With `path:` in these the launchers of asdf and mise run programs of the lane."""
_ODD_NAME = re.compile(r"^[-+]|[\s'\"\\]|[\x00-\x1f]")


class LaneWorld:
    """The facts about one lane for one judgement. `git_sha256`: `settings_sha256` as it was when the lane was opened,
    None: not known. `environment`: where PATH and HOME come from. Looks, and never opens a file for its content but
    Git's settings."""

    on_disk = True

    def __init__(
        self, files: LaneFiles, *, git_sha256: str | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        source = os.environ if environment is None else environment
        self._files = files
        self._git_sha256 = git_sha256
        self._path = source.get("PATH", "")
        self.home = source.get("HOME") or str(Path.home())
        self.lane = str(files.root)
        self.own_folders = files.own_folders

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """The facts of a path: where it leads, and how that is judged."""
        return self._files.resolve(path, op)

    def expand(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """The words that bash could make of a glob, or some more; only folders of the lane are looked at."""
        found = [""]
        for component in components(pattern):
            following: list[str] = []
            for prefix in found:
                names = self._names(component, posixpath.join(folder, prefix))
                if names is None:
                    return None
                following += [prefix + name + "/" for name in names]
            if len(following) > MAX_MATCHES:
                return None
            found = following
        words = (word[:-1] for word in found)
        return tuple(word for word in words if os.path.lexists(self._files.root / folder / word))

    def _names(self, component: str, folder: str) -> list[str] | None:
        """The names in a folder that fit one part of a pattern; None where it may not be looked at."""
        name = literal(component)
        if name is not None:
            return [name]
        facts = self.resolve(folder.rstrip("/") or "/", "list")
        if facts.verdict != "inside" or facts.ask or facts.deny:
            return None
        if facts.kind != "dir":
            return []
        try:
            listed = os.listdir(self._files.root / facts.rel)  # noqa: PTH208 - names only
        except OSError:
            return None
        if len(listed) > MAX_LISTED:
            return None
        fits = name_regex(component)
        return sorted(found for found in (".", "..", *listed) if fits.fullmatch(found))

    def knows_program(self, name: str) -> bool:
        """Whether a bare name is a program on the PATH that commands get, and no file of the lane picks another."""
        found = self._program(name, self._path)
        if found is None and clean_path(self._path, self._files.root) == FALLBACK_PATH:
            found = self._program(name, FALLBACK_PATH)
        return found is not None and (found.parent.name != "shims" or not any(map(self.lane_file, _VERSION_FILES)))

    def _program(self, name: str, path: str) -> Path | None:
        """The program that a PATH means; which entries may supply one is asked only where it is: that takes long."""
        for entry in path.split(os.pathsep):
            place = Path(entry, name)
            if place.is_file() and os.access(place, os.X_OK) and may_supply(entry, self._files.root):
                return place
        return None

    def can_enter(self, folder: str) -> bool:
        """Whether `cd` into this folder cannot fail."""
        place = self._files.root / folder
        return place.is_dir() and os.access(place, os.X_OK)

    def secret_below(self, folder: str) -> bool:
        """Whether a file whose name usually holds secrets lies in this folder or below, or it cannot be told."""
        for entry, rel in self._below(folder):
            if entry is None:
                return True
            if PERHAPS_SECRET.search(entry.name) and "secret" in name_classes(tuple(rel.split("/"))):
                return True
        return False

    def link_out_below(self, folder: str) -> bool:
        """Whether a link in this folder or below leads out of the lane, or it cannot be told."""
        for entry, rel in self._below(folder):
            if entry is None:
                return True
            if entry.is_symlink() and self.resolve(rel, "read").verdict not in ("inside", "reference"):
                return True
        return False

    def odd_name_below(self, folder: str) -> bool:
        """Whether a name in this folder or below could be taken for an option or for more than one word."""
        return any(entry is None or _ODD_NAME.search(entry.name) is not None for entry, _ in self._below(folder))

    def lane_file(self, name: str) -> bool:
        """Whether a file of this name lies in the lane, at any depth, or it cannot be told."""
        return any(entry is None or entry.name == name for entry, _ in self._below("."))

    def _below(self, folder: str) -> Iterator[tuple[os.DirEntry[str] | None, str]]:
        """Every entry with its lane-relative path, Git's own folders left out; None when there are too many, or a
        folder cannot be listed. Nothing for what is no folder."""
        facts = self.resolve(folder, "list")
        waiting = [facts.rel] if facts.kind == "dir" else []
        seen = 0
        while waiting:
            rel = waiting.pop()
            found = self._listed(self._files.root / rel)
            seen += len(found)
            for entry in found if seen <= MAX_SCANNED else [None]:
                name = "" if entry is None else entry.name
                place = name if rel == "." else f"{rel}/{name}"
                yield entry, place
                if entry is not None and name != ".git" and entry.is_dir(follow_symlinks=False):
                    waiting.append(place)

    def _listed(self, folder: Path) -> list[os.DirEntry[str] | None]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError:
            return [None]

    def git_fault(self) -> str:
        """The key and file of a program that Git would run unknown to the person, "" if there is none."""
        if self._git_sha256 is not None and settings_sha256(self._files.root) != self._git_sha256:
            return SETTINGS_CHANGED
        return exec_fault(self._files.root)

    def own_repository(self, path: str) -> bool:
        """Whether Git takes this path for one of the lane's own repository, and not of another one."""
        root = self._files.root
        facts = self.resolve(path, "read")
        if facts.verdict not in ("inside", "protected") or facts.class_ == "git" or not os.path.lexists(root / ".git"):
            return False
        parts = facts.rel.split("/") if facts.rel != "." else []
        folders = (root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1))
        return not any(os.path.lexists(folder / ".git") for folder in folders)

    def git_prints(self, folder: str, argv: tuple[str, ...]) -> str | None:
        """What Git prints in a folder for words that only list names or types, None when it cannot be told in time."""
        return printed_names(self._files.root / folder, argv)
