"""Walking a path by the kernel's rules, component by component, to learn where it ends (gate-P3, gate-P4)."""

import errno
import os
import stat
from collections import deque
from dataclasses import field

from desktop.policy.paths import split_path
from desktop.records import dataclass

MAX_LINKS = 40
_SYSTEM_FOLDERS = ("proc", "sys", "dev")
Parts = tuple[str, ...]
Identity = tuple[int, int]


@dataclass
class Walk:
    """The place that a walk along a path has reached. `parts` is the absolute real path, without links. `found` is what
    stands there (None: nothing). `names` are the spellings met on the way: at each link, the link's own path with what
    was to follow."""

    parts: list[str]
    found: os.stat_result | None
    device: int
    fault: str = ""
    system: bool = False
    names: list[Parts] = field(default_factory=list)

    @property
    def is_folder(self) -> bool:
        """Whether a folder stands here."""
        return self.found is not None and stat.S_ISDIR(self.found.st_mode)


@dataclass(frozen=True)
class Walker:
    """Walks from known folders. `anchor` is the root of the file system ("/", or a drive).

    `known` maps the identity of important folders to their real paths, so that another spelling, or another way to the
    same folder, ends at the same path. `system_devices` are the file systems of /proc, /sys and /dev.
    """

    anchor: str
    windows: bool
    known: dict[Identity, Parts]
    system_devices: frozenset[int]

    def join(self, parts: list[str] | Parts) -> str:
        """The absolute path as the system takes it."""
        return self.anchor + os.sep.join(parts)  # noqa: PTH118 - one string for one call

    def walk(self, start: Parts, components: list[str]) -> Walk:
        """Follow `components` from the folder `start`. Faults are in the result; nothing is raised."""
        here = self._at(start)
        queue = deque(components)
        links = 0
        while queue and not here.fault and not here.system:
            name = queue.popleft()
            if here.found is not None and not here.is_folder:
                here.fault = f"'{here.parts[-1]}' is not a folder"
            elif name == "..":
                self._up(here)
            elif name not in {"", "."}:
                links += self._into(here, name, queue)
                if links > MAX_LINKS:
                    here.fault = f"it leads through more than {MAX_LINKS} links"
        if self._is_system(here, passing=False):
            here.system = True
            here.parts = [*here.parts, *(name for name in queue if name not in {"", ".", ".."})]
        return here

    def _at(self, parts: Parts) -> Walk:
        found = _lstat(self.join(parts))
        return Walk(list(parts), found, found.st_dev if found else 0)

    def _up(self, here: Walk) -> None:
        if here.found is None:
            here.fault = "'..' follows a folder that does not exist"
            return
        del here.parts[-1:]
        self._stand(here, _lstat(self.join(here.parts)))

    def _into(self, here: Walk, name: str, queue: deque[str]) -> int:
        """One step down; returns how many links were followed (0 or 1)."""
        if here.found is None:
            here.parts.append(name)
            return 0
        path = self.join([*here.parts, name])
        try:
            found = _lstat(path)
            if found is not None and stat.S_ISLNK(found.st_mode):
                here.names.append((*here.parts, name, *queue))
                self._follow(here, os.readlink(path), queue)  # noqa: PTH115 - as it is written
                return 1
        except OSError as e:
            here.fault = f"'{name}' cannot be looked at: {e.strerror}"
            return 0
        here.parts.append(name)
        self._stand(here, found)
        return 0

    def _stand(self, here: Walk, found: os.stat_result | None) -> None:
        here.found = found
        if found is not None and here.is_folder:
            here.device = found.st_dev
            here.parts = list(self.known.get((found.st_dev, found.st_ino), here.parts))
        here.system = self._is_system(here, passing=True)

    def _follow(self, here: Walk, target: str, queue: deque[str]) -> None:
        target = target.removeprefix("\\\\?\\") if self.windows else target
        components = split_path(target, windows=self.windows)
        if target.startswith(self.anchor):
            components = split_path(target[len(self.anchor) :], windows=self.windows)
            here.parts = []
            self._stand(here, _lstat(self.anchor))
        elif self.windows and (target[:1] in {"\\", "/"} or ":" in components[0]):
            here.fault = "it leads through a link to another drive"
        queue.extendleft(reversed(components))

    def _is_system(self, here: Walk, *, passing: bool) -> bool:
        by_name = not self.windows and here.parts[:1] != [] and here.parts[0] in _SYSTEM_FOLDERS
        by_device = here.found is not None and here.found.st_dev in self.system_devices
        return (by_name or by_device) and not self._leads_to_known(tuple(here.parts), passing=passing)

    def _leads_to_known(self, parts: Parts, *, passing: bool) -> bool:
        """Whether these parts are below a known folder, or (`passing`) on the way to one."""
        return any(
            parts[: len(known)] == known or (passing and known[: len(parts)] == parts) for known in self.known.values()
        )


def _lstat(path: str) -> os.stat_result | None:
    """What stands at `path`, or None when there is nothing, or nothing that this user may see."""
    try:
        return os.lstat(path)
    except OSError as e:
        if e.errno in {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM}:
            return None
        raise


def system_devices() -> frozenset[int]:
    """The devices of /proc, /sys and /dev, where they are file systems of their own."""
    root = _lstat("/")
    found = (_lstat(f"/{name}") for name in _SYSTEM_FOLDERS)
    return frozenset(st.st_dev for st in found if st is not None and (root is None or st.st_dev != root.st_dev))
