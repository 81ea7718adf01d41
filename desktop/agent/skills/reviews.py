"""SkillReviews: skills that people look at, and what they then do with exactly those bytes (memory-SK10)."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from desktop.agent.skills.book import Booked, BookedSkill
from desktop.agent.skills.shelf import SkillShelf
from desktop.agent.skills.singles import SingleShelf
from desktop.domain.core.errors import SkillError
from desktop.domain.skills.packages import Package
from desktop.domain.skills.review import Origin, SkillReview
from desktop.policy.memory.writes import speaks_of_permission
from desktop.records import dataclass
from desktop.services.skills.archives import read_zip
from desktop.services.skills.finding import package_below, package_in, package_of
from desktop.services.skills.reviewing import review
from desktop.services.skills.single_files import SingleFile, read_single, single_review

MOST_HELD = 8


@dataclass(frozen=True)
class FromCommit:
    """A skill of a commit that was fetched, or an agent or a command; its bytes are in memory alone."""

    skill_id: str
    package: Package
    origin: Origin
    single: SingleFile | None = None


@dataclass(frozen=True)
class Place:
    """Where a review is from. `shown`: in words; `own`: the folder of a skill that is there already; `origin`: the
    commit that it was fetched from."""

    shown: str
    call_id: str = ""
    own: Path | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class Reviewed:
    """A skill that was shown: its bytes, and how to read them once more."""

    review: SkillReview
    package: Package
    again: Callable[[], Package]
    place: Place


class SkillReviews:
    """Engine thread; files are read on worker threads. The newest reviews are held, so that a yes has something to
    bind to."""

    def __init__(self, shelf: SkillShelf, singles: SingleShelf) -> None:
        self._shelf = shelf
        self._singles = singles
        self._held: dict[tuple[str, str], Reviewed] = {}
        self._fetched: tuple[FromCommit, ...] = ()

    def hold_commit(self, skills: Iterable[FromCommit]) -> None:
        """Have these to be looked at, in place of those that were fetched before."""
        self._fetched = tuple(skills)

    async def fetched(self, commit: str, folder: str) -> SkillReview:
        """A skill of the commit that was fetched last. Raises SkillError: it is none of it."""
        one = next((one for one in self._fetched if (one.origin.commit, one.origin.folder) == (commit, folder)), None)
        if one is None:
            raise SkillError("This was not fetched, or something else was meanwhile. Fetch it again.")
        shown = f"{one.origin.address}, {folder}" if folder else one.origin.address
        single = one.single
        if single is not None:
            return await self._hold_single(lambda: single, Place(shown, origin=one.origin))
        return await self._hold(one.skill_id, lambda: one.package, Place(shown, origin=one.origin))

    async def folder(self, path: Path) -> SkillReview:
        """A skill in a folder that a person picked, to be installed. Raises SkillError."""
        return await self._hold(path.resolve().name, lambda: package_in(path), Place(str(path)))

    async def proposed(self, call_id: str, root: Path, place: str, skill_id: str, source: str) -> SkillReview:
        """A skill at a place of a lane, to be installed, reached through no link. Raises SkillError."""
        parts = tuple(place.split("/"))
        return await self._hold(skill_id, lambda: package_below(root, parts), Place(source, call_id))

    async def single(self, path: Path) -> SkillReview:
        """An agent or a command in a file that a person picked, to be installed. Raises SkillError."""
        return await self._hold_single(lambda: read_single(path), Place(str(path)))

    async def zip(self, path: Path) -> SkillReview:
        """A skill in a zip file, to be installed. Raises SkillError."""
        name, _ = await asyncio.to_thread(read_zip, path)
        return await self._hold(name, lambda: read_zip(path)[1], Place(str(path)))

    async def booked(self, booked: Booked, scope: str, place: str, project_id: str) -> SkillReview:
        """A skill as it stands: the person's own, to be accepted, or one of the repository, to be looked at. Raises
        SkillError: there is none at this place."""
        found = next((one for one in booked.skills if one.scope == scope and one.found.place == place), None)
        if found is None:
            raise SkillError(f"There is no skill at '{place}' any more.")
        own = found.found.root.joinpath(*found.found.parts) if scope == "person" else None
        if own is not None:
            return await self._hold(found.skill_id, lambda: package_of(found.found), Place("your skills", own=own))
        return await asyncio.to_thread(self._shared, found, project_id)

    def _shared(self, found: BookedSkill, project_id: str) -> SkillReview:
        """One of the repository, beside how it was when it was trusted last. It is not held: trust is for all of
        them."""
        package, place = package_of(found.found), found.found.place
        before = self._shelf.trusted_before(project_id, place)
        source = f"{place} of the repository"
        return review(found.skill_id, package, source=source, before=before, speaks_of_permission=speaks_of_permission)

    async def install(self, skill_id: str, sha256: str) -> None:
        """Install or accept what was reviewed under this digest. One at a time.

        Raises:
            SkillError: it was not reviewed, is another one by now, or could not be written.
        """
        reviewed = self._held.get((skill_id, sha256))
        if reviewed is None:
            raise SkillError(f"{skill_id} was not looked at in this form. Look at it again.")
        if reviewed.review.problem:
            raise SkillError(reviewed.review.problem)
        await asyncio.to_thread(self._install, reviewed)
        self._held.pop((skill_id, sha256), None)

    def _install(self, reviewed: Reviewed) -> None:
        shown = reviewed.review
        if reviewed.again().sha256 != shown.sha256:
            raise SkillError(f"{shown.skill_id} changed after it was shown. Look at it again.")
        place = reviewed.place
        if shown.what != "skill":
            (file,) = reviewed.package.files
            self._singles.install(shown.what, shown.skill_id, file.content)
        elif place.own is not None:
            self._shelf.accept(shown.skill_id, place.own, reviewed.package, shown.sha256)
        else:
            self._shelf.install(shown.skill_id, reviewed.package, source=shown.source, origin=place.origin)

    async def _hold(self, skill_id: str, read: Callable[[], Package], place: Place) -> SkillReview:
        def made() -> Reviewed:
            package = read()
            pin = self._shelf.record().pins.get(skill_id)
            before = self._shelf.kept(pin.sha256) if pin is not None else None
            shown = review(
                skill_id,
                package,
                source=place.shown,
                before=before,
                speaks_of_permission=speaks_of_permission,
                commit=place.origin.commit if place.origin is not None else "",
            ).model_copy(update={"call_id": place.call_id})
            return Reviewed(shown, package, read, place)

        return self._keep(await asyncio.to_thread(made))

    async def _hold_single(self, read: Callable[[], SingleFile], place: Place) -> SkillReview:
        def made() -> Reviewed:
            single = read()
            before = self._singles.current(single.what, single.name) if not single.problem else None
            commit = place.origin.commit if place.origin is not None else ""
            shown = single_review(single, before, place.shown, commit, speaks_of_permission)
            return Reviewed(shown, single.package, lambda: read().package, place)

        return self._keep(await asyncio.to_thread(made))

    def _keep(self, reviewed: Reviewed) -> SkillReview:
        while len(self._held) >= MOST_HELD:
            self._held.pop(next(iter(self._held)))
        self._held[(reviewed.review.skill_id, reviewed.review.sha256)] = reviewed
        return reviewed.review
