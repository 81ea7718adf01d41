"""What tools ask of the skills of a chat."""

from collections.abc import Awaitable
from typing import Protocol

from desktop.records import dataclass


@dataclass(frozen=True)
class LoadedSkill:
    """A skill, or one of its files, as a call gets it. `place`: where commands find its files; `files`: all of them,
    for the text of the skill alone."""

    skill_id: str
    text: str
    place: str = ""
    files: tuple[str, ...] = ()


class LoadSkill(Protocol):
    """Loads the skills that the agent of a chat knows of."""

    def __call__(self, call_id: str, skill_id: str, file: str, /) -> Awaitable[LoadedSkill]:
        """The text of a skill, or one of its files. Raises BanksmanError with what is in the way."""
