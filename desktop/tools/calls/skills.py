"""What tools ask of the skills of a chat."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from pydantic import JsonValue

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


@dataclass(frozen=True)
class SkillChange:
    """What became of a skill of the person's own: the digests of its files as they are now and as they were, "" for no
    skill. `answer`: what they said to a proposal."""

    skill_id: str
    now: str = ""
    before: str = ""
    answer: Answer | None = None

    @property
    def values(self) -> dict[str, JsonValue]:
        """For the record of the call."""
        return {"skill": self.skill_id, "sha256": self.now, "before": self.before}


class ProposeSkill(Protocol):
    """Shows a person a skill that the agent wants installed."""

    def __call__(self, call_id: str, place: str, skill_id: str, ask: Ask, /) -> Awaitable[SkillChange]:
        """Show the skill at this place of the lane and install exactly what was shown if the person says yes. Raises
        BanksmanError with what is in the way."""


class RemoveSkill(Protocol):
    """Takes a skill of the person's own away, after they allowed the call."""

    def __call__(self, skill_id: str, /) -> Awaitable[SkillChange]:
        """Move it to the trash. Raises BanksmanError with what is in the way."""
