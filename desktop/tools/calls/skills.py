"""What tools ask of the skills of a chat."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from desktop.domain.gate.pending import Answer, InputRequest
from desktop.records import dataclass

Ask = Callable[[InputRequest], Awaitable[Answer]]


@dataclass(frozen=True)
class LoadedSkill:
    """A skill, or one of its files, as a call gets it. `place`: where commands find its files; `files`: all of them,
    and `secrets`: what it calls those that it wants, for the text of the skill alone."""

    skill_id: str
    text: str
    place: str = ""
    files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


class LoadSkill(Protocol):
    """Loads the skills that the agent of a chat knows of."""

    def __call__(self, call_id: str, skill_id: str, file: str, /) -> Awaitable[LoadedSkill]:
        """The text of a skill, or one of its files. Raises BanksmanError with what is in the way."""


class ProposeSkill(Protocol):
    """Shows a person a skill that the agent wants installed."""

    def __call__(self, call_id: str, place: str, skill_id: str, ask: Ask, /) -> Awaitable[Answer]:
        """Show the skill at this place of the lane and install exactly what was shown if the person says yes. Raises
        BanksmanError with what is in the way."""


class RemoveSkill(Protocol):
    """Takes a skill of the person's own away, after they allowed the call."""

    def __call__(self, skill_id: str, /) -> Awaitable[None]:
        """Move it to the trash. Raises BanksmanError with what is in the way."""
