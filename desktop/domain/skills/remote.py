"""Skills in repositories at an address: the commands about them, and what is answered (memory-SK9)."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.core.update import Answer
from desktop.domain.skills.updates import SkillImport


class CheckSkillAddress(Command):
    """What an address stands for, before anything is asked of it. → SkillAddressChecked, or CommandFailed."""

    reads: ClassVar[bool] = True
    type: Literal["check_skill_address"] = "check_skill_address"
    address: str
    branch: str = ""
    folder: str = ""


class FetchSkills(Command):
    """Fetch one commit of a repository and find its skills; nothing of it is run or kept. → SkillsFetched."""

    type: Literal["fetch_skills"] = "fetch_skills"
    address: str
    branch: str = ""
    folder: str = ""


class SkillAddressChecked(Answer):
    """What would be asked: the address in one spelling, its host in its own letters and in those that are sent."""

    address: str
    host: str
    sent_as: str
    branch: str = ""
    folder: str = ""
    command_id: str = ""


class SkillsFetched(Answer):
    """The skills of a commit; `place` of each is its folder there. `branch`: what was asked for."""

    address: str
    commit: str
    branch: str = ""
    skills: tuple[SkillImport, ...] = ()
    command_id: str = ""
