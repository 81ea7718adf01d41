"""Sample chats, lanes and events for tests of the window, and a window with its real parts."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.config.settings import ANTHROPIC_ENDPOINT, Settings
from desktop.domain.core.command import Command
from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.event_base import EventBase
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity, Project, SessionSummary, WaitingInput
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    SessionStarted,
    ToolCallDecided,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import ApprovalRequest, GrantOffer
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import EngineReady, KeysChanged, KeyState, ProjectOpened, SessionOpened, SessionsChanged
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.build import PANELS, lane_strips, whole_window
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.parts import Parts

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
PROJECT = Project(id="prj_1", name="shop-api", path="/srv/shop-api", branch="main")
SETTINGS = Settings(
    endpoints=(ANTHROPIC_ENDPOINT.model_copy(update={"default_model": "opus"}),),
    default_endpoint="anthropic",
)


class Recorder:
    """Stands where the engine begins: keeps the commands that a person's actions send."""

    def __init__(self) -> None:
        self.sent: list[Command] = []

    def send(self, command: Command) -> None:
        self.sent.append(command)

    def last(self) -> Command:
        return self.sent[-1]

    def kinds(self) -> list[str]:
        return [command.type for command in self.sent]


def ago(**parts: float) -> datetime:
    return NOW - timedelta(**parts)


def make_lane(n: int, name: str) -> Lane:
    return Lane(
        id=f"ln_{n:012x}", project_id=PROJECT.id, name=name, branch=f"lane/{name}", worktree_path=f"/srv/lanes/{name}",
        device=1, inode=n, created_at=ago(days=1), base_ref="main",
    )  # fmt: skip


def make_chat(n: int, title: str, lane: Lane | None = None, **changes: object) -> SessionSummary:
    fields: dict[str, object] = {
        "session_id": f"ses_{n:032x}", "title": title, "mode": PermissionMode.EDIT, "endpoint_id": "anthropic",
        "model": "opus", "created_at": ago(days=1), "last_activity_at": ago(minutes=5), "turns": 1, "branch": "main",
    }  # fmt: skip
    if lane is not None:
        fields |= {"lane_id": lane.id, "lane_name": lane.name, "branch": lane.branch}
    return SessionSummary.model_validate({**fields, **changes})


def waits(kind: str = "approval", title: str = "Run SQL", minutes: float = 2, n: int = 1) -> WaitingInput:
    fields = {"input_id": f"inp_{n:032x}", "kind": kind, "title": title, "since": ago(minutes=minutes)}
    return WaitingInput.model_validate(fields)


def sandbox(level: str = "full", **changes: object) -> SandboxReport:
    """A report of that level, with an escape of each outcome that the level allows."""
    probes: list[dict[str, str]] = [
        {"name": "write_home", "outcome": "passed"}, {"name": "write_sibling", "outcome": "passed"},
    ]  # fmt: skip
    if level == "limited":
        probes += [
            {"name": "tcp", "outcome": "failed", "gap": "A command can reach servers on this computer."},
            {"name": "mount", "outcome": "skipped", "gap": "Not tried: A command can mount file systems."},
        ]
    fields: dict[str, object] = {
        "id": "sbx_1", "level": level, "tier": {"full": "bwrap", "limited": "landlock"}.get(level, "none"),
        "probes": [] if level == "none" else probes, "at": ago(minutes=4), "binary": "/usr/bin/bwrap",
        "version": "bubblewrap 0.9.0",
        "reason": "bubblewrap does not work here: setting up uid map: Permission denied." if level == "none" else "",
    }  # fmt: skip
    return SandboxReport.model_validate({**fields, **changes})


LANE = make_lane(1, "fix-login")
IDLE = make_chat(1, "Explain the retry policy")
IN_LANE = make_chat(2, "Fix login redirect loop", LANE)
WAITING = make_chat(3, "Bump sqlglot", LANE, activity=Activity.WAITING_INPUT, waiting=(waits(),))


