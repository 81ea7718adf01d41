"""InboxMarks: what a person puts off, until a time or until something changes, and what needs a second look."""

import json
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from pydantic import Field, TypeAdapter, ValidationError
from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from desktop.domain.core.base import Frozen
from desktop.language import tr
from desktop.ui.core.sink import Clock
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.rows import InboxEntry
from desktop.ui.text.format import clock_time, local_date

_GROUP = "inbox"
_MOST_MS = 24 * 3_600_000


class _Snooze(Frozen):
    """`until` None: until `stamp` is another one. `chat`: whose request it was."""

    until: datetime | None = None
    stamp: str = ""
    chat: str = ""


class _Kept(Frozen):
    snoozed: dict[str, _Snooze] = Field(default_factory=dict)
    marked: tuple[str, ...] = ()


_KEPT = TypeAdapter(_Kept)


class InboxMarks(QObject):
    """Kept in the settings of the window, so a restart loses nothing: a chat that it cuts off stays put off too. What
    is put off still waits and is counted. `due` (input): the time has come, or something changed."""

    changed = Signal()
    due = Signal(str)

    def __init__(self, settings: QSettings, clock: Clock, inputs: OpenInputs, parent: QObject) -> None:
        super().__init__(parent)
        self._settings, self._clock, self._inputs = settings, clock, inputs
        self._read = ("", _Kept())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._look)
        inputs.resolved.connect(self._on_resolved)
        inputs.changed.connect(self._look)
        self._set_timer(self._kept())

    def snooze(self, entry: InboxEntry, until: datetime | None) -> None:
        """Put it off until then; None: until its request says something else, or its chat asks more or less."""
        kept = self._kept()
        chats = {item.input_id: item for item in entry.inputs}
        for one in _keys(entry):
            item = chats.get(one)
            stamp = self._stamp(item) if item is not None and until is None else ""
            chat = item.session_id if item is not None else entry.session_id
            kept = kept.model_copy(
                update={"snoozed": {**kept.snoozed, one: _Snooze(until=until, stamp=stamp, chat=chat)}}
            )
        self._keep(kept)

    def wake(self, entry: InboxEntry) -> None:
        """It is put off no more."""
        kept, keys = self._kept(), _keys(entry)
        left = {key: one for key, one in kept.snoozed.items() if key not in keys and not _of_cut_off(entry, one)}
        self._keep(kept.model_copy(update={"snoozed": left}))

    def snoozed(self, entry: InboxEntry) -> str:
        """Until when it is put off, in words; "" for what is not."""
        kept = self._kept().snoozed
        found = [kept.get(key) for key in _keys(entry)]
        if entry.kind == "interrupted":
            found = [next((one for one in kept.values() if _of_cut_off(entry, one)), found[0])]
        if not found or any(one is None or not self._holds(one) for one in found):
            return ""
        ends = [one.until for one in found if one is not None and one.until is not None]
        return (
            tr("snoozed until {time_words}", time_words=self._time_words(min(ends)))
            if ends
            else tr("snoozed until something changes")
        )

    def mark(self, entry: InboxEntry, on: bool) -> None:
        """It needs a second look, or not any more."""
        kept, keys = self._kept(), _keys(entry)
        rest = tuple(key for key in kept.marked if key not in keys)
        self._keep(kept.model_copy(update={"marked": (*rest, *keys) if on else rest}))

    def marked(self, entry: InboxEntry) -> bool:
        """Whether it needs a second look."""
        return not set(_keys(entry)).isdisjoint(self._kept().marked)

    def _time_words(self, at: datetime) -> str:
        today = at.astimezone().date() == self._clock().astimezone().date()
        return clock_time(at) if today else f"{local_date(at)}, {clock_time(at)}"

    def _holds(self, one: _Snooze | None) -> bool:
        return one is not None and (one.until is None or one.until > self._clock())

    def _stamp(self, item: PendingItem) -> str:
        """Another one when the request says something else, or its chat asks more or less."""
        open_there = sorted(one.input_id for one in self._inputs.items() if one.session_id == item.session_id)
        words = item.request.model_dump_json() + json.dumps(open_there)
        return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _on_resolved(self, input_id: str) -> None:
        """What a person closed has no marks; a chat that was cut off keeps that it was put off."""
        kept = self._kept()
        resolution = self._inputs.resolution(input_id)
        if resolution is not None and resolution.event.reason in ("restart", "interrupted"):
            return
        if input_id in kept.snoozed or input_id in kept.marked:
            snoozed = {key: one for key, one in kept.snoozed.items() if key != input_id}
            marked = tuple(key for key in kept.marked if key != input_id)
            self._keep(_Kept(snoozed=snoozed, marked=marked))

    def _look(self) -> None:
        """Wake what is due."""
        kept = self._kept()
        if not kept.snoozed:
            return
        over = [key for key, one in kept.snoozed.items() if self._is_over(key, one)]
        if over:
            left = {key: one for key, one in kept.snoozed.items() if key not in over}
            self._keep(kept.model_copy(update={"snoozed": left}))
            for key in over:
                if self._inputs.item(key) is not None:
                    self.due.emit(key)
        else:
            self._set_timer(kept)

    def _is_over(self, key: str, one: _Snooze) -> bool:
        if one.until is not None:
            return one.until <= self._clock()
        item = self._inputs.item(key)
        return item is not None and self._stamp(item) != one.stamp

    def _kept(self) -> _Kept:
        """What is kept; nothing where that cannot be read."""
        text = str(self._settings.value(f"{_GROUP}/marks", "{}"))
        if text != self._read[0]:
            try:
                self._read = text, _KEPT.validate_json(text)
            except ValidationError:
                self._read = text, _Kept()
        return self._read[1]

    def _keep(self, kept: _Kept) -> None:
        self._settings.setValue(f"{_GROUP}/marks", kept.model_dump_json())
        self._set_timer(kept)
        self.changed.emit()

    def _set_timer(self, kept: _Kept) -> None:
        """One timer for the earliest of them, none where nothing waits for a time."""
        ends = [one.until for one in kept.snoozed.values() if one.until is not None]
        if not ends:
            self._timer.stop()
            return
        left = (min(ends) - self._clock()).total_seconds() * 1000
        self._timer.start(int(min(max(left, 0), _MOST_MS)) + 1)


def _keys(entry: InboxEntry) -> Sequence[str]:
    """Under what its marks are kept."""
    return [item.input_id for item in entry.inputs] or [entry.key]


def _of_cut_off(entry: InboxEntry, one: _Snooze) -> bool:
    return entry.kind == "interrupted" and one.chat == entry.session_id
