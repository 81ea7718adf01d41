"""PageParts: how those parts of a chat's page are made that the window chooses."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtWidgets import QWidget

from desktop.ui.chats.strips import ChatStrip
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.actions import ActionSpec
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.gate.pending_tray import PendingTray


class PageParts(Protocol):
    """What the window makes for the page."""

    @property
    def transcript(self) -> Callable[[QWidget], TranscriptView]:
        """Makes the transcript."""

    @property
    def tray(self) -> Callable[[Requests, Clock, QWidget], PendingTray]:
        """Makes the tray of waiting cards."""

    @property
    def actions(self) -> Sequence[ActionSpec]:
        """All actions of the window."""

    @property
    def strips(self) -> Callable[[QWidget], Sequence[ChatStrip]]:
        """Makes the strips between header and transcript, top first; the one of the record stands over them."""
