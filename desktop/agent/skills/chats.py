"""ChatSkills: what the agent of each chat knows of skills, what it loads, and what people call by a slash."""

import asyncio
import difflib
from collections.abc import Callable, Iterable
from functools import partial
from weakref import WeakKeyDictionary

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.skills.book import Booked, BookedSkill, SkillBook
from desktop.agent.skills.catalogue import catalogue, change
from desktop.domain.chats.updates import SlashCommand
from desktop.domain.core.errors import CommandError, SkillError
from desktop.domain.events import Event, UserMessage
from desktop.domain.gate.redaction import Redactor
from desktop.domain.skills.events import ListedSkill, SkillsListed, SkillUsed
from desktop.domain.skills.packages import Package
from desktop.domain.skills.values import SkillMounts
from desktop.services.processes.environment import SKILLS_VARIABLE
from desktop.services.skills.skill_files import SKILL_FILE
from desktop.tools.calls.skills import LoadedSkill, LoadSkill
from desktop.tools.untrusted import skill_text

USE_SKILL = "use_skill"
MOST_NEAR = 5
MOST_BODY_CHARS = 30_000


class ChatSkills:
    """Engine thread; the book is asked on a worker thread, one at a time. `redactor` takes keys out of what is read."""

    def __init__(self, book: SkillBook, redactor: Callable[[], Redactor]) -> None:
        self._book = book
        self._redactor = redactor
        self._reading = asyncio.Lock()
        self._turns: WeakKeyDictionary[Session, str] = WeakKeyDictionary()
        self._mounts: WeakKeyDictionary[Session, dict[str, SkillMounts]] = WeakKeyDictionary()
        self._called: WeakKeyDictionary[Session, dict[str, SkillUsed]] = WeakKeyDictionary()

    async def booked(self, session: Session) -> Booked:
        """All skills of a chat as they are now."""
        root = session.files.root if session.files is not None else None
        async with self._reading:
            return await asyncio.to_thread(self._book.booked, session.state.project_id, root)

    async def before_request(self, session: Session, turn_id: str) -> None:
        """Once a turn, record what the model can load where that changed, and put what a person called on record."""
        if self._turns.get(session) == turn_id:
            return
        self._turns[session] = turn_id
        state = session.state
        root = session.files.root if session.files is not None else None
        if not _may_load(session) or (not state.skills_known and self._book.is_empty(root)):
            return
        now = listed(await self.booked(session))
        events: list[Event] = [*self._by_people(session)]
        if now != state.skills_known:
            spoke = state.turns > 1 or (state.turn is not None and state.turn.steps > 0)
            events.append(SkillsListed(skills=now, in_prompt=not spoke))
            if spoke:
                events.append(note("skills_changed", change(state.skills_known, now), turn_id))
        if events:
            session.append_many(events)

    def section(self, session: Session) -> str:
        """The catalogue as it stands in the prompt of the chat."""
        return catalogue(session.state.skills_in_prompt) if _may_load(session) else ""

    def offered(self, session: Session) -> LoadSkill | None:
        """What loads skills for the agent, None where there is none to load."""
        state = session.state
        told = state.skills_in_prompt or state.skills_known or state.skills_used
        return partial(self.load, session) if told else None

    async def load(self, session: Session, call_id: str, skill_id: str, file: str) -> LoadedSkill:
        """The text of a skill for a call, or one of its files, put on record with the result.

        Raises:
            SkillError: it cannot be loaded; the sentence says why.
        """
        booked = await self.booked(session)
        skill = _usable(booked, session, skill_id)
        async with self._reading:
            package = await asyncio.to_thread(self._book.package, skill)
        text = self._text(skill, package, file)
        session.hold(SkillUsed(skill_id=skill_id, sha256=package.sha256, file=file, call_id=call_id))
        if file:
            return LoadedSkill(skill_id=skill_id, text=text, place=place_of(skill))
        secrets = tuple(one.name for one in self._remember(session, skill, package).mounts)
        files = tuple(one.path for one in package.files)
        return LoadedSkill(skill_id=skill_id, text=text, place=place_of(skill), files=files, secrets=secrets)

    def mounts(self, session: Session, skill_id: str) -> SkillMounts:
        """What a skill wants of secrets, of which this chat loaded the text since the program began."""
        return self._mounts.get(session, {}).get(skill_id, SkillMounts())

    def commands(self, session: Session) -> tuple[SlashCommand, ...]:
        """The skills of a chat that people can call. Blocking."""
        root = session.files.root if session.files is not None else None
        if self._book.is_empty(root):
            return ()
        booked = self._book.booked(session.state.project_id, root)
        return tuple(
            SlashCommand(
                name=one.skill_id,
                description=one.file.description,
                path=f"{one.found.place}/{SKILL_FILE}",
                body="",
                source="skill",
                usable=one.state == "on",
            )
            for one in booked.skills
            if one.file is not None and one.file.by_person and one.state in ("on", "review")
        )

    async def bodies(self, session: Session, skill_ids: Iterable[str]) -> str:
        """The texts of these skills, in order, of at most 30,000 characters together; what cannot be given is named."""
        booked = await self.booked(session)
        async with self._reading:
            return await asyncio.to_thread(self._bodies, booked, skill_ids)

    def _bodies(self, booked: Booked, skill_ids: Iterable[str]) -> str:
        texts: list[str] = []
        left = MOST_BODY_CHARS
        for skill_id in skill_ids:
            skill = booked.get(skill_id)
            try:
                if skill is None or skill.state != "on":
                    raise SkillError("It is not there, or nobody accepted it.")
                text = skill_text(skill_id, self._text(skill, self._book.package(skill), ""))
                if len(text) > left:
                    raise SkillError("Together with the others it is too long.")
                left -= len(text)
            except SkillError as error:
                text = f"The skill {skill_id} was not given: {error}"
            texts.append(text)
        return "\n\n".join(texts)

    def called(self, session: Session, skill_id: str, words: str) -> str:
        """The message that a person's `/<id> [words]` sends: their words and the text of the skill. Blocking.

        Raises:
            CommandError: the skill cannot be loaded.
        """
        root = session.files.root if session.files is not None else None
        try:
            skill = self._book.booked(session.state.project_id, root).get(skill_id)
            if skill is None or skill.state != "on":
                raise SkillError(f"The skill '{skill_id}' waits for your review: look at it in Settings, Skills.")
            package = self._book.package(skill)
            text = self._text(skill, package, "")
        except SkillError as error:
            raise CommandError("skill", str(error)) from error
        self._remember(session, skill, package)
        used = SkillUsed(skill_id=skill_id, sha256=package.sha256, by="person")
        self._called.setdefault(session, {})[skill_id] = used
        asked = words or f"Go by the skill {skill_id}."
        others = [file.path for file in package.files if file.path != SKILL_FILE]
        more = [f"Commands find its files in {place_of(skill)}: {', '.join(others)}"] if others else []
        return "\n\n".join([asked, skill_text(skill_id, text), *more])

    def _remember(self, session: Session, skill: BookedSkill, package: Package) -> SkillMounts:
        """What the skill wants of secrets, as the bytes say that were given."""
        mounts = SkillMounts(place_of(skill), self._book.said(skill, package).mounts)
        self._mounts.setdefault(session, {})[skill.skill_id] = mounts
        return mounts

    def _text(self, skill: BookedSkill, package: Package, file: str) -> str:
        if not file or file == SKILL_FILE:
            return self._redactor().redact(self._book.said(skill, package).body).text
        content = package.content(file)
        if content is None:
            raise SkillError(f"The skill has no file '{file}'. It has: {', '.join(one.path for one in package.files)}")
        try:
            return self._redactor().redact(content.decode("utf-8")).text
        except UnicodeDecodeError as error:
            raise SkillError(f"'{file}' is no text; a command can use it at {place_of(skill)}/{file}.") from error

    def _by_people(self, session: Session) -> list[SkillUsed]:
        """The skills that people called in messages of this turn."""
        waiting = self._called.pop(session, {})
        if not waiting:
            return []
        shown = [event.display for event in session.turn_events() if isinstance(event, UserMessage)]
        said = {words[0].removeprefix("/") for text in shown if (words := text.split())}
        return [used for skill_id, used in waiting.items() if skill_id in said]


