"""SkillFinder: the skills in a folder as they are now; what did not change is not read again."""

import stat
from itertools import islice
from pathlib import Path

from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package
from desktop.domain.skills.values import Fault, SkillFile
from desktop.records import dataclass
from desktop.services.skills.folders import Stamp, looked_at, open_folder, read_package
from desktop.services.skills.skill_files import SKILL_FILE, read_skill

MOST_SKILLS = 500
MOST_KEPT = 4_000
REPOSITORY_PLACES = ((".banksman", "skills"), (".agents", "skills"), (".claude", "skills"))


@dataclass(frozen=True)
class FoundSkill:
    """A skill in its folder. `skill_id`: the name of the folder; `place`: the folder as people see it; `parts`: below
    `root`. `sha256`: of the whole package, "" where it cannot be one. `said`: what its SKILL.md says, or what is
    wrong."""

    skill_id: str
    place: str
    root: Path
    parts: tuple[str, ...]
    sha256: str
    said: SkillFile | Fault
    files: tuple[str, ...] = ()
    size: int = 0


class SkillFinder:
    """Any thread; what two of them read at once is read twice."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, tuple[str, ...]], tuple[Stamp, FoundSkill]] = {}

    def below(self, root: Path, *places: tuple[str, ...]) -> list[FoundSkill]:
        """The skills in these places below a root, in their order; those with faults too. Blocking."""
        every = ((place, parts, stamp) for place in places or ((),) for parts, stamp in looked_at(root, place))
        return [self._one(root, (*place, *parts), stamp) for place, parts, stamp in islice(every, MOST_SKILLS)]

    def _one(self, root: Path, parts: tuple[str, ...], stamp: Stamp | SkillError) -> FoundSkill:
        known = self._known.get((root, parts))
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            if isinstance(stamp, SkillError):
                raise stamp
            found = _found(root, parts, package_below(root, parts))
        except SkillError as error:
            place = "/".join(parts)
            return FoundSkill(parts[-1], place, root, parts, "", Fault(place, 0, str(error)))
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[(root, parts)] = (stamp, found)
        return found


def package_below(root: Path, parts: tuple[str, ...]) -> Package:
    """The files in the folder at these parts below a root, reached through no link. Blocking. Raises SkillError."""
    top = open_folder(root)
    if top is None:
        raise SkillError(f"The folder of {parts[-1]} is gone.")
    with top:
        return read_package(top, parts)


def package_of(skill: FoundSkill) -> Package:
    """The files of a found skill as they are now. Blocking.

    Raises:
        SkillError: they cannot be read.
    """
    return package_below(skill.root, skill.parts)


def package_in(folder: Path) -> Package:
    """The files in a folder that a person picked, which may be reached by a link. Blocking.

    Raises:
        SkillError: it is no folder, or has what no skill may have.
    """
    try:
        real = folder.resolve(strict=True)
        is_folder = stat.S_ISDIR(real.stat().st_mode)
    except OSError as error:
        raise SkillError(f"'{folder}' cannot be opened ({error.strerror or error}).") from error
    top = open_folder(real) if is_folder else None
    if top is None:
        raise SkillError(f"'{folder}' is no folder.")
    with top:
        return read_package(top, ())


def skill_of(package: Package, skill_id: str, place: str) -> SkillFile | Fault:
    """What the SKILL.md of a package says, or what is wrong."""
    content = package.content(SKILL_FILE)
    if content is None:
        return Fault(place, 0, f"It has no {SKILL_FILE}.")
    return read_skill(content, f"{place}/{SKILL_FILE}", skill_id)


def _found(root: Path, parts: tuple[str, ...], package: Package) -> FoundSkill:
    place = "/".join(parts)
    return FoundSkill(
        skill_id=parts[-1],
        place=place,
        root=root,
        parts=parts,
        sha256=package.sha256,
        said=skill_of(package, parts[-1], place),
        files=tuple(file.path for file in package.files),
        size=package.size,
    )
