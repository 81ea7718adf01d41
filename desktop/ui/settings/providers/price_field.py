"""PriceField: what one model costs: as the price table knows it, or as the person says."""

import re
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.config.prices import ModelPrice
from desktop.domain.display.text import display_text
from desktop.domain.updates import ModelInfo
from desktop.language import figure, tr
from desktop.ui.settings.fields import Field
from desktop.ui.text import format as fmt
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_NAME = "settings_providers_price"
_MONEY = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")
_BOTH = tr("Give both, in US dollars for a million tokens, such as 3 and 15; or empty both for the known price.")
_MICRO = 1_000_000
_KNOWN = tr("Known: {price} (1M: a million tokens). What you set here goes before it.")
_UNKNOWN = tr("No price is known of it, so its cost is unknown. In US dollars for a million tokens.")


class PriceField(Field):
    """`model_asked`: another model is wanted; `priced` carries the model and its ModelPrice, None: the known one."""

    model_asked = Signal()
    priced = Signal(str, object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Price"), _NAME, parent)
        self._model = ""
        self._own: ModelPrice | None = None
        self._read = self._amount("in", tr("Dollars for a million tokens read"), tr("in $"))
        self._written = self._amount("out", tr("Dollars for a million tokens written"), tr("out $"))
        self._read.editingFinished.connect(self._on_read)
        self._written.editingFinished.connect(self._on_written)
        self._other = push_button(tr("Of another model…"), f"{_NAME}_model", self)
        self._other.clicked.connect(self.model_asked)
        self.row.addStretch(1)
        self.row.addWidget(self._other)
        self._words = plain_label(self, "caption", f"{_NAME}_words")
        self.below.addWidget(self._words)

    @property
    def model(self) -> str:
        """The model whose price is shown."""
        return self._model

    def show_price(self, model: ModelInfo, own: ModelPrice | None, *, more: bool) -> None:
        """Show the price of a model. `own`: as the person set it; `more`: there are others to choose from."""
        name, known = display_text(model.name or model.id), fmt.price(model.input_microusd, model.output_microusd)
        say(self._words, f"{name}. {_KNOWN.format(price=known) if known else _UNKNOWN}")
        self._other.setVisible(more)
        if (model.id, own) == (self._model, self._own) or (self.problem and model.id == self._model):
            return
        self._model, self._own = model.id, own
        self.discard()

    def commit(self) -> None:
        """Hand over what was typed, once it is whole."""
        texts = (self._read.text().strip(), self._written.text().strip())
        if texts == self._in_force:
            self.set_problem("")
        elif not any(texts):
            self.set_problem("")
            self.priced.emit(self._model, None)
        elif not all(map(_is_money, texts)):
            self.set_problem(_BOTH)
        else:
            self.set_problem("")
            read, written = (int(Decimal(figure(text)) * _MICRO) for text in texts)
            price = ModelPrice(model=self._model, input_microusd=read, output_microusd=written)
            self.priced.emit(self._model, price)

    def discard(self) -> None:
        """Show the price in force."""
        super().discard()
        for edit, text in zip((self._read, self._written), self._in_force, strict=True):
            edit.setText(text)

    def set_problem(self, text: str) -> None:
        """Say what is wrong, and mark what is not filled in."""
        super().set_problem(text)
        for edit in (self._read, self._written):
            wrong = bool(text) and not _is_money(edit.text().strip())
            restyle(edit, invalid="true" if wrong else "")
            edit.setAccessibleDescription(text if wrong else "")

    def _on_read(self) -> None:
        if not self._written.hasFocus():
            self.commit()

    def _on_written(self) -> None:
        if not self._read.hasFocus():
            self.commit()

    @property
    def _in_force(self) -> tuple[str, str]:
        own = self._own
        if own is None:
            return "", ""
        return fmt.dollars(own.input_microusd).lstrip("$"), fmt.dollars(own.output_microusd).lstrip("$")

    def _amount(self, part: str, name: str, hint: str) -> QLineEdit:
        edit = QLineEdit(self)
        edit.setObjectName(f"{_NAME}_{part}")
        edit.setAccessibleName(name)
        edit.setPlaceholderText(hint)
        self.row.addWidget(edit, 1)
        return edit


def _is_money(text: str) -> bool:
    return _MONEY.fullmatch(figure(text)) is not None
