"""Looking over a lane after a command for what should not be in it (gate-P10)."""

import os

from desktop.domain.core.base import Frozen
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView, Stamp, is_folder, is_link

_FOREIGN_RIGHTS = 0o6000


class OddEntry(Frozen):
    """Something in a lane that a person should know of. `path` is lane-relative; `what` says in words what is odd."""

    path: str
    what: str


class LaneScan(Frozen):
    """The result of looking over the lane. `complete` False: there were too many entries to look at all of them."""

    odd: frozenset[OddEntry]
    complete: bool = True

    def new_since(self, before: "LaneScan") -> tuple[OddEntry, ...]:
        """The odd entries that were not there in the scan `before`, sorted by path."""
        return tuple(sorted(self.odd - before.odd, key=lambda entry: entry.path))


class LaneScanner:
    """Links that lead out of a lane, files that run with another user's rights, pipes, sockets and devices, told by the
    last look of a view of the lane. Only what changed since an earlier scan is judged. One thread at a time, blocking.

    Links are not followed and Git's own folder is not looked into. What cannot be listed is passed over.
    """

    def __init__(self, files: LaneFiles, view: LaneView) -> None:
        self._files = files
        self._view = view
        self._seen = -1
        self._odd: dict[str, str] = {}
        self._links: set[str] = set()
        self._inner: set[str] = set()

    def now(self) -> LaneScan:
        """What is odd in the lane as it stood at the last look."""
        changes = self._view.changes(self._seen)
        if changes is None:
            self._odd, self._links, self._inner = {}, set(), set()
        for path in self._view.stamps if changes is None else changes:
            self._judge(path, self._view.stamps.get(path, b""))
        if changes is not None and any(_leads(stamp) or _leads(self._now(path)) for path, stamp in changes.items()):
            self._inner.clear()
        for link in self._links - self._inner:
            self._judge_link(link)
        self._seen = self._view.version
        odd = frozenset(OddEntry(path=path, what=what) for path, what in self._odd.items())
        return LaneScan(odd=odd, complete=self._view.whole)

    def _now(self, path: str) -> Stamp:
        return self._view.stamps.get(path, b"")

    def _judge(self, path: str, stamp: Stamp) -> None:
        self._odd.pop(path, None)
        self._links.discard(path)
        if is_link(stamp):
            self._links.add(path)
        elif stamp[:1] == b"f":
            if int(stamp[1:].split(b" ", 1)[0], 8) & _FOREIGN_RIGHTS:
                self._odd[path] = "a file that runs with its owner's rights"
        elif stamp and not is_folder(stamp):
            self._odd[path] = "a pipe, socket or device"

    def _judge_link(self, link: str) -> None:
        """A link to something in the lane, over folders of the lane alone, leads there until one of these changes. Any
        other is followed at each scan, as it may lead elsewhere while nothing in the lane changes."""
        self._odd.pop(link, None)
        if self._files.has_plain_names and self._stays_inside(link):
            self._inner.add(link)
            return
        facts = self._files.resolve(link, "read")
        if facts.verdict == "outside":
            self._odd[link] = f"a link out of the lane, to {facts.rel}"

    def _stays_inside(self, link: str) -> bool:
        try:
            target = os.readlink(f"{self._files.root}/{link}")  # noqa: PTH115 - as it is written
        except OSError:
            return False
        here = link.split("/")[:-1]
        for name in target.split("/"):
            if (not here and name == "..") or name == ".git" or target.startswith("/"):
                return False
            if here and not is_folder(self._now("/".join(here))):
                return False
            if name == "..":
                here.pop()
            elif name not in {"", "."}:
                here.append(name)
        return not is_link(self._now("/".join(here)))


def _leads(stamp: Stamp) -> bool:
    """Whether the way of a link may lead over an entry of this stamp."""
    return is_folder(stamp) or is_link(stamp)
