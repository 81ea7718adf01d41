"""The protected places of a lane, which other programs run or trust on sight: every file of them with a stamp.

The names are those of gate-P7. A guarded folder is gone through file by file; of a repository inside the lane, also a
bare one, the files count by which git runs programs. Folders of installed packages are left alone: they bring such
names by the hundred, and nobody opens a project there.
"""

import os
import stat
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

from desktop.policy.path_words import PathClass
from desktop.policy.protected_names import may_be_named, name_classes, told_reason
from desktop.records import dataclass
from desktop.services.files.lane_view import MAX_ENTRIES, LaneView, Stamp, is_folder, is_link, stamp_of, walk
from desktop.services.files.plain_paths import leads_to_file, leads_to_folder, names_in
from desktop.services.files.pointers import MAX_POINTER_BYTES, NoRegularFile, open_regular
from desktop.services.processes.sandbox.profile import shown_git

MAX_GUARDED = 20_000
_PACKAGES = {"node_modules", "site-packages", "vendor", ".venv", "venv", ".tox", "target", "__pycache__"}
_CACHES = {".cargo", ".yarn"}
"""Folders that hold settings at their top and what was fetched below: only the guarded names in them count."""
_GIT_FILES = ("config", "config.worktree", "info/attributes", "objects/info/alternates")
_BARE = frozenset({"HEAD", "objects", "refs"})
_GUARDED: frozenset[PathClass] = frozenset({"guarded", "own"})


@dataclass(frozen=True)
class Guarded:
    """The protected places of a lane as they stood. `entries`: files and folders by lane-relative path; `told`: those
    whose change is only told, with the reason; `git`: the files of the lane's own repository by which git runs
    programs; `pointer`: the bytes of its `.git` file, None when that is none. `links`: where guarded links lead inside
    the lane; what is there is guarded as well. `partial`: there were too many to look at all."""

    entries: dict[str, Stamp] = field(default_factory=dict)
    told: dict[str, Stamp] = field(default_factory=dict)
    git: dict[str, Stamp] = field(default_factory=dict)
    pointer: bytes | None = None
    links: dict[str, str] = field(default_factory=dict)
    partial: bool = False


class GuardedPlaces:
    """The protected places of one lane, told by the last look of a view of it. What was found stands until something
    that matters for it changed. One thread at a time, blocking."""

    def __init__(self, root: Path, view: LaneView, *, max_guarded: int = MAX_GUARDED) -> None:
        self.root = root.resolve()
        self.view = view
        self._name = str(self.root)
        self._most = max_guarded
        self._found: _Sorting | None = None
        self._seen = -1
        self._entries: dict[str, Stamp] = {}

    def now(self, *, before: Guarded | None = None) -> Guarded:
        """The protected places as they stood at the last look. `before`: only links that led there then already are
        followed, so that a new link makes no other file of the lane look new."""
        known = None if before is None else before.links
        found = self._found
        if found is None or not found.holds_for(known) or not self._stands(found):
            stamps, whole = self.view.stamps, self.view.whole
            if not whole:
                stamps, whole, _ = walk(self._name, MAX_ENTRIES, _may_count)
            found = _Sorting(self._name, stamps, self._most, known)
            found.sort()
            found.partial |= not whole
            self._found = found
        self._seen = self.view.version
        entries = {**found.entries, **self._inner(found)}
        if entries != self._entries:
            self._entries = entries
        git = {file: stamp(file) for folder in shown_git(self.root) for file in _of_repository(str(folder))}
        return Guarded(self._entries, found.told, git, pointer_bytes(self.root), found.links, found.partial)

    def as_left(self, guarded: Guarded) -> Guarded | None:
        """What `now` gives, if that is what it gave last with other links followed; None: that has to be asked."""
        same = self._seen == self.view.version and self._found is not None and self._found.holds_for(None)
        return guarded if same and guarded.entries is self._entries else None

    def _stands(self, found: "_Sorting") -> bool:
        changes = self.view.changes(self._seen)
        return changes is not None and not found.matter(changes, self.view.stamps) and found.links_lead_as_before()

    def _inner(self, found: "_Sorting") -> dict[str, Stamp]:
        """What a look at the lane does not show: the files that count in repositories, all files in hidden folders."""
        entries: dict[str, Stamp] = {}
        for path in found.unseen:
            if not _is_bare(f"{self._name}/{path}"):
                inside, whole, _ = walk(f"{self._name}/{path}", self._most)
                entries |= {f"{path}/{name}": _plain(stamp) for name, stamp in inside.items()}
                found.partial |= not whole
        for path in [*found.repositories, *filter(lambda path: _is_bare(f"{self._name}/{path}"), found.unseen)]:
            place = f"{self._name}/{path}"
            entries |= {f"{path}{file.removeprefix(place)}": stamp(file) for file in _of_repository(place)}
        return entries


