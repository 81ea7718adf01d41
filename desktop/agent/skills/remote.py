"""RemoteSkills: skills that a person fetches from a repository at an address, to look at and install (memory-SK9)."""

from collections.abc import Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.skills.reviews import FromCommit, SkillReviews
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, SkillError
from desktop.domain.core.work import Project
from desktop.domain.skills import remote as r
from desktop.domain.skills.review import Origin
from desktop.domain.skills.updates import SkillImport
from desktop.domain.skills.values import SkillFile
from desktop.policy.network.hosts import Refused
from desktop.policy.network.repositories import Repository, check_repository
from desktop.services.skills.commits import CommitSkill
from desktop.services.skills.fetching import FetchedSkills, SkillFetcher
from desktop.services.skills.finding import skill_of
from desktop.services.skills.single_files import SingleFile, single_file


class RemoteSkills:
    """Engine thread only. What was fetched last is held in `reviews` until something else is."""

    def __init__(
        self,
        fetcher: SkillFetcher,
        reviews: SkillReviews,
        log: ProjectLog,
        publish: Publish,
        project: Callable[[], Project | None],
    ) -> None:
        self._fetcher = fetcher
        self._reviews = reviews
        self._log = log
        self._publish = publish
        self._project = project

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about repositories at an address."""
        return {r.CheckSkillAddress: self._check, r.FetchSkills: self._fetch}

    async def _check(self, command: r.CheckSkillAddress) -> None:
        """Nothing is asked of anybody."""
        found = _meant(command)
        port = "" if found.port == 443 else f":{found.port}"
        self._publish(
            r.SkillAddressChecked(
                address=found.address,
                host=f"{found.host.shown}{port}",
                sent_as=f"{found.host.name}{port}",
                branch=found.branch,
                folder=found.folder,
                command_id=command.command_id,
            )
        )

    async def _fetch(self, command: r.FetchSkills) -> None:
        """The intent is on record before anything leaves."""
        meant, project = _meant(command), self._project()
        said = {"address": meant.address, "branch": meant.branch, "folder": meant.folder}
        try:
            async with self._log.operation("fetch_skills", "", by="person", **said) as operation:
                fetched = await self._fetcher.fetch(meant, project.id if project is not None else "")
                operation.result["commit"] = fetched.commit
        except SkillError as error:
            raise CommandError("skill", str(error)) from error
        self._reviews.hold_commit(_held(meant, fetched))
        self._publish(
            r.SkillsFetched(
                address=meant.address,
                commit=fetched.commit,
                branch=meant.branch,
                skills=tuple(_row(meant, one) for one in fetched.skills),
                command_id=command.command_id,
            )
        )


def _meant(command: r.CheckSkillAddress | r.FetchSkills) -> Repository:
    found = check_repository(command.address, command.branch, command.folder)
    if isinstance(found, Refused):
        raise CommandError("skill", found.reason)
    return found


def _held(meant: Repository, fetched: FetchedSkills) -> list[FromCommit]:
    origin = Origin(address=meant.address, branch=meant.branch, commit=fetched.commit)
    return [
        FromCommit(one.skill_id, one.package, origin.model_copy(update={"folder": one.folder}), _single(one))
        for one in fetched.skills
        if one.package is not None
    ]


def _single(one: CommitSkill) -> SingleFile | None:
    if one.what == "skill" or one.package is None:
        return None
    (file,) = one.package.files
    return single_file(file.path, file.content, one.what)


def _row(meant: Repository, one: CommitSkill) -> SkillImport:
    if (single := _single(one)) is not None:
        told = SkillImport(what=single.what, skill_id=single.name, program=meant.host.shown, place=one.folder)
        return told.model_copy(update={"description": single.description, "problem": single.problem})
    said = skill_of(one.package, one.skill_id, one.folder or one.skill_id) if one.package is not None else None
    description = said.description if isinstance(said, SkillFile) else ""
    problem = "" if isinstance(said, SkillFile) else one.problem or str(said)
    return SkillImport(
        what=one.what,
        skill_id=one.skill_id,
        program=meant.host.shown,
        place=one.folder,
        description=description,
        problem=problem,
    )
