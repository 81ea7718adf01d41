"""The approval card: a call that waits for a person's yes."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from desktop.domain.commands import PreviewEffect
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.preview.commands import TryInCopy
from desktop.domain.preview.events import CommandTried
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.domain.updates import EditChecked, EffectShown, RulePreviewed
from desktop.language import said, tr
from desktop.ui.gate.cards.approving import Approving
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.evidence.command_words import CommandWords, shown_first
from desktop.ui.gate.cards.evidence.effect_grid import FEW_ROWS, ROWS
from desktop.ui.gate.cards.evidence.evidence_list import EvidenceList
from desktop.ui.gate.cards.evidence.preview import OF_SQL, OF_WEB, PreviewBlock
from desktop.ui.gate.cards.evidence.try_block import TryBlock
from desktop.ui.gate.cards.evidence.why import WhyPanel
from desktop.ui.gate.cards.facts import FactLines, facts_of
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.gate.cards.kinds.edit_pane import edit_pieces
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.gate.cards.wording import is_warned
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_PART_OF = "sub-agent of "
UNSEEN = tr("Scroll to the end or choose Show all")


class ApprovalCard(InputCard):
    """Shows the stored request whole. Approving needs the guard, the evidence seen to its end, and the confirm word."""

    prefix = "approval"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.request
        if not isinstance(request, ApprovalRequest):
            raise TypeError(f"An approval card cannot show a {request.kind}.")
        self.request = request
        self._tried = context.tried
        super().__init__(context, parent)
        self._details: list[QWidget] = []
        self._preview: PreviewBlock | None = None
        self._try: TryBlock | None = None
        self._all_words: CardButton | None = None
        self.evidence = EvidenceList(self, request)

    def filling(self) -> Iterator[None]:
        """The evidence, what else is told of the call, why it asks, and the buttons."""
        yield
        self._build_asker()
        self._build_evidence()
        yield
        self._build_details()
        yield
        self._build_reason()
        yield
        self._actions = Approving(self, self.request, self.evidence, self._details)
        self._show_apply(self.context.tried)
        self.body.column.addStretch(1)
        self.refresh_enabled()

    def approve(self) -> None:
        """Allow the call once, unless it is irreversible: that has no key."""
        if self.request.irreversible or not self._actions.at_rest:
            return
        if not self._all_seen:
            self._hint_unseen()
            return
        self._actions.give_first()

    def open_editor(self) -> None:
        """Edit the call, where that is offered."""
        self._actions.open_editor()

    def open_rule(self) -> None:
        """Make a rule, where that is offered."""
        self._actions.open_rule()

    def toggle_why(self) -> None:
        """Open or close the panel that says why it asks."""
        if not self._actions.at_rest:
            return
        self._set_why(self._why.isHidden())
        self.content_changed()
        if not self._why.isHidden():
            QTimer.singleShot(0, self, lambda: self._bring_into_view(self._reason_row))

    def make_fit(self, width: int, height: int) -> None:
        """The highest evidence box gives way, down to a few lines."""
        if self._preview is not None:
            self._preview.set_rows(ROWS)
        super().make_fit(width, height)
        if self._preview is not None and self.height_at(width) > height:
            self._preview.set_rows(FEW_ROWS)
        self.evidence.make_fit(width, height)

    def first_painted(self) -> None:
        """Say what is missing, if the evidence does not fit."""
        self.evidence.offer_all()
        if not self.evidence.seen:
            self._hint_unseen()

    def lacks(self, update: Update) -> bool:
        """What a statement would change is found out after its card is asked for, and may come after it is drawn."""
        return isinstance(update, EffectShown) and self._preview is None and self.context.edited is None

    def take(self, update: Update) -> None:
        """A rule preview, a checked edit, or what the statement would change."""
        if isinstance(update, EffectShown) and self._preview is not None:
            self._preview.show_preview(update.preview)
        elif isinstance(update, TryProgress | TriedInCopy):
            self._take_try(update)
        elif isinstance(update, RulePreviewed):
            self._actions.take_rule(update)
        elif isinstance(update, EditChecked):
            self._actions.take_edit(update)
        self.content_changed()

    def refuse(self, sentence: str) -> None:
        """Something that was asked for could not be done."""
        if self._preview is not None:
            self._preview.refuse(self.context.effect or self.request.preview)
        if self._try is not None:
            self._try.show_tried(self._tried)
        if not self._actions.refuse(display_text(sentence)):
            say(self.error, display_text(sentence))
        self.content_changed()

    def look(self) -> CardLook:
        """Evidence, why panel and the row that is open."""
        marks = self.evidence.marks
        return CardLook(
            seen=tuple(seen for seen, _all in marks),
            shown_all=tuple(shown for _seen, shown in marks),
            why=not self._why.isHidden(),
            row=self._actions.footer.opened,
        )

    def can_restore(self, former: InputCard) -> bool:
        """Where evidence and buttons are the same; why it asks may differ."""
        before = former.context.request
        return isinstance(before, ApprovalRequest) and _acts(before) == _acts(self.request)

    def restore(self, look: CardLook) -> None:
        """What was seen counts as seen: the request cannot have changed."""
        self.evidence.restore(look.seen, look.shown_all)
        self._set_why(look.why)
        self._actions.footer.reopen(look.row)
        self.refresh_enabled()

    def tab_chain(self) -> list[QWidget]:
        """Evidence, preview, why, buttons."""
        words = [self._all_words] if self._all_words is not None else []
        preview = self._preview.widgets() if self._preview is not None else []
        preview += self._try.widgets() if self._try is not None else []
        return [
            *self.evidence.widgets(),
            *words,
            *preview,
            self._why_link,
            *self._why.controls,
            *self._actions.widgets(),
        ]

    def go_back(self) -> bool:
        """Close the row that is open, else the why panel."""
        if self._actions.footer.close():
            return True
        if not self._why.isHidden():
            self.toggle_why()
            return True
        return False

    def refresh_enabled(self) -> None:
        """Approving needs more than declining."""
        super().refresh_enabled()
        self._actions.refresh_enabled()
        self.evidence.enable()
        if self._all_words is not None:
            set_off(self._all_words, "")

    def _build_asker(self) -> None:
        asker = display_text(self.request.asker)
        if asker.startswith(_PART_OF):
            asker = tr("sub-agent of {agent}", agent=asker.removeprefix(_PART_OF))
        if asker and asker != "Agent":
            line = plain_label(self.body.contents, "caption", "approval_asker")
            line.setText(tr("Asked by {asker}", asker=asker))
            self.body.column.addWidget(line)

    def _build_evidence(self) -> None:
        original = self.context.item.request
        if self.context.edited is not None and isinstance(original, ApprovalRequest):
            for piece in edit_pieces(original.arguments, self.request.arguments):
                self.evidence.add(piece, piece.caption)
        self.evidence.add_blocks()
        self.evidence.seen_all.connect(self._evidence_seen)

    def _build_details(self) -> None:
        """Words of the commands, facts, and the preview."""
        request, contents = self.request, self.body.contents
        if request.commands:
            self._words = CommandWords(shown_first(request.commands), request.reason, contents)
            self._detail(self._words)
            if len(request.commands) > len(shown_first(request.commands)):
                shown = tr("Show the words of all {commands}", commands=count(len(request.commands), "command"))
                self._all_words = self.button(shown, "words_all", "link")
                self._all_words.setParent(contents)
                self._all_words.clicked.connect(self._show_words)
                self._detail(self._all_words)
        facts = facts_of(request)
        if facts:
            self._detail(FactLines(facts, contents))
        preview = self.context.effect if self.context.edited is None else None
        preview = preview or request.preview
        if preview is not None and not (preview.on_click and self.context.edited is not None):
            words = OF_SQL if request.sql is not None else OF_WEB
            self._preview = PreviewBlock(self, preview, words)
            self._preview.asked.connect(self._ask_preview)
            self._detail(self._preview)

        if request.can_try and self.context.edited is None:
            self._try = TryBlock(self, self.context.tried)
            self._try.asked.connect(self._ask_try)
            self._try.seen_all.connect(self._evidence_seen)
            self._try.ticked.connect(self._on_tick)
            self._detail(self._try)

    def _build_reason(self) -> None:
        if self.request.source:
            says = plain_label(self.body.contents, "muted", "approval_source")
            says.setText(tr("The agent says: {source}", source=display_text(self.request.source, multiline=True)))
            self._detail(says)
        box = QWidget(self.body.contents)
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(SPACE_2))
        reason = plain_label(box, "muted", "approval_reason")
        told = display_text(said(self.request.reason), multiline=True) or tr("No reason was recorded.")
        reason.setText("" if is_warned(self.request) else told)
        self._why_link = push_button(tr("Why am I asked?"), "approval_why", box)
        self._why_link.setProperty("kind", "link")
        self._why_link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._why_link.clicked.connect(self.toggle_why)
        row.addWidget(reason, 1)
        row.addWidget(self._why_link, 0, Qt.AlignmentFlag.AlignTop)
        self._detail(box)
        self._reason_row = box
        self._why = WhyPanel(self.request, self.context.lane, self.body.contents)
        self._why.audit_asked.connect(self.audit_asked)
        self._detail(self._why)
        self._why.hide()

    def _detail(self, part: QWidget) -> None:
        left = Qt.AlignmentFlag.AlignLeft if isinstance(part, QPushButton) else Qt.AlignmentFlag(0)
        self.body.column.addWidget(part, 0, left)
        self._details.append(part)

    def _set_why(self, shown: bool) -> None:
        self._why.setVisible(shown)
        self._why_link.setText(tr("Hide why") if shown else tr("Why am I asked?"))

    def _show_words(self) -> None:
        self._words.show_commands(self.request.commands)
        if self._all_words is not None:
            self._all_words.hide()
        self.content_changed()

    def _ask_preview(self) -> None:
        self.wanted.emit(PreviewEffect(session_id=self.item.session_id, input_id=self.item.input_id))
        self.content_changed()

    def try_in_copy(self) -> None:
        """Try the command in a copy of the lane, where that is offered."""
        if self._try is not None and self._actions.at_rest:
            self._try.ask()

    def _ask_try(self) -> None:
        item, digest = self.item, self.request.digest
        self.wanted.emit(TryInCopy(session_id=item.session_id, input_id=item.input_id, digest=digest))
        self._show_apply(None)
        self.content_changed()

    def _take_try(self, update: TryProgress | TriedInCopy) -> None:
        if self._try is None:
            return
        if isinstance(update, TryProgress):
            self._try.show_progress(said(update.text))
            self._show_apply(None)
            return
        self._tried = update.tried
        self._try.show_tried(update.tried)
        self._show_apply(update.tried)
        QTimer.singleShot(0, self, lambda: self._bring_into_view(self._try))

    def _bring_into_view(self, part: QWidget | None) -> None:
        """What a person asked for begins where they look, however little room the card has."""
        if part is not None and not self.body.verticalScrollBar().isHidden():
            self.body.verticalScrollBar().setValue(part.y())

    def _show_apply(self, tried: CommandTried | None) -> None:
        """Offer what was tried, if that is this very call and can be applied."""
        effect = ""
        if tried is not None and self._try is not None and tried.call_digest == self.request.digest:
            effect = tried.ticked_digest if self._try.is_ticked else tried.digest
        self._actions.offer_effect(effect, self._try)
        self.refresh_enabled()

    def _on_tick(self) -> None:
        self._show_apply(self._tried)
        self.content_changed()

    @property
    def _all_seen(self) -> bool:
        """Whether all was on screen of what the first button stands for."""
        return self.evidence.seen and (not self._actions.effect or self._try is None or self._try.seen)

    def _evidence_seen(self) -> None:
        self.refresh_enabled()
        if self._all_seen and self.hint.text() == UNSEEN:
            say(self.hint, "")
        self.reshaped.emit()

    def _hint_unseen(self) -> None:
        if self.hint.text() != UNSEEN:
            say(self.hint, UNSEEN)
            self.reshaped.emit()


def _acts(request: ApprovalRequest) -> tuple[object, ...]:
    """What is looked at and pressed on a card of this request."""
    scopes = tuple(offer.scope for offer in request.grants)
    words = tuple(command.words for command in request.commands)
    shown = (request.card, request.arguments, request.sql, words, request.edited_from)
    return (*shown, scopes, request.editable, request.irreversible, request.confirm_word)
