"""The home folder of an agent of others, its owner's alone, where its own files and its sign-in live (guests-A34)."""

import fnmatch
import os
from pathlib import Path

from desktop.config.private_files import make_private_folder
from desktop.domain.core.service_kinds import DIALECT_WORDS, Dialect
from desktop.domain.guests.registry import GuestRow
from desktop.services.peers.launching import PeerStartError

FOLDER, GATEWAY_FILE = "guests", "gateway"
MOST_FILES = 50_000
Files = dict[str, tuple[int, int, int]]
"""Files by their path below the home folder: when they were written, how large they are, which file it is."""


def home_path(data: Path, guest_id: str) -> Path:
    """Where the home folder of an agent is, whether or not it was made."""
    return data / FOLDER / guest_id / "home"


def guest_home(data: Path, guest_id: str) -> Path:
    """`<data>/guests/<id>/home`, made if it is not there. Blocking.

    Raises:
        PeerStartError: it cannot be made, or is a link.
    """
    home = home_path(data, guest_id)
    try:
        for folder in (data / FOLDER, home.parent, home):
            if folder.is_symlink():
                raise PeerStartError(f"{folder} is a link, so it is not used as a home folder. Remove it.")
            make_private_folder(folder)
    except OSError as error:
        raise PeerStartError(f"The home folder {home} cannot be made: {error.strerror}.") from error
    return home


def remembered_gateway(data: Path, guest_id: str) -> Dialect | None:
    """The protocol of the model service that an agent takes by a sign-in, as it said last; None: it takes none.
    Blocking."""
    try:
        said = (data / FOLDER / guest_id / GATEWAY_FILE).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return next((one for one in DIALECT_WORDS if one == said), None)


def remember_gateway(data: Path, guest_id: str, dialect: Dialect | None) -> None:
    """It said so. Blocking. Raises OSError."""
    file = data / FOLDER / guest_id / GATEWAY_FILE
    if dialect is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(f"{dialect}\n", encoding="utf-8")


def granted_folders(home: Path, row: GuestRow) -> tuple[Path, ...]:
    """The person's real folders of an agent's configuration that are there. Blocking."""
    return tuple(one for name in row.home if (one := home / name).is_dir() and not one.is_symlink())


def files_in(home: Path, row: GuestRow) -> Files:
    """The files of those folders that are more than a session of the agent: its settings, hooks and what it runs.
    Links are not followed. Blocking (a look at every name)."""
    found: Files = {}
    for granted in granted_folders(home, row):
        for folder, inner, names in os.walk(granted):
            here = Path(folder)
            inner[:] = [name for name in inner if not _passes(here / name, home, row)]
            for path in (here / name for name in names):
                if len(found) >= MOST_FILES or _passes(path, home, row):
                    continue
                try:
                    about = path.lstat()
                except OSError:
                    continue
                found[path.relative_to(home).as_posix()] = (about.st_mtime_ns, about.st_size, about.st_ino)
    return found


def _passes(path: Path, home: Path, row: GuestRow) -> bool:
    name = path.relative_to(home).as_posix()
    return any(fnmatch.fnmatchcase(name, one) or fnmatch.fnmatchcase(f"{name}/", one) for one in row.passing)


def trial_folder(data: Path, guest_id: str) -> Path:
    """An empty place in which an agent is started on trial, made if it is not there. Blocking. Raises as
    `guest_home`."""
    folder = guest_home(data, guest_id).parent / "trial"
    try:
        make_private_folder(folder)
    except OSError as error:
        raise PeerStartError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return folder
