"""PullChecks: the checks of a request by group; the chosen one with its steps, annotations and log."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import LoadCheck, RerunChecks
from desktop.domain.pulls.pull_request import Check, PullSnapshot
from desktop.domain.pulls.updates import CheckLoaded, ChecksRerun
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import Request, answer
from desktop.ui.pulls.fix_button import FixButton
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.pages.check_log import CheckLog
from desktop.ui.pulls.parts import ListOverDetail, PullList, column_in, line_of
from desktop.ui.pulls.rows import PullRows, annotation_row, grouped, step_row
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import checks_word, part_note
from desktop.ui.text.format import count
from desktop.ui.text.waiting import Waiting
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import ElidedLabel

_SHARE, _SHARE_OF_LOG = 0.45, 0.25
_NONE = {"steps": tr("No steps."), "notes": tr("No annotations.")}


class PullChecks(PullPage):
    """The list above, the chosen check below."""

    key, label, letter = "checks", tr("Checks"), Qt.Key.Key_C

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self._rerunning = Request()
        self._words = plain_label(self, "strong", "pr_checks_words", wrap=False)
        self._rerun = small_button(tr("Rerun failed"), "pr_rerun_failed", self)
        self.rows = PullRows(self)
        self.list = PullList(self.rows, "pr_checks", tr("Checks"), self)
        self.detail = CheckDetail(shown, self)
        self._note = plain_label(self, "caption", "pr_checks_note")
        self.fix = FixButton(shown, "checks", "pr_checks_fix", self)
        top = line_of(self._words, self._rerun, margins=(SPACE_3, SPACE_2, SPACE_2, 0))
        top.setStretch(0, 1)
        splitter = ListOverDetail("pr_checks_splitter", self.list, self.detail, _SHARE, self)
        column = column_in(self, top, self.fix.line(), self._note, splitter, spacing=SPACE_1)
        column.setStretch(2, 0)
        self._note.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self._rerun.clicked.connect(self.rerun)
        self.detail.viewed.connect(lambda view: splitter.set_share(_SHARE_OF_LOG if view == "log" else _SHARE))

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The failing checks: like the other pages, what is to be done."""
        return len(snapshot.failing)

    def main_list(self) -> PullList:
        """The list of checks."""
        return self.list

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        if snapshot is None:
            return
        self.fix.refresh()
        word, kept = checks_word(snapshot), self.list.key
        self._words.setText(word.words)
        restyle(self._words, role=word.role if word.role != "neutral" else "")
        unread = "checks" not in snapshot.known
        say(self._note, tr("Loading checks…") if unread and self._shown.fold.loading else part_note(snapshot, "checks"))
        self.rows.set_rows(grouped(snapshot.checks).rows())
        if kept and not self.list.choose(kept):
            self.detail.show_check(None)
        if not self.list.key:
            self.list.choose_first()
        self.detail.show_check(self._check(self.list.key))
        why = self._shown.hindrance()
        self._rerun.setVisible(bool(snapshot.failing))
        set_off(self._rerun, why or (UNDER_WAY if self._rerunning.is_waiting else ""))
        self._rerun.setText(tr("Asking…") if self._rerunning.is_waiting else tr("Rerun failed"))

    def _on_failed(self, failed: CommandFailed) -> None:
        self._shown.noted.emit(failed.text, True)
        self.refresh()

    def _tell(self, rerun: ChecksRerun) -> None:
        failed = [one for one in rerun.results if one.problem]
        done = len(rerun.results) - len(failed)
        words = [tr("Asked for {checks} again.", checks=count(done, "check")) if done else ""]
        words += [f"{one.name}: {one.problem}" for one in failed]
        self._shown.noted.emit("\n".join(word for word in words if word), bool(failed))
        self.refresh()

    def rerun(self) -> None:
        """Ask for all failed checks again."""
        command = RerunChecks(lane_id=self._shown.lane_id)
        told = answer(ChecksRerun, self._tell)
        self._rerunning.drop()
        self._rerunning = self._shown.requests.ask(command, self, told, failed=self._on_failed)
        self.refresh()

    def _on_current(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self.detail.show_check(self._check(self.list.key))

    def _check(self, key: str) -> Check | None:
        checks = self._shown.snapshot.checks if self._shown.snapshot is not None else ()
        return next((one for one in checks if f"check:{one.kind}:{one.id}" == key), None)


class CheckDetail(QWidget):
    """A check: what it says, its steps, its annotations, its log. Asked for when another check is chosen. `viewed`:
    which of them is shown, "steps", "notes" or "log"."""

    viewed = Signal(str)

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pr_check_detail")
        self._shown = shown
        self._check: Check | None = None
        self._loaded: CheckLoaded | None = None
        self._asked = Request()
        self._wait = Waiting(tr("Loading the check…"), tr("Still loading the check…"), self)
        self._name = ElidedLabel("", self)
        self._name.setProperty("kind", "strong")
        self._browser = IconButton("external-link", tr("Open the check in the browser"), self)
        self._browser.setObjectName("pr_check_browser")
        self._title = plain_label(self, "muted", "pr_check_title")
        self._choice = Segmented(
            "pr_check_view",
            tr("What of the check"),
            [("steps", tr("Steps")), ("notes", tr("Annotations")), ("log", tr("Log"))],
            self,
            compact=True,
        )
        self._steps, self._notes = PullRows(self), PullRows(self)
        self._step_list = PullList(self._steps, "pr_check_steps", tr("Steps"), self)
        self._note_list = PullList(self._notes, "pr_check_annotations", tr("Annotations"), self)
        self.log = CheckLog(shown, self)
        self._state = plain_label(self, "muted", "pr_check_state")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.choose_view("steps")

    def show_check(self, check: Check | None) -> None:
        """Show this check; None for none."""
        former, self._check = self._check, check
        self.setVisible(check is not None)
        if check is None:
            return
        self._name.set_full_text(display_text(check.name))
        say(self._title, display_text(check.title))
        self._browser.setVisible(bool(check.url))
        same = former is not None and (former.id, former.kind, former.state) == (check.id, check.kind, check.state)
        if same:
            return
        self._loaded = None
        self._steps.set_rows(())
        self._notes.set_rows(())
        self._wait.end()
        self._asked.drop()
        self.log.show_job(check.job_id, (), check.url)
        if check.kind == "status":
            self._say(tr("A commit status: its page says more."))
        else:
            self._say("")
            command = LoadCheck(lane_id=self._shown.lane_id, check_id=check.id)
            self._wait.begin()
            loaded = answer(CheckLoaded, self._on_loaded)
            self._asked = self._shown.requests.ask(command, self, loaded, failed=self._on_failed)
        self._take_labels()

    def _on_loaded(self, loaded: CheckLoaded) -> None:
        self._wait.end()
        self._take(loaded)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._wait.end()
        self._say(display_text(failed.text))

    def choose_view(self, value: str) -> None:
        """Steps, annotations or the log."""
        self._choice.set_value(value)
        self._take_page()
        self.viewed.emit(value)
        if value == "log":
            self.log.ask()

    def _take(self, loaded: CheckLoaded) -> None:
        self._loaded = loaded
        self._steps.set_rows([step_row(step) for step in loaded.steps])
        self._notes.set_rows([annotation_row(at, note) for at, note in enumerate(loaded.annotations)])
        job = loaded.job_id or (self._check.job_id if self._check is not None else 0)
        self.log.show_job(job, loaded.steps, self._check.url if self._check is not None else "")
        self._say(display_text(said(loaded.problem)))
        self._take_labels()
        first_bad = next((row.key for row in self._steps.rows if row.icon[1] == "danger"), "")
        self._step_list.choose(first_bad)
        if not loaded.steps and loaded.annotations and self._choice.value == "steps":
            self.choose_view("notes")

    def _take_labels(self) -> None:
        known = len(self._loaded.annotations) if self._loaded is not None else 0
        number = known or (self._check.annotations if self._check is not None else 0)
        self._choice.set_label("notes", tr("Annotations {number}", number=number) if number else tr("Annotations"))
        self._take_page()

    def _say(self, text: str) -> None:
        self._state.setText(text)
        self._take_page()

    def _take_page(self) -> None:
        value = self._choice.value
        if value == "log":
            self._stack.setCurrentWidget(self.log)
            return
        rows, view = (self._steps, self._step_list) if value == "steps" else (self._notes, self._note_list)
        if rows.rows:
            self._stack.setCurrentWidget(view)
            return
        if self._loaded is not None and self._state.text() in ("", *_NONE.values()):
            self._state.setText(_NONE[value])
        self._stack.setCurrentWidget(self._state)

    def _on_note(self, index: QModelIndex) -> None:
        if self._loaded is not None and 0 <= index.row() < len(self._loaded.annotations):
            note = self._loaded.annotations[index.row()]
            self._shown.place_asked.emit(note.path, note.start_line)

    def _on_step(self, _index: QModelIndex) -> None:
        self.choose_view("log")

    def _lay_out(self) -> None:
        top = line_of(self._name, self._browser, margins=(SPACE_3, SPACE_1, SPACE_2, 0))
        top.setStretch(0, 1)
        self._title.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        views = line_of(self._choice, margins=(SPACE_3, 0, SPACE_2, 0))
        views.addStretch(1)
        self._state.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._state.setContentsMargins(theme().px(SPACE_3), theme().px(SPACE_2), theme().px(SPACE_3), 0)
        for page in (self._step_list, self._note_list, self.log, self._state):
            self._stack.addWidget(page)
        column = column_in(self, top, self._title, views, self._stack, spacing=SPACE_1)
        for at in range(3):
            column.setStretch(at, 0)

    def _connect(self) -> None:
        self._wait.said.connect(self._say)
        self._choice.chosen.connect(self.choose_view)
        self._note_list.activated.connect(self._on_note)
        self._note_list.clicked.connect(self._on_note)
        self._step_list.activated.connect(self._on_step)
        self._browser.clicked.connect(self._on_browser)

    def _on_browser(self) -> None:
        if self._check is not None:
            self._shown.link_asked.emit(self._check.url)