def restamped(guarded: Guarded, root: Path, paths: Iterable[str]) -> Guarded:
    """The protected places with these lane-relative paths as they stand now: a tool changed them, no command did."""
    entries, told = dict(guarded.entries), dict(guarded.told)
    for path in paths:
        parts = tuple(path.split("/"))
        for end in range(1, len(parts) + 1):
            kind = told if told_reason(parts[:end]) else entries if name_classes(parts[:end]) else None
            if kind is not None:
                kind.pop("/".join(parts[:end]), None)
                if os.path.lexists(root.joinpath(*parts[:end])):
                    kind["/".join(parts[:end])] = stamp(root.joinpath(*parts[:end]))
    return replace(guarded, entries=entries, told=told)


class _Sorting:
    """The protected places among the entries of a lane. `repositories`: folders in which only some files count;
    `unseen`: those into which no look goes."""

    def __init__(self, root: str, stamps: dict[str, Stamp], most: int, known_links: dict[str, str] | None) -> None:
        self.links: dict[str, str] = {}
        self.entries: dict[str, Stamp] = {}
        self.told: dict[str, Stamp] = {}
        self.repositories: list[str] = []
        self.unseen: list[str] = []
        self.partial = False
        self._root, self._stamps, self._most = root, stamps, most
        self._known_links = known_links
        self._top = f"{os.path.realpath(root)}/"
        self._outside_of_guarded: dict[str, bool] = {"": True}
        self._resolved: dict[str, str] = {}
        self._told_links: dict[str, bool] = {}
        self._waiting: list[str] = []

    def sort(self) -> None:
        """Go through all entries, and whole through what guarded links lead to."""
        paths = sorted(self._stamps)
        self._take(paths, self._outside_of_guarded)
        while self._waiting and not self.partial:
            target = self._waiting.pop()
            if ".git" in target.split("/") or target not in self._stamps:
                self.unseen.append(target)
            else:
                below = f"{target}/"
                first, last = bisect_left(paths, below), bisect_left(paths, f"{target}0")  # "0" follows "/"
                inside: dict[str, bool] = {}
                self._enter(target, inside, is_outside=False)
                self._take(paths[first:last], inside)

    def holds_for(self, known_links: dict[str, str] | None) -> bool:
        """Whether the same comes of it where these links led there before. What may change unseen holds for none."""
        inner = sum(1 for led in self._resolved.values() if led.startswith(self._top))
        if self.partial or self.unseen or len(self.links) != inner:
            return False
        return known_links is None or all(known_links.get(link) == target for link, target in self.links.items())

    def links_lead_as_before(self) -> bool:
        """Whether links that count lead where they led, which other files decide."""
        same = all(os.path.realpath(f"{self._root}/{link}") == led for link, led in self._resolved.items())
        return same and all(
            leads_to_folder(f"{self._root}/{link}") == known for link, known in self._told_links.items()
        )

    def matter(self, changes: Iterable[str], stamps: dict[str, Stamp]) -> bool:
        """Whether a change of one of these entries may change what was found. `stamps`: all entries now."""
        return any(self._matters(path, stamps) for path in sorted(changes))

    def _matters(self, path: str, stamps: dict[str, Stamp]) -> bool:
        folder, _, name = path.rpartition("/")
        if name in _BARE or any(path == target or path.startswith(f"{target}/") for target in self.links.values()):
            return True
        if (outside := self._outside_of_guarded.get(folder)) is None or path == ".git":
            return False
        if not outside or (_is_named(path) and (_classes(path) & (_GUARDED | {"git"}) or _told(path))):
            return True
        if is_folder(stamps.get(path, b"")) and _is_entered(path):
            self._outside_of_guarded[path] = True
        return False

    def _take(self, paths: Iterable[str], entered: dict[str, bool]) -> None:
        """Sort these entries, of which each comes after the folder it is in. `entered`: folders by whether they are
        ordinary ones."""
        for path in paths:
            outside = entered.get(path.rpartition("/")[0])
            if outside is None:
                continue
            if len(self.entries) > self._most:
                self.partial = True
                return
            if outside:
                self._outside(path, entered)
            else:
                self._inside(path, entered)

    def _enter(self, path: str, entered: dict[str, bool], *, is_outside: bool) -> None:
        """Go into a folder; of what Git takes for a repository only some files count."""
        if all(f"{path}/{name}" in self._stamps for name in _BARE):
            self._repository(path)
        else:
            entered[path] = is_outside

    def _inside(self, path: str, entered: dict[str, bool]) -> None:
        """A guarded name, or something in a guarded folder."""
        stamp = self._stamps[path]
        self.entries[path] = _plain(stamp)
        if is_link(stamp):
            self._follow(path)
        elif is_folder(stamp):
            self._enter(path, entered, is_outside=False)
            if path.endswith("/.git"):
                self.unseen.append(path)

    def _follow(self, link: str) -> None:
        """What a guarded link leads to inside the lane."""
        led = self._resolved[link] = os.path.realpath(f"{self._root}/{link}")
        target = led.removeprefix(self._top)
        if target is led or (self._known_links is not None and self._known_links.get(link) != target):
            return
        self.links[link] = target
        if target not in self.entries:
            self.entries[target] = stamp(led)
            if self.entries[target]:
                self._waiting.append(target)

    def _outside(self, path: str, entered: dict[str, bool]) -> None:
        """Something in an ordinary folder."""
        if path == ".git":
            return
        stamp = self._stamps[path]
        if _is_named(path):
            classes = _classes(path)
            if "git" in classes:
                self._repository(path)
                return
            if classes & _GUARDED:
                self._inside(path, entered)
                return
            if not is_folder(stamp) and _told(path) and not (is_link(stamp) and self._leads_to_folder(path)):
                self.told[path] = stamp
        if is_folder(stamp) and _is_entered(path):
            self._enter(path, entered, is_outside=True)

    def _leads_to_folder(self, link: str) -> bool:
        found = self._told_links[link] = leads_to_folder(f"{self._root}/{link}")
        return found

    def _repository(self, path: str) -> None:
        """A repository inside the lane, or what is named like one."""
        self.entries[path] = self._stamps[path]
        if is_folder(self._stamps[path]):
            self.repositories.append(path)


