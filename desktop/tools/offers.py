"""What tools may ask for in a chat beside its files and commands: each thing a protocol, offered by some theme.

`Tool.needs` names those without which a tool is not offered, `ToolContext.offer` gives one of them to its handler.
"""

from collections.abc import Awaitable
from typing import Literal, Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.memory.values import AgentCategory, Importance, MemoryHit
from desktop.tools.pull_calls import ChatPulls


class WorkingLane(Protocol):
    """The lane that the chat works in."""

    @property
    def name(self) -> str:
        """The name by which people call the lane."""


class Shell(Protocol):
    """The shell that runs the chat's commands with bash."""

    @property
    def has_bash(self) -> bool:
        """Whether bash was found."""


class BackgroundShells(Protocol):
    """Commands of the chat that run, or ran, in the background."""

    def only_shell(self) -> str:
        """The id of the one there is, or of the one that runs."""


class Person(Protocol):
    """Somebody who can answer cards in this process."""


class GitHubPulls(ChatPulls, Protocol):
    """Pushes and requests where somebody is signed in to a host of the repository."""


class OpenPull(ChatPulls, Protocol):
    """Pushes and requests where somebody is signed in, and the lane has an open pull request."""


class Attachment(Protocol):
    """Gives the content of a file that a person attached to the chat. Any thread."""

    def __call__(self, name: str, /) -> bytes | None:
        """The bytes of the file of that name, None for none."""


class ToRemember(Frozen):
    """A statement as an agent wants it remembered."""

    content: str
    category: AgentCategory
    importance: Importance = "medium"
    pin: bool = False
    strict: bool = False
    files: tuple[str, ...] = ()


MemoryScope = Literal["project", "agent", "mission"]


class ChatMemory(Protocol):
    """What the chat may look up and remember. Each raises BanksmanError with what the agent is told."""

    def search(
        self, call_id: str, query: str, limit: int, scope: MemoryScope | None, owner: str, /
    ) -> Awaitable[tuple[MemoryHit, ...]]:
        """The best hits; on record, also when there is none."""

    def add(self, call_id: str, wanted: ToRemember, scope: MemoryScope, owner: str, /) -> Awaitable[str]:
        """What came of it, as a sentence."""

    def pin(self, call_id: str, memory_id: str, pinned: bool, /) -> str:
        """Pin or unpin an entry; what came of it, as a sentence."""
