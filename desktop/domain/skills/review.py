"""SkillReview: a skill as a person looks at it before its bytes are installed, accepted or trusted (memory-SK10)."""

from typing import Literal

from desktop.domain.core.base import Frozen

What = Literal["skill", "agent", "command"]


class ReviewFile(Frozen):
    """A file of the skill. `script`: a program could run it; `text`: what it says, None for what is no text, or is too
    long to be shown (`note` says so). `change`: against what was accepted before."""

    path: str
    size: int
    sha256: str
    executable: bool = False
    script: bool = False
    text: str | None = None
    note: str = ""
    change: Literal["", "new", "changed", "same"] = ""


class Origin(Frozen):
    """Where a skill was fetched. `branch`: what was asked for, "" for what the repository begins with; `folder`: below
    its top; `commit`: the one that it was read from."""

    address: str
    branch: str = ""
    folder: str = ""
    commit: str = ""


class SkillReview(Frozen):
    """A skill that waits for a person's yes, which binds exactly the bytes of `sha256`. `what`: it is one, or an agent
    or a command that comes as one file.

    `source`: where it comes from, in words; `replaces`: the digest of what was accepted under this id before, "" for
    nothing; `removed`: its files that are not here any more; `difference`: from it, as a unified diff, "" where there
    is none to show. `problem`: why it cannot be installed, a sentence. `marks`: what to look at, sentences; `tools`,
    `secrets`: what its SKILL.md asks for, which grants nothing.
    """

    kind: Literal["skill"] = "skill"
    what: What = "skill"
    call_id: str = ""
    skill_id: str
    source: str
    commit: str = ""
    sha256: str
    description: str = ""
    files: tuple[ReviewFile, ...] = ()
    replaces: str = ""
    removed: tuple[str, ...] = ()
    difference: str = ""
    tools: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    problem: str = ""
    blocking: bool = True
