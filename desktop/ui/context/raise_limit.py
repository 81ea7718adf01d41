"""LimitDialog: a higher limit with which a stopped turn goes on."""

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from desktop.domain.chats.queue_events import Limits
from desktop.language import tr, worn
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

_FIELDS = {
    "tokens": ("tokens", tr("Tokens for the rest of this turn"), "", 1, 10_000.0),
    "cost": ("cost_microusd", tr("Dollars for the rest of this turn"), "$", 1_000_000, 0.01),
    "chat_cost": ("chat_microusd", tr("Dollars for this chat in all"), "$", 1_000_000, 0.01),
    "day_cost": ("day_microusd", tr("Dollars for all chats today"), "$", 1_000_000, 0.01),
    "time": ("running_s", tr("Minutes for the rest of this turn"), "", 60, 1.0),
}
_MOST = 100_000_000.0


class LimitDialog(AskDialog):
    """`raised`: the limits to go on with. `reason`: which limit was reached, as the turn's end names it."""

    raised = Signal(object)

    def __init__(self, reason: str, limits: Limits, parent: QWidget) -> None:
        self._name, words, prefix, self._unit, least = _FIELDS.get(reason, _FIELDS["cost"])
        question = Question(
            "limit_dialog",
            tr("Go on with a higher limit?"),
            tr("{limit}. Only the continued turn has it.", limit=words),
            (tr("Cancel"), "limit_cancel"),
            (tr("Go on"), "limit_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self._limits = limits
        now = limits.model_dump()[self._name] / self._unit
        self.value = QDoubleSpinBox(self)
        self.value.setObjectName("limit_value")
        self.value.setAccessibleName(words)
        self.value.setPrefix(prefix)
        self.value.setDecimals(2 if prefix else 0)
        self.value.setRange(least, _MOST)
        self.value.setLocale(QLocale(worn()))
        self.value.setGroupSeparatorShown(True)
        self.value.setSingleStep(max(least, now / 2))
        self.value.setValue(max(least, now * 2))
        self.details.addWidget(self.value)
        self.agreed.connect(self._on_agreed)

    def _on_agreed(self) -> None:
        amount = round(self.value.value() * self._unit)
        self.raised.emit(self._limits.model_copy(update={self._name: amount}))
