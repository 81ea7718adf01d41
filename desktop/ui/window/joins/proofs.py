"""ProofDoors: goes to whom a proof belongs: a chat, a lane, a pull request, a report."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.domain.display.text import display_text
from desktop.domain.proofs.values import ProofLink
from desktop.language import tr
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.proofs.panel import ProofsPanel
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.widgets.links import Links
from desktop.ui.window.inspector import Inspector

ARCHIVED = tr("Lane “{name}” is archived.")


class ProofDoors(QObject):
    """`show_tab` shows a tab of the inspector, `open_chat` a chat."""

    def __init__(
        self,
        inspector: Inspector,
        lanes: WindowLanes,
        panes: Panes,
        links: Links,
        doors: tuple[Callable[[str], object], Callable[[str], object]],
    ) -> None:
        super().__init__(inspector)
        self._inspector, self._lanes, self._panes, self._links = inspector, lanes, panes, links
        self._show_tab, self._open_chat = doors
        inspector.of(ProofsPanel).owner_asked.connect(self.go)

    def go(self, link: ProofLink) -> None:
        """Go to an owner; where there is none of its kind to be gone to nothing happens."""
        if link.owner == "session":
            self._open_chat(link.owner_id)
        elif link.owner == "report":
            session_id, _, event_id = link.owner_id.partition("/")
            self._open_chat(session_id)
            self._panes.active.transcript.reveal(event_id, -1)
        elif link.owner == "lane":
            self._show_lane(link.owner_id)
        elif link.address:
            self._show_address(link.address)

    def _show_lane(self, lane_id: str) -> None:
        lane = self._lanes.lane(lane_id)
        if lane is not None and lane.state == "archived":
            self._lanes.note(ARCHIVED.format(name=display_text(lane.name)))
        else:
            self._lanes.show_lane(lane_id)

    def _show_address(self, address: str) -> None:
        """The request of the chat on screen is on its tab; another one is in the browser."""
        pull = self._inspector.of(PullPanel).shown.pull
        if pull is not None and pull.url == address:
            self._show_tab("pr")
        else:
            self._links.ask(address)
