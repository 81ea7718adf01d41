"""SkillCommands: what people do with skills and agents from files, and what agents propose (memory-SK10)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.skills.agents import AgentBook, BookedAgent, BookedAgents
from desktop.agent.skills.book import Booked, BookedSkill, SkillBook
from desktop.agent.skills.reviews import SkillReviews
from desktop.agent.skills.shelf import KEPT_DAYS, Removed, SkillShelf
from desktop.agent.skills.singles import SingleShelf
from desktop.config.folders import typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, SkillError
from desktop.domain.core.work import Project
from desktop.domain.gate.pending import InputRequest
from desktop.domain.skills import commands as c
from desktop.domain.skills.updates import (
    IN_LANE,
    THE_CHECKOUT,
    AgentRow,
    RemovedSkill,
    SkillImport,
    SkillImportsFound,
    SkillReviewed,
    SkillRow,
    SkillsLoaded,
    WaitingTrust,
)
from desktop.domain.skills.values import AgentFile, SkillFile
from desktop.records import dataclass
from desktop.services.skills.finding import FoundSkill, package_of
from desktop.services.skills.imports import found_below
from desktop.store.gate.trust import ContentTrust, content_sha256
from desktop.tools.calls.skills import Ask, SkillChange
from desktop.tools.registry import builtin_tools


@dataclass(frozen=True)
class SkillParts:
    """What knows of skills and agents."""

    shelf: SkillShelf
    singles: SingleShelf
    book: SkillBook
    agents: AgentBook
    trust: dict[str, ContentTrust]


@dataclass(frozen=True)
class _Place:
    """A checkout or a lane with what its files bring."""

    label: str
    skills: Booked
    agents: BookedAgents


class SkillCommands:
    """All on the engine thread; files are read on worker threads, and changed by one at a time."""

    def __init__(
        self,
        parts: SkillParts,
        sessions: Sessions,
        log: ProjectLog,
        publish: Publish,
        project: Callable[[], Project | None],
    ) -> None:
        self._parts = parts
        self._sessions = sessions
        self._log = log
        self._publish = publish
        self._project = project
        self.reviews = SkillReviews(parts.shelf, parts.singles)
        self._one = asyncio.Lock()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about skills and agents."""
        return {
            c.LoadSkills: self._load,
            c.FindSkillImports: self._find_imports,
            c.ReviewSkill: self._review,
            c.InstallSkill: self._install,
            c.UninstallSkill: self._uninstall,
            c.RestoreSkill: self._restore,
            c.TrustSkills: self._trust,
        }

    async def propose(self, session: Session, call_id: str, place: str, skill_id: str, ask: Ask) -> SkillChange:
        """Show a person the skill at a place of the lane, and install exactly what was shown if they say yes.

        Raises:
            SkillError: it cannot be one, or changed after it was shown.
        """
        if session.files is None:
            raise SkillError("This chat has no lane.")
        shown = f"{place} of the lane {session.files.name}"
        review = await self.reviews.proposed(call_id, session.files.root, place, skill_id, shown)
        if review.problem:
            raise SkillError(review.problem)
        request: InputRequest = review
        answer = await ask(request)
        if answer.outcome != "allow_once":
            return SkillChange(skill_id, answer=answer)
        async with self._one:
            before = await asyncio.to_thread(self._parts.shelf.standing, skill_id)
            await self.reviews.install(skill_id, review.sha256)
        return SkillChange(skill_id, review.sha256, before, answer)

    async def remove(self, skill_id: str) -> SkillChange:
        """Move a skill of the person's own to the trash, for a call that they allowed. Raises SkillError."""
        async with self._one:
            before = await asyncio.to_thread(self._parts.shelf.standing, skill_id)
            await asyncio.to_thread(self._parts.shelf.uninstall, skill_id)
        return SkillChange(skill_id, before=before)

    async def standing(self, skill_id: str) -> str:
        """The digest of the person's skill as its files are, "" where there is none."""
        return await asyncio.to_thread(self._parts.shelf.standing, skill_id)

    async def become(self, skill_id: str, now: str, to: str) -> None:
        """Make the person's skill the accepted one of this digest again, "" for none, if it is still the one of `now`.

        Raises:
            SkillError: it is another one by now, or that one is not kept any more.
        """
        async with self._one:
            await asyncio.to_thread(self._parts.shelf.become, skill_id, now, to)

    async def _load(self, command: c.LoadSkills) -> None:
        await self._tell(command.command_id)

    async def _review(self, command: c.ReviewSkill) -> None:
        try:
            if command.source == "folder":
                review = await self.reviews.folder(typed_path(command.place))
            elif command.source == "zip":
                review = await self.reviews.zip(typed_path(command.place))
            elif command.source == "file":
                review = await self.reviews.single(typed_path(command.place))
            elif command.source == "commit":
                review = await self.reviews.fetched(command.sha256, command.place)
            else:
                scope = "person" if command.source == "own" else "repository"
                places = await asyncio.to_thread(self._places)
                meant = (one.skills for one in places if command.sha256 in ("", one.skills.repository_sha256))
                booked = next(meant, Booked())
                project = self._project()
                project_id = project.id if project is not None else ""
                review = await self.reviews.booked(booked, scope, command.place, project_id)
        except SkillError as error:
            raise CommandError("skill", str(error)) from error
        self._publish(SkillReviewed(review=review, command_id=command.command_id))

    async def _find_imports(self, command: c.FindSkillImports) -> None:
        """Nothing of them is taken over before a person has looked at one."""
        found = await asyncio.to_thread(lambda: list(found_below(Path.home())))
        imports = tuple(_import_row(program, one) for program, one in found)
        self._publish(SkillImportsFound(imports=imports, command_id=command.command_id))

    async def _install(self, command: c.InstallSkill) -> None:
        install = partial(self.reviews.install, command.skill_id, command.sha256)
        await self._done("install_skill", command, install, skill_id=command.skill_id, sha256=command.sha256)

    async def _uninstall(self, command: c.UninstallSkill) -> None:
        work = partial(asyncio.to_thread, self._parts.shelf.uninstall, command.skill_id)
        await self._done("uninstall_skill", command, work, skill_id=command.skill_id)

    async def _restore(self, command: c.RestoreSkill) -> None:
        shelf = self._parts.shelf
        work: Callable[[], object] = partial(shelf.put_back, command.skill_id)
        if command.token:
            single = await asyncio.to_thread(shelf.is_single, command.token)
            work = partial(self._parts.singles.restore if single else shelf.restore, command.token)
        moved = partial(asyncio.to_thread, work)
        await self._done("restore_skill", command, moved, skill_id=command.skill_id, token=command.token)

    async def _trust(self, command: c.TrustSkills) -> None:
        await self._done(
            "trust_skills", command, partial(self._trusted, command), sha256=command.sha256, what=command.what
        )

    async def _trusted(self, command: c.TrustSkills) -> None:
        """Keep the trust, if some place still has exactly what was shown."""
        project = self._project()
        places = await asyncio.to_thread(self._places)
        skills = command.what == "skills"
        known = {(one.skills if skills else one.agents).repository_sha256: one.skills for one in places}
        if project is None or command.sha256 not in known:
            raise SkillError(f"The {command.what} changed meanwhile. Look at them again.")
        if skills:
            shared = [one.found for one in known[command.sha256].skills if one.scope == "repository"]
            await asyncio.to_thread(self._remember, project.id, command.sha256, shared)
        self._parts.trust[command.what].trust(project.id, command.sha256)

    def _remember(self, project_id: str, sha256: str, shared: list[FoundSkill]) -> None:
        """Keep what is going to be trusted. Raises SkillError: it is something else by now, or cannot be kept."""
        packages = {one.place: package_of(one) for one in shared if one.sha256}
        if content_sha256({place: one.sha256.encode() for place, one in packages.items()}) != sha256:
            raise SkillError("The skills changed meanwhile. Look at them again.")
        try:
            self._parts.shelf.remember_trusted(project_id, packages)
        except OSError as error:
            raise SkillError(f"They were not trusted: {error.strerror or error}.") from error

    async def _done(
        self, name: str, command: Command, work: Callable[[], Awaitable[object]], **arguments: JsonValue
    ) -> None:
        """Record the intent, do it, record what came of it, and tell how all skills stand then."""
        try:
            async with self._one, self._log.operation(name, "", by="person", **arguments):
                await work()
        except SkillError as error:
            raise CommandError("skill", str(error)) from error
        await self._tell(command.command_id)

    async def _tell(self, command_id: str) -> None:
        shelf = self._parts.shelf
        async with self._one:
            places, removed = await asyncio.to_thread(lambda: (self._places(), shelf.tidied()))
        agents = [one for one in places[0].agents.agents]
        self._publish(
            SkillsLoaded(
                skills=tuple(map(_skill_row, places[0].skills.skills)),
                removed=tuple(map(_removed_row, removed)),
                agents=tuple(map(_agent_row, agents)),
                waiting=tuple(_waiting(places)),
                folder=str(shelf.folder),
                command_id=command_id,
            )
        )

    def _places(self) -> list[_Place]:
        """The checkout of the open repository, then the lanes of open chats. Blocking."""
        project = self._project()
        project_id = project.id if project is not None else ""
        roots: dict[Path | None, str] = {Path(project.path) if project is not None else None: THE_CHECKOUT}
        for session in self._sessions.opened():
            if session.files is not None and session.state.project_id == project_id:
                roots.setdefault(session.files.root, f"{IN_LANE}{session.files.name}")
        book, agents = self._parts.book, self._parts.agents
        return [
            _Place(label, book.booked(project_id, root), agents.booked(project_id, root))
            for root, label in roots.items()
        ]


