"""What a guest's driver needs of whoever starts guests: a process that speaks the protocol, and what is known of it."""

from pathlib import Path
from typing import Protocol

from desktop.domain.core.errors import CommandError
from desktop.policy.guests.permission import CommandFrom
from desktop.records import dataclass
from desktop.services.acp.wire import Wire, WireHandler


class GuestFailed(CommandError):
    """The guest cannot go on with its turn; the text is a sentence for people. `code`: why, as a word."""


@dataclass(frozen=True)
class GuestWords:
    """What is known of a guest before it runs. `asking_mode`, `plan_mode`: its own modes in which it asks before it
    acts and in which it only plans, "" for none; `command_from`: where it says what it will run; `asks`: whether it
    asks before it acts at all; `reads_files`: files are read for it."""

    id: str
    label: str
    asking_mode: str = ""
    plan_mode: str = ""
    command_from: CommandFrom = "rawInput"
    asks: bool = True
    reads_files: bool = False


@dataclass(frozen=True)
class GuestEnd:
    """How the process of a guest ended. `detail`: its last lines, without secrets."""

    exit_status: int | None = None
    detail: str = ""


class RunningGuest(Protocol):
    """The process of a guest."""

    @property
    def wire(self) -> Wire:
        """The connection to it, which is read as long as it lives."""

    @property
    def program(self) -> str:
        """The file that its name leads to."""

    @property
    def program_sha256(self) -> str:
        """The digest of that file, "" where it is not known."""

    async def ended(self) -> GuestEnd:
        """Once the process is over."""

    async def end(self) -> GuestEnd:
        """End it, with all that it began. May be called again."""


class GuestStarter(Protocol):
    """Starts guests."""

    def words(self, guest_id: str) -> GuestWords:
        """What is known of it. Raises CommandError: there is no such guest here."""

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: WireHandler, shown: tuple[Path, ...] = ()
    ) -> RunningGuest:
        """Start one for a chat in its lane. `shown`: what it sees of hidden places beside its own. Raises
        BanksmanError: it cannot be started."""