def _may_load(session: Session) -> bool:
    """Whether the chat is none of a sub-agent whose file leaves it no skills to load."""
    agent = session.state.agent
    return agent is None or agent.may_have(USE_SKILL)


def listed(booked: Booked) -> tuple[ListedSkill, ...]:
    """The skills that a model is told of."""
    return tuple(
        ListedSkill(skill_id=one.skill_id, description=one.file.description, sha256=one.found.sha256)
        for one in booked.skills
        if one.state == "on" and one.file is not None and one.file.in_catalogue
    )


def place_of(skill: BookedSkill) -> str:
    """The folder of the skill, as commands name it."""
    below = "/".join(skill.found.parts)
    return f"${SKILLS_VARIABLE}/{below}" if skill.scope == "person" else below


def _usable(booked: Booked, session: Session, skill_id: str) -> BookedSkill:
    """The skill that an agent asks for. Raises SkillError."""
    skill = booked.get(skill_id)
    if skill is None:
        names = [one.skill_id for one in booked.skills if one.state == "on"]
        near = difflib.get_close_matches(skill_id, names, MOST_NEAR) or names[:MOST_NEAR]
        meant = f" There is: {', '.join(near)}." if near else ""
        raise SkillError(f"There is no skill '{skill_id}'.{meant}")
    if skill.state == "review":
        raise SkillError(f"The skill '{skill_id}' waits for a person's review. {skill.why}")
    if skill.state != "on" or skill.file is None:
        raise SkillError(f"The skill '{skill_id}' cannot be loaded. {skill.why}")
    known = session.state.skills_used.get(skill_id)
    if not skill.file.in_catalogue and (known is None or not known.by_person):
        raise SkillError(f"The skill '{skill_id}' is for people to call.")
    return skill
