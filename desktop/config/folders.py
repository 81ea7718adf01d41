"""The folders in which things are kept on each platform. `BANKSMAN_HOME` moves settings, data, cache and logs below one
folder."""

import os
import sys
from pathlib import Path

import platformdirs

import desktop
from desktop.records import dataclass

HOME_VARIABLE = "BANKSMAN_HOME"


@dataclass(frozen=True)
class Folders:
    """The product's own folders. None is inside a repository; agents may touch none of them."""

    config: Path
    data: Path
    cache: Path
    logs: Path

    @property
    def store(self) -> Path:
        """The folder of the event store."""
        return self.data / "store"

    @property
    def lanes(self) -> Path:
        """The folder in which worktrees of lanes stand unless settings say otherwise."""
        return self.data / "lanes"

    @property
    def skills(self) -> Path:
        """The folder of the person's skills, which commands of agents may read."""
        return self.data / "skills"

    @property
    def settings_file(self) -> Path:
        """The one settings file."""
        return self.config / "settings.toml"


def product_folders() -> Folders:
    """The folders for this user, or those below `BANKSMAN_HOME` when it is set. Nothing is created."""
    home = os.environ.get(HOME_VARIABLE, "")
    if home:
        root = typed_path(home).absolute()
        return Folders(root / "config", root / "data", root / "cache", root / "logs")
    dirs = platformdirs.PlatformDirs("banksman", appauthor=False)
    return Folders(dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, dirs.user_log_path)


def typed_path(typed: str | Path) -> Path:
    """The path that a person typed, with `~` and `~name` as home folders. A home that nobody has stays as it was typed,
    so that what uses the path says that there is no such file."""
    path = Path(typed)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def resource_folder() -> Path:
    """Icons and fonts: beside the source tree, inside an installed wheel, or in the frozen program."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS) / "resources"  # type: ignore[attr-defined]  # set by PyInstaller
    package = Path(desktop.__file__).parent
    installed = package / "_resources"
    return installed if installed.is_dir() else package.parent / "resources"
