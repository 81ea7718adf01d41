"""PutOff: the buttons with which a person puts an entry of the inbox off, or notes that it needs a second look."""

from datetime import datetime, timedelta
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from desktop.language import tr
from desktop.ui.core.sink import Clock
from desktop.ui.inbox.marks import InboxMarks
from desktop.ui.inbox.rows import InboxEntry
from desktop.ui.text.format import clock_time
from desktop.ui.widgets.buttons.push_button import small_button

_MORNING = 9


class PutOff(QObject):
    """`snooze`, `second_look`: the buttons. `snoozed`: the entry was put off."""

    snoozed = Signal()

    def __init__(self, marks: InboxMarks, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._marks, self._clock = marks, clock
        self._entry: InboxEntry | None = None
        self.snooze = small_button(tr("Snooze…"), "inbox_snooze", parent)
        self.snooze.setToolTip(tr("Put it off; it still waits and is counted (S in the list)"))
        self.second_look = small_button(tr("Second look"), "inbox_second_look", parent)
        self.second_look.setCheckable(True)
        self.second_look.setToolTip(tr("Note that it needs a second look (L in the list)"))
        self._menu = QMenu(self.snooze)
        self._menu.setObjectName("inbox_snooze_menu")
        self._menu.aboutToShow.connect(self._fill)
        self.snooze.clicked.connect(self.open_menu)
        self.second_look.clicked.connect(self._on_second_look)

    def show_entry(self, entry: InboxEntry | None) -> None:
        """The buttons are about this one."""
        self._entry = entry
        for button in (self.snooze, self.second_look):
            button.setVisible(entry is not None)
        self.second_look.setChecked(entry is not None and self._marks.marked(entry))

    def toggle_second_look(self) -> None:
        """Note it, or take the note away."""
        self.second_look.click()

    def open_menu(self) -> None:
        """Let a person choose until when."""
        self._menu.popup(self.snooze.mapToGlobal(self.snooze.rect().bottomLeft()))

    def _on_second_look(self, on: bool) -> None:
        if self._entry is not None:
            self._marks.mark(self._entry, on)

    def _fill(self) -> None:
        """The menu is made anew each time it opens: it names times."""
        self._menu.clear()
        now = self._clock()
        for minutes in (15, 60, 240):
            until = now + timedelta(minutes=minutes)
            self._add(tr("Until {until}", until=clock_time(until)), f"inbox_snooze_{minutes}", until)
        morning = (now.astimezone() + timedelta(days=1)).replace(hour=_MORNING, minute=0, second=0, microsecond=0)
        self._add(tr("Until tomorrow, {morning}", morning=clock_time(morning)), "inbox_snooze_tomorrow", morning)
        if self._entry is not None and self._entry.inputs:
            self._add(tr("Until something changes"), "inbox_snooze_change", None)
        if self._entry is not None and self._marks.snoozed(self._entry):
            self._menu.addSeparator()
            wake = self._menu.addAction(tr("Not any more"))
            wake.setObjectName("inbox_snooze_wake")
            wake.triggered.connect(self._wake)

    def _add(self, words: str, name: str, until: datetime | None) -> None:
        action = self._menu.addAction(words)
        action.setObjectName(name)
        action.triggered.connect(partial(self._snooze, until))

    def _snooze(self, until: datetime | None, _checked: bool = False) -> None:
        if self._entry is not None:
            self._marks.snooze(self._entry, until)
            self.snoozed.emit()

    def _wake(self) -> None:
        if self._entry is not None:
            self._marks.wake(self._entry)
