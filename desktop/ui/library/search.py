"""SearchDialog: full text over all chats; choosing a hit opens the chat at that row."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.chats.commands import SearchChats
from desktop.domain.chats.updates import ChatsFound, SearchHit
from desktop.domain.core.ids import new_command_id
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.core.sink import Clock
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_4
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem, PickList

WAIT_MS = 150
_WIDTH, _HEIGHT = 680, 520
_HINT = tr('Words, "a phrase", -without, begin*, from:me, in:results, before:2026-10-01, after:2026-10-01')
_ICONS = {
    "title": "message-square",
    "prompt": "user",
    "note": "info",
    "answer": "bot",
    "call": "wrench",
    "result": "file-text",
    "summary": "scissors",
    "question": "message-circle-question-mark",
    "reply": "user",
}
_MARKS = {"rewound": tr("rewound"), "removed": tr("removed from the context")}


class SearchDialog(Dialog):
    """Asks the engine while a person types, 150 ms after the last key. `chosen`: chat, entry and
    place of the hit."""

    chosen = Signal(str, str, int)

    def __init__(self, requests: Requests, clock: Clock, lane_of: Callable[[str], str], parent: QWidget) -> None:
        """`lane_of`: the display-safe name of the lane of a chat, "" for none: it tells chats of one title apart."""
        super().__init__(parent)
        self._requests, self._clock, self._lane_of = requests, clock, lane_of
        self._asked, self._page, self._hits = Request(), 0, list[SearchHit]()
        self.hearing = Hearing().on(ChatsFound, self._on_found)
        self._found, self._opens = "", False
        self.setObjectName("search_dialog")
        self.setWindowTitle(tr("Search all chats"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(self)
        self.field.setObjectName("search_field")
        self.field.setAccessibleName(tr("Search all chats"))
        self.field.setPlaceholderText(tr("Search in all chats"))
        add_clear_button(self.field)
        self.list = PickList("search_hits", self)
        self._said = QLabel(_HINT, self)
        self._said.setObjectName("search_said")
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setProperty("kind", "muted")
        self._said.setWordWrap(True)
        self._more = push_button(tr("Show more"), "search_more", self)
        self._more.hide()
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_4, SPACE_4, SPACE_4), SPACE_2)
        for widget, stretch in ((self.field, 0), (self._said, 0), (self.list, 1), (self._more, 0)):
            layout.addWidget(widget, stretch)
        self.field.textChanged.connect(self._on_typed)
        self.field.installEventFilter(self)
        self._timer.timeout.connect(self._search)
        self._more.clicked.connect(self._ask_more)
        self.list.clicked.connect(lambda index: self._choose(self.list.key_at(index)))
        room = parent.window().size()
        px = theme().px
        self.resize(min(px(_WIDTH), room.width() - px(SPACE_4)), min(px(_HEIGHT), room.height() - px(SPACE_4)))
        self.field.setFocus()

    def _on_found(self, update: ChatsFound) -> None:
        """Show what was found, if it answers what was asked last."""
        asked = self._asked.command
        if self._asked.is_waiting and asked is not None and update.request_id == asked.command_id:
            self._take(update)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._said.setText(display_text(failed.text))

    def search(self, text: str) -> None:
        """Look for this text now."""
        self.field.setText(text)
        self._timer.stop()
        self._search()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down move among the hits while the field keeps the focus; Enter opens one."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
            if event.key() in step:
                self.list.step(step[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._on_enter()
                return True
        return super().eventFilter(watched, event)

    def _on_typed(self) -> None:
        self._opens = False
        self._timer.start()

    def _on_enter(self) -> None:
        """Open the hit that is marked; while the list is still of other words, the first one of these when it comes."""
        if self._found == self.field.text().strip():
            self._choose(self.list.key_at(self.list.currentIndex()))
            return
        self._opens = True
        if self._timer.isActive():
            self._timer.stop()
            self._search()

    def _search(self) -> None:
        query = self.field.text().strip()
        self._page = 0
        if not query:
            self._asked.drop()
            self._hits, self._found = [], ""
            self.list.show_items([])
            self._more.hide()
            self._said.setText(_HINT)
            return
        self._ask(query)

    def _ask_more(self) -> None:
        self._page += 1
        self._ask(self.field.text().strip())

    def _ask(self, query: str) -> None:
        self._asked.drop()
        command_id = new_command_id()
        command = SearchChats(command_id=command_id, request_id=command_id, query=query, page=self._page)
        self._asked = self._requests.ask(command, self, failed=self._on_failed)

    def _take(self, found: ChatsFound) -> None:
        at = self.list.currentIndex().row() if found.page else 0
        self._hits = [*(self._hits if found.page else []), *found.hits]
        self.list.show_items([self._item(number, hit) for number, hit in enumerate(self._hits)])
        self.list.step(at)
        self._more.setVisible(found.more)
        self._said.setText(self._words(found))
        opens, self._found, self._opens = self._opens, found.query, False
        if opens:
            self._choose(self.list.key_at(self.list.currentIndex()))

    def _words(self, found: ChatsFound) -> str:
        if found.problem:
            return display_text(said(found.problem))
        if not self._hits:
            words = tr("Nothing matches “{query}”.", query=display_text(found.query))
        else:
            words = fmt.count(len(self._hits), "match", "matches")
            words = tr("{matches} so far", matches=words) if found.more else words
        return tr("{found} The newest messages are still being indexed.", found=words) if found.indexing else words

    def _item(self, number: int, hit: SearchHit) -> PickItem:
        mark = _MARKS.get(hit.mark, "")
        when = fmt.day_and_time(hit.at, self._clock())
        detail = " · ".join(part for part in (self._lane_of(hit.session_id), when, mark) if part)
        return PickItem(
            str(number),
            prose_text(hit.title) or tr("New chat"),
            detail,
            icon=_ICONS.get(hit.kind, "message-square"),
            below=prose_text(hit.snippet) or " ",
        )

    def _choose(self, key: str) -> None:
        if key:
            hit = self._hits[int(key)]
            self.chosen.emit(hit.session_id, hit.event_id, hit.seq)
            self.accept()
