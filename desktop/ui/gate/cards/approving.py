"""What a person can do with an approval card: allow, save a rule, edit, decline; and when each is possible."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop.domain.core.permissions import Category
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import Answer, ApprovalRequest, GrantOffer, GrantScope
from desktop.domain.updates import EditChecked, RulePreviewed
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.confirm import ConfirmField
from desktop.ui.gate.cards.evidence.evidence_list import EvidenceList
from desktop.ui.gate.cards.evidence.try_block import TryBlock
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.kinds.edit_pane import EditPane
from desktop.ui.gate.cards.kinds.network_row import NetworkRow, network_text
from desktop.ui.gate.cards.kinds.rule_editor import RuleEditor
from desktop.ui.gate.cards.wording import is_sql, once_text, session_text
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import plain_tooltip

CHECKING = tr("Checking…")
NOTHING_RUNS = tr("Nothing runs before you approve the checked version.")
_UNSEEN = tr("Look at all of it first.")
_UNSEEN_EFFECT = tr("Look at all that it would change first.")
_NO_EFFECT = tr("What it would change was not looked at.")
_LOOKING = tr("Looking at what the rule would have matched…")
_KEY_DECLINES = tr("Ctrl+⌫ decline")
_KEYS_APPLY = tr("Ctrl+⏎ apply  ·  Ctrl+⌫ decline")
_KEYS_RUN = tr("Ctrl+⏎ run  ·  Ctrl+⌫ decline")
_KEYS_ALLOW = tr("Ctrl+⏎ allow  ·  Ctrl+⌫ decline")


class Approving:
    """The footer of an approval card, and the panes that its rows open in the body. `details`: what gives way while a
    rule is made or the call is edited; `evidence`: what must be seen before anything is allowed."""

    def __init__(
        self, card: InputCard, request: ApprovalRequest, evidence: EvidenceList, details: Sequence[QWidget]
    ) -> None:
        self._card, self._request = card, request
        self._evidence, self._details = evidence, details
        self._edited = card.context.edited
        offers = request.grants if self._edited is None else ()
        only_once = self._request.irreversible or is_sql(self._request)
        self._grants = {offer.scope: offer for offer in offers if offer.scope == "once" or not only_once}
        self._approving: list[CardButton] = []
        self._confirm: ConfirmField | None = None
        self._rule: RuleEditor | None = None
        self._pane: EditPane | None = None
        self._network: NetworkRow | None = None
        self._try: TryBlock | None = None
        self.effect = ""
        if self._request.irreversible:
            self._build_confirm()
        self.footer = self._build_footer()

    @property
    def at_rest(self) -> bool:
        """Whether the buttons stand in the footer and no row in their place."""
        return self.footer.opened < 0

    def allow_once(self) -> None:
        """Run the call on screen, in the person's version where there is one."""
        edited = self._edited.edited_input if self._edited is not None else None
        confirm = self._confirm.text().strip() if self._confirm is not None else ""
        self._submit(Answer(outcome="allow_once", edited_input=edited, confirm=confirm), self._once)

    def offer_effect(self, effect: str, block: TryBlock | None) -> None:
        """Offer to apply the effect of this digest, which the block shows, as the first button; "" offers none."""
        if effect == self.effect:
            return
        self.effect, self._try = effect, block
        self._apply.setVisible(bool(effect))
        for button in self._other_ways:
            button.setVisible(not effect)
        self._once.setText(tr("Run for real") if effect else once_text(self._request))
        self._once.setAccessibleName(self._once.text())
        if not self._request.irreversible:
            restyle(self._once, kind="" if effect else "primary")
        self._row_of_buttons.say_keys(self._key_hint())

    def give_first(self) -> None:
        """What the first button does."""
        if self.effect:
            self.apply_effect()
        else:
            self.allow_once()

    def apply_effect(self) -> None:
        """Have done what the command did in the copy, in place of running it."""
        confirm = self._confirm.text().strip() if self._confirm is not None else ""
        self._submit(Answer(outcome="allow_once", effect=self.effect, confirm=confirm), self._apply)

    def open_editor(self) -> None:
        """Put fields in place of the evidence."""
        if self._pane is not None and self.at_rest and self._card.can_answer:
            self.footer.open(self._edit_row, self._pane.first)

    def open_rule(self) -> None:
        """Show the rule editor under the evidence."""
        if self._rule is not None and self.at_rest and self._card.can_answer:
            self.footer.open(self._rule_row, self._rule.first)

    def take_rule(self, preview: RulePreviewed) -> None:
        """What a rule would have matched."""
        if self._rule is not None:
            self._rule.take(preview)

    def take_edit(self, checked: EditChecked) -> None:
        """Why an edited call cannot run."""
        if self._pane is not None:
            self._pane.take(checked)
            self._refresh_edit()

    def refuse(self, sentence: str) -> bool:
        """A check could not be made; False if none was under way."""
        if self._pane is None or not self._pane.checking:
            return False
        self._pane.refuse(sentence)
        self._refresh_edit()
        return True

    def refresh_enabled(self) -> None:
        """Enable what can be pressed now."""
        word = self._confirm_word
        confirmed = self._confirm is None or self._confirm.text().strip() == word
        why = self._unseen or ("" if confirmed else tr("Type {word} first.", word=word))
        for button in self._approving:
            set_off(button, why)
        shown = self._try is None or self._try.seen
        why = why or ("" if self.effect else _NO_EFFECT) or ("" if shown else _UNSEEN_EFFECT)
        set_off(self._apply, why)
        self._refresh_rule()
        self._refresh_edit()

    @property
    def _unseen(self) -> str:
        """Why nothing can be approved whatever else is done, "" if it can."""
        return self._card.why_not or ("" if self._evidence.seen else _UNSEEN)

    def widgets(self) -> list[QWidget]:
        """What Tab goes through, the rows that open included."""
        confirm = [self._confirm] if self._confirm is not None else []
        rule = [*self._rule.widgets(), self._save, self._rule_back] if self._rule is not None else []
        edit = [*self._pane.widgets(), self._check, self._discard] if self._pane is not None else []
        network = [*self._network.buttons, self._network.back] if self._network is not None else []
        return [*confirm, *self._buttons, *rule, *edit, *network, self._decline_row.reason]

    # Building

    @property
    def _confirm_word(self) -> str:
        return self._request.confirm_word.strip() or "run"

    def _build_footer(self) -> Footer:
        card = self._card
        self._once = self._once_button()
        self._apply = card.button(tr("Apply this effect"), "apply_effect", "primary")
        self._apply.clicked.connect(self.apply_effect)
        self._describe(self._apply, tr("Does to the lane what the command did in the copy. It does not run again."))
        self._apply.hide()
        self._buttons = [self._apply, self._once]
        if "session" in self._grants:
            self._buttons.append(self._session_button(self._grants["session"]))
        if "project" in self._grants and not self._grants["project"].tokens:
            self._buttons.append(self._host_button(self._grants["project"]))
        elif "project" in self._grants:
            self._open_rule = card.button(tr("Save a rule…"), "save_rule")
            self._open_rule.clicked.connect(self.open_rule)
            self._describe(self._open_rule, self._grants["project"].covers)
            self._buttons.append(self._open_rule)
        offer = self._request.network_offer if self._edited is None else None
        if offer is not None:
            self._open_network = card.button(network_text(offer), "network")
            self._describe(self._open_network, tr("Reaches {hosts} and no other host.", hosts=", ".join(offer.hosts)))
            self._buttons.append(self._open_network)
        if self._request.editable:
            self._open_edit = card.button(tr("Edit…"), "edit")
            self._open_edit.clicked.connect(self.open_editor)
            self._buttons.append(self._open_edit)
        if self._edited is not None:
            undo = card.button(tr("Discard changes"), "edit_undo")
            undo.setToolTip(tr("Back to the agent's version"))
            undo.clicked.connect(self._discard_edit)
            self._buttons.append(undo)
        self._other_ways = self._buttons[2:]
        decline = card.button(tr("Decline…"), "decline", "danger")
        self._buttons.append(decline)
        self._row_of_buttons = ButtonRow(card, self._buttons, self._key_hint())
        footer = Footer(card, self._row_of_buttons)
        self._decline_row = DeclineRow(card, card)
        self._decline_row.closed.connect(footer.close)
        footer.add(self._decline_row)
        decline.clicked.connect(lambda: footer.open(self._decline_row, self._decline_row.reason))
        if "project" in self._grants and self._grants["project"].tokens:
            self._add_rule(footer)
        if self._request.editable:
            self._add_edit(footer)
        if offer is not None:
            self._network = network = NetworkRow(card, offer)
            network.chosen.connect(self._submit)
            network.closed.connect(footer.close)
            footer.add(network)
            self._open_network.clicked.connect(lambda: footer.open(network, network.buttons[0]))
            self._approving += network.buttons
        return footer

    def _key_hint(self) -> str:
        if self._request.irreversible:
            return _KEY_DECLINES
        if self.effect:
            return _KEYS_APPLY
        runs = self._request.category is Category.BASH or is_sql(self._request)
        return _KEYS_RUN if runs else _KEYS_ALLOW

    def _once_button(self) -> CardButton:
        request = self._request
        if request.irreversible:
            button = self._card.button(once_text(request), "allow_once", "danger", role="filled")
        else:
            button = self._card.button(once_text(request), "allow_once", "primary")
        button.clicked.connect(self.allow_once)
        offer = self._grants.get("once")
        self._describe(button, offer.covers if offer is not None and offer.covers else tr("This one call, as shown."))
        self._approving.append(button)
        return button

    def _session_button(self, offer: GrantOffer) -> CardButton:
        button = self._card.button(session_text(self._request), "allow_session")
        button.clicked.connect(lambda: self._submit(_always("session", offer.tokens), button))
        self._describe(button, offer.covers)
        self._approving.append(button)
        return button

    def _host_button(self, offer: GrantOffer) -> CardButton:
        words = tr("Allow hosts in this project") if offer.hosts else tr("Allow in this project")
        button = self._card.button(words, "allow_host")
        button.clicked.connect(lambda: self._submit(_always("project"), button))
        self._describe(button, offer.covers)
        self._approving.append(button)
        return button

    def _describe(self, button: CardButton, covers: str) -> None:
        shown = display_text(said(covers))
        button.setToolTip(plain_tooltip(shown))
        button.setAccessibleDescription(shown)

    def _build_confirm(self) -> None:
        box = QWidget(self._card)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_1))
        label = plain_label(box)
        label.setText(tr("Type {confirm_word} to confirm", confirm_word=display_text(self._confirm_word)))
        self._confirm = ConfirmField(box, "approval_confirm_word")
        self._confirm.setAccessibleName(label.text())
        self._confirm.textChanged.connect(lambda _text: self._card.refresh_enabled())
        column.addWidget(label)
        column.addWidget(self._confirm)
        self._card.footer.addWidget(box)

    def _add_rule(self, footer: Footer) -> None:
        card = self._card
        self._rule = RuleEditor(card, self._request)
        self._rule.changed.connect(self._rule_changed)
        card.body.column.addWidget(self._rule)
        self._save = card.button(tr("Save rule and run"), "save", "primary", prefix="rule")
        self._save.clicked.connect(self._save_rule)
        self._rule_back = card.button(tr("Back"), "back", "ghost", prefix="rule")
        self._rule_back.clicked.connect(footer.close)
        self._rule_problem, self._rule_row = self._row("rule_problem", [self._save, self._rule_back])
        footer.add(self._rule_row, self._rule, self._details, self._rule.ask)

    def _add_edit(self, footer: Footer) -> None:
        card = self._card
        self._pane = EditPane(card, self._request)
        self._pane.edited.connect(self._refresh_edit)
        card.body.column.addWidget(self._pane)
        self._check = card.button(tr("Check changes"), "edit_check", "primary")
        self._check.clicked.connect(self._check_edit)
        self._discard = card.button(tr("Discard changes"), "edit_discard", "ghost")
        self._discard.clicked.connect(self._discard_edit)
        self._edit_hint, self._edit_row = self._row("approval_edit_hint", [self._check, self._discard])
        footer.add(self._edit_row, self._pane, [*self._evidence.parts(), *self._details])

    def _row(self, name: str, buttons: list[CardButton]) -> tuple[QLabel, QWidget]:
        row = QWidget(self._card)
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_2))
        words = plain_label(row, "caption", name)
        say(words, "")
        column.addWidget(words)
        column.addWidget(ButtonRow(self._card, buttons, ""))
        return words, row

    # Acting

    def _submit(self, answer: Answer, button: CardButton) -> None:
        if self._evidence.seen and button.isEnabled():
            self._card.submit(answer, button)

    def _save_rule(self) -> None:
        if self._rule is not None and self._rule.ready:
            self._submit(self._rule.answer(), self._save)

    def _check_edit(self) -> None:
        if self._pane is not None:
            self._pane.check()
            self._refresh_edit()
            self._card.content_changed()

    def _discard_edit(self) -> None:
        if self._pane is not None:
            self._pane.forget()
        self.footer.close()
        self._card.discarded.emit()

    def _rule_changed(self) -> None:
        self._refresh_rule()
        self._card.content_changed()

    def _refresh_rule(self) -> None:
        if self._rule is None:
            return
        set_off(self._save, self._unseen or ("" if self._rule.ready else self._rule.problem or _LOOKING))
        words = self._rule.save_words()
        if self._card.can_answer:
            self._save.setText(words)
            self._save.setAccessibleName(words)
        restyle(self._save, kind="danger" if self._rule.despite else "primary")
        say(self._rule_problem, self._rule.problem)
        restyle(self._rule_problem, role="danger" if self._rule.problem else "")

    def _refresh_edit(self) -> None:
        if self._pane is None:
            return
        unchanged = "" if self._pane.changed else tr("Nothing was changed yet.")
        set_off(self._check, self._card.why_not or (CHECKING if self._pane.checking else unchanged))
        set_off(self._discard, self._card.why_not)
        self._discard.setText(tr("Back") if unchanged else tr("Discard changes"))
        say(self._edit_hint, CHECKING if self._pane.checking else NOTHING_RUNS)


def _always(scope: GrantScope, tokens: tuple[tuple[str, ...], ...] = ()) -> Answer:
    return Answer(outcome="allow_always", scope=scope, tokens=tokens)
