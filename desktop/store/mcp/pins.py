"""PinStore: what a person accepted of MCP servers, in one file beside the store, with the person and the day."""

import contextlib
import json
import logging
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import StoreWriteFailed
from desktop.domain.mcp.values import McpPin

logger = logging.getLogger(__name__)

FILE_NAME = "pins.json"
ASIDE = ".unreadable.json"
_KEPT = TypeAdapter(dict[str, dict[str, McpPin]])


class PinStore:
    """Pins by project ("": of the person's own servers) and server. Read once; blocking, a moment, at each change. A
    file that cannot be read is put aside: then nobody accepted anything."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._pins: dict[str, dict[str, McpPin]] | None = None

    def get(self, project_id: str, server: str) -> McpPin | None:
        """What was accepted of a server, None for nothing."""
        return self._all().get(project_id, {}).get(server)

    def put(self, project_id: str, pin: McpPin) -> None:
        """Keep what was accepted, in place of what was.

        Raises:
            StoreWriteFailed: it could not be kept; what was accepted before still holds.
        """
        pins = self._all()
        self._write({**pins, project_id: {**pins.get(project_id, {}), pin.server: pin}})

    def forget(self, project_id: str, server: str) -> None:
        """Nothing of the server is accepted any more. Raises StoreWriteFailed."""
        pins = self._all()
        if server in pins.get(project_id, {}):
            left = {name: pin for name, pin in pins[project_id].items() if name != server}
            self._write({**pins, project_id: left})

    def _all(self) -> dict[str, dict[str, McpPin]]:
        if self._pins is None:
            self._pins = self._read()
        return self._pins

    def _read(self) -> dict[str, dict[str, McpPin]]:
        try:
            return _KEPT.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            logger.warning("%s could not be read and is put aside: %s", self._path, type(error).__name__)
            with contextlib.suppress(OSError):
                self._path.replace(self._path.with_suffix(ASIDE))
            return {}

    def _write(self, pins: dict[str, dict[str, McpPin]]) -> None:
        kept = _KEPT.dump_python(pins, mode="json")
        try:
            make_private_folder(self._path.parent)
            write_durably(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreWriteFailed(f"It was not accepted: {self._path}: {reason}. Try again.") from error
        self._pins = pins
