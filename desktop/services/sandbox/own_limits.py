"""What this process's own limits keep from a probe: too few open files, or a umask that spoils what it makes."""

import contextlib
import errno
import os
import sys
import tempfile
from pathlib import Path

NEEDED_FILES = 24
"""How many more files a probe and what it starts have open at once, at most."""
_TOO_MANY = {errno.EMFILE, errno.ENFILE}
_OWNER = 0o700


def own_obstacle(scratch: Path | None) -> str:
    """The sentence that says why this process can try no sandbox, whatever the system offers; "" where its own limits
    are no obstacle. `scratch`: where a probe plants its files. Blocking, and opens files for a moment."""
    if sys.platform == "win32":
        return ""
    return _few_files() or _spoiled_files(scratch)


def _few_files() -> str:
    with contextlib.ExitStack() as opened:
        try:
            for _ in range(NEEDED_FILES):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno not in _TOO_MANY:
                return ""
            return (
                "No sandbox could be tried, because Banksman may not open enough files at once "
                "('ulimit -n' is too low). Raise it to 1024 and start again."
            )
    return ""


def _spoiled_files(scratch: Path | None) -> str:
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
