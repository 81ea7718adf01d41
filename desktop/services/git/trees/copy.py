"""Copying and removing a file or a whole folder by open folders: for where a rename cannot reach (another device)."""

import errno
import os
import shutil
import stat

from desktop.services.files.folder_handles import CREATE_FLAGS, READ_FLAGS, Folder

MAX_COPY_BYTES = 2 * 1024**3


def carry_across(source: Folder, name: str, target: Folder, new: str) -> None:
    """Move the entry `name` into `target` as `new`, also to another device: then it is copied in full before the
    original goes. Raises OSError; what was copied is removed then, and the original is as it was."""
    try:
        source.carry(name, target, new)
    except OSError as e:
        if e.errno != errno.EXDEV:
            raise
    else:
        return
    partial = f".{new}.part"
    try:
        _copy(source, name, target, partial, [MAX_COPY_BYTES])
        target.carry(partial, target, new)
    except BaseException:
        remove_tree(target, partial)
        raise
    target.sync()
    remove_tree(source, name)


def remove_tree(folder: Folder, name: str) -> None:
    """Remove the file or folder of this name with everything below. Links are removed, not followed. Raises OSError."""
    try:
        found = folder.stat(name)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        folder.unlink(name)
        return
    with folder.child(name) as inner:
        for entry in inner.names():
            remove_tree(inner, entry)
    folder.remove(name)


def _copy(source: Folder, name: str, target: Folder, new: str, room: list[int]) -> None:
    found = source.stat(name)
    if stat.S_ISLNK(found.st_mode):
        target.make_link(new, source.link_target(name))
    elif stat.S_ISREG(found.st_mode):
        room[0] -= found.st_size
        if room[0] < 0:
            raise OSError(errno.EFBIG, "It is more than 2 GB, and the other place is on another disk", name)
        _copy_file(source, name, target, new)
    elif stat.S_ISDIR(found.st_mode):
        target.make(new)
        with source.child(name) as inner, target.child(new) as there:
            for entry in inner.names():
                _copy(inner, entry, there, entry, room)
    else:
        raise OSError(errno.EINVAL, "A pipe, socket or device cannot be copied", name)


def _copy_file(source: Folder, name: str, target: Folder, new: str) -> None:
    with os.fdopen(source.open(name, READ_FLAGS), "rb") as old:
        before = os.fstat(old.fileno())
        with os.fdopen(target.open(new, CREATE_FLAGS), "wb") as copy:
            shutil.copyfileobj(old, copy, 1 << 20)
            copy.flush()
            if os.chmod in os.supports_fd:
                os.chmod(copy.fileno(), stat.S_IMODE(before.st_mode) & 0o777)  # noqa: PTH101 - by descriptor
            os.fsync(copy.fileno())
        after = os.fstat(old.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise OSError(errno.EBUSY, "It changed while it was copied", name)
