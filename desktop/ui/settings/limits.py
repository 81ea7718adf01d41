"""Limits: where a turn, a chat and a day stop by themselves, as fields of the General page."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.chats.queue_events import Limits
from desktop.language import figure, number, separated, tr
from desktop.ui.settings.fields import TextField
from desktop.ui.settings.saver import SettingsSaver

_WIDTH = 120
_NO_NUMBER = tr("Write a number, or nothing for no limit.")
_MICRO, _MINUTE_S = 1_000_000, 60
_NONE = tr("No limit")


class LimitFields(QObject):
    """Fields that are added to `column`; each holds one limit, blank for none."""

    def __init__(self, saver: SettingsSaver, contents: QWidget, column: QVBoxLayout) -> None:
        super().__init__(contents)
        self._saver = saver
        self._fields: dict[str, tuple[TextField, Callable[[int], str]]] = {}
        self._contents = contents
        add = self._add
        add(
            "steps",
            tr("Steps in a turn"),
            tr("One step is one request to the model, with the calls it asks for."),
            _count,
            column,
        )
        add("tokens", tr("Tokens in a turn"), tr("Of all requests together, read and written."), _count, column)
        add("cost_microusd", tr("Cost of a turn in $"), "", _dollars, column)
        add("chat_microusd", tr("Cost of a chat in $"), "", _dollars, column)
        add(
            "day_microusd",
            tr("Cost of a day in $"),
            tr("Of all chats together; a day begins at midnight UTC."),
            _dollars,
            column,
        )
        add(
            "running_s",
            tr("Minutes of a turn"),
            tr("The time in which it waits for you does not count."),
            _minutes,
            column,
        )

    def refresh(self) -> None:
        """Show the limits in force."""
        values = self._saver.settings.limits.model_dump()
        for name, (field, words) in self._fields.items():
            field.set_value(words(values[name]) if values[name] else "")

    def _add(self, name: str, label: str, help_text: str, words: Callable[[int], str], column: QVBoxLayout) -> None:
        field = TextField(label, f"settings_general_limit_{name}", self._contents, help_text)
        field.keep_narrow(_WIDTH)
        field.edit.setPlaceholderText(_NONE if name != "steps" else str(Limits().steps))
        field.entered.connect(lambda text: self._on_entered(name, text))
        self._fields[name] = (field, words)
        column.addWidget(field)

    def _on_entered(self, name: str, text: str) -> None:
        field = self._fields[name][0]
        value = _value(name, text)
        if value is None:
            field.set_problem(_NO_NUMBER)
            return
        limits = self._saver.settings.limits.model_dump() | {name: value}
        self._saver.change(field, limits=limits)


def _value(name: str, text: str) -> int | None:
    """What was typed in the limit's own unit, its default for nothing; None: no number."""
    plain = figure(text.strip().lstrip("$").replace(" ", ""))
    if not plain:
        return int(Limits().model_dump()[name])
    try:
        typed = Decimal(plain)
        if not typed.is_finite():
            return None
        factor = _MICRO if name.endswith("_microusd") else _MINUTE_S if name == "running_s" else 1
        value = typed * factor
        return int(value) if abs(value) < Decimal(10) ** 15 and value == int(value) else None
    except InvalidOperation:
        return None


def _count(value: int) -> str:
    return number(value)


def _dollars(value: int) -> str:
    dollars = Decimal(value) / _MICRO
    return separated(f"{dollars:.2f}" if dollars == round(dollars, 2) else f"{dollars.normalize():f}")


def _minutes(value: int) -> str:
    return separated(f"{(Decimal(value) / _MINUTE_S).normalize():f}")
