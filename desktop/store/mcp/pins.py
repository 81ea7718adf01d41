"""What a person accepted of MCP servers, and what they said no to: two files beside the store."""

import contextlib
import json
import logging
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import StoreWriteFailed
from desktop.domain.mcp.values import McpPin

logger = logging.getLogger(__name__)

ASIDE = ".unreadable.json"
_PINS = TypeAdapter(dict[str, dict[str, McpPin]])
_REFUSALS = TypeAdapter(dict[str, dict[str, frozenset[str]]])
T = TypeVar("T")


class _ByServer(Generic[T]):
    """Values by project ("": of the person's own servers) and server, in one file. Read once; blocking, a moment, at
    each change. A file that cannot be read is put aside: then nothing was said."""

    def __init__(self, path: Path, kept: TypeAdapter[dict[str, dict[str, T]]]) -> None:
        self._path, self._kept = path, kept
        self._values: dict[str, dict[str, T]] | None = None

    def get(self, project_id: str, server: str) -> T | None:
        """What was said of a server, None for nothing."""
        return self._all().get(project_id, {}).get(server)

    def forget(self, project_id: str, server: str) -> None:
        """Nothing was said of the server any more. Raises StoreWriteFailed."""
        values = self._all()
        if server in values.get(project_id, {}):
            left = {name: one for name, one in values[project_id].items() if name != server}
            self._write({**values, project_id: left})

    def _put(self, project_id: str, server: str, value: T) -> None:
        values = self._all()
        self._write({**values, project_id: {**values.get(project_id, {}), server: value}})

    def _all(self) -> dict[str, dict[str, T]]:
        if self._values is None:
            self._values = self._read()
        return self._values

    def _read(self) -> dict[str, dict[str, T]]:
        try:
            return self._kept.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            logger.warning("%s could not be read and is put aside: %s", self._path, type(error).__name__)
            with contextlib.suppress(OSError):
                self._path.replace(self._path.with_suffix(ASIDE))
            return {}

    def _write(self, values: dict[str, dict[str, T]]) -> None:
        kept = self._kept.dump_python(values, mode="json")
        try:
            make_private_folder(self._path.parent)
            write_durably(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreWriteFailed(f"It was not accepted: {self._path}: {reason}. Try again.") from error
        self._values = values


class PinStore(_ByServer[McpPin]):
    """What a person accepted, with who and the day."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "pins.json", _PINS)

    def put(self, project_id: str, pin: McpPin) -> None:
        """Keep what was accepted, in place of what was.

        Raises:
            StoreWriteFailed: it could not be kept; what was accepted before still holds.
        """
        self._put(project_id, pin.server, pin)


class RefusalStore(_ByServer[frozenset[str]]):
    """The digests of servers and tools that a person keeps off."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "kept_off.json", _REFUSALS)

    def put(self, project_id: str, server: str, digests: frozenset[str]) -> None:
        """Keep these, in place of what was kept of the server. Raises StoreWriteFailed: as `PinStore.put`."""
        self._put(project_id, server, digests)
