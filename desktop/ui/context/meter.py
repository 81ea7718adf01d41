"""The context meter: how full the model's window is, and with what (ui-U122)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.chats.updates import ContextMeterChanged
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.text import format as fmt
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.popover import Popover

_FILLING, _FULL = 70, 90
_PARTS = {
    "system": tr("Instructions"),
    "tools": tr("Tools"),
    "messages": tr("Messages"),
    "results": tr("Results"),
    "images": tr("Pictures"),
}


@dataclass(frozen=True)
class MeterWords:
    """What the meter reads: whole, where there is little room, its colour role, and what it warns of."""

    whole: str
    short: str
    role: str
    warning: str = ""


def meter_words(meter: ContextMeterChanged) -> MeterWords:
    """A share of the window, or tokens where nobody knows how large that is."""
    if not meter.window:
        return MeterWords(tr("{amount} tokens", amount=fmt.tokens(meter.used)), fmt.tokens(meter.used), "")
    percent = min(999, meter.used * 100 // meter.window)
    text, short = tr("{percent} % of context", percent=percent), f"{percent} %"
    if percent >= _FULL:
        return MeterWords(text, short, "danger", tr("compacts soon") if meter.compacts_at else tr("nearly full"))
    if percent >= _FILLING:
        return MeterWords(text, short, "warning", tr("filling up"))
    return MeterWords(text, short, "")


class ContextMeter(QPushButton):
    """Hidden until a meter is known. A click shows what fills the window; `compact_asked`: shorten the conversation."""

    compact_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer_context")
        self.setProperty("kind", "ghost")
        self.setAutoDefault(False)
        self.setAccessibleName(tr("Context"))
        self._meter: ContextMeterChanged | None = None
        self._level = 0
        self._can_compact = True
        self._popup: ContextPopup | None = None
        self.clicked.connect(self.open_popup)
        self.hide()

    @property
    def known(self) -> bool:
        """Whether there is something to show."""
        return self._meter is not None

    def show_meter(self, meter: ContextMeterChanged | None, *, can_compact: bool) -> None:
        """Show this; None: nothing is known. `can_compact`: no turn runs."""
        if meter == self._meter and can_compact == self._can_compact:
            return
        self._meter, self._can_compact = meter, can_compact
        self._take()
        if self._popup is not None and self._popup.isVisible() and meter is not None:
            self._popup.show_meter(meter, can_compact=can_compact)

    def set_words(self, level: int) -> None:
        """All words (0), without what it warns of (1), only the figure (2)."""
        self._level = level
        self._take()

    def open_popup(self) -> None:
        """Show tokens by part, and what the chat has cost."""
        if self._meter is None:
            return
        if self._popup is None:
            self._popup = ContextPopup(self)
            self._popup.compact_asked.connect(self.compact_asked)
        self._popup.show_meter(self._meter, can_compact=self._can_compact)
        self._popup.open_over(self if self.isVisible() else self.parentWidget() or self)

    def _take(self) -> None:
        if self._meter is None:
            return
        words = meter_words(self._meter)
        warning = f" · {words.warning}" if words.warning else ""
        self.setText((f"{words.whole}{warning}", words.whole, words.short)[self._level])
        self.setAccessibleName(tr("Context: {fill}", fill=words.whole + warning))
        self.setToolTip(_tip(self._meter, words))
        restyle(self, role=words.role)


class ContextPopup(Popover):
    """Tokens by part, the cost of the chat, and [Compact now]."""

    compact_asked = Signal()

    def __init__(self, owner: QWidget) -> None:
        super().__init__("context_popup", tr("Context"), owner)
        self._head = plain_label(self, "strong", "context_head", wrap=False)
        self._warning = plain_label(self, "", "context_warning")
        self._cost = plain_label(self, "muted", "context_cost", wrap=False)
        self._price = plain_label(self, "muted", "context_price")
        self._price.setText(tr("What a model costs can be set in Settings › Providers & keys."))
        self._figures = {name: plain_label(self, "muted", f"context_{name}", wrap=False) for name in _PARTS}
        grid = QGridLayout()
        set_gaps(grid, (0, 0, 0, 0), SPACE_1)
        for row, (name, words) in enumerate(_PARTS.items()):
            label = plain_label(self, "", wrap=False)
            label.setText(words)
            grid.addWidget(label, row, 0)
            grid.addWidget(self._figures[name], row, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        self._compact = push_button(tr("Compact now"), "context_compact", self)
        self._compact.clicked.connect(self._on_compact)
        bottom = QHBoxLayout()
        set_gaps(bottom, (0, 0, 0, 0), SPACE_4)
        bottom.addWidget(self._cost, 1)
        bottom.addWidget(self._compact)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        layout.addWidget(self._head)
        layout.addWidget(self._warning)
        layout.addLayout(grid)
        layout.addWidget(self._price)
        layout.addLayout(bottom)

    def show_meter(self, meter: ContextMeterChanged, *, can_compact: bool) -> None:
        """Write the figures."""
        words = meter_words(meter)
        used = fmt.tokens(meter.used)
        whole = tr("{used} of {window}", used=used, window=fmt.tokens(meter.window)) if meter.window else used
        exact = tr("{amount} tokens", amount=whole)
        self._head.setText(tr("About {amount} tokens", amount=whole) if meter.estimated else exact)
        for name, figure in self._figures.items():
            figure.setText(fmt.tokens(int(vars(meter)[name])))
        restyle(self._warning, role=words.role)
        self._warning.setText(_warning(meter, words))
        self._warning.setVisible(bool(words.warning))
        self._cost.setText(cost_words(meter))
        self._price.setVisible(meter.cost_unknown)
        wait = "" if can_compact else tr("Wait until the turn has ended, or stop it.")
        set_off(self._compact, wait, tr("Summarise earlier messages; you see the summary first"))

    def _on_compact(self) -> None:
        self.dismiss()
        self.compact_asked.emit()


def cost_words(meter: ContextMeterChanged) -> str:
    """What the chat has cost so far."""
    if meter.cost_unknown and not meter.cost_microusd:
        return tr("Cost of this chat: unknown")
    cost = fmt.money(meter.cost_microusd)
    if meter.cost_unknown:
        return tr("Cost of this chat: {cost} and more that nobody knows", cost=cost)
    return tr("Cost of this chat: {cost}", cost=cost)


def _warning(meter: ContextMeterChanged, words: MeterWords) -> str:
    if not words.warning:
        return ""
    told = [f"{words.warning[:1].upper()}{words.warning[1:]}."]
    if meter.compacts_at and meter.used >= meter.compacts_at:
        told += [tr("Earlier messages are summarised before the next request.")]
    elif meter.compacts_at:
        told += [tr("From {tokens} on, earlier messages are summarised.", tokens=fmt.tokens(meter.compacts_at))]
    return " ".join(told)


def _tip(meter: ContextMeterChanged, words: MeterWords) -> str:
    parts = [f"{label}: {fmt.tokens(int(vars(meter)[name]))}" for name, label in _PARTS.items()]
    return "\n".join([words.whole, *parts, cost_words(meter)])
