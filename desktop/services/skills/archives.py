"""A skill from a zip file: looked at whole, and never written from here (memory-SK9)."""

import io
import stat
import zipfile
import zlib
from pathlib import Path

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import MOST_BYTES, MOST_FILES, Package, PackageFile, check_paths
from desktop.services.skills.skill_files import SKILL_FILE

MOST_PACKED = 5 * 1024 * 1024
MOST_RATIO = 100
_UNIX = 3


def read_zip(path: Path) -> tuple[str, Package]:
    """The name of the folder that the archive holds, the archive's own name where it holds none, and its files.

    Raises:
        SkillError: names what no skill may have; nothing was written.
    """
    try:
        if not path.is_file():  # what is no file could hold the reading up for ever
            raise SkillError(f"'{path.name}' is no file.")
        with path.open("rb") as file:
            content = file.read(MOST_PACKED + 1)
    except OSError as error:
        raise SkillError(f"'{path.name}' cannot be read ({error.strerror or error}).") from error
    if len(content) > MOST_PACKED:
        raise SkillError(f"'{path.name}' is larger than 5 MiB.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = _unpacked(archive)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error) as error:
        raise SkillError(f"'{path.name}' is no zip file that can be read: {error}.") from error
    return _without_top(path.stem, files)


def _unpacked(archive: zipfile.ZipFile) -> list[PackageFile]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise SkillError(f"It has more than {MOST_FILES} files.")
    check_paths([entry.orig_filename for entry in entries])
    if len({entry.filename for entry in entries}) != len(entries):
        raise SkillError("It has a file of one name twice.")
    left = MOST_BYTES
    files: list[PackageFile] = []
    for entry in entries:
        files.append(_one(archive, entry, left))
        left -= len(files[-1].content)
    return files


def _one(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> PackageFile:
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX else 0
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise SkillError(f"'{entry.filename}' is a link or a device; a skill has files and folders only.")
    if entry.flag_bits & 1:
        raise SkillError(f"'{entry.filename}' is encrypted.")
    most = min(left, max(entry.compress_size, 1) * MOST_RATIO)
    with archive.open(entry) as file:  # what it says of its size is not believed
        content = file.read(most + 1)
    if len(content) > left:
        raise SkillError("It is larger than 5 MiB when it is unpacked.")
    if len(content) > most:
        raise SkillError(f"'{entry.filename}' is packed more than {MOST_RATIO} times; that is how archives do harm.")
    return PackageFile(entry.filename, bool(mode & stat.S_IXUSR), content)


def _without_top(name: str, files: list[PackageFile]) -> tuple[str, Package]:
    """Most archives hold one folder with everything in it."""
    tops = {file.path.partition("/")[0] for file in files}
    if len(tops) == 1 and all(file.path != SKILL_FILE and "/" in file.path for file in files):
        name = tops.pop()
        files = [PackageFile(file.path.partition("/")[2], file.executable, file.content) for file in files]
    return name, Package(files)
