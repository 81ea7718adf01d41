"""What this process's own settings keep from a probe: a umask that spoils what it makes, or no place to make it."""

import sys
import tempfile
from pathlib import Path

_OWNER = 0o700


def own_obstacle(scratch: Path | None) -> str:
    """The sentence that says why this process can try no sandbox, whatever the system offers; "" where its own settings
    are no obstacle. `scratch`: where a probe plants its files. Blocking."""
    if sys.platform == "win32":
        return ""
    place = scratch if scratch is not None and scratch.is_dir() else Path(tempfile.gettempdir())
    try:
        made = Path(tempfile.mkdtemp(prefix="banksman-", dir=place))
    except OSError as error:
        return f"No sandbox could be tried, because no folder can be made in '{place}': {error.strerror}."
    try:
        spoiled = made.stat().st_mode & _OWNER != _OWNER
    finally:
        made.rmdir()
    if not spoiled:
        return ""
    return (
        "No sandbox could be tried, because files that Banksman makes cannot be used, not even by itself (its 'umask' "
        "takes the owner's rights away). Set it to 077 or 022 and start again."
    )