def _is_named(path: str) -> bool:
    """Whether the name of an entry in an ordinary folder needs a close look."""
    above, _, name = path.rpartition("/")
    return path[0] == "." or may_be_named(above.rpartition("/")[2], name)


def _classes(path: str) -> frozenset[PathClass]:
    return name_classes(tuple(path.split("/")))


def _told(path: str) -> bool:
    return bool(told_reason(tuple(path.split("/"))))


def _is_entered(path: str) -> bool:
    """Whether a folder at this path is looked into, by the names of packages and of what is fetched."""
    above, _, name = path.rpartition("/")
    return name not in _PACKAGES and above.rpartition("/")[2] not in _CACHES


def _may_count(path: str) -> bool:
    """Whether a folder at this path is looked into where a lane is too large to look at all of it."""
    return _is_entered(path) or bool(_classes(path) & _GUARDED)


def _is_bare(place: str) -> bool:
    """Whether Git would take this folder for a repository."""
    return all(os.path.lexists(f"{place}/{name}") for name in _BARE)


def _plain(stamp: Stamp) -> Stamp:
    """The stamp of an entry by which a change is told; of a folder kind and rights alone."""
    return stamp.partition(b" ")[0] if is_folder(stamp) else stamp


def stamp(path: str | Path) -> Stamp:
    """The stamp of a file or folder, by which a change is seen; b"" when there is none."""
    try:
        return _plain(stamp_of(os.lstat(path)))
    except OSError:
        return b""


def pointer_bytes(root: Path) -> bytes | None:
    """The content of the lane's `.git` file, None when that is no file."""
    file = f"{root}/.git"
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return None
        with open(file, "rb", opener=open_regular) as opened:
            return opened.read(MAX_POINTER_BYTES)
    except (OSError, NoRegularFile):
        return None


def _of_repository(folder: str) -> list[str]:
    """The files by which git runs programs for a repository. In plain text, as this is asked around each command."""
    if not leads_to_folder(folder):
        return []
    found = [file for name in _GIT_FILES if leads_to_file(file := f"{folder}/{name}")]
    try:
        hooks = sorted(names_in(f"{folder}/hooks"))
    except OSError:
        return found
    return found + [f"{folder}/hooks/{hook}" for hook in hooks if not hook.endswith(".sample")]
