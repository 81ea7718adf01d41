"""What a restart closed before it was answered: a card that can only be looked at, and what cards say that can still be
answered."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.display.text import prose_text
from desktop.domain.gate.pending import (
    ApprovalRequest,
    CredentialRequest,
    PictureReview,
    PlanReview,
    QuestionRequest,
    credential_title,
    picture_title,
)
from desktop.domain.skills.review import SkillReview
from desktop.language import tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.evidence.evidence import EvidencePiece, EvidenceText, piece_of
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.gate.cards.wording import Title, title_of
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.text.card_blocks import told_blocks
from desktop.ui.widgets.card_parts import plain_label

CLOSED = tr("Banksman closed before you answered.")
LATE = tr("{closed} Your answer goes to the agent as a message, and the chat goes on.", closed=CLOSED)


def can_answer_late(item: PendingItem) -> bool:
    """Whether a request that a restart closed can still be answered: questions without secrets, and plans but for full
    auto, which is switched on in a dialog of its own."""
    request = item.request
    if isinstance(request, QuestionRequest):
        return not any(question.secret for question in request.questions)
    return isinstance(request, PlanReview) and request.mode_after is not PermissionMode.FULL_AUTO


def say_late(card: InputCard) -> None:
    """Say on a card what comes of an answer after a restart."""
    if card.item.interrupted:
        words = plain_label(card.body.contents, "muted", f"{card.prefix}_late")
        words.setText(LATE)
        card.body.column.addWidget(words)


def no_button(card: InputCard, decline: Callable[[], object]) -> CardButton:
    """The last button: it declines; after a restart it takes the card away."""
    late = card.item.interrupted
    button = card.button(tr("Dismiss") if late else tr("Decline…"), "decline", "" if late else "danger")
    button.clicked.connect(card.dismissed if late else decline)
    return button


class InterruptedCard(InputCard):
    """Offers to continue the chat or to take the card away; no key and no button answers the request."""

    prefix = "interrupted"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self._evidence = [EvidenceText(piece, self.body.contents, "interrupted_evidence") for piece in self._pieces()]
        for text in self._evidence:
            self.body.column.addWidget(text)
        reason = plain_label(self.body.contents, "muted", "interrupted_reason")
        reason.setText(CLOSED)
        self.body.column.addWidget(reason)
        self.body.column.addStretch(1)
        going_on = self.button(tr("Continue the chat"), "continue", "primary")
        going_on.clicked.connect(self._continue)
        dismiss = self.button(tr("Dismiss"), "dismiss")
        dismiss.clicked.connect(self.dismissed)
        self._row_buttons = [going_on, dismiss]
        Footer(self, ButtonRow(self, self._row_buttons, ""))
        self.refresh_enabled()

    def title(self) -> Title:
        """The request's title, as interrupted."""
        title = title_of(self.item.request, self.context.lane)
        return Title(tr("Interrupted: {removesuffix}", removesuffix=title.text.removesuffix("?")), title.bold)

    def decline_now(self) -> None:
        """There is nothing left to decline."""

    def make_fit(self, width: int, height: int) -> None:
        """The highest evidence box gives way, down to a few lines."""
        super().make_fit(width, height)
        for text in self._evidence:
            text.set_most(0)
        over = self.height_at(width) - height
        if over > 0 and self._evidence:
            highest = max(self._evidence, key=lambda text: text.heightForWidth(width))
            highest.set_most(highest.heightForWidth(width) - over)

    def tab_chain(self) -> list[QWidget]:
        """Evidence, then the buttons."""
        return [*self._evidence, *self._row_buttons]

    def _pieces(self) -> list[EvidencePiece]:
        request = self.item.request
        if isinstance(request, ApprovalRequest):
            return [
                piece
                for block in told_blocks(request.card.blocks, of_server=request.subject == "mcp")
                if (piece := piece_of(block, of_file=request.category is Category.WRITE)).text
            ]
        if isinstance(request, PlanReview):
            return [EvidencePiece(request.plan)]
        if isinstance(request, PictureReview):
            return [EvidencePiece(picture_title(request), fixed=False)]
        if isinstance(request, CredentialRequest):
            return [EvidencePiece(prose_text(request.why or credential_title(request)), fixed=False)]
        if isinstance(request, SkillReview):
            return [
                EvidencePiece(tr("Install the skill {skill_id}", skill_id=prose_text(request.skill_id)), fixed=False)
            ]
        assert isinstance(request, QuestionRequest)
        return [EvidencePiece("\n".join(prose_text(question.text) for question in request.questions), fixed=False)]

    def _continue(self) -> None:
        self.set_sending()
        self.continued.emit()
