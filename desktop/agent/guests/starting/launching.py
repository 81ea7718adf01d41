"""What a guest's driver needs of whoever starts guests: a process that speaks the protocol, and what is known of it."""

from pathlib import Path
from typing import Protocol

from desktop.domain.core.errors import CommandError
from desktop.domain.core.usage import Usage
from desktop.domain.guests.updates import GuestListing
from desktop.domain.guests.values import GuestGatewayWay, GuestSignIn
from desktop.policy.guests.controls import GuestKeeping
from desktop.policy.guests.permission import CommandFrom
from desktop.records import dataclass
from desktop.services.acp.wire import Wire, WireHandler
from desktop.services.guests.launch import GatewaySignIn
from desktop.services.processes.tree import ProcessFacts


class GuestFailed(CommandError):
    """The guest cannot go on with its turn; the text is a sentence for people. `code`: why, as a word."""


@dataclass(frozen=True)
class GuestWords:
    """What is known of a guest before it runs. `asking_mode`, `plan_mode`: its own modes in which it asks before it
    acts and in which it only plans, "" for none; `command_from`: where it says what it will run; `asks`: whether it
    asks before it acts at all; `writes_unasked`: it writes without asking unless it is in its asking mode;
    `confirms_mode`: it says so when its mode was set; `reads_files`: files are read for it; `taken`: names of tools
    that it takes from no server."""

    id: str
    label: str
    asking_mode: str = ""
    plan_mode: str = ""
    command_from: CommandFrom = "rawInput"
    asks: bool = True
    writes_unasked: bool = False
    confirms_mode: bool = True
    reads_files: bool = False
    asks_when_changed: bool = False
    taken: tuple[str, ...] = ()


@dataclass(frozen=True)
class GuestEnd:
    """How the process of a guest ended. `detail`: its last lines, without secrets."""

    exit_status: int | None = None
    detail: str = ""


@dataclass(frozen=True)
class GuestsFound:
    """The agents that are known. `faults`: what is wrong in their files, in sentences."""

    guests: tuple[GuestListing, ...]
    faults: tuple[str, ...] = ()

    def problem(self, guest_id: str) -> str:
        """Why this one cannot work here, "" if it can."""
        found = next((one for one in self.guests if one.id == guest_id), None)
        if found is None:
            return f"There is no agent '{guest_id[:40]}' here. Choose another one."
        return found.problem


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

    @property
    def gateway(self) -> GatewaySignIn | None:
        """What it is to be told of its model service once it has introduced itself, None: nothing."""

    @property
    def stamp(self) -> tuple[str, ...]:
        """As what it was started, as `GuestStarter.stamp`."""

    async def running(self) -> frozenset[ProcessFacts]:
        """What runs of it now, itself included."""

    async def end_others(self, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
        """End what runs of it, is not among `kept` and does not end within 2 s; what was ended."""

    async def ended(self) -> GuestEnd:
        """Once the process is over."""

    async def end(self) -> GuestEnd:
        """End it, with all that it began. May be called again."""


class SignInProgram(Protocol):
    """A program that waits to be started in a terminal, in the sandbox. `close` when it is over, also when it never
    began."""

    @property
    def argv(self) -> tuple[str, ...]:
        """Its words."""

    @property
    def env(self) -> dict[str, str]:
        """Its variables."""

    @property
    def cwd(self) -> Path:
        """Where it is started."""

    @property
    def inherits(self) -> tuple[int, ...]:
        """What the starting call must pass on."""

    def started(self) -> None:
        """It has what it inherits now."""

    def close(self) -> None:
        """End what is left of it. Blocking, shortly."""


class GuestEar(WireHandler, Protocol):
    """What a guest says, and what passes of what it has its model do. The two do not raise."""

    def may_ask_model(self) -> str:
        """Why its model may not be asked any more, "" if it may."""

    def on_counted(self, usage: Usage, model: str, cost_microusd: int | None) -> None:
        """An answer of its model is over. `usage`: empty where the service told none; `cost_microusd` None: nobody
        knows."""


class GuestStarter(Protocol):
    """Starts guests."""

    def words(self, guest_id: str) -> GuestWords:
        """What is known of it. Raises CommandError: there is no such guest here."""

    async def kept(self, guest_id: str) -> GuestKeeping:
        """What would keep it, started now. Raises as `words`."""

    async def choose_model(self, guest_id: str) -> str:
        """Before its first start: where the service of new chats speaks as it asks, it asks its model through that
        (guests-A36). The name of the service, "" where none was chosen now."""

    async def introduced(self, guest_id: str, way: GuestGatewayWay | None) -> None:
        """It has introduced itself. `way`: how it can be told of a model service where its variables are not known,
        None: it cannot."""

    async def stamp(self, guest_id: str) -> tuple[str, ...]:
        """As what it would be started now: one that was started as something else is started anew. Raises
        CommandError: it cannot be."""

    async def program_sha256(self, guest_id: str) -> str:
        """The digest of the program that would be started now, "" where it is not known. Raises as `stamp`."""

    async def listed(self) -> GuestsFound:
        """All that are known here."""

    async def given_files(self, guest_id: str) -> dict[str, tuple[int, int, int]]:
        """The files of the person's own folders that it may change, but for what it writes there with each session;
        {}: it has none of them."""

    async def sign_in(self, guest_id: str, told: GuestSignIn | None) -> SignInProgram | None:
        """The program that signs it in; None: neither its table nor `told`, what it says of itself, knows one. Raises
        BanksmanError: it cannot be started."""

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: GuestEar, shown: tuple[Path, ...] = ()
    ) -> RunningGuest:
        """Start one for a chat in its lane. `shown`: what it sees of hidden places beside its own. Raises
        BanksmanError: it cannot be started."""
