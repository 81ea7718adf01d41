"""RecapStrip: what happened while a person was away: figures, and a few lines that lead to their entries."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.handover.recap import Recap, RecapLine
from desktop.language import number, tr
from desktop.ui.handover.rows import ICONS
from desktop.ui.text.format import clock_time, count, duration
from desktop.ui.text.record_lines import line_text
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_PER_WORD = {
    "Open": tr("Open: "),
    "Risks": tr("Risk: "),
    "Tried and refused": tr("Refused: "),
    "Undone": tr("Undone: "),
}


class RecapStrip(QFrame):
    """Hidden until there is something to tell. `entry_asked`: chat, entry, its place; `whole_asked`: the handover."""

    entry_asked = Signal(str, str, int)
    whole_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("transcript_recap")
        self.setProperty("kind", "banner")
        self.setProperty("role", "accent")
        self._text = plain_label(self, "strong", "recap_text")
        self._whole = push_button(tr("Show what happened"), "recap_show", self)
        self._whole.clicked.connect(self._on_whole)
        self._dismiss = push_button(tr("Dismiss"), "recap_dismiss", self)
        self._dismiss.clicked.connect(self.leave)
        head = QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_2)
        head.addWidget(IconLabel("history", "accent", self))
        head.addWidget(self._text, 1)
        head.addWidget(self._whole)
        head.addWidget(self._dismiss)
        self._lit: dict[QPushButton, str] = {}
        self._rows = QVBoxLayout()
        set_gaps(self._rows, (0, 0, 0, 0), SPACE_1)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_3, SPACE_2, SPACE_3, SPACE_2), SPACE_1)
        layout.addLayout(head)
        layout.addLayout(self._rows)
        theme().changed.connect(self._take_theme)
        self.hide()

    def show_recap(self, told: Recap) -> None:
        """Show what happened; nothing where nothing did."""
        self._clear()
        if told.is_empty:
            self.hide()
            return
        words = recap_words(told)
        self._text.setText(words)
        self.setAccessibleName(words)
        for at, one in enumerate(told.lines):
            self._rows.addWidget(self._row(at, one))
        self.show()

    def leave(self) -> None:
        """The person has seen it."""
        self.hide()
        self._clear()

    def _row(self, at: int, one: RecapLine) -> QWidget:
        line = one.line
        title = f"{prose_text(line.chat)} · " if line.chat else ""
        text = f"{clock_time(line.at)} · {title}{_PER_WORD.get(one.section, '')}{prose_text(line_text(line))}"
        row = ElidedButton(text, self)
        row.setObjectName(f"recap_line_{at + 1}")
        row.setProperty("kind", "link")
        row.setAccessibleName(text)
        row.setIcon(icon(*ICONS[one.section]))
        self._lit[row] = one.section
        set_off(row, "" if line.event_id else tr("No entry of the chat stands behind it."))
        row.clicked.connect(lambda: self._on_row(one))
        return row

    def _on_row(self, one: RecapLine) -> None:
        self.entry_asked.emit(one.line.session_id, one.line.event_id, one.line.seq)

    def _on_whole(self) -> None:
        self.leave()
        self.whole_asked.emit()

    def _take_theme(self) -> None:
        for row, section in self._lit.items():
            row.setIcon(icon(*ICONS[section]))

    def _clear(self) -> None:
        self._lit.clear()
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def recap_words(told: Recap) -> str:
    """ "While you were away (23 min): 9 calls, 2 changes, 1 open." Parts that are zero are left out."""
    away = duration(60_000 * max(1, round((told.until - told.since).total_seconds() / 60)))
    parts = [count(told.calls, "call")] if told.calls else []
    parts += [count(told.changes, "change")] if told.changes else []
    parts += [tr("{count} open", count=number(told.open))] if told.open else []
    return tr("While you were away ({away}): {value}.", away=away, value=", ".join(parts) or tr("something was asked"))
