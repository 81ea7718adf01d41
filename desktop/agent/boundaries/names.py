"""LaneNames: the names of a lane's files, listed only when somebody asks for them."""

from collections.abc import Collection, Iterator
from pathlib import Path

from desktop.domain.core.errors import GitError
from desktop.services.git.run import Git

LIMIT_S = 1.0
MOST = 50_000


class LaneNames(Collection[str]):
    """The paths that Git tracks below `root`, none for no lane and where git cannot tell in time. Words that name a
    path themselves do not ask for them."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._known: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def _names(self) -> tuple[str, ...]:
        if self._known is None:
            self._known = () if self._root is None else _tracked(self._root)
        return self._known


def _tracked(root: Path) -> tuple[str, ...]:
    try:
        return tuple(Git(root).run_now("ls-files", "--cached", "-z", limit_s=LIMIT_S).names[:MOST])
    except GitError:
        return ()
