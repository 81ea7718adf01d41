"""SingleShelf: the person's agents and commands, each one file of their settings, put there by a review."""

from pathlib import Path

from desktop.agent.skills.shelf import SkillShelf
from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package, PackageFile
from desktop.domain.skills.review import What
from desktop.services.skills.single_files import ENDING


class SingleShelf:
    """All methods block; those that change something are called one at a time. `config`: the folder of settings; what
    a file takes the place of goes to the trash of `shelf`."""

    def __init__(self, shelf: SkillShelf, config: Path) -> None:
        self._shelf = shelf
        self._config = config

    def current(self, what: What, name: str) -> bytes | None:
        """The file that stands there, None for none. Raises SkillError: it cannot be read."""
        try:
            return self._place(what, name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SkillError(f"The {what} {name} cannot be read ({error.strerror or error}).") from error

    def install(self, what: What, name: str, content: bytes) -> None:
        """Put exactly this in the place of the agent or command. Raises SkillError."""
        before = self.current(what, name)
        place = self._place(what, name)
        try:
            if before is not None:
                self._shelf.set_aside(what, name, Package([PackageFile(place.name, False, before)]))
            make_private_folder(place.parent)
            write_durably(place, content)
        except OSError as error:
            raise SkillError(f"The {what} {name} was not installed: {error.strerror or error}.") from error

    def restore(self, token: str) -> None:
        """Bring one back from the trash; what stands in its place goes there. Raises SkillError."""
        removed, package = self._shelf.set_aside_before(token)
        (file,) = package.files
        self.install(removed.what, removed.skill_id, file.content)
        self._shelf.forget_aside(token)

    def _place(self, what: What, name: str) -> Path:
        return self._config / f"{what}s" / f"{name}{ENDING}"
