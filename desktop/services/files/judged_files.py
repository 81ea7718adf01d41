"""Reading and replacing one file that was judged before: it is used only while it is still the same file (gate-P9)."""

import contextlib
import hashlib
import os
import secrets
import stat

from desktop.domain.core.errors import PathError
from desktop.policy.paths import PathFacts
from desktop.services.files.folder_handles import CREATE_FLAGS, READ_FLAGS, Folder
from desktop.services.files.path_walk import Identity

NEW_FILE_MODE = 0o644


def identity_of(found: os.stat_result) -> Identity:
    """The identity of a file or folder: its device and inode."""
    return found.st_dev, found.st_ino


def _changed(facts: PathFacts) -> PathError:
    return PathError(f"'{facts.raw}' changed on disk since it was judged; nothing was written.")


def open_judged(folder: Folder, name: str, facts: PathFacts) -> int:
    """A descriptor for reading of exactly the file that was judged."""
    fd = folder.open(name, READ_FLAGS)
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise PathError(f"'{facts.raw}' is not a regular file.")
        if identity_of(found) != (facts.device, facts.inode):
            raise PathError(f"'{facts.raw}' changed on disk since it was judged.")
    except BaseException:
        os.close(fd)
        raise
    return fd


def _check_base(folder: Folder, name: str, facts: PathFacts, expect_sha256: str | None) -> int | None:
    """The mode bits of the file that is replaced, None when there is none; PathError when it is not as judged."""
    try:
        found = folder.stat(name)
    except FileNotFoundError:
        if expect_sha256 is None:
            return None
        raise _changed(facts) from None
    if expect_sha256 is None or not facts.exists or not stat.S_ISREG(found.st_mode):
        raise _changed(facts)
    if found.st_nlink > 1 and not facts.hard_link:
        raise _changed(facts)
    with os.fdopen(open_judged(folder, name, facts), "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != expect_sha256:
            raise _changed(facts)
    return stat.S_IMODE(found.st_mode) & 0o777


def remove_judged(folder: Folder, name: str, facts: PathFacts, *, expect_sha256: str) -> None:
    """The judged file is taken away, if it still holds that content."""
    _check_base(folder, name, facts, expect_sha256)
    folder.unlink(name)
    with contextlib.suppress(OSError):
        folder.sync()


def replace_judged(
    folder: Folder, name: str, facts: PathFacts, content: bytes, *, expect_sha256: str | None, mode: int | None
) -> None:
    """`content` takes the place of the judged file by one rename; on any failure the temporary file goes (gate-P9)."""
    old_mode = _check_base(folder, name, facts, expect_sha256)
    if mode is None:
        mode = NEW_FILE_MODE if old_mode is None else old_mode
    temporary = f".{secrets.token_hex(8)}.banksman-new"
    fd = folder.open(temporary, CREATE_FLAGS)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            if os.chmod in os.supports_fd:
                os.chmod(fd, mode)  # noqa: PTH101 - by descriptor
            os.fsync(fd)
        _check_base(folder, name, facts, expect_sha256)
        folder.rename(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise
    # The new content is in place: a folder that cannot be synced is no reason to say it is not.
    with contextlib.suppress(OSError):
        folder.sync()
