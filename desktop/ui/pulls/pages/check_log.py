"""CheckLog: the log of a check: its last 2,000 lines first, all on demand, searched, gone logs told with the link."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import LoadCheckLog
from desktop.domain.pulls.pull_request import CheckStep
from desktop.domain.pulls.updates import CheckLogLoaded
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.core.requests import Request, answer
from desktop.ui.pulls.log_model import LogModel, LogRow, sections
from desktop.ui.pulls.pages.log_view import LogList
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.text.waiting import Waiting
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

STILL = tr("Still loading the log…")
GONE = tr("GitHub keeps this log no longer.")
_LARGE = 0.85


class _LargeLog(Dialog):
    """Over most of the window, also while that changes its size."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("pr_log_dialog")
        self.setWindowTitle(tr("Log of the check"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self.resize(self._wanted())

    def _wanted(self) -> QSize:
        return self._window.size() * _LARGE


class CheckLog(QWidget):
    """Asks for a log when it is shown for a job, and keeps the one it has."""

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown
        self._job_id = 0
        self._url = ""
        self._steps: tuple[CheckStep, ...] = ()
        self._loaded: CheckLogLoaded | None = None
        self._hits: list[LogRow] = []
        self._hit = -1
        self._asked = Request()
        self._wait = Waiting(tr("Loading the log…"), STILL, self)
        self.model = LogModel(self)
        self.list = LogList(self.model, self)
        self._field = QLineEdit(self)
        self._field.setObjectName("pr_log_find")
        self._field.setAccessibleName(tr("Find in the log"))
        self._field.setPlaceholderText(tr("Find in the log"))
        add_clear_button(self._field)
        self._count = plain_label(self, "caption", "pr_log_count", wrap=False)
        self._previous = IconButton("chevron-up", tr("Previous match"), self)
        self._next = IconButton("chevron-down", tr("Next match"), self)
        self._enlarge = IconButton("maximize-2", tr("Open the log large, or back at the side"), self)
        self._enlarge.clicked.connect(self.toggle_large)
        self._large: QDialog | None = None
        self._page = QWidget(self)
        self._all_line = QWidget(self)
        self._all_words = plain_label(self._all_line, "caption", "pr_log_part")
        self._all = small_button(tr("Load all"), "pr_log_all", self._all_line, "link")
        self._state = QWidget(self)
        self._words = plain_label(self._state, "muted", "pr_log_state")
        self._again = small_button(tr("Try again"), "pr_log_again", self._state)
        self._cancel = small_button(tr("Cancel"), "pr_log_cancel", self._state)
        self._browser = small_button(tr("Open on GitHub"), "pr_log_browser", self._state)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._say("")

    def show_job(self, job_id: int, steps: Sequence[CheckStep], url: str) -> None:
        """Show the log of this job, 0 for none."""
        self._steps, self._url = tuple(steps), url
        if job_id != self._job_id:
            if self._large is not None:
                self._large.close()
            self._job_id = job_id
            self._loaded = None
            self._end_waiting()
            self._field.clear()
            self.model.show(())
            self._say("" if job_id else tr("This check keeps no log here."), browser=bool(url) and not job_id)
        if self.isVisible():
            self.ask()

    def ask(self, *, whole: bool = False) -> None:
        """Ask for the log unless it is here or under way."""
        if not self._job_id or self._asked.is_waiting or (self._loaded is not None and not whole):
            return
        command = LoadCheckLog(lane_id=self._shown.lane_id, job_id=self._job_id, whole=whole)
        self._wait.begin()
        loaded = answer(CheckLogLoaded, self._on_loaded)
        self._asked = self._shown.requests.ask(command, self, loaded, failed=self._on_failed)

    def toggle_large(self) -> None:
        """The log over most of the window, or back at the side."""
        if self._large is not None:
            self._large.close()
            return
        if self._loaded is None or not self.model.rowCount():
            return
        dialog = _LargeLog(self.window())
        column_in(dialog, self._page, margins=(SPACE_2, SPACE_2, SPACE_2, SPACE_2))
        self._page.show()
        dialog.finished.connect(self._take_back)
        self._large = dialog
        self._enlarge.set_icon("minimize-2")
        dialog.open()
        self.list.setFocus()

    def _take_back(self, _result: int) -> None:
        self._large = None
        self._enlarge.set_icon("maximize-2")
        self._stack.insertWidget(0, self._page)
        self._stack.setCurrentIndex(0)

    def _end_waiting(self) -> None:
        self._wait.end()
        self._asked.drop()

    def _on_loaded(self, loaded: CheckLogLoaded) -> None:
        self._wait.end()
        self._take(loaded)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._wait.end()
        self._say(display_text(failed.text), again=True)

    def _take(self, loaded: CheckLogLoaded) -> None:
        if loaded.gone:
            self._url = loaded.url or self._url
            self._say(GONE, browser=bool(self._url))
            return
        if loaded.problem:
            self._say(display_text(said(loaded.problem)), again=True)
            return
        self._loaded = loaded
        if not loaded.lines:
            self._say(tr("The log is empty."))
            return
        self.model.show(sections(loaded.lines, self._steps))
        part = loaded.total > len(loaded.lines)
        self._all_words.setText(
            tr("The last {lines} of {total} lines", lines=number(len(loaded.lines)), total=number(loaded.total))
        )
        self._all_line.setVisible(part)
        self._stack.setCurrentIndex(0)
        self.list.show_failure()
        self._search()

    def _say(self, text: str, *, again: bool = False, cancel: bool = False, browser: bool = False) -> None:
        say(self._words, text)
        for button, shown in ((self._again, again), (self._cancel, cancel), (self._browser, browser)):
            button.setVisible(shown)
        self._stack.setCurrentIndex(1)

    def _on_waiting(self, words: str) -> None:
        if self._loaded is None:
            self._say(words, cancel=words == STILL)
        else:
            self._all_words.setText(words)

    def _stop(self) -> None:
        self._end_waiting()
        self._say(tr("The log was not loaded."), again=True)

    def _search(self) -> None:
        text = self._field.text()
        self._hits, self._hit = self.model.find(text), -1
        self.list.mark(text)
        if self._hits:
            self._step(1)
        else:
            say(self._count, tr("none", context="matches") if text else "")

    def _step(self, step: int) -> None:
        if self._hits:
            self._hit = (self._hit + step) % len(self._hits)
            say(self._count, tr("{number} of {hits}", number=number(self._hit + 1), hits=number(len(self._hits))))
            self.list.go_to(self._hits[self._hit])

    def _lay_out(self) -> None:
        self._previous.setObjectName("pr_log_previous")
        self._next.setObjectName("pr_log_next")
        self._enlarge.setObjectName("pr_log_large")
        search = line_of(self._field, self._count, margins=(SPACE_3, 0, SPACE_2, 0))
        tools = QHBoxLayout()
        set_gaps(tools, (0, 0, 0, 0), 0)
        for button in (self._previous, self._next, self._enlarge):
            tools.addWidget(button)
        search.addLayout(tools)
        search.setStretch(0, 1)
        part = line_of(self._all_words, self._all, margins=(SPACE_3, 0, SPACE_2, 0))
        part.setStretch(0, 1)
        self._all_line.setLayout(part)
        self._all_line.hide()
        column = column_in(self._page, search, self._all_line, self.list, spacing=SPACE_1)
        column.setStretch(1, 0)
        buttons = line_of(self._again, self._cancel, self._browser, margins=(0, 0, 0, 0))
        buttons.addStretch(1)
        state = column_in(self._state, self._words, buttons, margins=(SPACE_3, SPACE_3, SPACE_3, SPACE_3))
        state.setStretch(1, 0)
        state.addStretch(1)
        self._stack.addWidget(self._page)
        self._stack.addWidget(self._state)
        column_in(self, self._stack)

    def _connect(self) -> None:
        self._wait.said.connect(self._on_waiting)
        self._field.textChanged.connect(self._search)
        self._field.returnPressed.connect(lambda: self._step(1))
        self._previous.clicked.connect(lambda: self._step(-1))
        self._next.clicked.connect(lambda: self._step(1))
        self._all.clicked.connect(lambda: self.ask(whole=True))
        self._again.clicked.connect(lambda: self.ask())
        self._cancel.clicked.connect(self._stop)
        self._browser.clicked.connect(lambda: self._shown.link_asked.emit(self._url))
