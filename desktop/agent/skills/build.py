"""Skills as a theme: what the person and the repository have for agents, and what each chat knows and uses of it."""

import os
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from desktop.agent.chats.build import Chats
from desktop.agent.core.commands import Handler
from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme, handled_late, handlers_of, merged
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.skills.agents import AgentBook
from desktop.agent.skills.book import SkillBook
from desktop.agent.skills.chats import ChatSkills
from desktop.agent.skills.commands import SkillCommands, SkillParts
from desktop.agent.skills.shelf import SkillShelf
from desktop.agent.skills.singles import SingleShelf
from desktop.domain.core.command import Command
from desktop.domain.skills import remote
from desktop.domain.skills.values import AgentFile
from desktop.late import late
from desktop.store.gate.trust import ContentTrust
from desktop.tools.calls.skills import LoadSkill, ProposeSkill, RemoveSkill

if TYPE_CHECKING:
    from desktop.agent.skills.remote import RemoteSkills


class Skills:
    """`chats` knows the skills of each chat, `agents` the agents from files, `commands` changes them."""

    def __init__(self, premises: Premises, chats: Chats, log: ProjectLog, here: Surroundings) -> None:
        folders = premises.folders
        shelf = SkillShelf(folders.data, premises.clock)
        trust = {what: ContentTrust(folders.data, what) for what in ("skills", "agents")}
        book = SkillBook(shelf, trust["skills"])
        self.agents = AgentBook(folders.config, trust["agents"])
        self.chats = ChatSkills(book, lambda: chats.settings.redactor)
        chats.slash.others.add(self.chats.commands)
        chats.slash.sent_by_others.add(self.chats.called)
        parts = SkillParts(shelf, SingleShelf(shelf, folders.config), book, self.agents, trust)
        publish = premises.telling.publish
        self.commands = commands = SkillCommands(parts, chats.sessions, log, publish, premises.project)

        @cache
        def fetching() -> Mapping[type[Command], Handler]:
            fetcher = late("desktop.services.skills.fetching").SkillFetcher(here.sandbox, os.environ, here.egress)
            made: RemoteSkills = late("desktop.agent.skills.remote").RemoteSkills(
                fetcher, commands.reviews, log, publish, premises.project
            )
            return made.handlers()

        self.theme = Theme(
            "skills",
            merged(handlers_of(commands), handled_late(remote, fetching)),
            offers=(
                offer(LoadSkill, self.chats.offered),
                offer(ProposeSkill, lambda session: partial(commands.propose, session)),
                offer(RemoveSkill, lambda session: commands.remove if self.chats.offered(session) else None),
            ),
            prompt=self.chats.section,
            before_request=self.chats.before_request,
        )

    def agents_of(self, session: Session) -> tuple[AgentFile, ...]:
        """The agents from files that a chat can begin, as they are now."""
        root = session.files.root if session.files is not None else None
        return self.agents.booked(session.state.project_id, root).usable
