"""ServerFolders: the folders that a running server may know of, and whether they are still those of its start."""

from collections.abc import Iterator
from pathlib import Path

from desktop.domain.mcp.values import McpServer

Identity = tuple[int, int]


class ServerFolders:
    """Those of a server on this computer: where it runs, and what a person added. Its sandbox holds the folders that
    were there when it started, so one that comes later, or stands in the place of another, is none of its own before
    its next start. All methods block shortly, and may be called on any thread, one at a time."""

    def __init__(self, server: McpServer, folder: Path) -> None:
        """`folder`: where it runs, the lane or the main checkout."""
        sees = server.is_local and server.folder != "none"
        self._own = (folder,) if sees else ()
        self._added = tuple(Path(one).expanduser() for one in server.read) if sees else ()
        self._begun: dict[Path, Identity] = {}
        self._told: tuple[Path, ...] = ()

    def begin(self) -> None:
        """The server is started now, and sees what is there now."""
        self._begun = dict(self._found())
        self._told = tuple(self._begun)

    def listed(self) -> tuple[Path, ...]:
        """What it may know of now; it is told so."""
        now = dict(self._found())
        self._told = tuple(one for one, identity in self._begun.items() if now.get(one) == identity)
        return self._told

    def are_news(self) -> bool:
        """Whether it was told otherwise before; it hears of it now."""
        before = self._told
        return self.listed() != before

    def look(self) -> tuple[bool, bool]:
        """`are_news` and `is_replaced`."""
        return self.are_news(), self.is_replaced()

    def is_replaced(self) -> bool:
        """Whether another folder stands where the server runs: it would work in one that is gone."""
        now = dict(self._found())
        own = [one.resolve() for one in self._own]
        return bool(self._begun) and any(one in now and self._begun.get(one) != now[one] for one in own)

    def _found(self) -> Iterator[tuple[Path, Identity]]:
        for place in (*self._own, *self._added):
            try:
                folder = place.resolve() if place in self._own else place
                if folder.is_absolute() and folder.is_dir():
                    stat = folder.stat()
                    yield folder, (stat.st_dev, stat.st_ino)
            except OSError:
                continue
