"""Agents: which agents a chat can begin: the program's own, and those that themes found for it."""

from collections.abc import Awaitable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

from desktop.agent.core.session import Session
from desktop.domain.children.values import ChildAgent
from desktop.domain.core.errors import StartError
from desktop.domain.core.listeners import Voices
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.skills.values import AgentFile, Fault
from desktop.services.skills.agent_files import read_agent
from desktop.tools.arguments import ArgumentsError
from desktop.tools.offers import KnownAgent
from desktop.tools.registry import Registry
from desktop.tools.text import one_line

MOST_TOLD, DESCRIBED_CHARS = 40, 200
BUILTIN = ("explorer", "implementer", "planner", "reviewer")


class Agents:
    """`found`: each gives the agents that a chat has beside the program's; what stands first counts, the program's own
    last (memory-SU20). `texts`: each gives the texts of the skills that an agent names. `folder`: where the program's
    own files are; they are read when the first agent is asked for."""

    def __init__(self, folder: Path, registry: Registry) -> None:
        self.found = Voices[[Session], Iterable[AgentFile]]()
        self.texts = Voices[[Session, tuple[str, ...]], Awaitable[str]]()
        self._told: WeakKeyDictionary[Session, str] = WeakKeyDictionary()
        self._folder = folder
        self._registry = registry

    def of(self, session: Session) -> dict[str, AgentFile]:
        """By name, all that this chat can begin."""
        found = [file for files in self.found(session) for file in files]
        return {file.name: file for file in reversed((*found, *self._own))}

    def told(self, session: Session) -> str:
        """A section for the prompt of a chat that can begin agents: those that themes found for it, as they were when
        it was asked first, so that a running chat keeps its prompt; "" for none."""
        if session not in self._told:
            files = {file.name: file for files in self.found(session) for file in files}
            lines = [
                f"- {file.name}: {one_line(' '.join(file.description.split()), DESCRIBED_CHARS)}"
                for file in list(files.values())[:MOST_TOLD]
            ]
            self._told[session] = "\n".join(["# Agents that task can begin", *lines]) if lines else ""
        return self._told[session]

    def find(self, session: Session, name: str) -> AgentFile:
        """The agent of that name.

        Raises:
            ArgumentsError: there is none; it names those that there are.
        """
        known = self.of(session)
        if name not in known:
            raise ArgumentsError(f'There is no agent "{name}". There are: {", ".join(sorted(known))}.')
        return known[name]

    async def whole(self, session: Session, file: AgentFile) -> AgentFile:
        """The agent with the texts of the skills that it names, as they are now."""
        texts = [await text for text in self.texts(session, file.skills)] if file.skills else []
        return replace(file, text="\n\n".join([file.text, *texts])) if texts else file

    def known(self, agent: ChildAgent, description: str = "") -> KnownAgent:
        """What the tools need to know of an agent."""
        return KnownAgent(name=agent.name, description=description, writes=self._writes(agent))

    def given(self, file: AgentFile, scope: tuple[str, ...] = ()) -> ChildAgent:
        """The agent as a child is given it, its tools by the program's own names."""
        return ChildAgent(
            name=file.name,
            sha256=file.sha256,
            text=file.text,
            tools=None if file.tools is None else tuple(map(self._proper, file.tools)),
            denied=tuple(map(self._proper, file.denied)),
            bash_words=file.bash_words,
            cap=file.cap,
            scope=scope,
        )

    @cached_property
    def _own(self) -> tuple[AgentFile, ...]:
        files = []
        for name in BUILTIN:
            path = self._folder / f"{name}.md"
            file = read_agent(path.read_bytes(), str(path))
            if isinstance(file, Fault):
                raise StartError(f"The program's own agent cannot be read. {file}")
            files.append(file)
        return tuple(files)

    def _proper(self, name: str) -> str:
        tool = self._registry.resolve(name)
        return tool.name if tool is not None else name

    def _writes(self, agent: ChildAgent) -> bool:
        """Whether it may have a tool that does more than read."""
        if agent.cap is PermissionMode.PLAN:
            return False
        return any(tool.category is not Category.READ and agent.may_have(tool.name) for tool in self._registry.tools)
