"""FindBar: words in the chat on screen: how often, the next and the previous place, over the whole chat (ui-U63)."""

import re
from bisect import bisect_right
from itertools import accumulate

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QLineEdit

from desktop.domain.chats.commands import FindInSession
from desktop.domain.chats.updates import FoundInSession
from desktop.domain.core.ids import new_id
from desktop.language import number, tr
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.theme.shadow import add_shadow
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import icon_button
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.layouts.gaps import set_gaps

NONE = tr("No matches")
_TYPED_MS = 150
_WIDTH = 480


class FindBar(QFrame):
    """Lies over the top right of the transcript. The engine says which entries hold the text, and how often; each place
    is shown."""

    def __init__(self, view: TranscriptView, requests: Requests) -> None:
        super().__init__(view)
        self._view, self._requests = view, requests
        self.hearing = Hearing().on(FoundInSession, self._on_found)
        self._request, self._session_id = "", ""
        self._ids: tuple[str, ...] = ()
        self._ends: list[int] = []
        self._at = -1
        self.setObjectName("find_bar")
        self.setAccessibleName(tr("Find in this chat"))
        self.setProperty("kind", "card")
        add_shadow(self)
        self.field = QLineEdit(self)
        self.field.setObjectName("find_text")
        self.field.setAccessibleName(tr("Find in this chat"))
        self.field.setPlaceholderText(tr("Find in this chat"))
        self.field.setClearButtonEnabled(False)
        self.count = QLabel(self)
        self.count.setObjectName("find_count")
        self.count.setProperty("kind", "muted")
        self.case = self._box(tr("Aa"), "find_case", tr("Match case"))
        self.whole = self._box(tr("Word"), "find_word", tr("Whole words only"))
        self._previous = icon_button("chevron-up", tr("Previous match (Shift+F3)"), "find_previous", self)
        self._next = icon_button("chevron-down", tr("Next match (F3)"), "find_next", self)
        self._close = icon_button("x", tr("Close (Esc)"), "find_close", self)
        self._typed = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._lay_out()
        self._connect()
        self.hide()

    def open(self) -> None:
        """Show the bar with the focus in its field; the text that is selected in the chat is looked for."""
        if not self._view.model.session_id:
            return
        chosen = self._view.selection.shown_text() if self._view.selection.has_text else ""
        if chosen and "\n" not in chosen:
            self.field.setText(chosen)
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def leave(self) -> None:
        """Hide the bar and give the focus back to the messages."""
        had = self.isAncestorOf(self.focusWidget() or self) or self.field.hasFocus()
        self.hide()
        self._typed.stop()
        self._forget()
        if had:
            self._view.setFocus()

    def search(self) -> None:
        """Ask for the entries that hold what is written."""
        self._typed.stop()
        self._forget()
        if not self.field.text() or not self.isVisible():
            return
        self._request, self._session_id = new_id("fnd_"), self._view.model.session_id
        self._requests.send(
            FindInSession(
                request_id=self._request,
                session_id=self._session_id,
                text=self.field.text(),
                case=self.case.isChecked(),
                whole_word=self.whole.isChecked(),
            )
        )

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) place, round at the ends; opens the bar when it is closed,
        and goes to its field when there is no place."""
        if self.isHidden():
            self.open()
        elif self._typed.isActive():
            self.search()
        elif self._total:
            self._go((self._at + step) % self._total)
        else:
            self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes; Enter goes on, with Shift back."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if shift else 1)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner of the messages."""
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _on_found(self, found: FoundInSession) -> None:
        """Take the answer to the last question."""
        if found.request_id != self._request:
            return
        self._ids, self._ends = found.event_ids, [*accumulate(found.counts)]
        flags = re.NOFLAG if self.case.isChecked() else re.IGNORECASE
        text = re.escape(self.field.text())
        self._view.mark_found(re.compile(rf"(?<!\w){text}(?!\w)" if self.whole.isChecked() else text, flags))
        if self._total:
            self._go(self._total - 1)
        else:
            self._say()

    @property
    def _total(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _go(self, at: int) -> None:
        """To a place: it is in the first entry that ends behind it."""
        self._at = at
        entry = bisect_right(self._ends, at)
        self._view.show_found(self._ids[entry], at - (self._ends[entry - 1] if entry else 0))
        self._say()

    def _say(self) -> None:
        asked = bool(self._request)
        words = (
            tr("{at} of {total}", at=number(self._at + 1), total=number(self._total))
            if self._total
            else (NONE if asked else "")
        )
        self.count.setText(words)
        for button in (self._previous, self._next):
            set_off(button, "" if self._total else words or tr("Type what to find."))

    def _forget(self) -> None:
        self._request, self._ids, self._ends, self._at = "", (), [], -1
        self._view.mark_found(None)
        self._say()

    def _place(self) -> None:
        look, room = theme(), self._view.viewport().width()
        width = min(look.px(_WIDTH), room - 2 * look.px(SPACE_2))
        self.setFixedWidth(max(1, width))
        self.adjustSize()
        self.move(room - width - look.px(SPACE_3), look.px(SPACE_2))

    def _box(self, text: str, name: str, tip: str) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setObjectName(name)
        box.setAccessibleName(tip)
        box.setToolTip(tip)
        return box

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_2, SPACE_1, SPACE_1, SPACE_1), SPACE_1)
        row.addWidget(self.field, 1)
        for widget in (self.count, self.case, self.whole, self._previous, self._next, self._close):
            row.addWidget(widget)

    def _connect(self) -> None:
        self._view.viewport().installEventFilter(self)  # the view hears of its size before it gives it to this
        self._typed.timeout.connect(self.search)
        self.field.textChanged.connect(self._on_typed)
        self.case.toggled.connect(self.search)
        self.whole.toggled.connect(self.search)
        self._previous.clicked.connect(lambda: self.step(-1))
        self._next.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.leave)
        self._view.model.modelReset.connect(self._on_reset)

    def _on_typed(self) -> None:
        self._typed.start()

    def _on_reset(self) -> None:
        if not self.isHidden() and self._view.model.session_id != self._session_id:
            self.leave()
