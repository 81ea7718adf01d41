"""The plan card: a plan that waits for approval."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.pending import Answer, PlanReview
from desktop.domain.permissions import mode_label
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.views.cards.approval import UNSEEN
from desktop.ui.views.cards.card import Card
from desktop.ui.views.cards.context import CardContext
from desktop.ui.views.cards.decline import DeclineRow
from desktop.ui.views.cards.footer import ButtonRow, Footer
from desktop.ui.views.cards.look import CardLook
from desktop.ui.views.cards.parts import plain_label, say
from desktop.ui.views.cards.prose import ProseView
from desktop.ui.widgets.flow_layout import FlowLayout

_KEYS = "Ctrl+⏎ approve  ·  Ctrl+⌫ decline"
_DRAFT = "revise"
_LINES = 3.5


class ReviseRow(QWidget):
    """What should change in the plan; it cannot be sent empty. What is typed is kept until the plan is resolved."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self._card = card
        drafts, input_id = card.context.drafts, card.item.input_id
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("plan_revise_text")
        self.text.setAccessibleName("What should change in the plan")
        self.text.setPlaceholderText("What should change? The chat stays in plan mode.")
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(round(self.text.fontMetrics().lineSpacing() * _LINES))
        self.text.setPlainText(drafts.text(input_id, _DRAFT))
        self.text.textChanged.connect(lambda: drafts.keep_text(input_id, _DRAFT, self.text.toPlainText()))
        self.text.textChanged.connect(card.refresh_enabled)
        self.send = card.button("Send to the agent", "revise_send", "primary")
        self.send.clicked.connect(self._send)
        self.back = card.button("Back", "revise_back", "ghost")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_2))
        column.addWidget(self.text)
        buttons = QWidget(self)
        flow = FlowLayout(buttons, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        flow.addWidget(self.send)
        flow.addWidget(self.back)
        column.addWidget(buttons)

    @property
    def note(self) -> str:
        """What was typed, trimmed."""
        return self.text.toPlainText().strip()

    def _send(self) -> None:
        if self.note:
            self._card.submit(Answer(outcome="reject", note=self.note), self.send)


class PlanCard(Card):
    """Approving needs the guard and the plan seen to its end."""

    prefix = "plan"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, PlanReview):
            raise TypeError(f"A plan card cannot show a {request.kind}.")
        super().__init__(context, parent)
        self._plan = ProseView(self.body.contents, "plan_text", "The plan")
        self._plan.show_text(request.plan)
        self._plan.seen_all.connect(self._plan_seen)
        self.body.column.addWidget(self._plan)
        self._more = self.button("Show all of the plan", "show_all", "link")
        self._more.setParent(self.body.contents)
        self._more.clicked.connect(self._show_all)
        self._more.hide()
        self.body.column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        after = plain_label(self.body.contents, "muted", "plan_mode_after")
        after.setText(f"Mode after approval: {mode_label(request.mode_after)}.")
        self.body.column.addWidget(after)
        self._unbounded = False
        self._build_buttons()
        self.refresh_enabled()

    def approve(self) -> None:
        """Approve the plan as it is."""
        if self._plan.seen:
            self.submit(Answer(outcome="allow_once"), self._approve)
        elif self.hint.text() != UNSEEN:
            self._hint()

    def go_back(self) -> bool:
        """Close the row that is open."""
        return self._footer.close()

    def refresh_enabled(self) -> None:
        """Approving needs the plan seen; sending it back needs a text."""
        super().refresh_enabled()
        self._approve.setEnabled(self.can_answer and self._plan.seen)
        self._revise_row.send.setEnabled(self.can_answer and bool(self._revise_row.note))
        self._more.setEnabled(True)

    def make_fit(self, width: int, height: int) -> None:
        """The plan gives way, down to a few lines."""
        super().make_fit(width, height)
        self._plan.set_most(0)
        over = self.height_at(width) - height
        if over > 0 and not self._unbounded:
            self._plan.set_most(max(1, self._plan.heightForWidth(width) - over))

    def first_painted(self) -> None:
        """Say what is missing, if the plan does not fit."""
        if not self._plan.seen:
            self._more.show()
            self._hint()

    def look(self) -> CardLook:
        """The plan, and which row is open."""
        return CardLook(seen=(self._plan.seen,), shown_all=(self._unbounded,), row=self._footer.opened)

    def restore(self, look: CardLook) -> None:
        """A plan that was seen counts as seen."""
        self._plan.seen, self._unbounded = look.seen[0], look.shown_all[0]
        self._footer.reopen(look.row)
        self.refresh_enabled()

    def tab_chain(self) -> list[QWidget]:
        """Plan, buttons, and the rows that open."""
        revise = self._revise_row
        return [
            self._plan, self._more, *self._row_buttons, revise.text, revise.send, revise.back, self._decline_row.reason
        ]  # fmt: skip

    def _build_buttons(self) -> None:
        self._approve = self.button("Approve plan", "approve", "primary")
        self._approve.clicked.connect(self.approve)
        revise = self.button("Revise…", "revise")
        decline = self.button("Decline…", "decline", "danger")
        self._row_buttons = [self._approve, revise, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _KEYS))
        self._revise_row = ReviseRow(self)
        self._revise_row.back.clicked.connect(self._footer.close)
        self._footer.add(self._revise_row)
        revise.clicked.connect(lambda: self._footer.open(self._revise_row, self._revise_row.text))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)
        decline.clicked.connect(lambda: self._footer.open(self._decline_row, self._decline_row.reason))

    def _hint(self) -> None:
        say(self.hint, UNSEEN)
        self.reshaped.emit()

    def _show_all(self) -> None:
        self._unbounded = True
        self._plan.show_all()
        self.content_changed()

    def _plan_seen(self) -> None:
        self.refresh_enabled()
        if self.hint.text() == UNSEEN:
            say(self.hint, "")
        self._more.hide()
        self.reshaped.emit()
