"""Questions about paths as plain text, for what is asked around each command: a `Path` would cost more than the answer.
All of them block for some microseconds."""

import os
import sys

leads_to_file = os.path.isfile
leads_to_folder = os.path.isdir
names_in = os.listdir
facts_of = os.stat
joined = os.path.join
above = os.path.dirname
is_link = os.path.islink
is_same = os.path.samefile


def real_path(path: str) -> str:
    """The path with all links in it followed, as `os.path.realpath` gives it; of what is missing, as far as it is
    there. The kernel is asked, which follows them faster than Python does."""
    return _as_opened(path) or os.path.realpath(path)


def _as_opened(path: str) -> str:
    """The kernel's name for what stands there, "" where it cannot tell or something else stands at that name."""
    if sys.platform != "linux":
        return ""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        named = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
        return named if os.path.samestat(os.fstat(handle), os.lstat(named)) else ""
    except OSError:
        return ""
    finally:
        os.close(handle)
