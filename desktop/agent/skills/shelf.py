"""SkillShelf: the person's own skills: which exact bytes they accepted (memory-SK4), and those that they took away."""

import contextlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import SkillError
from desktop.domain.core.ids import new_id
from desktop.domain.skills.packages import Package
from desktop.domain.skills.review import Origin, What
from desktop.services.skills.finding import package_in
from desktop.services.skills.folders import write_package
from desktop.services.skills.matter_fields import NAME_RULE, is_name

logger = logging.getLogger(__name__)

KEPT_DAYS = 30
_RECORD = "skills.json"
ASIDE = ".unreadable.json"
"""A record that cannot be read names what is in the trash, so it is not written over."""


class Pin(Frozen):
    """The bytes that a person accepted, and where they came from, in words. `origin`: the commit that they were fetched
    from."""

    sha256: str
    source: str = ""
    commit: str = ""
    origin: Origin | None = None
    at: AwareDatetime


class Removed(Frozen):
    """A skill in the trash, or an agent or a command. `token`: the name of its folder there."""

    token: str
    what: What = "skill"
    skill_id: str
    at: AwareDatetime
    pin: Pin | None = None


class Record(Frozen):
    """All that is known of the person's skills beside their files. `trusted`: by project and place, the digests of a
    repository's skills when they were trusted last; for the difference alone, trust itself is kept elsewhere."""

    pins: dict[str, Pin] = Field(default_factory=dict)
    removed: tuple[Removed, ...] = ()
    trusted: dict[str, dict[str, str]] = Field(default_factory=dict)


