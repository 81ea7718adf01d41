"""The window's real parts: what the program and its tests hand to MainWindow."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from desktop.domain.core.clock import utc_now
from desktop.ui.audit.panel import AUDIT
from desktop.ui.changes.tab import CHANGES
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.context.todos import TODOS
from desktop.ui.core.layout_store import LAYOUT, LayoutStore
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock, CommandSink
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.history.timeline import TIMELINE
from desktop.ui.lanes.setup_strip import SetupStrip
from desktop.ui.lanes.stacks.behind_notes import BehindNotes
from desktop.ui.lanes.stacks.behind_strip import BehindStrip
from desktop.ui.lanes.stacks.operation_strip import OperationStrip
from desktop.ui.lanes.strip import LaneStrip
from desktop.ui.ledger.panel import LEDGER
from desktop.ui.memory.panel import MEMORY
from desktop.ui.proofs.panel import PROOFS
from desktop.ui.pulls.panel import pull_panel
from desktop.ui.rounds.issues import IssuesPage
from desktop.ui.window.contents import Contents
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.parts import Parts
from desktop.ui.window.slow_parts import slow_parts
from desktop.ui.window.welcome import Welcome

PANELS = (CHANGES, pull_panel((IssuesPage,)), PROOFS, TODOS, AUDIT, TIMELINE, LEDGER, MEMORY)
"""The tabs of the inspector, from the left. Their titles stand in `front/front.py` too, for the first paint."""


def window_parts(
    settings: QSettings,
    clock: Clock = utc_now,
    drafts: Drafts | None = None,
    siblings: Callable[[], Sequence[QWidget]] = tuple,
) -> Parts:
    """Transcript, tray, inspector and welcome page; ages are told by `clock`, drafts of cards kept in `settings`.

    `drafts`: of messages, shared with `siblings`, the other windows of the program."""

    def transcript(parent: QWidget) -> TranscriptView:
        return TranscriptView(parent, clock=clock)

    def tray(requests: Requests, clock: Clock, parent: QWidget) -> PendingTray:
        return PendingTray(requests, clock, parent, settings=settings)

    strips = lane_strips(settings, clock)
    return Parts(
        transcript=transcript,
        tray=tray,
        strips=strips,
        panels=PANELS,
        welcome=Welcome,
        drafts=drafts,
        siblings=siblings,
    )


def filled(window: MainWindow, sink: CommandSink, clock: Clock, parts: Parts) -> Iterator[None]:
    """Put behind the front of a window what is not there yet; other things can be done where it yields."""
    made = yield from slow_parts(window, sink, clock, parts)
    window.take(Contents(window, clock, parts, made))


def whole_window(
    sink: CommandSink, clock: Clock, parts: Parts, settings: QSettings, layout: str = LAYOUT
) -> MainWindow:
    """A window with all that is in it, not shown."""
    window = MainWindow(clock, settings, layout, tuple(spec.title for spec in parts.panels))
    for _ in filled(window, sink, clock, parts):
        pass
    return window


def lane_strips(settings: QSettings, clock: Clock) -> Callable[[QWidget], Sequence[ChatStrip]]:
    """What is said of a chat's lane over the chat; what a person puts off there is kept in `settings`."""
    notes = BehindNotes(LayoutStore(settings), clock)

    def made(parent: QWidget) -> Sequence[ChatStrip]:
        return LaneStrip(parent), OperationStrip(parent), SetupStrip(parent), BehindStrip(notes, parent)

    return made
