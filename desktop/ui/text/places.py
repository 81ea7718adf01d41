"""Paths as people write them."""

from pathlib import Path


def short_path(path: str, home: str | None = None) -> str:
    """The path as people read it: `home` at its start is written `~`. None: the user's own folder; "": no such."""
    home = str(Path.home()) if home is None else home
    return "~" + path[len(home) :] if home and (path == home or path.startswith(home + "/")) else path
