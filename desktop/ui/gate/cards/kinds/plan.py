"""The plan card: a plan that waits for approval."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.pending import Answer, PlanReview
from desktop.language import tr
from desktop.ui.gate.cards.approval import UNSEEN
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.evidence.prose import ProseView
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.kinds.interrupted import no_button, say_late
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.text.modes import mode_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_4
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_KEYS = tr("Ctrl+⏎ approve  ·  Ctrl+⌫ decline")
_LATE_KEYS = tr("Ctrl+⏎ approve  ·  Ctrl+⌫ dismiss")
_DRAFT = "revise"
_EDITED = "plan"
_LINES = 3.5
_EDIT_LINES = 14
EDITED = tr("Edited by you. The agent gets this text.")


class ReviseRow(QWidget):
    """What should change in the plan; it cannot be sent empty. What is typed is kept until the plan is resolved."""

    def __init__(self, card: InputCard) -> None:
        super().__init__(card)
        self._card = card
        drafts, input_id = card.context.drafts, card.item.input_id
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("plan_revise_text")
        self.text.setAccessibleName(tr("What should change in the plan"))
        self.text.setPlaceholderText(tr("What should change? The chat stays in plan mode."))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(round(self.text.fontMetrics().lineSpacing() * _LINES))
        self.text.setPlainText(drafts.text(input_id, _DRAFT))
        self.text.textChanged.connect(lambda: drafts.keep_text(input_id, _DRAFT, self.text.toPlainText()))
        self.text.textChanged.connect(card.refresh_enabled)
        self.send = card.button(tr("Send to the agent"), "revise_send", "primary")
        self.send.clicked.connect(self._send)
        self.back = card.button(tr("Back"), "revise_back", "ghost")
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


class EditRow(QWidget):
    """Leaves the text of the plan as a person made it, or takes their changes back. `used`: it is to be shown."""

    used = Signal()

    def __init__(self, card: InputCard) -> None:
        super().__init__(card)
        self.use = card.button(tr("Use this text"), "edit_use", "primary")
        self.use.clicked.connect(self.used)
        self.discard = card.button(tr("Discard changes"), "edit_discard", "ghost")
        flow = FlowLayout(self, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        flow.addWidget(self.use)
        flow.addWidget(self.discard)


class PlanText(QPlainTextEdit):
    """The plan as the person changes it. What is typed is kept until the plan is resolved."""

    def __init__(self, card: InputCard, plan: str) -> None:
        super().__init__(card.body.contents)
        self._plan, self._drafts, self._input_id = plan, card.context.drafts, card.item.input_id
        self.setObjectName("plan_edit_text")
        self.setAccessibleName(tr("The plan, to be changed"))
        self.setProperty("kind", "edit")
        self.setTabChangesFocus(True)
        self.setFont(theme().mono())
        self.setPlainText(self._drafts.text(self._input_id, _EDITED) or plan)
        self.set_lines(_EDIT_LINES)
        self.textChanged.connect(self._keep)

    @property
    def edited(self) -> str | None:
        """The person's plan; None where it is the agent's still."""
        text = self.toPlainText()
        as_sent = not self._drafts.text(self._input_id, _EDITED)
        return None if as_sent or text == self._plan else text

    def put_back(self) -> None:
        """Show the agent's plan again."""
        self.setPlainText(self._plan)
        self._drafts.keep_text(self._input_id, _EDITED, "")

    def set_lines(self, lines: int) -> None:
        """Be so many lines high; the rest scrolls."""
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + theme().px(SPACE_4))

    def _keep(self) -> None:
        text = self.toPlainText()
        self._drafts.keep_text(self._input_id, _EDITED, "" if text == self._plan else text)


