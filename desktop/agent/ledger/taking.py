"""What a kind of step needs to be looked at and taken: the protocol, and the values that pass."""

from dataclasses import field
from typing import Literal, Protocol, TypeVar

from desktop.agent.core.session import Session
from desktop.domain.core.errors import CommandError
from desktop.domain.ledger.updates import ThreeWay
from desktop.domain.undo.steps import Step
from desktop.records import dataclass
from desktop.services.databases.kept_rows import Row
from desktop.services.git.trees.listing import TreeEntry

StepKind_contra = TypeVar("StepKind_contra", contravariant=True)


@dataclass(frozen=True)
class Look:
    """A step as it stands now. `text`: what it would do, or what stands in its way; `key`: all that this was said by,
    for the digest; `paths`: files that change, or that stand in the way; `three_way`: some of those, to compare."""

    verdict: Literal["ready", "done", "blocked"]
    text: str
    key: str = ""
    paths: tuple[str, ...] = ()
    three_way: tuple[ThreeWay, ...] = ()


@dataclass
class Ahead:
    """What the steps of a plan before this one will have changed: files by path, branches, rows by their key, files
    that are put back by the bytes a call kept, and skills by their digest."""

    files: dict[str, TreeEntry | None] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    rows: dict[str, Row | None] = field(default_factory=dict)
    by_bytes: set[str] = field(default_factory=set)
    skills: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Took:
    """A step that was taken. `opposite`: what takes that back, None where nothing does."""

    text: str
    opposite: Step | None = None
    paths: tuple[str, ...] = ()


class Taker(Protocol[StepKind_contra]):
    """Looks at steps of one kind and takes them."""

    async def look(self, session: Session, step: StepKind_contra, ahead: Ahead) -> Look:
        """How the step stands, once all that is `ahead` is done; adds to that what it changes. Changes nothing else.

        Raises:
            BanksmanError: it cannot be found out.
        """

    async def take(self, session: Session, step: StepKind_contra) -> Took:
        """Take the step, after a look in that moment; what was taken already is taken.

        Raises:
            BanksmanError: it does not fit any more; nothing of it was done.
        """


def blocked(look: Look) -> CommandError:
    """The refusal of a step that does not fit."""
    return CommandError("not_undone", look.text)
