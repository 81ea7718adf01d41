"""HandoverPage: what happened in a time, who decided, what is open; each line leads to its entry (memory-HO2)."""

from datetime import datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.handover.commands import HandoverForm, LoadHandover, SaveHandover, SummariseHandover
from desktop.domain.handover.updates import HandoverLoaded, HandoverSaved
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.handover.rows import SINCE, HandoverRow, figures, handover_rows, moment
from desktop.ui.handover.summary import SummaryText
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.pulls.parts import PullList, column_in, line_of
from desktop.ui.pulls.rows import PullRows
from desktop.ui.text.format import clock_time, local_date
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.new_file import ask_new_file
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_OVER = (("project", tr("Repository")), ("chat", tr("This chat")))
_FORMS: tuple[tuple[HandoverForm, str, str], ...] = (
    ("markdown", tr("Markdown…"), "md"),
    ("html", tr("Web page…"), "html"),
    ("json", "JSON…", "json"),
)
EMPTY = tr("Nothing happened in this time.")
WRITE, WRITING = tr("Write a summary"), tr("Writing…")
_WRITE_TIP = tr("Sends this page to the model of the chat on screen. What it writes stands under a heading of its own.")
_NO_CHAT = tr("Open a chat first: its model writes the summary.")
_LOADING = tr("Loading…")


