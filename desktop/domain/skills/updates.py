"""Updates about skills and agents from files, as people see them."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer
from desktop.domain.skills.review import Origin, SkillReview, What

Standing = Literal["on", "hidden", "fault", "review"]

THE_CHECKOUT, IN_LANE = "the checkout", "the lane "
"""How a place with skills is named; behind the second stands the name of the lane."""


class SkillRow(Frozen):
    """A skill and how it stands; `why`: it is not on, a sentence. `place`: its folder, of the lane for one of the
    repository; `notes`: what else its file says, sentences. `accepted`: bytes of it were accepted once, and can be
    brought back. `origin`: where it was fetched."""

    skill_id: str
    scope: Literal["person", "repository"]
    state: Standing
    why: str = ""
    place: str = ""
    description: str = ""
    source: str = ""
    files: int = 0
    size: int = 0
    notes: tuple[str, ...] = ()
    accepted: bool = False
    origin: Origin | None = None


class RemovedSkill(Frozen):
    """A skill in the trash, or an agent or a command, with the day on which it is deleted."""

    token: str
    what: What = "skill"
    skill_id: str
    until: str


class AgentRow(Frozen):
    """An agent from a file and how it stands; `notes`: what else it says, sentences."""

    name: str
    scope: Literal["person", "repository"]
    state: Standing
    why: str = ""
    place: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()


class WaitingTrust(Frozen):
    """Skills or agents of a repository that nobody trusts as they are. `label`: where they stand; `sha256`: what a
    yes binds; `names`: each with its description; in the same order `places`: the folders of skills, `notes`: what is
    said of the files of agents, `texts`: what they say."""

    what: Literal["skills", "agents"]
    label: str
    sha256: str
    names: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    notes: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()


class SkillsLoaded(Answer):
    """All skills and agents from files, a person's first, those in the trash, and what waits for trust. `folder`: that
    of the person's skills."""

    skills: tuple[SkillRow, ...] = ()
    removed: tuple[RemovedSkill, ...] = ()
    agents: tuple[AgentRow, ...] = ()
    waiting: tuple[WaitingTrust, ...] = ()
    folder: str = ""
    command_id: str = ""


class SkillImport(Frozen):
    """A skill of another program, or what a commit holds. `place`: its whole path, or that in the commit; `problem`:
    why it cannot be installed, a sentence."""

    what: What = "skill"
    skill_id: str
    program: str
    place: str
    description: str = ""
    problem: str = ""


class SkillImportsFound(Answer):
    """The skills of other programs."""

    imports: tuple[SkillImport, ...] = ()
    command_id: str = ""


class SkillReviewed(Answer):
    """A skill to look at."""

    review: SkillReview
    command_id: str = ""
