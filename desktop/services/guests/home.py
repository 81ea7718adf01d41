"""The home folder of an agent of others, its owner's alone, where its own files and its sign-in live (guests-A34)."""

from pathlib import Path

from desktop.config.private_files import make_private_folder
from desktop.services.peers.launching import PeerStartError

FOLDER = "guests"


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


def trial_folder(data: Path, guest_id: str) -> Path:
    """An empty place in which an agent is started on trial, made if it is not there. Blocking. Raises as
    `guest_home`."""
    folder = guest_home(data, guest_id).parent / "trial"
    try:
        make_private_folder(folder)
    except OSError as error:
        raise PeerStartError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return folder
