"""The names of a lane's files that Git does not ignore: listed by Git once, then followed from look to look."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.records import dataclass
from desktop.services.files.change_times import are_precise, moment_ns, settled
from desktop.services.files.lane_view import LaneView, Stamp, is_folder, stamp_of
from desktop.services.files.pointers import NoRegularFile, git_folders, open_regular
from desktop.services.git.run import Git, names_in
from desktop.services.git.trees.ignore_rules import MAX_BYTES, IgnoreRules

MAX_NEW = 1_000
_FILE_KINDS = frozenset({b"f", b"l"})


@dataclass(frozen=True)
class _Sources:
    """The files outside the lane that say what Git ignores. `config`: those that name the others;
    `rules`: ignore files."""

    config: tuple[Path, ...]
    index: Path
    rules: tuple[Path, ...]

    @property
    def others(self) -> tuple[Path, ...]:
        """All but those that name others."""
        return self.index, *self.rules


class UnignoredNames:
    """The names of all files of a lane that Git tracks or does not ignore, for one thread at a time.

    `paths`: lane-relative; names of files that are gone may be among them. `version` changes when Git listed others.
    `followed` False: Git lists them at each look, because there is a repository in the lane, or `plain` is False:
    the lane's file system takes different names for the same.
    """

    def __init__(self, git: Git, listed: Callable[[], list[str]], *, plain: bool) -> None:
        self.paths: set[str] = set()
        self.version = 0
        self.followed = False
        self._git = git
        self._listed = listed
        self._plain = plain
        self._ignored: set[str] = set()
        self._count = 0
        self._seen = -1
        self._rules = IgnoreRules([b"*"])
        self._sources: _Sources | None = None
        self._config_stamps: tuple[Stamp, ...] = ()
        self._stamps: tuple[Stamp, ...] = ()
        self._precise = False

    def follow(self, view: LaneView) -> None:
        """Bring the names up to the last look. Blocking.

        Raises:
            GitError: Git cannot be used in the lane.
        """
        changes = view.changes(self._seen) if self.followed else None
        if changes is None or self._sources_changed() or not self._add_new(changes, view):
            self._list(view)
        self._seen = view.version

    def _add_new(self, changes: dict[str, Stamp], view: LaneView) -> bool:
        """Take in the files that appeared; False: only a new list by Git tells which names there are."""
        new = []
        for path, before in changes.items():
            if path.rpartition("/")[2] in {".git", ".gitignore"}:
                return False
            appeared = view.stamps.get(path, b"")[:1] in _FILE_KINDS and before[:1] not in _FILE_KINDS
            if appeared and path not in self.paths and path not in self._ignored:
                new.append(path)
        if len(self.paths) + len(self._ignored) + len(new) > self._count + MAX_NEW:
            return False
        if any(above in self.paths for path in new for above in _above(path)):  # it may be in a submodule
            return False
        ignored = self._ignored_of(new)
        if ignored is None:
            return False
        self._ignored |= ignored
        self.paths.update(path for path in new if path not in ignored)
        return True

    def _ignored_of(self, paths: list[str]) -> frozenset[str] | None:
        """Those that Git ignores; None: Git cannot tell. None of them is tracked."""
        asked = [raw for path in paths if self._rules.may_cover(raw := os.fsencode(path))]
        given = b"".join(b"./%s\0" % raw for raw in asked)  # no name is taken for a pattern
        if not given:
            return frozenset()
        found = self._git.run_now("check-ignore", "--no-index", "-z", "--stdin", check=False, given=given)
        return frozenset(name[2:] for name in found.names) if found.status in (0, 1) else None

    def _list(self, view: LaneView) -> None:
        self.followed = False  # until the new list is here
        began = moment_ns()
        seen = self._settle(began)
        self._ignored.clear()
        listed = set(self._listed())
        if listed != self.paths:
            self.paths = listed
            self.version += 1
        self._count = len(listed)
        rules = {path: stamp for path, stamp in view.stamps.items() if path.endswith(".gitignore")}
        self._rules = IgnoreRules(self._rule_texts(rules))
        odd = any(stamp[:1] != b"f" for stamp in rules.values()) or any(path.endswith("/.git") for path in view.stamps)
        odd |= any(path.endswith(".gitignore") and path not in view.stamps for path in listed)
        odd |= any(is_folder(view.stamps.get(path, b"")) for path in listed)
        self.followed = self._plain and seen and not odd and self._are_old(rules.values(), began)

    def _rule_texts(self, places: Iterable[str]) -> Iterator[bytes]:
        """The ignore files in the lane and outside of it. One that cannot be read may cover everything."""
        outside = self._sources.rules if self._sources is not None else ()
        for file in (*outside, *(self._git.folder / path for path in places)):
            try:
                with open(file, "rb", opener=open_regular) as opened:
                    yield opened.read(MAX_BYTES + 1)
            except FileNotFoundError:
                yield b""
            except (OSError, NoRegularFile):
                yield b"*"

    def _sources_changed(self) -> bool:
        known = self._sources
        return known is None or _stamps(known.config) != self._config_stamps or _stamps(known.others) != self._stamps

    def _settle(self, now_ns: int) -> bool:
        """Note how the sources stand before Git lists; whether a later change of them will be seen."""
        try:
            if self._sources is None or _stamps(self._sources.config) != self._config_stamps:
                self._sources = None
                self._sources = found = _sources(self._git)
                places = (*found.config, *found.others) if found is not None else ()
                self._precise = are_precise([self._git.folder, *places], self._git.folder)
        except (OSError, ValueError, GitError):
            return False
        if self._sources is None:
            return False
        self._config_stamps, self._stamps = _stamps(self._sources.config), _stamps(self._sources.others)
        return self._are_old((*self._config_stamps, *self._stamps), now_ns)

    def _are_old(self, stamps: Iterable[Stamp], now_ns: int) -> bool:
        """Whether a change from now on shows in each of these."""
        return all(settled(stamp, now_ns, precise=self._precise) for stamp in stamps)


def _sources(git: Git) -> _Sources | None:
    """The files by which Git decides what it ignores in this lane; None: there may be more."""
    own, shared = git_folders(git.folder)
    home = Path.home()
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    config = {own / "config.worktree", shared / "config", home / ".gitconfig", settings / "git" / "config"}
    config |= {git.folder / ".git", own / "HEAD"}
    rules = {shared / "info" / "exclude", settings / "git" / "ignore"}
    fields = names_in(git.run_now("config", "--list", "--show-origin", "--includes", "-z").raw)
    for origin, entry in zip(fields[0::2], fields[1::2], strict=True):
        file = git.folder / origin.removeprefix("file:")
        key, _, value = entry.partition("\n")
        if origin.startswith("file:"):
            config.add(file)
        if not key.startswith(("core.excludesfile", "include.", "includeif.")):
            continue
        if value.startswith("%("):
            return None
        base = git.folder if key == "core.excludesfile" else file.parent
        (rules if key == "core.excludesfile" else config).add(base / Path(value).expanduser())
    return _Sources(tuple(sorted(config)), own / "index", tuple(sorted(rules)))


def _above(path: str) -> Iterator[str]:
    """The folders around this path."""
    while path := path.rpartition("/")[0]:
        yield path


def _stamps(files: Iterable[Path]) -> tuple[Stamp, ...]:
    found = []
    for file in files:
        try:
            found.append(stamp_of(file.stat()))
        except OSError:
            found.append(b"")
    return tuple(found)
