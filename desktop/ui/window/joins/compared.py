"""CompareWindow: lays the results of one task over the centre of its window, and keeps them up to date while seen."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.domain.changes.commands import LoadLaneChanges
from desktop.domain.changes.updates import LaneChangesLoaded
from desktop.domain.commands import OpenSession
from desktop.domain.compared.commands import KeepResult, LoadComparisons, UndoKeepResult
from desktop.domain.compared.updates import ComparisonsLoaded, ResultKept
from desktop.domain.compared.values import Comparison
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr, trn
from desktop.ui.chats.book import ChatBook
from desktop.ui.compared.page import ComparePage
from desktop.ui.compared.rows import RunRow, run_rows, task_title
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.notices.notes import WindowNotes
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.layouts.cover import Cover
from desktop.ui.window.centre import Centre
from desktop.ui.window.main_window import MainWindow

_SETTLE_MS = 400


class CompareWindow(QObject):
    """The page is made when it is wanted first. `chat_asked`: this chat is to be shown."""

    chat_asked = Signal(str)

    def __init__(
        self,
        requests: Requests,
        clock: Clock,
        facts: tuple[ChatBook, EngineFacts, WindowNotes],
        centre: Centre,
        window: MainWindow,
    ) -> None:
        super().__init__(window)
        self._requests, self._clock, self._window = requests, clock, window
        self._book, self._engine, self._notes = facts
        self._cover = Cover(centre, "compared_cover", tr("Results of one task"))
        self._page: ComparePage | None = None
        self._all: tuple[Comparison, ...] = ()
        self._shown, self._wanted, self._answered = "", "", ""
        self._loading = Request()
        self._read_at: tuple[object, ...] = ()
        self._reading: dict[str, Request] = {}
        self._changes: dict[str, LaneChangesLoaded] = {}
        self._inside = Hearing()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._load)
        self.hearing = (
            Hearing(self._inside).on(LaneStatusChanged, self._on_status).after(self._refresh, unless=self._is_away)
        )

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Showing it."""
        return {"compared": self.show}

    def show(self, session_id: str = "") -> None:
        """Lay the results of the newest task over the centre, or of that which this chat works on."""
        if self._page is None:
            self._page = self._make()
        self._wanted = session_id or self._window.page.session_id
        self._cover.take(self._page)
        self._page.task.setFocus()
        self._load()

    def leave(self) -> None:
        """Show what is below it."""
        self._cover.leave()

    def _make(self) -> ComparePage:
        tray = PendingTray(self._requests, self._clock, self._cover, settings=self._window.store.settings)
        page = ComparePage(self._requests, tray, self._cover)
        self._inside.inside(tray.hearing)
        page.opened.connect(self._on_opened)
        page.closed.connect(self._cover.leave)
        page.task_chosen.connect(self._on_task)
        page.keep_asked.connect(self._on_keep)
        page.undo_asked.connect(self._undo)
        page.answer_asked.connect(self._answer)
        return page

    def _is_away(self) -> bool:
        return self._page is None or self._cover.isHidden()

    # what is shown

    @property
    def _comparison(self) -> Comparison | None:
        return next((one for one in self._all if one.id == self._shown), None)

    def _load(self) -> None:
        if self._loading.is_waiting:
            self._settle.start()
            return
        told = answer(ComparisonsLoaded, self._on_loaded)
        self._loading = self._requests.ask(LoadComparisons(), self, told, failed=self._on_failed)

    def _on_loaded(self, update: ComparisonsLoaded) -> None:
        self._all = update.comparisons
        wanted, self._wanted = self._wanted, ""
        of_chat = next((one for one in self._all if wanted and one.run_of(wanted) is not None), None)
        if of_chat is not None:
            self._shown = of_chat.id
        elif self._comparison is None:
            self._shown = self._all[0].id if self._all else ""
        if self._page is not None:
            self._page.show_tasks([(one.id, task_title(one)) for one in self._all], self._shown)
        one = self._comparison
        steps = (self._shown, *((run.figures.steps, run.figures.status) for run in one.runs)) if one else ("",)
        if steps != self._read_at:
            self._read_at = steps
            self._read_lanes()
        self._show()

    def _read_lanes(self) -> None:
        """What each of them changed by now."""
        one = self._comparison
        for run in one.runs if one is not None else ():
            self._read_lane(run.slot.lane_id)

    def _read_lane(self, lane_id: str) -> None:
        under_way = lane_id in self._reading and self._reading[lane_id].is_waiting
        if under_way or self._book.lane_book.lane(lane_id) is None:
            return
        told = answer(LaneChangesLoaded, self._on_changes)
        self._reading[lane_id] = self._requests.ask(LoadLaneChanges(lane_id=lane_id), self, told, failed=_nothing)

    def _on_changes(self, update: LaneChangesLoaded) -> None:
        self._changes[update.lane_id] = update
        self._show()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._notes.say(failed.text, error=True)

    def _rows(self) -> tuple[RunRow, ...]:
        one = self._comparison
        return run_rows(one, self._book, self._engine, self._changes, self._clock()) if one is not None else ()

    def _show(self) -> None:
        page, rows, one = self._page, self._rows(), self._comparison
        if page is None:
            return
        page.show_rows(rows, kept=one is not None and one.kept is not None)
        waiting = [row.session_id for row in rows if row.waits]
        if self._answered not in waiting:
            self._show_waiting(waiting[0] if waiting else "")

    def _refresh(self) -> None:
        """Something was told: what the window knows is shown at once, figures are asked for once it is quiet."""
        self._show()
        if any(not self._book.is_still(row.session_id) for row in self._rows()) and not self._settle.isActive():
            self._settle.start()

    def _on_status(self, update: LaneStatusChanged) -> None:
        if self._page is not None and not self._is_away():
            shown = {row.lane_id for row in self._rows()}
            told = [status.lane_id for status in update.statuses if status.lane_id in shown]
            for lane_id in told:
                self._read_lane(lane_id)
            if told:
                self._page.difference.load_soon()

    def _show_waiting(self, session_id: str) -> None:
        self._answered = session_id
        if self._page is not None:
            lane = self._book.facts(session_id).lane_name if session_id else ""
            self._page.tray.show_session(session_id, lane)
            if session_id:
                self._requests.send(OpenSession(session_id=session_id))

    # what a person does

    def _on_opened(self, session_id: str) -> None:
        self._cover.leave()
        self.chat_asked.emit(session_id)

    def _on_task(self, comparison_id: str) -> None:
        self._shown, self._wanted = comparison_id, ""
        self._read_lanes()
        self._show()

    def _answer(self, session_id: str) -> None:
        if session_id != self._answered:
            self._show_waiting(session_id)
        if self._page is not None:
            self._page.tray.focus_card()

    def _on_keep(self, session_id: str) -> None:
        rows = self._rows()
        row = next((one for one in rows if one.session_id == session_id), None)
        if row is None:
            return
        others = [one for one in rows if one is not row and not one.archived]
        question = Question(
            "compared_keep_dialog",
            tr("Keep “{title}”?", title=row.title),
            _keep_words(len(others), sum(one.works for one in others)),
            (tr("Cancel"), "compared_keep_cancel"),
            (tr("Keep this one"), "compared_keep_go"),
            dangerous=False,
        )
        ask_first(question, self._window, lambda: self._keep(session_id))

    def _keep(self, session_id: str) -> None:
        command = KeepResult(comparison_id=self._shown, session_id=session_id)
        self._requests.ask(command, self, answer(ResultKept, self._on_kept), failed=self._on_failed)

    def _undo(self) -> None:
        command = UndoKeepResult(comparison_id=self._shown)
        self._requests.ask(command, self, answer(ResultKept, self._on_kept), failed=self._on_failed)

    def _on_kept(self, update: ResultKept) -> None:
        if update.session_id:
            self._notes.offer(said(update.text), tr("Undo"), self._undo)
        else:
            self._notes.say(said(update.text))
        self._load()


def _keep_words(others: int, busy: int) -> str:
    """What becomes of the others."""
    gone = trn(
        others, "{n} other result is archived with its lane.", "{n} other results are archived with their lanes."
    )
    stopped = trn(
        busy,
        "{n} of them still works or waits, and is stopped.",
        "{n} of them still work or wait, and are stopped.",
    )
    kept = tr("Nothing is deleted, and it can be undone.")
    return " ".join([gone, stopped, kept] if busy else [gone, kept])


def _nothing(_failed: CommandFailed) -> None:
    """A lane that cannot be read any more says nothing of what it changed."""
