"""Events of skills: what the model was told that it can load, and what was loaded."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import By, EventBase


class ListedSkill(Frozen):
    """A skill of the catalogue. `sha256`: of all its files."""

    skill_id: str
    description: str = ""
    sha256: str = ""


class SkillsListed(EventBase):
    """The skills that the model knows of from here on. `in_prompt`: they stand in the prompt; else a note tells what
    changed, and they stand there after the next compaction or clear."""

    type: Literal["skills_listed"] = "skills_listed"
    skills: tuple[ListedSkill, ...] = ()
    in_prompt: bool = False


class SkillUsed(EventBase):
    """A skill was loaded: its text, or one of its files. `sha256`: of all its files then. `by` person: with a slash
    command; tool: by a call of the agent."""

    type: Literal["skill_used"] = "skill_used"
    skill_id: str
    sha256: str = ""
    file: str = ""
    by: By = "tool"
    call_id: str = ""