def started(*chats: SessionSummary, lanes: tuple[Lane, ...] = (LANE,), settings: Settings = SETTINGS) -> list[Update]:
    """What the engine says until a repository and its chats are there."""
    return [
        EngineReady(settings=settings),
        KeysChanged(keys=(KeyState(endpoint_id="anthropic", place="keyring", tail="1234"),)),
        ProjectOpened(project=PROJECT),
        SessionsChanged(sessions=chats),
        LanesChanged(lanes=lanes),
    ]


def envelopes(session_id: str, *events: EventBase, first: int = 0) -> list[Envelope]:
    return [
        Envelope.model_validate(
            {
                "event_id": f"evt_{session_id[-8:]}{seq:024x}", "session_id": session_id, "seq": seq,
                "parent_id": f"evt_{session_id[-8:]}{seq - 1:024x}" if seq else None, "at": ago(minutes=3),
                "event": event,
            }
        )
        for seq, event in enumerate(events, start=first)
    ]  # fmt: skip


def begun(mode: PermissionMode = PermissionMode.EDIT, title: str = "Fix login redirect loop") -> SessionStarted:
    return SessionStarted(endpoint_id="anthropic", model="opus", title=title, mode=mode, branch="lane/fix-login")


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},), turn_id="trn_1")


def card_events() -> tuple[EventBase, ...]:
    """A turn that waits for a person."""
    card = Card(title="Run SQL on staging", blocks=(CodeBlock(language="sql", text="DELETE FROM sessions"),))
    request = ApprovalRequest(
        call_id="call_1", card=card, category="bash", reason="It may change data.", rule="sql.write", digest="a" * 64,
        mode=PermissionMode.EDIT, grants=(GrantOffer(scope="once", covers="this statement"),),
    )  # fmt: skip
    call = {"type": "tool_use", "id": "call_1", "name": "sql_query", "input": {"sql": "DELETE FROM sessions"}}
    return (
        begun(),
        TurnStarted(turn_id="trn_1"),
        said("Clean up"),
        AssistantMessage(message_id="msg_1", parts=(call,), turn_id="trn_1"),
        ToolCallDecided(
            call_id="call_1", name_called="sql_query", tool="sql_query", verdict=Verdict.ASK, rule="sql.write",
            mode=PermissionMode.EDIT, card=card,
        ),
        InputRequested(input_id=waits().input_id, call_id="call_1", request=request),
    )  # fmt: skip


def make_window(folder: Path, sink: Recorder, *, inspector: bool = False) -> MainWindow:
    """A window with its real parts and settings in `folder`, not shown yet."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    install_theme(app)
    parts = Parts(
        transcript=lambda parent: TranscriptView(parent, clock=lambda: NOW),
        tray=lambda s, clock, parent: PendingTray(s, clock, parent, settings=ini(folder, "tray")),
        strips=lane_strips(ini(folder, "window"), lambda: NOW),
        panels=PANELS if inspector else (),
    )
    return whole_window(sink, lambda: NOW, parts, ini(folder, "window"))


def show_active(qtbot: QtBot, window: QWidget) -> None:
    """Show it as the one that has the keys, in the size of a window."""
    qtbot.addWidget(window)
    window.resize(1360, 840)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


def chat_window(qtbot: QtBot, folder: Path, sink: Recorder) -> MainWindow:
    """A window with its inspector that shows a chat that does nothing."""
    window = make_window(folder, sink, inspector=True)
    qtbot.addWidget(window)
    window.resize(1360, 840)
    window.show()
    window.apply_updates(started(IDLE))
    window.open_chat(IDLE.session_id)
    return window


def fill(window: MainWindow, chat: SessionSummary, *events: EventBase) -> None:
    """The events of a chat come."""
    opened = SessionOpened(session_id=chat.session_id, envelopes=tuple(envelopes(chat.session_id, *events)))
    window.apply_updates([opened])


def ini(folder: Path, name: str) -> QSettings:
    return QSettings(str(folder / f"{name}.ini"), QSettings.Format.IniFormat)


def find(root: QObject, name: str, kind: type[QWidget] = QWidget) -> QWidget:
    """The one widget of that name below `root`."""
    found = root.findChild(kind, name)
    assert found is not None, f"there is no {name}"
    return found
