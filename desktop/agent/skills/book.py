"""SkillBook: all skills that a chat could have, and which of them it has: accepted, trusted, hidden or at fault."""

from pathlib import Path
from typing import Literal

from desktop.agent.skills.shelf import Pin, SkillShelf
from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package
from desktop.domain.skills.values import Fault, SkillFile
from desktop.records import dataclass
from desktop.services.skills.finding import REPOSITORY_PLACES, FoundSkill, SkillFinder, package_of, skill_of
from desktop.store.gate.trust import ContentTrust, content_sha256

SkillState = Literal["on", "hidden", "fault", "review"]


@dataclass(frozen=True)
class BookedSkill:
    """A skill and how it stands. `why`: it is not on, a sentence; `pin`: what of it was accepted, a person's alone."""

    found: FoundSkill
    scope: Literal["person", "repository"]
    state: SkillState
    why: str = ""
    pin: Pin | None = None

    @property
    def skill_id(self) -> str:
        """The name of its folder."""
        return self.found.skill_id

    @property
    def file(self) -> SkillFile | None:
        """What its SKILL.md says, None for one that cannot be read."""
        return self.found.said if isinstance(self.found.said, SkillFile) else None


@dataclass(frozen=True)
class Booked:
    """All skills, a person's first. `repository_sha256`: what trusting the repository's binds, "" where there are
    none; `trusted`: a person did."""

    skills: tuple[BookedSkill, ...] = ()
    repository_sha256: str = ""
    trusted: bool = False

    def get(self, skill_id: str) -> BookedSkill | None:
        """The skill that counts under this id; else one that would."""
        named = [one for one in self.skills if one.skill_id == skill_id]
        return next((one for one in named if one.state == "on"), named[0] if named else None)


class SkillBook:
    """Reads the folders whenever it is asked; what did not change is not read again. All methods block. Any thread."""

    def __init__(self, shelf: SkillShelf, trust: ContentTrust) -> None:
        self._shelf = shelf
        self._trust = trust
        self._finder = SkillFinder()

    def is_empty(self, root: Path | None) -> bool:
        """Whether no folder of skills is there at all. Takes a moment."""
        places = [root.joinpath(*parts) for parts in REPOSITORY_PLACES] if root is not None else []
        return not any(place.is_dir() for place in (self._shelf.folder, *places))

    def booked(self, project_id: str, root: Path | None) -> Booked:
        """All skills of a chat that works in this lane of the project; None: it has none."""
        pins = self._shelf.record().pins
        own = [_own(found, pins.get(found.skill_id)) for found in self._finder.below(self._shelf.folder)]
        shared = self._finder.below(root, *REPOSITORY_PLACES) if root is not None else []
        sha256 = trusted_sha256(shared)
        trusted = self._trust.is_trusted(project_id, sha256)
        skills = [*own, *(_shared(found, trusted) for found in shared)]
        return Booked(tuple(_hidden(skills)), sha256, trusted)

    def package(self, skill: BookedSkill) -> Package:
        """The files of a skill that is on, which are those that count.

        Raises:
            SkillError: they are others by now, or cannot be read.
        """
        package = package_of(skill.found)
        if package.sha256 != skill.found.sha256:
            raise SkillError(f"The skill '{skill.skill_id}' changed, and waits for a person's review.")
        return package

    def said(self, skill: BookedSkill, package: Package) -> SkillFile:
        """What the SKILL.md of these files says. Raises SkillError."""
        said = skill_of(package, skill.skill_id, skill.found.place)
        if isinstance(said, Fault):
            raise SkillError(str(said))
        return said


def trusted_sha256(shared: list[FoundSkill]) -> str:
    """The digest of all skills of a repository with their places; "" of none. It changes with each byte."""
    return content_sha256({one.place: one.sha256.encode() for one in shared if one.sha256})


def _own(found: FoundSkill, pin: Pin | None) -> BookedSkill:
    if isinstance(found.said, Fault):
        return BookedSkill(found, "person", "fault", str(found.said), pin)
    if pin is None:
        return BookedSkill(found, "person", "review", "Nobody has accepted it yet.")
    if pin.sha256 != found.sha256:
        return BookedSkill(found, "person", "review", "Its files are not those that were accepted.", pin)
    return BookedSkill(found, "person", "on", pin=pin)


def _shared(found: FoundSkill, trusted: bool) -> BookedSkill:
    if isinstance(found.said, Fault):
        return BookedSkill(found, "repository", "fault", str(found.said))
    if not trusted:
        return BookedSkill(found, "repository", "review", "Nobody trusts the skills of this repository as they are.")
    return BookedSkill(found, "repository", "on")


def _hidden(skills: list[BookedSkill]) -> list[BookedSkill]:
    """Of two with one id the first stands, also while it waits for a review: another must not slip into its place."""
    seen: dict[str, BookedSkill] = {}
    result: list[BookedSkill] = []
    for one in skills:
        first = seen.get(one.skill_id)
        if first is None:
            if one.state != "fault":
                seen[one.skill_id] = one
            result.append(one)
        else:
            place = "your own" if first.scope == "person" else f"that of {first.found.place}"
            result.append(BookedSkill(one.found, one.scope, "hidden", f"Hidden by {place}.", one.pin))
    return result
