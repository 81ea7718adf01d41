"""InboxPane: the right of the inbox: where the request is, its live card, and what else can be done with it."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.domain.display.text import prose_text
from desktop.language import tr
from desktop.ui.gate.card_stage import CardMeans, CardStage
from desktop.ui.gate.cards.note import TrayNote
from desktop.ui.inbox.marks import InboxMarks
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.put_off import PutOff
from desktop.ui.inbox.rows import InboxEntry
from desktop.ui.inbox.same import SameBar
from desktop.ui.text.format import clock_time
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_ABOUT = {
    "interrupted": tr("Banksman closed while this turn was running. Nothing of it runs now."),
    "review": tr("These calls ran without asking. In the chat's audit each can be marked as reviewed or taken back."),
}
_BELL = "bell"
NOTHING = tr("Nothing is waiting for you.")


class InboxPane(QWidget):
    """Shows one entry. What a person wants of its chat is asked by signals."""

    chat_asked = Signal()
    continue_asked = Signal()
    decline_all_asked = Signal()
    undo_asked = Signal()

    def __init__(self, means: CardMeans, inputs: OpenInputs, marks: InboxMarks, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inbox_card")
        self.setAccessibleName(tr("Request"))
        self.where = plain_label(self, "muted", "inbox_where")
        self._bar = QWidget(self)
        buttons = FlowLayout(self._bar, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2), fair=True)
        self._go = small_button(tr("Go to chat"), "inbox_go_to_chat", self._bar)
        self._decline_all = small_button(tr("Decline all in this chat…"), "inbox_decline_all", self._bar)
        self.put_off = PutOff(marks, means.clock, self._bar)
        for button in (self._go, self.put_off.snooze, self.put_off.second_look, self._decline_all):
            buttons.addWidget(button)
        self.note = TrayNote(self)
        self.note.setObjectName("inbox_note")
        self.same = SameBar(self)
        self._box = _Box(self)
        self._column = QVBoxLayout(self._box)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.stage = CardStage(means, self._box, self._column, self.note, inputs)
        self._column.addStretch(1)
        self._about: _About | None = None
        self._all = layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_3, 0, 0, 0), SPACE_2)
        for part in (self.where, self._bar, self.note, self.same):
            layout.addWidget(part)
        layout.addWidget(self._box, 1)
        self._go.clicked.connect(self.chat_asked)
        self._decline_all.clicked.connect(self.decline_all_asked)
        self.stage.shown.connect(self._on_shown)
        self.stage.reshaped.connect(self._fit)
        self._box.resized.connect(self._fit)
        self.same.changed.connect(self._on_same_changed)
        self.entry: InboxEntry | None = None
        self.nothing = NOTHING
        for part in (self.where, self._bar, self._box):
            part.hide()

    def begin(self, entry: InboxEntry | None) -> Iterator[None]:
        """Make the first card in steps, none of which is long; `show_entry` shows it then."""
        if entry is None or not entry.inputs:
            return
        self._box.show()
        self._show_about(None, shown=False)
        yield from self.stage.steps(entry.inputs[0])

    def show_entry(self, entry: InboxEntry | None, where: str) -> None:
        """Show this entry, its card anew if it says something else; None: nothing waits. `where` its chat is."""
        item = entry.inputs[0] if entry is not None and entry.inputs else None
        self.show_head(entry, where)
        self._box.setVisible(item is not None)
        self._show_about(entry, shown=item is None)
        card = self.stage.card
        if card is None or item is None:
            self.stage.show(item)
        elif card.item != item:
            again = card.item.input_id == item.input_id
            self.stage.show_again(item) if again else self.stage.show(item)
        self.stage.keep_ages(item is not None)
        self.same.show_others(entry.inputs[1:] if entry is not None else ())

    def show_head(self, entry: InboxEntry | None, where: str) -> None:
        """Show what stands above the card."""
        self.entry = entry
        self.where.setText(where)
        self.where.setVisible(bool(where))
        self._bar.setVisible(entry is not None)
        self._decline_all.setVisible(entry is not None and bool(entry.inputs))
        self.put_off.show_entry(entry if entry is not None and entry.card is None else None)

    def offer_undo(self, key: str, offered: bool) -> None:
        """Whether the shown answer can be taken back."""
        if self.entry is not None and self.entry.key == key:
            self._words_about().undo.setVisible(offered)

    def focus_card(self) -> bool:
        """Put the focus on the frame of the card; False where there is none."""
        if self.stage.card is None or not self._box.isVisible():
            return False
        self.stage.card.setFocus()
        return True

    def _show_about(self, entry: InboxEntry | None, *, shown: bool) -> None:
        if not shown:
            if self._about is not None:
                self._about.hide()
            return
        about, kind = self._words_about(), entry.kind if entry is not None else ""
        words = _answered_words(entry) if entry is not None else ""
        about.set_texts(entry.title if entry is not None else self.nothing, words or _ABOUT.get(kind, ""))
        about.set_icon(entry.icon[0] if entry is not None else _BELL)
        about.undo.hide()
        about.go_on.setVisible(kind == "interrupted")
        about.look.setVisible(kind == "review")
        about.show()

    def _words_about(self) -> "_About":
        """What stands where a card would, made when there is first no card to show."""
        if self._about is None:
            self._about = about = _About(self)
            self._all.addWidget(about, 1)
            about.go_on.clicked.connect(self.continue_asked)
            about.undo.clicked.connect(self.undo_asked)
            about.look.clicked.connect(self.chat_asked)
            about.hide()
        return self._about

    def _on_same_changed(self) -> None:
        """The answer would count for others now: presses wait until that could be read."""
        if self.stage.card is not None:
            self.stage.card.content_changed()

    def _on_shown(self) -> None:
        """The card stands at the top."""
        if self.stage.card is not None:
            self._column.removeWidget(self.stage.card)
            self._column.insertWidget(0, self.stage.card)
            self.stage.card.show()
        self._fit()

    def _fit(self) -> None:
        card, width, room = self.stage.card, self._box.width(), self._box.height()
        if card is None or not self._box.isVisible():
            return
        card.make_fit(width, room)
        height = min(room, card.height_at(width))
        if card.height() != height or card.minimumHeight() != height:
            card.setFixedHeight(height)


class _Box(QWidget):
    """What the card stands in. `resized`: it has another size."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The card takes the height that there is."""
        super().resizeEvent(event)
        self.resized.emit()


class _About(EmptyState):
    """An entry without a card, or that nothing waits."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_BELL, NOTHING, "", parent)
        self.go_on = self.add_button(tr("Continue the chat"), "inbox_continue", primary=True)
        self.undo = self.add_button(tr("Undo…"), "inbox_undo")
        self.look = self.add_button(tr("Look at them"), "inbox_look")


def _answered_words(entry: InboxEntry) -> str:
    """What a person said and when, with their reason; "" for what nobody answered yet."""
    if entry.card is None:
        return ""
    said = entry.facts[0]
    reason = prose_text(entry.card.answer.note)
    return f"{said[:1].upper()}{said[1:]} · {clock_time(entry.card.at)}{f' · {reason}' if reason else ''}"
