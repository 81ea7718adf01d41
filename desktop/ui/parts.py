"""How the parts of the window are made, so that a test or a program can leave some out."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from desktop.ui.drafts import Drafts
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.views.inspector import Inspector
from desktop.ui.views.pending_tray import PendingTray
from desktop.ui.views.transcript_view import TranscriptView
from desktop.ui.views.welcome import Welcome


@dataclass(frozen=True)
class Parts:
    """How each part is made. Without an inspector there is no right region; without a welcome page a plain one.

    `drafts`: those that several windows share, None for the window's own.
    """

    transcript: Callable[[QWidget], TranscriptView]
    tray: Callable[[CommandSink, Clock, QWidget], PendingTray]
    inspector: Callable[[CommandSink, QWidget], Inspector] | None = None
    welcome: Callable[[CommandSink, QWidget], Welcome] | None = None
    drafts: Drafts | None = None
