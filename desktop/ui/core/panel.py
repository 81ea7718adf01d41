"""Panel and PanelSpec: what a tab of the inspector is, and what a theme says of the one it has."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.records import dataclass
from desktop.ui.core.actions import ACTIONS, ActionSpec, tab_action
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock

UNCOUNTED = -1
_TABS_AFTER = "previous_chat"


class Panel(QWidget):
    """Follows the shown chat. `hearing`: what it hears, also while its tab is not shown. `counted`: the number beside
    the title of the tab, 0 for none, UNCOUNTED for none although there is something to see; `noted`: a sentence for a
    toast, and whether it tells of a failure."""

    hearing: Hearing
    counted = Signal(int)
    noted = Signal(str, bool)

    def show_session(self, session_id: str) -> None:
        """Show another chat; "" for none."""
        raise NotImplementedError

    def give_back(self) -> None:
        """A chat is opened, perhaps the one that is shown: what the panel laid over it goes."""


@dataclass(frozen=True)
class PanelSpec:
    """One tab: its `title`, the action that shows it, and what makes its panel. `name` is what it is asked for by, in
    every language; `says` is the title of the action, `keys` its key sequences, `icon` its icon."""

    name: str
    title: str
    says: str
    keys: tuple[str, ...]
    icon: str
    make: Callable[[Requests, Clock, QWidget], Panel]

    @property
    def action(self) -> ActionSpec:
        """The action that shows the tab and puts the focus there."""
        return tab_action(self.name, self.says, self.keys, self.icon)


def all_actions(panels: Sequence[PanelSpec]) -> tuple[ActionSpec, ...]:
    """The actions of a window with these tabs, as the palette lists them."""
    at = next(at for at, spec in enumerate(ACTIONS) if spec.id == _TABS_AFTER) + 1
    return (*ACTIONS[:at], *(panel.action for panel in panels), *ACTIONS[at:])
