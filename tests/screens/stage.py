"""Stage: the whole program for one scene: a home folder, a repository, a model service, the engine and the window."""

import asyncio
import shutil
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QWidget

from desktop.app import Start, first_window
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import AnswerInput, CheckEndpoint, NewSession, RenameSession, SendMessage, SetMode
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.events import Envelope, InputRequested, InputResolved, TurnEnded
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.updates import ActivityChanged, EndpointChecked, SessionsChanged
from desktop.program import Program
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.theme.theme import theme
from desktop.ui.window.front.application import Application
from desktop.ui.window.inspector import Inspector
from desktop.ui.window.main_window import MainWindow
from tests.agent.rig import folders_below
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest, http_failure
from tests.fakes.model_turns import Answer as ModelAnswer

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
WAIT_S = 30.0
QUIET_S = 0.12
CARD_S = 0.35
GUARD_S = 0.6
READ_S = 0.8  # what is known is told first, and again with what git says; both in one where they come together
_ROUNDS = 3  # what takes a place may ask for another one
_ON_CARDS = ("approval_", "credential_", "question_", "plan_", "interrupted_", "rule_")
T = TypeVar("T")
MODELS = (
    {"id": "opus", "display_name": "Opus", "max_input_tokens": 200_000},
    {"id": "sonnet", "display_name": "Sonnet", "max_input_tokens": 1_000_000},
    {"id": "haiku", "display_name": "Haiku", "max_input_tokens": 200_000},
)


class _Last(QObject):
    """Is told when all that was posted before it, and what that led to, was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = asyncio.get_running_loop().create_future()
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), Qt.EventPriority.LowEventPriority.value - 1)

    def event(self, event: QEvent) -> bool:
        """It was."""
        if event.type() is QEvent.Type.User and not self.taken.done():
            self.taken.set_result(None)
        return super().event(event)


async def _all_taken() -> None:
    last = _Last()  # kept until it was told
    await last.taken


class StandingClock:
    """Shows 14:02 until a scene sets it to another time. Read by window and engine."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at

    def back(self, **ago: float) -> None:
        """As long before 14:02 as `ago` says (parts of a timedelta)."""
        self.at = NOW - timedelta(**ago)


@dataclass(frozen=True)
class Setting:
    """What a scene starts from. `repository` None: none is opened. `settings`: with `endpoint`, what is another of the
    model's service."""

    home: Path
    repository: Path | None
    settings: dict[str, Any] = field(default_factory=dict)
    key_needed: bool = False


