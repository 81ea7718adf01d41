"""The person's terminals as a theme."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.use import LaneUse
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.terminals.commands import TerminalCommands

if TYPE_CHECKING:
    from desktop.agent.guests.starting.signing_in import SigningIn


def terminals_theme(
    ground: Ground,
    publish: Publish,
    use: LaneUse,
    sessions: Sessions,
    settings: SettingsKeeper,
    signing_in: "Callable[[], SigningIn]",
) -> Theme:
    """Terminals work in lanes, so `use` ends those of a lane that goes."""
    terminals = TerminalCommands(ground, publish, use, sessions, settings, signing_in)
    return Theme("terminals", handlers_of(terminals), attendants=(terminals,))
