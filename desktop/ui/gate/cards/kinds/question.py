"""The question card: one question at a time, sent together."""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.gate.pending import Answer, QuestionRequest, is_ours
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.kinds.interrupted import no_button, say_late
from desktop.ui.gate.cards.kinds.question_page import QuestionPage, in_language
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say

_ADDRESS = re.compile(r"^https?://\S+$", re.MULTILINE)
_KEYS = tr("1–9 choose  ·  Ctrl+⏎ send")
UNANSWERED = tr("Answer every required question first.")


class QuestionCard(InputCard):
    """Choosing never sends. Send needs an answer to every required question."""

    prefix = "question"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, QuestionRequest):
            raise TypeError(f"A question card cannot show a {request.kind}.")
        self.request = request
        super().__init__(context, parent)
        self._index = 0
        if request.body:
            body = plain_label(self.body.contents, "muted")
            body.setText(prose_text(said(request.body) if is_ours(request) else request.body, multiline=True))
            self.body.column.addWidget(body)
        self._copies = self._offer_address(request.body)
        say_late(self)
        self._position = plain_label(self.body.contents, "caption", "question_position", wrap=False)
        self.body.column.addWidget(self._position)
        self._pages = [self._make_page(index) for index in range(len(request.questions))]
        self.body.column.addStretch(1)
        self._build_buttons()
        self._show_page(0)

    def approve(self) -> None:
        """Send the answers, if they are complete."""
        if self._complete:
            self._send()
        elif self.can_answer and self.hint.text() != UNANSWERED:
            say(self.hint, UNANSWERED)
            self.reshaped.emit()

    def choose(self, number: int) -> None:
        """Choose an option of the shown question."""
        if self.can_answer:
            self._page.choose(number)

    def go_back(self) -> bool:
        """Close the decline row."""
        return self._footer.close()

    def refresh_enabled(self) -> None:
        """Send needs complete answers; the pages can be turned as long as the card can be answered."""
        super().refresh_enabled()
        open_one = tr("Question {number} is not answered yet.", number=max(self._first_open, 0) + 1)
        set_off(self._send_button, self.why_not or ("" if self._complete else open_one))
        elsewhere = self._index == len(self._pages) - 1 and self._first_open not in (-1, self._index)
        self._open.setText(tr("Answer question {value}", value=max(self._first_open, 0) + 1))
        self._open.setAccessibleName(self._open.text())
        self._open.setVisible(elsewhere)
        for page in self._pages:
            set_off(page, self.why_not)

    def look(self) -> CardLook:
        """The shown question, the open row, and secrets, which are no drafts."""
        return CardLook(page=self._index, row=self._footer.opened, secrets=tuple(page.secret for page in self._pages))

    def restore(self, look: CardLook) -> None:
        """Turn to the same question."""
        for page, secret in zip(self._pages, look.secrets, strict=True):
            page.set_secret(secret)
        self._show_page(look.page)
        self._footer.reopen(look.row)

    def tab_chain(self) -> list[QWidget]:
        """Options and fields of each page, then the buttons."""
        parts = [part for page in self._pages for part in page.focus_parts()]
        return [*self._copies, *parts, *self._row_buttons, self._decline_row.reason]

    @property
    def _page(self) -> QuestionPage:
        return self._pages[self._index]

    @property
    def _complete(self) -> bool:
        return self.can_answer and all(page.is_answered for page in self._pages) and self._says_something

    @property
    def _first_open(self) -> int:
        """The first question that still needs an answer; -1 for none."""
        return next((at for at, page in enumerate(self._pages) if not page.is_answered), -1)

    @property
    def _says_something(self) -> bool:
        return any(page.values for page in self._pages) or not any(q.required for q in self.request.questions)

    def _offer_address(self, body: str) -> list[QWidget]:
        """A button that copies the address that a server wants to have opened, as it is shown."""
        found = _ADDRESS.search(prose_text(body, multiline=True))
        if found is None:
            return []
        copy = small_button(tr("Copy address"), "question_copy_address", self.body.contents)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(found.group()))
        self.body.column.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        return [copy]

    def _make_page(self, index: int) -> QuestionPage:
        place = (self.item.input_id, index)
        question = in_language(self.request, self.request.questions[index])
        page = QuestionPage(question, place, self.context.drafts, self.body.contents)
        page.changed.connect(self._answers_changed)
        page.reshaped.connect(self.reshaped)
        page.looked_into.connect(self.body.show_together)
        page.looked_away.connect(self.body.let_go)
        page.hide()
        self.body.column.addWidget(page)
        return page

    def _build_buttons(self) -> None:
        self._back = self.button(tr("Back"), "back")
        self._back.clicked.connect(lambda: self._show_page(self._index - 1))
        self._next = self.button(tr("Next"), "next", "primary")
        self._next.clicked.connect(lambda: self._show_page(self._index + 1))
        self._send_button = self.button(tr("Send answer"), "send", "primary")
        self._send_button.clicked.connect(self._send)
        self._open = self.button("", "open")
        self._open.clicked.connect(lambda: self._show_page(self._first_open))
        self._skip = self.button(tr("Skip"), "skip")
        self._skip.clicked.connect(self._skip_question)
        decline = no_button(self, lambda: self._footer.open(self._decline_row, self._decline_row.reason))
        self._row_buttons = [self._back, self._next, self._send_button, self._open, self._skip, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _KEYS))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)

    def _show_page(self, index: int) -> None:
        """The focus that was in the page or on a button, which may be gone, goes to the first answer of the new one."""
        focus = QApplication.focusWidget()
        turned = focus is not None and focus is not self and self.isAncestorOf(focus)
        self._index = index
        last = index == len(self._pages) - 1
        for number, page in enumerate(self._pages):
            page.setVisible(number == index)
        header = prose_text(self._page.question.header)
        place = tr(
            "{value} of {pages}{value_2}",
            value=index + 1,
            pages=len(self._pages),
            value_2=f" · {header}" if header else "",
        )
        say(self._position, place if len(self._pages) > 1 else "")
        self._back.setVisible(index > 0)
        self._next.setVisible(not last)
        self._send_button.setVisible(last)
        self._skip.setVisible(not self._page.question.required)
        self.refresh_enabled()
        self.content_changed()
        if turned and (parts := self._page.focus_parts()):
            parts[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _answers_changed(self) -> None:
        if self.hint.text() == UNANSWERED and self._complete:
            say(self.hint, "")
            self.reshaped.emit()
        self.refresh_enabled()

    def _skip_question(self) -> None:
        self._page.clear()
        if self._index < len(self._pages) - 1:
            self._show_page(self._index + 1)
        else:
            self.approve()

    def _send(self) -> None:
        if not self._complete:
            return
        choices = {page.question.id: page.values for page in self._pages if page.values}
        self.submit(Answer(outcome="answered", choices=choices), self._send_button)