class Stage:
    """Raises TimeoutError, naming what was waited for, when something does not happen within 30 s."""

    def __init__(self, app: Application, setting: Setting, api: FakeModelApi) -> None:
        self.clock = StandingClock()
        self.updates: list[Update] = []
        self.home = setting.home
        self._app, self._setting = app, setting
        self._answers: dict[str, deque[ModelAnswer]] = {}
        self._by_model: dict[str, deque[ModelAnswer]] = {}
        api.answer_with(self._answer)
        self._folders = folders_below(setting.home / ".banksman")
        self._url = api.url
        self._write_settings()
        self._program: Program | None = None

    async def start(self) -> None:
        """Open the window and wait until the engine is there, and the repository if there is one."""
        settings = self._write_settings()
        start = Start(self._setting.repository, theme="light")
        window = first_window(start, self._folders, settings, self.clock)
        window.show()
        self._program = Program(self._app, start, self._folders, window, clock=self.clock)
        for _ in self._program.filling():
            pass
        self._program.bridge.batch.connect(self.updates.extend, Qt.ConnectionType.QueuedConnection)  # after the window
        self.window.activateWindow()
        QCursor.setPos(QPoint(1900, 1190))
        await self.until(lambda: self.window.engine.ready, "the engine")
        if self._setting.repository is not None:
            await self.until(lambda: self.window.engine.project is not None, "the repository")

    async def stop(self) -> None:
        """Close the window and stop the engine."""
        program, self._program = self._program, None
        if program is None:
            return
        program.window.hide()
        await asyncio.to_thread(program.bridge.stop, 5.0)
        await asyncio.sleep(0)
        program.window.deleteLater()
        program.deleteLater()
        await asyncio.sleep(0.01)

    @property
    def folders(self) -> Folders:
        """The product's own folders of this scene."""
        return self._folders

    @property
    def address(self) -> str:
        """Where the model service is."""
        return self._url

    @property
    def window(self) -> MainWindow:
        """The window, from `start` on."""
        assert self._program is not None, "the program does not run"
        return self._program.window

    # the model

    def script(self, first_message: str, *answers: ModelAnswer) -> None:
        """What the model says, request after request, in the chat that begins with this message, or, where that ends
        in "…", with these words."""
        self._answers.setdefault(first_message, deque()).extend(answers)

    def answer_by_model(self, says: dict[str, list[ModelAnswer]]) -> None:
        """From now on each model says its own, request after request."""
        self._by_model = {model: deque(answers) for model, answers in says.items()}

    def _answer(self, request: RecordedRequest) -> ModelAnswer:
        own = self._by_model.get(str(request.body.get("model")))
        if own:
            return own.popleft()
        content = request.messages[0]["content"] if request.messages else ""
        first = content if isinstance(content, str) else str(content[0].get("text", ""))
        begun = (known for known in self._answers if known.endswith("…") and first.startswith(known[:-1]))
        answers = self._answers.get(first if first in self._answers else next(begun, ""))
        return answers.popleft() if answers else http_failure(400, "invalid_request_error", f"no line for {first!r}")

    # the engine

    def send(self, command: Command) -> None:
        """Give the engine a command."""
        assert self._program is not None, "the program does not run"
        self._program.bridge.send(command)

    async def chat(self, text: str, *answers: ModelAnswer, title: str = "", show: bool = True, **more: Any) -> str:
        """Begin a chat, named `title` if one is given, and open it; its id."""
        self.script(text, *answers)
        session_id = new_session_id()
        self.send(NewSession(session_id=session_id, text=text, **more))
        await self.until(lambda: session_id in self._listed(), f"the chat '{text}'")
        if title:
            await self.rename(session_id, title)
        if show:
            self.window.open_chat(session_id)
        return session_id

    async def rename(self, session_id: str, title: str) -> None:
        """Give a chat another title."""
        lists = len(self.updates)
        self.send(RenameSession(session_id=session_id, title=title))
        changed = lambda: any(isinstance(u, SessionsChanged) for u in self.updates[lists:])  # noqa: E731
        await self.until(lambda: changed() and self._titles().get(session_id) == title.strip(), f"the title '{title}'")

    async def lose_power(self) -> None:
        """Start the program again with the store as it is now, as if it had had no time to close: the window hears
        nothing of how it ends."""
        assert self._program is not None, "the program does not run"
        self._program.bridge.batch.disconnect()
        kept = self.home / "kept"
        shutil.copytree(self._folders.store, kept)
        await self.stop()
        shutil.rmtree(self._folders.store)
        kept.rename(self._folders.store)
        self.updates.clear()
        await self.start()

    def write_in_lane(self, session_id: str, path: str, text: str) -> None:
        """Write a file where a chat works, as a person with an editor would."""
        lane_id = self.window.book.facts(session_id).lane_id
        lane = next(lane for lane in self.window.book.lanes if lane.id == lane_id)
        (Path(lane.worktree_path) / path).write_text(text, encoding="utf-8")

    async def say(self, session_id: str, text: str) -> None:
        """Send one more message."""
        ends = len(self._ends(session_id))
        self.send(SendMessage(session_id=session_id, text=text))
        await self.until(lambda: self._activity(session_id) is not Activity.IDLE or len(self._ends(session_id)) > ends)

    async def mode(self, session_id: str, mode: PermissionMode) -> None:
        """Change the mode of a chat; full auto goes without a sandbox."""
        self.send(SetMode(session_id=session_id, mode=mode, without_sandbox=mode is PermissionMode.FULL_AUTO))
        await self.until(lambda: self.window.book.facts(session_id).mode is mode, f"mode {mode}")

    async def asked(self, session_id: str) -> InputRequested:
        """The request that waits for a person in this chat."""
        return await self.until(lambda: self.open_input(session_id), "a card")

    async def answer(self, session_id: str, outcome: str = "allow_once", **more: Any) -> None:
        """Answer the open request of a chat."""
        asked = await self.asked(session_id)
        digest = asked.request.digest if isinstance(asked.request, ApprovalRequest) else ""
        answer = Answer.model_validate({"outcome": outcome, **more})
        self.send(AnswerInput(session_id=session_id, input_id=asked.input_id, answer=answer, digest=digest))
        await self.until(lambda: asked.input_id in self._resolved(), "the answer")

    async def ended(self, session_id: str, number: int = 1) -> None:
        """Until the n-th turn of a chat has ended."""
        await self.until(lambda: self.has_ended(session_id, number), f"the end of turn {number}")

    def has_ended(self, session_id: str, number: int = 1) -> bool:
        """Whether the n-th turn of a chat has ended."""
        return len(self._ends(session_id)) >= number and self._activity(session_id) is Activity.IDLE

    def _events(self) -> list[Envelope]:
        return [update for update in self.updates if isinstance(update, Envelope)]

    def _ends(self, session_id: str) -> list[Envelope]:
        return [e for e in self._events() if e.session_id == session_id and isinstance(e.event, TurnEnded)]

    def _resolved(self) -> set[str]:
        return {e.event.input_id for e in self._events() if isinstance(e.event, InputResolved)}

    def open_input(self, session_id: str) -> InputRequested | None:
        """The request that waits for a person in a chat, None if nothing waits."""
        closed = self._resolved()
        for envelope in self._events():
            event = envelope.event
            asked = envelope.session_id == session_id and isinstance(event, InputRequested) and event.request.blocking
            if asked and isinstance(event, InputRequested) and event.input_id not in closed:
                return event
        return None

    def _listed(self) -> set[str]:
        return set(self._titles())

    def _titles(self) -> dict[str, str]:
        lists = [update for update in self.updates if isinstance(update, SessionsChanged)]
        return {chat.session_id: chat.title for chat in lists[-1].sessions} if lists else {}

    def _activity(self, session_id: str) -> Activity:
        said = [u for u in self.updates if isinstance(u, ActivityChanged) and u.session_id == session_id]
        return said[-1].activity if said else Activity.IDLE

    # the window

    def shown(self, name: str, root: QWidget | None = None) -> QWidget | None:
        """The widget of that name that can be seen now."""
        found = [w for w in (root or self.window).findChildren(QWidget, name) if w.isVisible()]
        return found[0] if found else None

    async def find(self, name: str) -> QWidget:
        """The widget of that name, once it can be seen."""
        return await self.until(lambda: self.shown(name), name)

    async def click(self, name: str) -> None:
        """Press a widget, once it can be seen and pressed. A card takes no press within 500 ms of a change."""
        widget = await self.find(name)
        if name.startswith(_ON_CARDS):
            await self.rest(GUARD_S)
        if isinstance(widget, QAbstractButton):
            await self.until(widget.isEnabled, f"{name} to be enabled")
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        await self.rest()

    async def type(self, name: str, text: str) -> None:
        """Put the focus there and type. Where a dialog was closed before, no desktop has given its window the keys."""
        widget = await self.find(name)
        widget.window().activateWindow()
        widget.setFocus()
        QTest.keyClicks(widget, text)
        await self.rest()

    async def card(self, name: str = "approval_card") -> QWidget:
        """A card, once it lies in the tray and can be answered."""
        card = await self.find(name)
        if self.shown("card_hint_got_it"):
            await self.click("card_hint_got_it")
        await asyncio.sleep(GUARD_S)
        return card

    @property
    def inspector(self) -> Inspector:
        """The inspector, which may be folded."""
        found = self.window.findChild(Inspector)
        assert found is not None, "the window has no inspector"
        return found

    async def show_tab(self, name: str) -> None:
        """Show a tab of the inspector."""
        self.window.page.tab_asked.emit(name)
        await self.rest(0.3)

    def transcript(self) -> QAbstractScrollArea:
        """The messages of the open chat."""
        view = self.shown("transcript_view")
        assert isinstance(view, QAbstractScrollArea), "no transcript is shown"
        return view

    def scroll_up(self, by_px: int) -> None:
        """Turn the wheel over the transcript."""
        view = self.transcript()
        middle = QPointF(view.viewport().rect().center())
        event = QWheelEvent(
            middle, QPointF(view.viewport().mapToGlobal(middle.toPoint())), QPoint(0, by_px), QPoint(0, by_px),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view.viewport(), event)

    async def check_models(self) -> None:
        """Ask the service for its models, as the settings' Test button does."""
        self.send(CheckEndpoint(endpoint=self._write_settings().endpoints[0]))
        await self.until(lambda: any(isinstance(u, EndpointChecked) for u in self.updates), "the models")

    def look(self, size: tuple[int, int], name: str, zoom: int = 100) -> None:
        """Give the window a size, a theme and a zoom in percent."""
        if theme().tokens.name != name or theme().zoom * 100 != zoom:
            theme().choose(name, zoom)
        self.window.resize(*size)

    async def read_lane(self) -> None:
        """Until the lane of the open chat was read anew: the window asks for it a second after something changed."""
        lane_id = self.window.book.facts(self.window.page.session_id).lane_id
        if not self.window.engine.ready or not lane_id:
            return
        asked = len(self.updates)
        self.send(RefreshLanes(lane_ids=(lane_id,)))
        limit = time.monotonic() + READ_S
        await self.until(lambda: self._told_of(lane_id, asked) > 1 or time.monotonic() > limit, "the lane")
        await self.rest()

    def _told_of(self, lane_id: str, since: int) -> int:
        told = [update for update in self.updates[since:] if isinstance(update, LaneStatusChanged)]
        return sum(any(status.lane_id == lane_id for status in update.statuses) for update in told)

    async def settle(self) -> None:
        """Until the window has taken its size and look; a card first looks whether its end is on screen."""
        has_card = any(self.shown(f"{kind}_card") for kind in ("approval", "question", "plan", "interrupted"))
        await self.rest(CARD_S if has_card else QUIET_S)
        await self.until(lambda: not self.window.front.frame.unfolds, "the inspector to unfold")
        view = self.shown("transcript_view")
        if isinstance(view, TranscriptView):
            await self.until(lambda: not view.layouts.unfinished, "a long message")
        for _ in range(_ROUNDS):
            await _all_taken()

    async def rest(self, seconds: float = QUIET_S) -> None:
        """Let the window take what came and paint it."""
        await asyncio.sleep(seconds)

    async def until(self, find: Callable[[], T | None], what: str = "") -> T:
        """What `find` gives once it gives something true."""
        limit = time.monotonic() + WAIT_S
        while True:
            found = find()
            if found:
                return found
            if time.monotonic() > limit:
                raise TimeoutError(f"waited {WAIT_S:.0f} s for {what or 'a change'}")
            await asyncio.sleep(0.01)

    def _write_settings(self) -> Settings:
        rest = dict(self._setting.settings)
        usual: dict[str, Any] = {
            "id": "anthropic", "label": "Anthropic", "kind": "compatible", "base_url": self._url,
            "default_model": "opus", "auth": "api_key" if self._setting.key_needed else "none",
            "context_window": 200_000,
        }  # fmt: skip
        endpoint = Endpoint(**usual | rest.pop("endpoint", {}))
        settings = Settings(endpoints=(endpoint,), default_endpoint="anthropic", **rest)
        if not self._folders.settings_file.exists():
            save_settings(self._folders.settings_file, settings)
        return settings
