"""The number of files this process may have open at once: as many as are of use, and never too few to work with."""

import contextlib
import sys

from desktop.domain.core.errors import StartError
from desktop.late import late

LEAST, ENOUGH = 64, 4_096


def require_open_files() -> None:
    """Take as many as the hard limit allows, where the soft one is lower.

    Raises:
        StartError: they are fewer than a run opens at once: its store, its sandbox, git and the model's answer.
    """
    if sys.platform == "win32":
        return
    resource = late("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    no_limit = resource.RLIM_INFINITY
    most = ENOUGH if hard == no_limit else min(hard, ENOUGH)
    if soft != no_limit and soft < most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if hard != no_limit and hard < LEAST:
        raise StartError(
            f"Banksman may have only {hard} files open at once, and needs {LEAST}. Raise 'ulimit -n' and start again."
        )
