"""KeyRecord: the names of what was put into the system keyring, so that it is not asked for what it never got."""

import json
import logging
from pathlib import Path

from desktop.config.private_files import write_durably

logger = logging.getLogger(__name__)

FILE_NAME = "keyring.json"


class KeyRecord:
    """Names alone, never what is kept under them. A look at a keyring that does not exist yet makes some systems ask
    for the password of a new one, so it is asked only for what this record has, or cannot tell.

    `fresh`: nothing was ever kept here, so what the record does not name is not there. Otherwise a name that it does
    not have may be in the keyring (an earlier version kept no record). Without a path nothing is recorded.
    """

    def __init__(self, path: Path | None = None, *, fresh: bool = False) -> None:
        self._path = path
        self._names: dict[str, bool] = {}
        self._whole = fresh
        if path is not None and not fresh:
            self._read(path)
        elif path is not None:
            self._write()

    def may_hold(self, name: str) -> bool:
        """Whether the keyring may have something under this name."""
        return self._names.get(name, not self._whole)

    def note(self, name: str, *, kept: bool) -> None:
        """The keyring has something under this name now, or has nothing."""
        if self._names.get(name) is kept or (not kept and self._whole and name not in self._names):
            return
        if self._path is not None:
            self._read(self._path)
        self._names[name] = kept
        self._write()

    def _read(self, path: Path) -> None:
        """Take what stands in the file, which another process may have written."""
        try:
            found = json.loads(path.read_bytes())
            names, whole = dict(found["names"]), found["whole"] is True
        except (OSError, ValueError, KeyError, TypeError):
            return
        self._names |= {str(name): kept is True for name, kept in names.items()}
        self._whole = whole

    def _write(self) -> None:
        if self._path is None:
            return
        text = json.dumps({"names": self._names, "whole": self._whole}, indent=1, sort_keys=True)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_durably(self._path, text.encode())
        except OSError as error:
            logger.warning("%s could not be written: %s", self._path, error)
