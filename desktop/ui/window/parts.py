"""How the parts of the window are made, so that a test or a program can leave some out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.window.inspector import Inspector
from desktop.ui.window.welcome import Welcome


@dataclass(frozen=True)
class Parts:
    """How each part is made. Without an inspector there is no right region; without a welcome page a plain one.

    `drafts`: those that several windows share, None for the window's own.
    """

    transcript: Callable[[QWidget], TranscriptView]
    tray: Callable[[CommandSink, Clock, QWidget], PendingTray]
    strips: Callable[[QWidget], Sequence[ChatStrip]]
    inspector: Callable[[CommandSink, QWidget], Inspector] | None = None
    welcome: Callable[[CommandSink, QWidget], Welcome] | None = None
    drafts: Drafts | None = None
