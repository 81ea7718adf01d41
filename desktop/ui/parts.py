"""The parts of the window that are handed to it: transcript, tray, inspector, welcome page, settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from desktop.domain.updates import Update
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.views.pending_tray import PendingTray
from desktop.ui.views.welcome import Welcome


class TranscriptPart(Protocol):
    """Shows one chat's messages."""

    def open(self, session_id: str) -> None:
        """Show this chat; its SessionOpened follows."""

    def apply(self, updates: list[Update]) -> None:
        """Take updates in order."""


class InspectorPart(Protocol):
    """Changes, todos and the rest of one chat."""

    def show_session(self, session_id: str) -> None:
        """Show this chat; "" for none."""

    def apply(self, updates: list[Update]) -> None:
        """Take updates in order."""


PartT_co = TypeVar("PartT_co", covariant=True)


@dataclass(frozen=True)
class Slot(Generic[PartT_co]):
    """A part and the widget it is; both are the same object."""

    widget: QWidget
    part: PartT_co


ViewT = TypeVar("ViewT", bound=QWidget)


def slot(view: ViewT) -> Slot[ViewT]:
    """The slot of a widget that is itself the part."""
    return Slot(view, view)


@dataclass(frozen=True)
class Parts:
    """How each part is made. Without an inspector there is no right region; without a welcome page a plain one."""

    transcript: Callable[[QWidget], Slot[TranscriptPart]]
    tray: Callable[[CommandSink, Clock, QWidget], PendingTray]
    inspector: Callable[[CommandSink, QWidget], Slot[InspectorPart]] | None = None
    welcome: Callable[[CommandSink, QWidget], Welcome] | None = None
