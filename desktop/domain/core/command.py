"""Command: what a person can ask of the engine, and what is so of each of them."""

from dataclasses import field
from typing import ClassVar

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.ids import new_command_id
from desktop.domain.core.passing import Passing


class Command(Passing):
    """`command_id` lets the sender recognise its answer, or its CommandFailed.

    `reads`: carried out also while the store can only be read, because it records nothing of a chat. `on_imported`:
    allowed on a chat that came from a file and that nobody continued yet, because it neither lets the model speak nor
    changes what it will be told. `is_answered`: false of those that come many a second and that nothing answers.
    `log_first`: the log of its chat is read before it is carried out; false of what has it read itself.
    """

    reads: ClassVar[bool] = False
    on_imported: ClassVar[bool] = False
    is_answered: ClassVar[bool] = True
    log_first: ClassVar[bool] = True

    type: str
    command_id: str = field(default_factory=new_command_id)


class Spoken(Command):
    """A command with words of a person that come to be on record: the engine takes secrets out of them first."""

    text: str


class CheckedCommand(Frozen, Command):
    """A command whose fields have limits, which hold when it is made."""

    command_id: str = Field(default_factory=new_command_id)
