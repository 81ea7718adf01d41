"""DemoPlayer: plays the person in the demo with real key and mouse events, and saves pictures of what they see."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QPlainTextEdit, QTabBar, QWidget

from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.welcome_tour import TOUR_TASK as TASK

PLAN_TASK = "Plan how to take the discount once. Change nothing before I agree."
TICK_MS = 20
STEP_LIMIT_S = 60.0
SETTLE_S = 0.35
GUARD_S = 0.75
INSIST_TIMES = 20

Wait = Callable[[], bool]


class DemoPlayer(QObject):
    """One walk through the demo. `finished` says whether the walk reached its end; `lane_path` where the task was done.

    `screens`: the folder for the pictures, None for none.
    """

    finished = Signal(bool)

    def __init__(self, window: MainWindow, screens: Path | None) -> None:
        super().__init__(window)
        self.lane_path = ""
        self.problem = ""
        self._window = window
        self._screens = screens
        self._walk = self._steps()
        self._wait: Wait = lambda: True
        self._since = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin; everything else happens on the window's own event loop."""
        if self._screens is not None:
            self._screens.mkdir(parents=True, exist_ok=True)
        self._window.activateWindow()
        self._timer.start()

    def _tick(self) -> None:
        if time.monotonic() - self._since > STEP_LIMIT_S:
            self._end(f"Nothing happened for {STEP_LIMIT_S:.0f} s.")
            return
        if not self._wait():
            return
        try:
            self._wait = next(self._walk)
        except StopIteration:
            self._end("")
        except LookupError as error:
            self._end(str(error))
        self._since = time.monotonic()

    def _end(self, problem: str) -> None:
        self._timer.stop()
        self.problem = problem
        if problem:
            self._grab("99-stopped-here")
        self.finished.emit(not problem)

    # The walk. Each `yield` waits for what it gives.

    def _steps(self) -> Iterator[Wait]:
        yield lambda: self._window.engine.project is not None and self._shown("composer_text") is not None
        yield self._pause()
        self._grab("03-chat-empty")
        yield from self._send(TASK)
        yield self._card("approval_card")
        yield self._pause(GUARD_S)
        self._grab("11-card-command")
        yield from self._approve()
        yield self._card("question_card")
        yield self._pause(GUARD_S)
        self._click("question_option_1")
        yield self._pause()
        self._grab("18-card-question")
        yield from self._insist(lambda: self._click("question_send"), "question_card")
        yield self._card("approval_card")
        yield self._pause(GUARD_S)
        self._grab("04-chat-with-card")
        yield from self._approve()
        yield self._idle
        yield self._pause(1.0)
        self.lane_path = next((lane.worktree_path for lane in self._window.book.lanes if lane.type == "worktree"), "")
        self._grab("05-chat-done")
        yield from self._tabs()
        yield from self._plan()

    def _tabs(self) -> Iterator[Wait]:
        bar = self._window.findChild(QTabBar, "inspector_tab_bar")
        if bar is None or not bar.isVisible():
            return
        for index, scene in ((1, "31-todos"), (2, "31-audit"), (0, "27-changes")):
            self._press(bar, QPointF(bar.tabRect(index).center()))
            yield self._pause()
            self._grab(scene)

    def _plan(self) -> Iterator[Wait]:
        self._window.new_chat()
        yield self._pause()
        self._click("composer_mode_plan")
        yield lambda: self._pressed("composer_mode_plan")
        yield from self._send(PLAN_TASK)
        yield self._card("plan_card")
        yield self._pause(GUARD_S)
        self._grab("19-card-plan")
        yield from self._insist(lambda: self._click("plan_approve"), "plan_card")
        yield self._card("approval_card")
        yield self._pause(GUARD_S)
        yield from self._approve()
        yield self._idle
        yield self._pause(1.0)
        self._grab("06-chat-plan-approved")

    # What a person does

    def _send(self, text: str) -> Iterator[Wait]:
        field = self._find("composer_text")
        field.setFocus(Qt.FocusReason.MouseFocusReason)
        for character in text:
            _key(field, Qt.Key.Key_unknown, text=character)
        yield self._pause(0.1)
        self._click("composer_send")
        yield lambda: isinstance(field, QPlainTextEdit) and not field.toPlainText()

    def _approve(self) -> Iterator[Wait]:
        """Ctrl+Enter on the card, as a person who pressed F8 first."""
        self._find("approval_card").setFocus(Qt.FocusReason.ShortcutFocusReason)
        yield self._pause(GUARD_S)

        def press() -> None:
            card = self._find("approval_card")
            _key(QApplication.focusWidget() or card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

        yield from self._insist(press, "approval_card")

    def _insist(self, act: Callable[[], None], card: str) -> Iterator[Wait]:
        """Do it again every second until the card is answered: a press within its guard time counts for nothing."""
        shown = self._find(card).property("item_id")

        def answered() -> bool:
            now = self._shown(card)
            return now is None or now.property("item_id") != shown

        for _ in range(INSIST_TIMES):
            if answered():
                return
            self._window.activateWindow()
            act()
            again = self._pause(1.0)
            yield lambda again=again: answered() or again()  # type: ignore[misc]
        raise LookupError(f"The {card} did not take an answer.")

    def _click(self, name: str) -> None:
        widget = self._find(name)
        if isinstance(widget, QAbstractButton) and not widget.isEnabled():
            raise LookupError(f"'{name}' cannot be pressed now.")
        self._press(widget, QPointF(widget.rect().center()))

    def _press(self, widget: QWidget, at: QPointF) -> None:
        _mouse(widget, QEvent.Type.MouseButtonPress, at)
        _mouse(widget, QEvent.Type.MouseButtonRelease, at)

    # What a person sees

    def _card(self, name: str) -> Wait:
        return lambda: self._shown(name) is not None

    def _idle(self) -> bool:
        facts = self._window.page.facts
        return facts is not None and not facts.turn_running

    def _pause(self, seconds: float = SETTLE_S) -> Wait:
        until = time.monotonic() + seconds
        return lambda: time.monotonic() >= until

    def _shown(self, name: str) -> QWidget | None:
        found = [widget for widget in self._window.findChildren(QWidget, name) if widget.isVisible()]
        return found[0] if found else None

    def _pressed(self, name: str) -> bool:
        button = self._shown(name)
        return isinstance(button, QAbstractButton) and button.isChecked()

    def _find(self, name: str) -> QWidget:
        widget = self._shown(name)
        if widget is None:
            raise LookupError(f"'{name}' is not in the window.")
        return widget

    def _grab(self, scene: str) -> None:
        if self._screens is not None:
            self._window.grab().save(str(self._screens / f"{scene}.png"))


def _key(
    widget: QWidget,
    key: Qt.Key,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    text: str = "",
) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QCoreApplication.sendEvent(widget, QKeyEvent(kind, key, modifiers, text))


def _mouse(widget: QWidget, kind: QEvent.Type, at: QPointF) -> None:
    pressed = kind is QEvent.Type.MouseButtonPress
    buttons = Qt.MouseButton.LeftButton if pressed else Qt.MouseButton.NoButton
    place = QPointF(widget.mapToGlobal(QPoint(round(at.x()), round(at.y()))))
    event = QMouseEvent(kind, at, place, Qt.MouseButton.LeftButton, buttons, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(widget, event)
