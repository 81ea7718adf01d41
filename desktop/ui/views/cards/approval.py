"""The approval card: a call that waits for a person's yes."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display import display_text
from desktop.domain.pending import Answer, ApprovalRequest
from desktop.ui.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.views.cards.card import Card
from desktop.ui.views.cards.confirm import ConfirmField
from desktop.ui.views.cards.context import CardContext
from desktop.ui.views.cards.decline import DeclineRow
from desktop.ui.views.cards.evidence import EvidenceText, piece_of
from desktop.ui.views.cards.footer import ButtonRow, Footer
from desktop.ui.views.cards.guard import CardButton
from desktop.ui.views.cards.look import CardLook
from desktop.ui.views.cards.lookalikes import lookalike_warnings
from desktop.ui.views.cards.parts import plain_label, say
from desktop.ui.views.cards.why import WhyPanel
from desktop.ui.views.cards.wording import is_sql, once_text, session_text
from desktop.ui.widgets.elided_label import plain_tooltip

UNSEEN = "Scroll to the end or choose Show all"
_KEYS = "Ctrl+⏎ {}  ·  Ctrl+⌫ decline"


class ApprovalCard(Card):
    """Shows the stored request whole. Approving needs the guard, the evidence seen to its end, and the confirm word."""

    prefix = "approval"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, ApprovalRequest):
            raise TypeError(f"An approval card cannot show a {request.kind}.")
        self.request = request
        super().__init__(context, parent)
        self._evidence: list[tuple[EvidenceText, CardButton]] = []
        self._captions: list[QWidget] = []
        self._approving: list[CardButton] = []
        self._confirm: ConfirmField | None = None
        self._build_asker()
        self._build_evidence()
        self._build_reason()
        self._build_buttons()
        self.refresh_enabled()

    def approve(self) -> None:
        """Allow the call once, unless it is irreversible: that has no key."""
        if self.request.irreversible:
            return
        if not self._seen:
            self._hint_unseen()
            return
        self.submit(Answer(outcome="allow_once"), self._once)

    def toggle_why(self) -> None:
        """Open or close the panel that says why it asks."""
        self._set_why(self._why.isHidden())
        self.content_changed()

    def make_fit(self, width: int, height: int) -> None:
        """The highest evidence box gives way, down to a few lines."""
        super().make_fit(width, height)
        for caption in self._captions:
            caption.setVisible(not self.tiny)
        for text, _more in self._evidence:
            text.set_most(0)
        over = self.height_at(width) - height
        if over > 0 and self._evidence:
            highest = max((text for text, _more in self._evidence), key=lambda text: text.heightForWidth(width))
            highest.set_most(highest.heightForWidth(width) - over)

    def first_painted(self) -> None:
        """Say what is missing, if the evidence does not fit."""
        for text, more in self._evidence:
            more.setVisible(not text.seen)
        if not self._seen:
            self._hint_unseen()

    def look(self) -> CardLook:
        """Evidence, why panel and decline row."""
        return CardLook(
            seen=tuple(text.seen for text, _more in self._evidence),
            shown_all=tuple(text.unbounded for text, _more in self._evidence),
            why=not self._why.isHidden(),
            row=self._footer.opened,
        )

    def restore(self, look: CardLook) -> None:
        """What was seen counts as seen: the request cannot have changed."""
        for (text, _more), seen, shown_all in zip(self._evidence, look.seen, look.shown_all, strict=True):
            if shown_all:
                text.show_all()
            text.seen = seen
        self._set_why(look.why)
        self._footer.reopen(look.row)
        self.refresh_enabled()

    def tab_chain(self) -> list[QWidget]:
        """Evidence, why, buttons."""
        evidence = [part for pair in self._evidence for part in pair]
        decline = [self._decline_row.reason]
        return [*evidence, self._why_link, *([self._confirm] if self._confirm else []), *self.row_buttons, *decline]

    def go_back(self) -> bool:
        """Close the decline row, else the why panel."""
        if self._footer.close():
            return True
        if not self._why.isHidden():
            self.toggle_why()
            return True
        return False

    def refresh_enabled(self) -> None:
        """Approving needs more than declining."""
        super().refresh_enabled()
        confirmed = self._confirm is None or self._confirm.text().strip() == self._confirm_word
        for button in self._approving:
            button.setEnabled(self.can_answer and self._seen and confirmed)
        for _text, more in self._evidence:
            more.setEnabled(True)

    @property
    def _seen(self) -> bool:
        return all(text.seen for text, _more in self._evidence)

    @property
    def _confirm_word(self) -> str:
        return self.request.confirm_word.strip() or "run"

    def _build_asker(self) -> None:
        asker = display_text(self.request.asker)
        if asker and asker != "Agent":
            line = plain_label(self.body.contents, "caption", "approval_asker")
            line.setText(f"Asked by {asker}")
            self.body.column.addWidget(line)

    def _build_evidence(self) -> None:
        column = self.body.column
        for block in self.request.card.blocks:
            piece = piece_of(block)
            if not piece.text:
                continue
            if piece.caption:
                caption = plain_label(self.body.contents, "caption")
                caption.setText(piece.caption)
                column.addWidget(caption)
                self._captions.append(caption)
            text = EvidenceText(piece, self.body.contents, "approval_evidence")
            lines = count(piece.text.count("\n") + 1, "line")
            more = self.button(f"Show all {lines}", "show_all", "link")
            more.setParent(self.body.contents)
            more.clicked.connect(lambda _=False, shown=text: self._show_all(shown))
            more.setVisible(False)
            text.seen_all.connect(self._evidence_seen)
            self._evidence.append((text, more))
            column.addWidget(text)
            self._add_warnings(text)
            column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_warnings(self, text: EvidenceText) -> None:
        sentences = list(lookalike_warnings(text.piece.text))
        if text.marks:
            sentences.append(f"Characters that cannot be seen are shown as {', '.join(text.marks[:8])}.")
        if not sentences:
            return
        line = plain_label(self.body.contents, "caption", "approval_warning", role="warning")
        line.setText("\n".join(sentences))
        self.body.column.addWidget(line)

    def _build_reason(self) -> None:
        if self.request.source:
            says = plain_label(self.body.contents, "muted", "approval_source")
            says.setText(f"The agent says: {display_text(self.request.source, multiline=True)}")
            self.body.column.addWidget(says)
        row = QHBoxLayout()
        row.setSpacing(theme().px(SPACE_2))
        reason = plain_label(self.body.contents, "muted", "approval_reason")
        reason.setText(display_text(self.request.reason, multiline=True) or "No reason was recorded.")
        self._why_link = QPushButton("Why am I asked?", self.body.contents)
        self._why_link.setObjectName("approval_why")
        self._why_link.setProperty("kind", "link")
        self._why_link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._why_link.setAutoDefault(False)
        self._why_link.clicked.connect(self.toggle_why)
        row.addWidget(reason, 1)
        row.addWidget(self._why_link, 0, Qt.AlignmentFlag.AlignTop)
        self.body.column.addLayout(row)
        self._why = WhyPanel(self.request, self.context.lane, self.body.contents)
        self._why.hide()
        self.body.column.addWidget(self._why)
        self.body.column.addStretch(1)

    def _build_buttons(self) -> None:
        if self.request.irreversible:
            self._build_confirm()
        decline = self.button("Decline…", "decline", "danger")
        self.row_buttons = [*self._grant_buttons(), decline]
        self._footer = Footer(self, ButtonRow(self, self.row_buttons, self._key_hint()))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)
        decline.clicked.connect(lambda: self._footer.open(self._decline_row, self._decline_row.reason))

    def _set_why(self, shown: bool) -> None:
        self._why.setVisible(shown)
        self._why_link.setText("Hide why" if shown else "Why am I asked?")

    def _key_hint(self) -> str:
        if self.request.irreversible:
            return "Ctrl+⌫ decline"
        return _KEYS.format("run" if self._once.text().startswith("Run") else "allow")

    def _grant_buttons(self) -> list[CardButton]:
        request = self.request
        covers = {grant.scope: grant.covers for grant in request.grants}
        if request.irreversible:
            self._once = self.button(once_text(request), "allow_once", "danger", role="filled")
        else:
            self._once = self.button(once_text(request), "allow_once", "primary")
        self._once.clicked.connect(lambda: self._allow(Answer(outcome="allow_once"), self._once))
        self._describe(self._once, covers.get("once", "") or "This one call, as shown.")
        self._approving = [self._once]
        if "session" in covers and not request.irreversible and not is_sql(request):
            session = self.button(session_text(request), "allow_session")
            answer = Answer(outcome="allow_always", scope="session")
            session.clicked.connect(lambda: self._allow(answer, session))
            self._describe(session, covers["session"])
            self._approving.append(session)
        return self._approving

    def _describe(self, button: CardButton, covers: str) -> None:
        shown = display_text(covers)
        button.setToolTip(plain_tooltip(shown))
        button.setAccessibleDescription(shown)

    def _build_confirm(self) -> None:
        box = QWidget(self)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_1))
        label = plain_label(box)
        label.setText(f"Type {display_text(self._confirm_word)} to confirm")
        self._confirm = ConfirmField(box, "approval_confirm_word")
        self._confirm.setAccessibleName(label.text())
        self._confirm.textChanged.connect(lambda _text: self.refresh_enabled())
        column.addWidget(label)
        column.addWidget(self._confirm)
        self.footer.addWidget(box)

    def _allow(self, answer: Answer, button: CardButton) -> None:
        if self._seen and button.isEnabled():
            self.submit(answer, button)

    def _show_all(self, text: EvidenceText) -> None:
        text.show_all()
        self.content_changed()

    def _evidence_seen(self) -> None:
        self.refresh_enabled()
        if self._seen and self.hint.text() == UNSEEN:
            say(self.hint, "")
        for text, more in self._evidence:
            more.setVisible(more.isVisible() and not text.seen)
        self.reshaped.emit()

    def _hint_unseen(self) -> None:
        if self.hint.text() != UNSEEN:
            say(self.hint, UNSEEN)
            self.reshaped.emit()
