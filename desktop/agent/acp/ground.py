"""What a connection of an editor stands on: the engine's parts that it works with, and who is at the other end."""

from desktop.agent.acp.carrier import Carrier
from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.records import dataclass


@dataclass(frozen=True)
class AcpGround:
    """`carrier` carries out commands of the person at the editor; `here` says whether there is a window too."""

    carrier: Carrier
    sessions: Sessions
    ground: Ground
    settings: SettingsKeeper
    here: Surroundings


@dataclass(frozen=True)
class Client:
    """The program at the other end, as it says itself. `forms`, `terminal`, `reads`: it can show forms, start a program
    on a terminal, and tell what it has of a file. `in_checkout`: the person configured it to work in the checkout."""

    name: str = "editor"
    forms: bool = False
    terminal: bool = False
    reads: bool = False
    in_checkout: bool = False

    @property
    def person(self) -> str:
        """As whose the answers of the person there are recorded."""
        return f"acp:{self.name}"
