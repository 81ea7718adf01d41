"""What tools may ask for in a chat beside its files and commands: each thing a protocol, offered by some theme.

`Tool.needs` names those without which a tool is not offered, `ToolContext.offer` gives one of them to its handler.
"""

from typing import Protocol

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
