"""LaneHost: what the entries of a lane's menu and their dialogs are given."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from desktop.domain.core.command import Command
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus
from desktop.domain.lanes.updates import LaneRunChanged, StackRunChanged
from desktop.domain.updates import CommandFailed
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Reply, Request, Requests


class LaneHost(Protocol):
    """Where an entry is chosen; `ui/lanes/window.py` is one."""

    window: QWidget

    def lanes(self) -> tuple[Lane, ...]:
        """All lanes of the open repository that are not deleted, oldest first."""

    def lane(self, lane_id: str) -> Lane | None:
        """The lane of that id, None if it is gone."""

    def status(self, lane_id: str) -> LaneStatus | None:
        """The newest reading of a lane, None before the first."""

    def finding(self, lane_id: str) -> LaneFinding | None:
        """What is wrong with a lane, None for nothing."""

    def run_of(self, lane_id: str) -> LaneRunChanged | None:
        """What runs in a lane, None before anything did."""

    def last_run(self) -> StackRunChanged | None:
        """The last run of rebases in the open repository, None before the first."""

    def start_chat(self, lane_id: str, text: str) -> None:
        """Begin a chat in a lane with this message, and show it."""

    def send(self, command: Command) -> None:
        """Send a command; if it is refused a toast says why."""

    def order(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Ask for this; if it is refused a toast says why beside `failed`."""

    @property
    def requests(self) -> Requests:
        """For a command whose refusal the asker shows itself."""

    def new_chat(self, lane: Lane) -> None:
        """Show the page of a new chat that is to work in this lane."""

    def show_launched(self, session_id: str) -> None:
        """One task was given to several, of which this chat is one: show them beside each other."""

    def show_lane(self, lane_id: str) -> None:
        """Select the lane's row, once it is there."""

    def ask_pull(self, name: str, lane_id: str) -> None:
        """Do something with the pull request of a lane, on its tab."""

    def chat_title(self, session_id: str) -> str:
        """The display-safe title of a chat, "" when it is not known."""

    def note(self, text: str, error: bool = False) -> None:
        """Say something in a toast."""

    def offer(self, text: str, button: str, act: Callable[[], object], lanes: Sequence[str] = ()) -> None:
        """Say something in a toast with a button that takes it back; `lanes`: the ids of those that it brings back."""

    def show(self, dialog: QDialog, hearing: Hearing | None = None, *, beside: bool = False) -> None:
        """Open a dialog over the window, which hears this until it is closed. `beside`: the window can be used
        meanwhile."""