def _waiting(places: list[_Place]) -> Iterator[WaitingTrust]:
    """Each content of a repository's skills or agents that nobody trusts, once."""
    seen: set[str] = set()
    for one in places:
        skills, agents = one.skills, one.agents
        if skills.repository_sha256 and not skills.trusted and skills.repository_sha256 not in seen:
            shared = [skill for skill in skills.skills if skill.scope == "repository" and skill.file is not None]
            told = tuple(f"{skill.skill_id}: {skill.file.description}" for skill in shared if skill.file is not None)
            yield WaitingTrust(
                what="skills",
                label=one.label,
                sha256=skills.repository_sha256,
                names=told,
                places=tuple(skill.found.place for skill in shared),
            )
        if agents.repository_sha256 and not agents.trusted and agents.repository_sha256 not in seen:
            files = [one.said for one in agents.agents if one.scope == "repository"]
            brought = [file for file in files if isinstance(file, AgentFile)]
            yield WaitingTrust(
                what="agents",
                label=one.label,
                sha256=agents.repository_sha256,
                names=tuple(f"{file.name}: {file.description}\n{file.path}" for file in brought),
                notes=tuple(tuple(_agent_notes(file)) for file in brought),
                texts=tuple(file.text for file in brought),
            )
        seen |= {skills.repository_sha256, agents.repository_sha256}