class SkillShelf:
    """All methods block; those that change something are called one at a time. What is recorded is recorded before the
    files move, so that a skill of which only half was done is one that waits for a person."""

    def __init__(self, data: Path, clock: Callable[[], datetime]) -> None:
        self.folder = data / "skills"
        self._copies = data / "skill-copies"
        self._trash = data / "trash" / "skills"
        self._file = data / _RECORD
        self._clock = clock
        self._read: tuple[tuple[int, int], Record] = ((0, 0), Record())

    def record(self) -> Record:
        """What is recorded; one that cannot be read accepts nothing."""
        try:
            facts = self._file.stat()
        except OSError:
            return Record()
        stamp = (facts.st_mtime_ns, facts.st_ino)
        known, record = self._read  # at once: a change on another thread makes it empty
        if known != stamp:
            try:
                record = Record.model_validate_json(self._file.read_bytes())
            except OSError:
                record = Record()
            except ValidationError:
                logger.warning("%s could not be read and is put aside", self._file)
                with contextlib.suppress(OSError):
                    self._file.replace(self._file.with_suffix(ASIDE))
                record = Record()
            self._read = (stamp, record)
        return record

    def install(self, skill_id: str, package: Package, *, source: str, origin: Origin | None = None) -> None:
        """Put exactly these bytes in the place of the skill; what was there goes to the trash.

        Raises:
            SkillError: it could not be written.
        """
        if not is_name(skill_id):
            raise SkillError(f"A skill cannot be called '{skill_id}': {NAME_RULE}.")
        try:
            make_private_folder(self.folder)
            new = self._copies / f".new-{new_id('')}"
            self.keep(package)
            write_package(new, package)
            self._away(skill_id)
            self._pin(skill_id, Pin(sha256=package.sha256, source=source, origin=origin, at=self._clock()))
            new.rename(self.folder / skill_id)
        except OSError as error:
            raise SkillError(f"{skill_id} was not installed: {error.strerror or error}.") from error

    def accept(self, skill_id: str, folder: Path, package: Package, sha256: str) -> None:
        """Accept the bytes that stand in the skill's folder. Raises SkillError: they are others by now."""
        if package.sha256 != sha256:
            raise SkillError(f"{skill_id} changed meanwhile. Look at it again.")
        try:
            self.keep(package)
            before = self.record().pins.get(skill_id)
            source, origin = (before.source, before.origin) if before is not None else (str(folder), None)
            self._pin(skill_id, Pin(sha256=sha256, source=source, origin=origin, at=self._clock()))
        except OSError as error:
            raise SkillError(f"{skill_id} was not accepted: {error.strerror or error}.") from error

    def remember_trusted(self, project_id: str, packages: Mapping[str, Package]) -> None:
        """Keep the skills of a repository as they are trusted, by place, to show what differs from them later. Raises
        OSError."""
        for package in packages.values():
            self.keep(package)
        record = self.record()
        places = {place: package.sha256 for place, package in packages.items()}
        self._save(record.model_copy(update={"trusted": {**record.trusted, project_id: places}}))

    def trusted_before(self, project_id: str, place: str) -> Package | None:
        """The skill at this place of the repository as it was trusted last, None where that is not known."""
        sha256 = self.record().trusted.get(project_id, {}).get(place, "")
        return self.kept(sha256) if sha256 else None

    def put_back(self, skill_id: str) -> None:
        """Bring the accepted bytes back in the place of others. Raises SkillError."""
        pin = self.record().pins.get(skill_id)
        package = self.kept(pin.sha256) if pin is not None else None
        if pin is None or package is None:
            raise SkillError(f"The accepted files of {skill_id} are not kept any more.")
        self.install(skill_id, package, source=pin.source, origin=pin.origin)

    def standing(self, skill_id: str) -> str:
        """The digest of the skill as its files are, "" where there is none, "?" where they are no skill."""
        if not is_name(skill_id) or not os.path.lexists(self.folder / skill_id):
            return ""
        try:
            return package_in(self.folder / skill_id).sha256
        except SkillError:
            return "?"

    def become(self, skill_id: str, now: str, to: str) -> None:
        """Put the accepted bytes of digest `to` in the place of those of `now`, which go to the trash; "": none.

        Raises:
            SkillError: others stand there by now, or these are not kept any more.
        """
        if self.standing(skill_id) != now:
            raise SkillError(f"{skill_id} changed meanwhile. Look at it in Settings › Skills.")
        if not to:
            self.uninstall(skill_id)
            return
        gone = (one.pin for one in reversed(self.record().removed) if one.skill_id == skill_id)
        pin = next((one for one in gone if one is not None and one.sha256 == to), None)
        package = self.kept(to) if pin is not None else None
        if pin is None or package is None:
            raise SkillError(f"The files of {skill_id} from before are not kept any more.")
        self.install(skill_id, package, source=pin.source, origin=pin.origin)

    def uninstall(self, skill_id: str) -> None:
        """Move the skill to the trash for 30 days. Raises SkillError: there is none, or it could not be moved."""
        if not is_name(skill_id) or not (self.folder / skill_id).is_dir():
            raise SkillError(f"There is no skill '{skill_id}' of yours.")
        try:
            self._away(skill_id)
        except OSError as error:
            raise SkillError(f"{skill_id} was not taken away: {error.strerror or error}.") from error

    def restore(self, token: str) -> str:
        """Bring a skill back from the trash with its pin; its id. Raises SkillError."""
        record = self.record()
        found = next((one for one in record.removed if one.token == token), None)
        place = self._trash / token
        if found is None or not place.is_dir():
            raise SkillError("This skill is not in the trash any more.")
        if (self.folder / found.skill_id).exists():
            raise SkillError(f"There is a skill '{found.skill_id}' again. Take that away first.")
        pins = {**record.pins, **({found.skill_id: found.pin} if found.pin is not None else {})}
        try:
            make_private_folder(self.folder)
            place.rename(self.folder / found.skill_id)
            left = tuple(one for one in record.removed if one.token != token)
            self._save(record.model_copy(update={"pins": pins, "removed": left}))
        except OSError as error:
            raise SkillError(f"{found.skill_id} was not brought back: {error.strerror or error}.") from error
        return found.skill_id

    def set_aside(self, what: What, name: str, package: Package) -> None:
        """Keep an agent or a command in the trash, before another takes its place. Raises OSError."""
        make_private_folder(self._trash)
        token = f"{what}-{name}-{new_id('')}"
        write_package(self._trash / token, package)
        record = self.record()
        gone = Removed(token=token, what=what, skill_id=name, at=self._clock())
        self._save(record.model_copy(update={"removed": (*record.removed, gone)}))

    def set_aside_before(self, token: str) -> tuple[Removed, Package]:
        """An agent or a command in the trash. Raises SkillError: it is not there any more."""
        found = next((one for one in self.record().removed if one.token == token), None)
        if found is None:
            raise SkillError("This is not in the trash any more.")
        return found, package_in(self._trash / token)

    def forget_aside(self, token: str) -> None:
        """It is back in its place."""
        record = self.record()
        left = tuple(one for one in record.removed if one.token != token)
        self._save(record.model_copy(update={"removed": left}))
        shutil.rmtree(self._trash / token, ignore_errors=True)

    def is_single(self, token: str) -> bool:
        """Whether what lies there is an agent or a command."""
        return any(one.token == token and one.what != "skill" for one in self.record().removed)

    def tidied(self) -> tuple[Removed, ...]:
        """The skills in the trash, newest first; what is older than 30 days is deleted now, and so are copies that
        nothing is compared with any more."""
        record = self.record()
        oldest = self._clock() - timedelta(days=KEPT_DAYS)
        there = tuple(one for one in record.removed if one.at > oldest and (self._trash / one.token).is_dir())
        for one in set(record.removed) - set(there):
            shutil.rmtree(self._trash / one.token, ignore_errors=True)
        if there != record.removed:
            self._save(record.model_copy(update={"removed": there}))
        self._forget_copies()
        return tuple(reversed(there))

    def keep(self, package: Package) -> None:
        """Keep a copy by its digest, to show a difference from it later, and to bring it back. Raises OSError."""
        place = self._copies / package.sha256
        if not place.is_dir():
            make_private_folder(self._copies)
            part = self._copies / f".new-{new_id('')}"
            write_package(part, package)
            part.rename(place)

    def kept(self, sha256: str) -> Package | None:
        """The copy with this digest, None where it is not kept any more, or is not what it was."""
        try:
            package = package_in(self._copies / sha256)
        except SkillError:
            return None
        return package if package.sha256 == sha256 else None

    def _forget_copies(self) -> None:
        record = self.record()
        pins = (*record.pins.values(), *(one.pin for one in record.removed if one.pin is not None))
        wanted = {pin.sha256 for pin in pins}.union(*(places.values() for places in record.trusted.values()))
        for copy in self._copies.iterdir() if self._copies.is_dir() else ():
            if copy.name not in wanted:
                shutil.rmtree(copy, ignore_errors=True)

    def _away(self, skill_id: str) -> None:
        """What stands in the place of the skill goes to the trash. Raises OSError."""
        place = self.folder / skill_id
        if not os.path.lexists(place):
            return
        make_private_folder(self._trash)
        record = self.record()
        token = f"{skill_id}-{new_id('')}"
        gone = Removed(token=token, skill_id=skill_id, at=self._clock(), pin=record.pins.get(skill_id))
        pins = {name: pin for name, pin in record.pins.items() if name != skill_id}
        self._save(record.model_copy(update={"pins": pins, "removed": (*record.removed, gone)}))
        place.rename(self._trash / token)

    def _pin(self, skill_id: str, pin: Pin) -> None:
        record = self.record()
        self._save(record.model_copy(update={"pins": {**record.pins, skill_id: pin}}))

    def _save(self, record: Record) -> None:
        make_private_folder(self._file.parent)
        text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
        write_durably(self._file, text.encode())
        self._read = ((0, 0), Record())