class HandoverPage(QWidget):
    """Shows the page that was asked for last. `entry_asked`: chat, entry and its place in the log; `noted`: a sentence
    for a toast, and whether it is an error."""

    entry_asked = Signal(str, str, int)
    noted = Signal(str, bool)
    closed = Signal()

    def __init__(self, requests: Requests, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._clock = requests, clock
        self._asked = Request()
        self._loaded: HandoverLoaded | None = None
        self._looked: datetime | None = None
        self._since, self._chat = "looked", ""
        self._over = Segmented("handover_over", tr("What it is about"), list(_OVER), self, compact=True)
        self._when = small_button("", "handover_since", self)
        self._copy = small_button(tr("Copy as Markdown"), "handover_copy", self)
        self._save = small_button(tr("Save…"), "handover_save", self)
        self._write = small_button(WRITE, "handover_summarise", self)
        self._again = IconButton("refresh-cw", tr("Make the page again"), self)
        self._again.setObjectName("handover_again")
        self._close = IconButton("x", tr("Close the handover"), self)
        self._close.setObjectName("handover_close")
        self._figures = plain_label(self, "muted", "handover_figures")
        self.rows = PullRows(self)
        self.list = PullList(self.rows, "handover_list", tr("What happened, by section"), self)
        self._by = plain_label(self, "muted", "handover_summary_by")
        self._words = SummaryText(self)
        self._state = EmptyState("history", "", "", self)
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()

    def ask(self, chat: str, looked: datetime | None) -> None:
        """Make the page anew. `chat`: the one on screen, "" for none; `looked`: when a person looked last."""
        self._looked = looked
        if not chat or chat != self._chat:
            self._over.set_value("project")
        self._chat = chat
        self._load()

    def choose_since(self, since: str) -> None:
        """Make the page for this time, a key of SINCE."""
        self._since = since
        self._load()

    def open_row(self, index: QModelIndex | QPersistentModelIndex) -> None:
        """Go to the entry of a line."""
        row = index.data(ROW_ROLE)
        if isinstance(row, HandoverRow) and row.leads and row.line is not None:
            self.entry_asked.emit(row.line.session_id, row.line.event_id, row.line.seq)

    def _load(self) -> None:
        since = moment(self._since, self._clock(), self._looked)
        self._say_since(since)
        set_off(self._over, "" if self._chat else _NO_CHAT)
        self._asked.drop()
        command = LoadHandover(session_id=self._chat if self._over.value == "chat" else "", since=since)
        self._asked = self._requests.ask(command, self, answer(HandoverLoaded, self._on_loaded), failed=self._on_failed)
        self._refresh()

    def _on_loaded(self, loaded: HandoverLoaded) -> None:
        self._loaded, kept = loaded, self.list.key
        page = loaded.page
        self.rows.set_rows(handover_rows(page))
        self._figures.setText(figures(page))
        restyle(self._figures, role="danger" if page.difference else "")
        listed = any(section.lines for section in page.sections)
        self._state.set_texts(EMPTY)
        self._stack.setCurrentIndex(0 if listed else 1)
        if not (kept and self.list.choose(kept)):
            self.list.choose_first()
        self._refresh()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._asked.drop()
        self._refresh()
        self.noted.emit(failed.text, True)

    def _on_write(self) -> None:
        """The model of the chat on screen writes about the page; only a person asks for it."""
        loaded = self._loaded
        if loaded is not None and self._chat:
            command = SummariseHandover(session_id=self._chat, page=loaded.page, about=loaded.session_id)
            shown = answer(HandoverLoaded, self._on_loaded)
            self._asked = self._requests.ask(command, self, shown, failed=self._on_failed)
            self._refresh(writing=True)

    def _say_since(self, since: datetime | None) -> None:
        """Where nobody has looked before it is the last day."""
        known = self._since if self._looked is not None or self._since != "looked" else "day"
        exact = f", {local_date(since)} {clock_time(since)}" if since is not None and known == "looked" else ""
        self._when.setText(f"{SINCE[known]}{exact}")

    def _refresh(self, *, writing: bool = False) -> None:
        for button in (self._copy, self._save):
            set_off(button, "" if self._loaded is not None else _LOADING)
        page = self._loaded.page if self._loaded is not None else None
        self._write.setText(WRITING if writing else WRITE)
        waits = WRITING if writing else "" if page is not None else _LOADING
        set_off(self._write, waits if self._chat else _NO_CHAT, _WRITE_TIP)
        summary = page.summary if page is not None else ""
        say(
            self._by,
            tr("Summary. {summary_note}", summary_note=page.summary_note) if page is not None and summary else "",
        )
        self._words.setPlainText(display_text(summary, multiline=True))
        self._words.setVisible(bool(summary))

    def _on_copy(self) -> None:
        if self._loaded is not None:
            QGuiApplication.clipboard().setText(self._loaded.markdown)
            self.noted.emit(tr("The handover is on the clipboard."), False)

    def _on_over(self, value: str) -> None:
        self._over.set_value(value)
        self._load()

    def _choose_file(self, form: HandoverForm, ending: str) -> None:
        loaded = self._loaded
        if loaded is None:
            return

        def write(path: str) -> None:
            command = SaveHandover(page=loaded.page, path=path, form=form)
            saved = answer(HandoverSaved, lambda update: self.noted.emit(tr("Saved {path}", path=update.path), False))
            self._requests.ask(command, self, saved, failed=self._on_failed)

        name = f"handover-{loaded.page.until.astimezone():%Y-%m-%d}.{ending}"
        ask_new_file(tr("Save the handover"), "handover_file_dialog", name, self, write)

    def _connect(self) -> None:
        self._over.chosen.connect(self._on_over)
        self._copy.clicked.connect(self._on_copy)
        self._write.clicked.connect(self._on_write)
        self._again.clicked.connect(self._load)
        self._close.clicked.connect(self.closed)
        self.list.clicked.connect(self.open_row)
        self.list.activated.connect(self.open_row)
        times, forms = QMenu(self._when), QMenu(self._save)
        for key, words in SINCE.items():
            times.addAction(words).triggered.connect(lambda _=False, this=key: self.choose_since(this))
        for form, words, ending in _FORMS:
            forms.addAction(words).triggered.connect(lambda _=False, f=form, e=ending: self._choose_file(f, e))
        self._when.setMenu(times)
        self._save.setMenu(forms)

    def _lay_out(self) -> None:
        title = plain_label(self, "title", "handover_title", wrap=False)
        title.setText(tr("Handover"))
        top = line_of(title, margins=(SPACE_3, SPACE_2, SPACE_2, 0))
        top.addStretch(1)
        top.addWidget(self._again)
        top.addWidget(self._close)
        choices, space = QWidget(self), theme().px(SPACE_2)
        flow = FlowLayout(choices, gap_x=space, gap_y=space)
        for part in (self._over, self._when, self._copy, self._save, self._write):
            flow.addWidget(part)
        self._stack.addWidget(self.list)
        self._stack.addWidget(self._state)
        summary = line_of(self._by), line_of(self._words)
        column_in(self, top, line_of(choices), line_of(self._figures), *summary, self._stack)
        self._over.set_value("project")
        self._refresh()
        self.setFocusProxy(self.list)