def _agent_notes(said: AgentFile) -> list[str]:
    """What else the file says, and what of it has no effect."""
    registry, notes = builtin_tools(), list(said.notices)
    unknown = [name for name in (*(said.tools or ()), *said.denied) if registry.resolve(name) is None]
    notes += [f"Unknown tools, ignored: {', '.join(unknown)}."] if unknown else []
    if said.tools is not None:
        notes += [f"Tools: {', '.join(said.tools)}." if said.tools else "It has no tools."]
    notes += [f"Commands that begin with: {', '.join(said.bash_words)}."] if said.bash_words else []
    return notes + ([f"Keys without effect: {', '.join(said.ignored)}."] if said.ignored else [])


def _skill_row(one: BookedSkill) -> SkillRow:
    file = one.file
    notes: list[str] = []
    if file is not None:
        notes += file.warnings
        notes += [] if file.in_catalogue else ["For people to call; agents do not choose it."]
        notes += [f"Names tools, which allows nothing: {', '.join(file.allowed_tools)}."] if file.allowed_tools else []
        notes += [f"{key}: {value}" for key, value in file.shown.items()]
        notes += [f"Keys without effect: {', '.join(file.ignored)}."] if file.ignored else []
    return SkillRow(
        skill_id=one.skill_id,
        scope=one.scope,
        state=one.state,
        why=one.why,
        place=one.found.place,
        description=file.description if file is not None else "",
        source=one.pin.source if one.pin is not None else "",
        origin=one.pin.origin if one.pin is not None else None,
        files=len(one.found.files),
        size=one.found.size,
        notes=tuple(notes),
        accepted=one.pin is not None,
    )


def _import_row(program: str, one: FoundSkill) -> SkillImport:
    file = one.said if isinstance(one.said, SkillFile) else None
    return SkillImport(
        skill_id=one.skill_id,
        program=program,
        place=str(one.root.joinpath(*one.parts)),
        description=file.description if file is not None else "",
        problem="" if file is not None else str(one.said),
    )


def _removed_row(one: Removed) -> RemovedSkill:
    until = one.at + timedelta(days=KEPT_DAYS)
    return RemovedSkill(token=one.token, what=one.what, skill_id=one.skill_id, until=until.date().isoformat())


def _agent_row(one: BookedAgent) -> AgentRow:
    said = one.said
    if not isinstance(said, AgentFile):
        return AgentRow(name=Path(said.path).stem, scope=one.scope, state=one.state, why=one.why, place=said.path)
    return AgentRow(
        name=said.name,
        scope=one.scope,
        state=one.state,
        why=one.why,
        place=said.path,
        description=said.description,
        notes=tuple(_agent_notes(said)),
    )
