"""The rule editor of a card: which commands a rule would cover, what it would have matched, and where it counts."""

import json
from itertools import pairwise

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop.domain.commands import PreviewRule
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import Answer, ApprovalRequest, GrantOffer, GrantScope
from desktop.domain.updates import RulePreviewed
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.evidence.past_calls import PastCalls
from desktop.ui.gate.cards.kinds.rule_words import CHECKING, EMPTY, Tokens, past_sentence, save_text, words_of
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_DRAFT = "rule_tokens"
_SCOPES: dict[GrantScope, str] = {"project": tr("This project"), "session": tr("This chat")}


class TokenRow(QWidget):
    """One rule as its words. `shortened` and `lengthened`: the last word is to go, the next one to come."""

    shortened = Signal()
    lengthened = Signal()

    def __init__(self, tokens: tuple[str, ...], words: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rule_tokens")
        shown = " ".join(map(display_text, tokens))
        self.setAccessibleName(tr("Commands that begin with {shown}", shown=shown) if tokens else tr("No word"))
        flow = FlowLayout(self, gap_x=theme().px(SPACE_1), gap_y=theme().px(SPACE_1))
        for token in tokens:
            chip = QLabel(display_text(token) or "''", self)
            chip.setTextFormat(chip.textFormat().PlainText)
            chip.setFont(theme().mono())
            restyle(chip, kind="chip", role="accent")
            flow.addWidget(chip)
        self.controls: list[QPushButton] = []
        if tokens:
            last = display_text(tokens[-1])
            self._button(f"− {last}", "rule_token_remove", tr("Leave out {last}", last=last), flow).clicked.connect(
                self.shortened
            )
        if len(tokens) < len(words):
            following = display_text(words[len(tokens)])
            add = self._button(f"+ {following}", "rule_token_add", tr("Add {following}", following=following), flow)
            add.clicked.connect(self.lengthened)

    def _button(self, text: str, name: str, does: str, flow: FlowLayout) -> QPushButton:
        button = push_button(button_text(text), name, self)
        button.setProperty("kind", "chip")
        button.setAccessibleName(does)
        button.setToolTip(does)
        flow.addWidget(button)
        self.controls.append(button)
        return button


class RuleEditor(QFrame):
    """Asks for a preview on each change and never shows one that is older than the tokens.

    `changed`: tokens, scope or preview differ; the card looks whether it may save.
    """

    changed = Signal()

    def __init__(self, card: InputCard, request: ApprovalRequest) -> None:
        super().__init__(card.body.contents)
        self._card = card
        offers = {grant.scope: grant for grant in request.grants}
        self._proposed = offers["project"].tokens
        self._covers = offers["project"].covers
        self._words = words_of(self._proposed, request.commands)
        self._tokens = self._kept()
        self._preview: RulePreviewed | None = None
        self.setObjectName("rule_editor")
        self.setProperty("kind", "banner")
        self.setAccessibleName(tr("Save a rule"))
        px = theme().px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(SPACE_3), px(SPACE_2), px(SPACE_3), px(SPACE_2))
        column.setSpacing(px(SPACE_2))
        column.addWidget(self._head(offers))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(px(SPACE_1))
        column.addLayout(self._rows)
        self._shown_rows: list[TokenRow] = []
        self._sentence = plain_label(self, "caption", "rule_sentence")
        self._past = plain_label(self, "", "rule_preview")
        self._list = PastCalls(card.context.clock, self)
        for part in (self._sentence, self._past, self._list):
            column.addWidget(part)
        self._show_tokens()

    def _head(self, offers: dict[GrantScope, GrantOffer]) -> QWidget:
        """What is being made, and where it counts."""
        head = QWidget(self)
        flow = FlowLayout(head, gap_x=theme().px(SPACE_3), gap_y=theme().px(SPACE_1))
        heading = plain_label(head, "strong", "rule_heading", wrap=False)
        heading.setText(tr("Do not ask again for"))
        scopes = [(scope, words) for scope, words in _SCOPES.items() if scope in offers]
        self.scope = Segmented("rule_scope", tr("Where the rule counts"), scopes, head)
        self.scope.set_value(scopes[0][0])
        self.scope.chosen.connect(self._choose_scope)
        flow.addWidget(heading)
        flow.addWidget(self.scope)
        return head

    @property
    def tokens(self) -> Tokens:
        """The prefixes as they stand."""
        return self._tokens

    @property
    def first(self) -> QWidget:
        """What takes the focus first."""
        return next(iter(self._token_buttons()), self._list)

    @property
    def despite(self) -> bool:
        """Whether a call that was declined would have matched."""
        return self._fresh is not None and self._fresh.simulation.declined > 0

    @property
    def problem(self) -> str:
        """Why these tokens may not be saved, "" if they may or it is not known yet."""
        if any(not tokens for tokens in self._tokens):
            return EMPTY
        return display_text(said(self._fresh.problem)) if self._fresh is not None else ""

    @property
    def ready(self) -> bool:
        """Whether the rule may be saved as it stands."""
        return self._fresh is not None and not self.problem

    def answer(self) -> Answer:
        """Save the rule and run the call."""
        scope: GrantScope = "session" if self.scope.value == "session" else "project"
        return Answer(outcome="allow_always", scope=scope, tokens=self._tokens, despite_declined=self.despite)

    def save_words(self) -> str:
        """What the saving button reads."""
        return save_text(len(self._tokens), despite=self.despite)

    def ask(self) -> None:
        """Ask which past calls these tokens would have matched."""
        self._preview = None
        self._show_preview()
        if all(self._tokens):
            item = self._card.item
            preview = PreviewRule(session_id=item.session_id, input_id=item.input_id, tokens=self._tokens)
            self._card.wanted.emit(preview)

    def take(self, preview: RulePreviewed) -> None:
        """Show a preview if it is of these very tokens."""
        if preview.tokens == self._tokens:
            self._preview = preview
            self._show_preview()

    def widgets(self) -> list[QWidget]:
        """What Tab goes through."""
        return [*self.scope.findChildren(QPushButton), *self._token_buttons(), self._list]

    def _token_buttons(self) -> list[QPushButton]:
        return [button for row in self._shown_rows for button in row.controls]

    @property
    def _fresh(self) -> RulePreviewed | None:
        preview = self._preview
        return preview if preview is not None and preview.tokens == self._tokens else None

    def _kept(self) -> Tokens:
        """What was chosen before, if it still is made of this call's words."""
        text = self._card.context.drafts.text(self._card.item.input_id, _DRAFT)
        lengths = json.loads(text) if text.startswith("[") else []
        if len(lengths) != len(self._words):
            return self._proposed
        return tuple(words[: int(length)] for words, length in zip(self._words, lengths, strict=True))

    def _change(self, at: int, step: int) -> None:
        tokens = list(self._tokens)
        tokens[at] = self._words[at][: max(0, len(tokens[at]) + step)]
        self._tokens = tuple(tokens)
        kept = json.dumps([len(each) for each in self._tokens])
        self._card.context.drafts.keep_text(self._card.item.input_id, _DRAFT, kept)
        self._show_tokens(focus=("rule_token_remove" if step < 0 else "rule_token_add", at))
        self.ask()

    def _show_tokens(self, focus: tuple[str, int] = ("", 0)) -> None:
        had_focus = any(button.hasFocus() for button in self._token_buttons())
        for row in self._shown_rows:
            self._rows.removeWidget(row)
            row.hide()
            row.setParent(None)
            row.deleteLater()
        self._shown_rows = []
        for at, (tokens, words) in enumerate(zip(self._tokens, self._words, strict=True)):
            row = TokenRow(tokens, words, self)
            row.setProperty("item_id", str(at))
            row.shortened.connect(lambda at=at: self._change(at, -1))
            row.lengthened.connect(lambda at=at: self._change(at, 1))
            self._rows.addWidget(row)
            row.show()
            self._shown_rows.append(row)
        for before, after in pairwise(self.widgets()):
            self.setTabOrder(before, after)
        if had_focus:
            buttons = self._shown_rows[focus[1]].controls
            named = [button for button in buttons if button.objectName() == focus[0]] or buttons
            (named[0] if named else self).setFocus()

    def _show_preview(self) -> None:
        fresh = self._fresh
        shown = fresh is not None and not fresh.problem
        self._list.show_calls(fresh.simulation.examples if fresh is not None and shown else ())
        if fresh is None:
            say(self._sentence, self._covers_sentence())
            say(self._past, "" if self.problem else CHECKING)
        else:
            say(self._sentence, self._covers_sentence(fresh.allows, fresh.not_allows))
            say(self._past, past_sentence(fresh.simulation) if shown else "")
        restyle(self._past, role="danger" if self.despite else "")
        self.changed.emit()

    def _covers_sentence(self, allows: str = "", not_allows: str = "") -> str:
        if not allows:
            return "" if self._proposed else display_text(said(self._covers))
        more = tr("\nDoes not allow: {not_allows}", not_allows=display_text(said(not_allows))) if not_allows else ""
        return tr("Allows: {allows}{more}", allows=display_text(said(allows)), more=more)

    def _choose_scope(self, value: str) -> None:
        self.scope.set_value(value)
        self.changed.emit()
