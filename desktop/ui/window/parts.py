"""How the parts of the window are made, so that a test or a program can leave some out."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from desktop.records import dataclass
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.actions import ActionSpec
from desktop.ui.core.panel import PanelSpec, all_actions
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.window.welcome import Welcome


@dataclass(frozen=True)
class Parts:
    """How each part is made. `panels`: the tabs of the inspector; without any there is no right
    region. Without a welcome page there is a plain one.

    `drafts`: those that several windows share, None for the window's own; `siblings`: those other windows.
    """

    transcript: Callable[[QWidget], TranscriptView]
    tray: Callable[[Requests, Clock, QWidget], PendingTray]
    strips: Callable[[QWidget], Sequence[ChatStrip]]
    panels: tuple[PanelSpec, ...] = ()
    welcome: Callable[[Requests, QWidget], Welcome] | None = None
    drafts: Drafts | None = None
    siblings: Callable[[], Sequence[QWidget]] = tuple

    @property
    def actions(self) -> tuple[ActionSpec, ...]:
        """All actions of the window, those of its tabs included."""
        return all_actions(self.panels)
