"""PullThreads: the review threads of a request, filtered; the chosen one below."""

from typing import get_args

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.pull_request import PullSnapshot, ReviewThread
from desktop.language import tr
from desktop.ui.pulls.fix_button import FixButton
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.pages.thread import ThreadDetail
from desktop.ui.pulls.parts import ListOverDetail, PullList, column_in, line_of
from desktop.ui.pulls.rows import PullRows, StateFilter, ThreadCounts, ThreadFilter, thread_row
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import part_note
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.elided_label import plain_tooltip

NO_THREADS = tr("No review threads.")
_STATES: tuple[tuple[StateFilter, str], ...] = (
    ("open", tr("Open", context="state")),
    ("outdated", tr("Outdated")),
    ("resolved", tr("Resolved")),
    ("all", tr("All")),
)
_ANYONE, _PEOPLE, _BOTS = "*", "*people", "*bots"
_NO_THREAD: dict[StateFilter, str] = {
    "open": tr("No open thread."),
    "outdated": tr("No outdated thread."),
    "resolved": tr("No resolved thread."),
    "all": tr("No thread passes the filter."),
}
_WRITERS = ((_ANYONE, tr("Anyone")), (_PEOPLE, tr("People")), (_BOTS, tr("Bots")))
_MOST_WRITERS, _COUNTED_WIDTH = 30, 345


class PullThreads(PullPage):
    """A list of up to a thousand threads costs what is on screen."""

    key, label, letter = "threads", tr("Threads"), Qt.Key.Key_T

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self._filter = ThreadFilter()
        self._states = Segmented("pr_threads_state", tr("Threads"), list(_STATES), self, compact=True)
        self._states.set_value("open")
        self._who = IconButton("list-filter", tr("Written by anyone"), self)
        self._who.setObjectName("pr_threads_author")
        self._writers: tuple[str, ...] = ()
        self._note = plain_label(self, "caption", "pr_threads_note")
        self._nothing = plain_label(self, "muted", "pr_threads_nothing")
        self.rows = PullRows(self)
        self.list = PullList(self.rows, "pr_threads", tr("Review threads"), self)
        self.detail = ThreadDetail(shown, self)
        self.fix = FixButton(shown, "comments", "pr_threads_fix", self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.activated.connect(lambda _index: self.detail.reply.field.setFocus())
        self.detail.reply.left.connect(self.list.setFocus)
        self._states.chosen.connect(self._on_state)
        self._who.clicked.connect(self.show_menu)

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The threads that are open."""
        return len(snapshot.open_threads)

    def main_list(self) -> PullList:
        """The list of threads."""
        return self.list

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        if snapshot is None:
            return
        self.fix.refresh()
        self._take_counts(snapshot)
        self._take_writers(snapshot)
        say(self._note, part_note(snapshot, "threads"))
        self._list(snapshot)
        self.detail.refresh_buttons()

    def show_thread(self, thread_id: str) -> None:
        """Choose a thread, whatever the filter was."""
        self._filter = ThreadFilter(state="all")
        self._states.set_value("all")
        self.refresh()
        self.list.choose(f"thread:{thread_id}")

    def take_ages(self) -> None:
        """Bring the ages up to date, because time has passed."""
        self.detail.apply_ages()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Counts go where there is no room for them."""
        super().resizeEvent(event)
        if self._shown.snapshot is not None:
            self._take_counts(self._shown.snapshot)

    def _take_counts(self, snapshot: PullSnapshot) -> None:
        counted = ThreadCounts.of(snapshot.threads).numbers
        room = self.width() >= theme().px(_COUNTED_WIDTH)
        for key, words in _STATES:
            number = counted.get(key, len(snapshot.threads))
            self._states.set_label(key, f"{words} {number}" if number and room else words)
            self._states.set_tooltip(key, count(number, "thread"))

    def _list(self, snapshot: PullSnapshot) -> None:
        kept = self.list.key
        shown = [thread for thread in snapshot.threads if self._filter.passes(thread)]
        self.rows.set_rows([thread_row(thread) for thread in shown])
        if not self.list.choose(kept):
            self.list.choose_first()
        self.detail.show_thread(self._thread(self.list.key))
        words = NO_THREADS
        if "threads" not in snapshot.known:
            words = tr("Loading threads…") if self._shown.fold.loading else tr("The threads were not read yet.")
        elif snapshot.threads:
            words = _NO_THREAD[self._filter.state]
        self._nothing.setText(words)
        self._stack.setCurrentIndex(0 if shown else 1)

    def show_menu(self) -> QMenu:
        """Whose threads are listed."""
        menu = QMenu(self)
        menu.setObjectName("pr_threads_menu")
        for key, words in (*_WRITERS, *((f"@{login}", display_text(login)) for login in self._writers)):
            action = menu.addAction(button_text(words))
            action.setCheckable(True)
            action.setChecked(self._chosen_writer == key)
            action.triggered.connect(lambda _checked=False, key=key: self._on_who(key))
            if key == _BOTS and self._writers:
                menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._who.mapToGlobal(QPoint(0, self._who.height())))
        return menu

    @property
    def _chosen_writer(self) -> str:
        named = f"@{self._filter.author}" if self._filter.author else ""
        return named or {"people": _PEOPLE, "bots": _BOTS, "": _ANYONE}[self._filter.source]

    def _take_writers(self, snapshot: PullSnapshot) -> None:
        logins = {one.author.login for thread in snapshot.threads for one in thread.comments if one.author.login}
        self._writers = tuple(sorted(logins, key=str.casefold)[:_MOST_WRITERS])
        chosen = self._chosen_writer
        several = {
            _ANYONE: tr("Written by anyone"),
            _PEOPLE: tr("Written by people"),
            _BOTS: tr("Written by bots"),
        }
        words = several.get(chosen) or tr("Written by {name}", name=display_text(chosen[1:]))
        self._who.set_name(plain_tooltip(words))
        self._who.set_icon("list-filter", "muted" if chosen == _ANYONE else "accent")

    def _on_state(self, value: str) -> None:
        state = next(one for one in get_args(StateFilter) if one == value)
        self._states.set_value(value)
        self._filter = ThreadFilter(state, self._filter.author, self._filter.source)
        self.refresh()

    def _on_who(self, key: str) -> None:
        state = self._filter.state
        self._filter = {
            _ANYONE: ThreadFilter(state),
            _PEOPLE: ThreadFilter(state, source="people"),
            _BOTS: ThreadFilter(state, source="bots"),
        }.get(key, ThreadFilter(state, author=key[1:]))
        self.refresh()

    def _on_current(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self.detail.show_thread(self._thread(self.list.key))

    def _thread(self, key: str) -> ReviewThread | None:
        threads = self._shown.snapshot.threads if self._shown.snapshot is not None else ()
        return next((one for one in threads if f"thread:{one.id}" == key), None)

    def _lay_out(self) -> None:
        states = line_of(self._states, self._who, margins=(SPACE_3, SPACE_2, SPACE_3, 0))
        states.insertStretch(1, 1)
        splitter = ListOverDetail("pr_threads_splitter", self.list, self.detail, 0.4, self)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._nothing.setContentsMargins(theme().px(SPACE_3), theme().px(SPACE_3), theme().px(SPACE_3), 0)
        self._note.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        self._stack.addWidget(splitter)
        self._stack.addWidget(self._nothing)
        column = column_in(self, states, self.fix.line(), self._note, self._stack, spacing=SPACE_1)
        for at in range(3):
            column.setStretch(at, 0)
