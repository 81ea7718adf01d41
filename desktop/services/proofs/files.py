"""Taking a file as a proof: opened without following links, copied through one handle, hashed while copying."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from desktop.domain.core.errors import PathError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.proofs.type import ProofRefused

CHUNK_BYTES = 1024 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True)
class Copied:
    """A file as it was for the whole of the copy. `name`: what it is called, lane-relative where it is in the lane."""

    data: bytes
    sha256: str
    name: str


def copy_from(file: BinaryIO, name: str, limit: int, *, chunk_done: Callable[[], None] = lambda: None) -> Copied:
    """The content of an open regular file. `chunk_done` is called between the pieces.

    Raises:
        ProofRefused: it is no regular file, larger than `limit`, cannot be read, or changed meanwhile.
    """
    try:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise ProofRefused(f"{name} is no regular file.")
        if before.st_size > limit:
            raise ProofRefused(f"{name} is larger than any proof may be ({limit // (1024 * 1024)} MB).")
        pieces, digest, taken = list[bytes](), hashlib.sha256(), 0
        while taken <= before.st_size and (piece := file.read(CHUNK_BYTES)):
            pieces.append(piece)
            digest.update(piece)
            taken += len(piece)
            chunk_done()
        after = os.fstat(file.fileno())
    except OSError as error:
        raise ProofRefused(f"{name} cannot be read: {error.strerror or error}.") from error
    data = b"".join(pieces)
    if _stamp(before) != _stamp(after) or len(data) != before.st_size:
        raise ProofRefused(f"{name} changed while it was copied, so it was not taken. Try again.")
    return Copied(data, digest.hexdigest(), name)


def copy_of_lane(files: LaneFiles, path: str, limit: int) -> Copied:
    """A file of these files' folder. Blocking.

    Raises:
        ProofRefused: see `copy_from`; or it is outside, reached by a link that leaves the folder, or missing.
    """
    facts = files.resolve(path, "read")
    if facts.verdict == "outside" or facts.deny:
        raise ProofRefused(f"{path} cannot be attached: {facts.reason or 'it is not in the lane'}.")
    if facts.kind != "file":
        what = "does not exist" if facts.kind == "missing" else "is no regular file"
        raise ProofRefused(f"{path} {what}.")
    try:
        with files.open_read(facts) as file:
            return copy_from(file, facts.rel, limit)
    except (PathError, OSError) as error:
        raise ProofRefused(f"{path} cannot be attached: {error}") from error


def copy_of_person(path: Path, closed: tuple[Path, ...], limit: int) -> Copied:
    """A file that a person chose or dropped, not from `closed`, the product's own folders. Blocking.

    Raises:
        ProofRefused: see `copy_from`; or it is a link, or stands in one of the closed folders.
    """
    if path.is_symlink():
        raise ProofRefused(f"{path.name} is a link. Choose the file itself.")
    try:
        real = path.resolve(strict=True)
        if any(real.is_relative_to(folder.resolve()) for folder in closed):
            raise ProofRefused(f"{path.name} belongs to Banksman's own data, which proofs are not taken from.")
        with os.fdopen(os.open(real, _FLAGS), "rb") as file:
            return copy_from(file, path.name, limit)
    except OSError as error:
        raise ProofRefused(f"{path.name} cannot be read: {error.strerror or error}.") from error


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
