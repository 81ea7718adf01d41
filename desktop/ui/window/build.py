"""The window's real parts: what the program and its tests hand to MainWindow."""

from datetime import UTC, datetime

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.window.inspector import Inspector
from desktop.ui.window.parts import Parts
from desktop.ui.window.welcome import Welcome


def utc_now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def window_parts(settings: QSettings, clock: Clock = utc_now, drafts: Drafts | None = None) -> Parts:
    """Transcript, tray, inspector and welcome page; ages are told by `clock`, drafts of cards kept in `settings`.

    `drafts`: of messages, shared with other windows."""

    def transcript(parent: QWidget) -> TranscriptView:
        return TranscriptView(parent, clock=clock)

    def tray(sink: CommandSink, clock: Clock, parent: QWidget) -> PendingTray:
        return PendingTray(sink, clock, parent, settings=settings)

    def inspector(sink: CommandSink, parent: QWidget) -> Inspector:
        return Inspector(sink, clock, parent)

    return Parts(transcript=transcript, tray=tray, inspector=inspector, welcome=Welcome, drafts=drafts)
