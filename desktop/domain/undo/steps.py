"""Step: one thing that takes something back, as a value that can be stored, looked at and carried out later."""

from typing import Annotated, Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import BlobRef
from desktop.domain.gate.rules import Rule


class TreeStep(Frozen):
    """Files of the lane become what they were in one checkpoint, where they are as in the other. `paths`: files and
    folders, none for all that differ. `call_id`: whose bytes stand in for files that no checkpoint holds."""

    kind: Literal["tree"] = "tree"
    then: str
    now: str
    paths: tuple[str, ...] = ()
    call_id: str = ""


class BranchStep(Frozen):
    """The branch goes from one commit to another and the files stay; where that does not go any more, a commit turns
    `at` round. `to` "": its first parent. `forward`: it goes on to a commit that was taken back; `turn`: a commit turns
    it round in any case."""

    kind: Literal["branch"] = "branch"
    branch: str
    at: str
    to: str = ""
    forward: bool = False
    turn: bool = False


class RowsStep(Frozen):
    """Rows of a database become what they were. `database`: which it was that the connection led to, "" for any;
    `rows`: what they were and what they became; `back` False: what they became again."""

    kind: Literal["rows"] = "rows"
    connection: str
    database: str = ""
    rows: BlobRef
    count: int = 0
    back: bool = True


class RuleStep(Frozen):
    """A rule is removed, or saved again."""

    kind: Literal["rule"] = "rule"
    rule: Rule
    save: bool = False


class SkillStep(Frozen):
    """The person's skill becomes the accepted one of digest `to` again, where it is the one of `at`; "" for none."""

    kind: Literal["skill"] = "skill"
    skill_id: str
    at: str = ""
    to: str = ""


Act = Literal[
    "delete_lane", "restore_lane", "archive_lane", "unarchive_lane", "name_lane", "switch_lane",
    "delete_memory", "restore_memory", "archive_memory", "unarchive_memory",
    "close_pull", "reopen_pull", "unresolve_thread", "resolve_thread",
    "delete_reply", "put_proofs_back",
    "lift_boundary",
]  # fmt: skip


class ActStep(Frozen):
    """Something is done to what `subject` names. `text`: a name that it gets, or of what there is meant; `version`: as
    which it must stand, 0 for any."""

    kind: Literal["act"] = "act"
    act: Act
    subject: str
    text: str = ""
    version: int = 0


Step = Annotated[TreeStep | BranchStep | RowsStep | RuleStep | SkillStep | ActStep, Field(discriminator="kind")]
