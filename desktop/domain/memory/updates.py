"""Updates about the memory: what is in it, what was found, what a model was given."""

from datetime import datetime
from typing import ClassVar, Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Stand, Update
from desktop.domain.memory.values import Category, Entry, GuardClass, MemoryHit, ScoreParts


class MemoryChanged(Update):
    """The memory of the open repository and of the person is another one: how many entries count or may come to, wait
    for a person, and are archived."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    entries: int = 0
    review: int = 0
    archived: int = 0


class MemorySaved(Answer):
    """What a person wrote is kept under this id."""

    memory_id: str


class MemoryFound(Answer):
    """The entries that were asked for, in order. `gone`: the chats that they come from which were deleted since;
    `problem`: why there are none, or why they are not in the order that was wished for, a sentence."""

    hits: tuple[MemoryHit, ...] = ()
    gone: tuple[str, ...] = ()
    problem: str = ""


class GivenEntry(Frozen):
    """An entry as a model was given it. `entry` None: it is gone for good. `newer`: it says something else by now."""

    memory_id: str
    version: int
    parts: ScoreParts
    entry: Entry | None = None
    newer: bool = False


class GivenTurn(Frozen):
    """A turn whose lookups can be shown. `said`: how what was asked of it begins; `given`: how many entries."""

    turn_id: str
    at: datetime
    said: str = ""
    given: int = 0


class MemoryGiven(Answer):
    """What a model was given in a turn, in order; `searched` False: nothing was looked up. `turns`: the last turn and
    those before in which something was, newest first."""

    turn_id: str = ""
    guard: GuardClass = "none"
    searched: bool = False
    found: int = 0
    given: tuple[GivenEntry, ...] = ()
    turns: tuple[GivenTurn, ...] = ()


class MemoryExported(Answer):
    """The entries were written to these files."""

    files: tuple[str, ...] = ()
    entries: int = 0


class ImportItem(Frozen):
    """Something that could be kept. `kind`: a new entry of an export; one that is there already; one that is there with
    another text, which would be proposed; a statement of other Markdown. `problem`: why it cannot be kept."""

    content: str
    kind: Literal["new", "same", "proposal", "statement"]
    memory_id: str = ""
    category: Category = "fact"
    problem: str = ""

    @property
    def can_be_kept(self) -> bool:
        """Whether it may be ticked."""
        return self.kind != "same" and not self.problem


class ImportPreviewed(Answer):
    """What could be kept of the files at `path`; `problem`: why nothing can be, a sentence."""

    path: str
    sha256: str = ""
    items: tuple[ImportItem, ...] = ()
    problem: str = ""


class MemoryImported(Answer):
    """What was ticked is kept: so many new entries, and so many proposals for entries that are there."""

    added: int = 0
    proposed: int = 0
