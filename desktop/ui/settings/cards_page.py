"""CardsPage: a page of cards, one for each thing that can be added and removed, and a form for one more below them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.settings.fields import Field
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

CardT = TypeVar("CardT", bound=QWidget)
FormT = TypeVar("FormT", bound=QWidget)


class CardsPage(SettingsPage, Generic[CardT, FormT]):
    """`saver` keeps what the cards change. Object names begin with `prefix`. `heard`: what the cards
    hear; `adding`: the form comes next."""

    adding = Signal()

    def __init__(self, saver: SettingsSaver, parent: QWidget, *, prefix: str) -> None:
        super().__init__(parent)
        self._saver, self._prefix = saver, prefix
        self._cards: list[CardT] = []
        self.heard = Hearing()
        self._keyring = QFrame(self.contents)
        self._keyring.setProperty("kind", "banner")
        self._keyring.setProperty("role", "warning")
        self._keyring_words = plain_label(self._keyring, name=f"{prefix}_keyring", role="warning")
        inside = QVBoxLayout(self._keyring)
        set_gaps(inside, (SPACE_3, SPACE_2, SPACE_3, SPACE_2))
        inside.addWidget(self._keyring_words)
        self._keyring.hide()
        self._rows = QVBoxLayout()
        set_gaps(self._rows, spacing=SPACE_4)

    def lay_out(self, form: FormT, label: str, words: str) -> None:
        """A warning, the cards, and a row whose button shows the form; `label` and `words` are theirs."""
        self._form = form
        form.hide()
        self._more = Field(label, f"{self._prefix}_more", self.contents)
        self._add = push_button(words, f"{self._prefix}_add", self._more)
        self._more.row.addWidget(self._add)
        self._more.row.addStretch(1)
        self.column.addWidget(self._keyring)
        self.column.addLayout(self._rows)
        self.column.addWidget(form)
        self.column.addWidget(self._more)
        self._add.clicked.connect(self._on_add)

    def key_of(self, card: CardT) -> str:
        """What a card is about."""
        return str(card.property("item_id"))

    def card(self, key: str) -> CardT | None:
        """The card about this."""
        return next((card for card in self._cards if self.key_of(card) == key), None)

    def show_cards(self, keys: Sequence[str], make: Callable[[int], CardT]) -> None:
        """One card for each key, in order; `make` is given the place of one that is missing. What comes of changes that
        a card made before it went is told below the button."""
        for gone in [card for card in self._cards if self.key_of(card) not in keys]:
            for field in gone.findChildren(Field):
                self._saver.hand_over(field, self._more)
            self._cards.remove(gone)
            self._rows.removeWidget(gone)
            gone.setParent(None)
            gone.deleteLater()
        for at, key in enumerate(keys):
            card = self.card(key)
            if card is None:
                card = make(at)
                self._cards.append(card)
            if self._rows.indexOf(card) != at:
                self._rows.insertWidget(at, card)

    def warn(self, text: str) -> None:
        """Say this above the cards, "" for nothing. The text may hold any characters."""
        say(self._keyring_words, display_text(text))
        self._keyring.setVisible(bool(text))

    def offer(self, words: str, *, possible: bool) -> None:
        """What the button that shows the form says, and whether anything can be added."""
        self._add.setText(words)
        set_off(self._add, "" if possible else tr("There is no more kind to add."))

    def end_adding(self) -> None:
        """The row with the button is back."""
        self._form.hide()
        self._more.show()
        self._add.setFocus()

    def _on_add(self) -> None:
        self._more.hide()
        self.adding.emit()
        self.show_form()

    def show_form(self) -> None:
        """Scroll to the form, once it has its place."""
        QTimer.singleShot(0, self._form, lambda: self.ensureWidgetVisible(self._form))