class PlanCard(InputCard):
    """Approving needs the guard and the plan seen to its end. The plan can be changed first, and the mode chosen."""

    prefix = "plan"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, PlanReview):
            raise TypeError(f"A plan card cannot show a {request.kind}.")
        super().__init__(context, parent)
        say_late(self)
        self._request_plan = request.plan
        self._text = PlanText(self, request.plan)
        self._text.hide()
        self.body.column.addWidget(self._text)
        self._edited = plain_label(self.body.contents, "caption", "plan_edited", role="accent")
        self.body.column.addWidget(self._edited)
        self._plan = ProseView(self.body.contents, "plan_text", tr("The plan"))
        self._plan.seen_all.connect(self._plan_seen)
        self.body.column.addWidget(self._plan)
        self._more = self.button(tr("Show all of the plan"), "show_all", "link")
        self._more.setParent(self.body.contents)
        self._more.clicked.connect(self._show_all)
        self._more.hide()
        self.body.column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._after = plain_label(self.body.contents, "muted", "plan_mode_after")
        self._after.setText(tr("Mode after approval: {mode_after}.", mode_after=mode_words(request.mode_after)))
        self.body.column.addWidget(self._after)
        self._unbounded = False
        self._build_buttons(request.mode_after)
        self._show_plan()
        self.refresh_enabled()

    def approve(self) -> None:
        """Approve the plan as it is shown, for the mode it names."""
        self._approve_in(None, self._approve)

    def open_editor(self) -> None:
        """Put the text of the plan in place of it."""
        if self._footer.opened < 0 and self.can_answer:
            self._footer.open(self._edit_row, self._text)

    def go_back(self) -> bool:
        """Close the row that is open."""
        self._show_plan()
        return self._footer.close()

    def refresh_enabled(self) -> None:
        """Approving needs the plan seen; sending it back needs a text."""
        super().refresh_enabled()
        for button in self._approving:
            set_off(button, self.why_not or ("" if self._plan.seen else tr("Read the plan to its end first.")))
        blank = "" if self._text.toPlainText().strip() else tr("The plan is blank.")
        set_off(self._edit_row.use, self.why_not or blank)
        set_off(
            self._revise_row.send, self.why_not or ("" if self._revise_row.note else tr("Write what should change."))
        )
        set_off(self._more, "")

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
            self._text,
            self._plan,
            self._more,
            *self._row_buttons,
            self._edit_row.use,
            self._edit_row.discard,
            revise.text,
            revise.send,
            revise.back,
            self._decline_row.reason,
        ]

    def _build_buttons(self, after: PermissionMode) -> None:
        self._approve = self.button(tr("Approve plan"), "approve", "primary")
        self._approve.setToolTip(tr("The agent goes on in {after} mode.", after=mode_words(after)))
        self._approve.clicked.connect(self.approve)
        self._approving = [self._approve]
        if after is not PermissionMode.FULL_AUTO and not self.item.interrupted:
            auto = self.button(tr("Approve in full auto"), "approve_full_auto")
            auto.setToolTip(tr("The agent goes on without asking; what always asks still asks."))
            auto.clicked.connect(lambda: self._approve_in(PermissionMode.FULL_AUTO, auto))
            self._approving.append(auto)
        edit = self.button(tr("Edit plan…"), "edit")
        edit.clicked.connect(self.open_editor)
        revise = self.button(tr("Revise…"), "revise")
        decline = no_button(self, lambda: self._footer.open(self._decline_row, self._decline_row.reason))
        self._row_buttons = [*self._approving, edit, revise, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _LATE_KEYS if self.item.interrupted else _KEYS))
        self._revise_row = ReviseRow(self)
        self._revise_row.back.clicked.connect(self._footer.close)
        self._footer.add(self._revise_row)
        revise.clicked.connect(lambda: self._footer.open(self._revise_row, self._revise_row.text))
        self._edit_row = EditRow(self)
        self._edit_row.used.connect(self._use_text)
        self._edit_row.discard.clicked.connect(self._discard_text)
        self._text.textChanged.connect(self.refresh_enabled)
        self._footer.add(self._edit_row, self._text, [self._plan, self._edited, self._after])
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)

    def _approve_in(self, mode: PermissionMode | None, button: CardButton) -> None:
        if self._footer.opened >= 0:
            return
        if self._plan.seen:
            self.submit(Answer(outcome="allow_once", mode=mode, edited_plan=self._shown_edit), button)
        elif self.hint.text() != UNSEEN:
            self._hint()

    def _show_plan(self) -> None:
        """Draw the plan that an approval is about: the person's where they changed it."""
        text = self._text.edited
        self._shown_edit = text if text is not None and text.strip() else None
        self._plan.show_text(self._request_plan if self._shown_edit is None else self._shown_edit)
        say(self._edited, "" if self._shown_edit is None else EDITED)

    def _use_text(self) -> None:
        self._show_plan()
        self._footer.close()
        self._plan.show_all()

    def _discard_text(self) -> None:
        self._text.put_back()
        self._show_plan()
        self._footer.close()

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
