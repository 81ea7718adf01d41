"""LaneAhead: tells the engine that the first message of a chat with a lane of its own is being written."""

from desktop.domain.lanes.commands import PrepareLane
from desktop.domain.updates import ProjectOpened
from desktop.ui.chats.place_choice import PlaceChoice
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests


class LaneAhead:
    """Once for each draft, not for each key. A command that is typed is no message."""

    def __init__(self, requests: Requests, place: PlaceChoice) -> None:
        self._requests, self._place = requests, place
        self._told = False
        self.hearing = Hearing().on(ProjectOpened, self._on_project)

    def typed(self, text: str) -> None:
        """This is the draft of a new chat now."""
        if not self._told and self._place.place == "lane" and text.strip() and not text.startswith("/"):
            self._told = True
            self._requests.send(PrepareLane())

    def sent(self) -> None:
        """What is written from here on is another draft."""
        self._told = False

    def left(self, draft: str) -> None:
        """Another chat is shown, and this is left of the draft."""
        if self._told and not draft.strip():
            self._told = False
            self._requests.send(PrepareLane(wanted=False))

    def _on_project(self, _update: ProjectOpened) -> None:
        self._told = False
