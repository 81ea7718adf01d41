"""What files for agents say: a skill, an agent, or what is wrong with the file. Pure values."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from desktop.domain.core.permissions import PermissionMode
from desktop.records import dataclass


@dataclass(frozen=True)
class Fault:
    """Why a file is not used. `line`: from 1, 0 for the file as a whole; `text`: a sentence."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        """The file, the line and the sentence."""
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {self.text}"


@dataclass(frozen=True)
class AgentFile:
    """An agent as its file describes it (memory-SU20). `text`: what its prompt gets; `sha256`: of the file.

    `tools`: names as they are written, None where the file lists none; `denied`: those taken away again. `bash_words`:
    the beginnings that simple commands of bash must have, () for any. `model`: an id, a class (haiku, sonnet, opus) or
    `inherit`. `max_turns`: 0 for no cap of its own. `cap`: the widest mode, None for that of the parent. `skills`:
    their ids, in order. `ignored`: keys that have no effect; `notices`: sentences about what was read otherwise than
    it is written.
    """

    path: str
    sha256: str
    name: str
    description: str
    text: str
    tools: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()
    bash_words: tuple[str, ...] = ()
    model: str = "inherit"
    max_turns: int = 0
    skills: tuple[str, ...] = ()
    cap: PermissionMode | None = None
    lane: Literal["same", "own"] = "same"
    background: bool = False
    ignored: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class SecretMount:
    """A secret as a skill wants it: what the skill calls it, and the variable that holds the value, or the path of a
    file with it."""

    name: str
    way: Literal["env", "file"]
    variable: str


@dataclass(frozen=True)
class SkillMounts:
    """What a skill wants of secrets. `place`: its folder, as commands name it; "" where no such skill was loaded."""

    place: str = ""
    mounts: tuple[SecretMount, ...] = ()


@dataclass(frozen=True)
class SkillFile:
    """A skill as its SKILL.md describes it (memory-SK1). `body`: the text after the front matter; `sha256`: of the
    file. `allowed_tools`: shown, grants nothing. `in_catalogue`: agents are told of it; `by_person`: people may call
    it as a slash command. `secrets`: names that it asks for; `mounts`: how it
    wants them. `shown`: further keys that people see; `ignored`: those
    without effect; `warnings`: sentences."""

    path: str
    sha256: str
    name: str
    description: str
    body: str
    allowed_tools: tuple[str, ...] = ()
    in_catalogue: bool = True
    by_person: bool = True
    secrets: tuple[str, ...] = ()
    mounts: tuple[SecretMount, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
