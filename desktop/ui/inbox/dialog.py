"""InboxDialog: everything that waits for a person, in one list, answered in place."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import prose_text
from desktop.domain.inbox.ranking import ranked
from desktop.domain.inbox.updates import AnsweredLoaded
from desktop.domain.updates import SessionsChanged
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.changes.file_rows import row_list
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.gate.card_stage import CardMeans
from desktop.ui.gate.full_auto import FullAutoQuestion
from desktop.ui.inbox.answered import AnsweredToday
from desktop.ui.inbox.answering import InboxAnswering
from desktop.ui.inbox.filters import ANSWERED, FILTERS
from desktop.ui.inbox.marks import InboxMarks
from desktop.ui.inbox.model import InboxDelegate, InboxModel, InboxRow, shown
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.inbox.order import FrozenOrder
from desktop.ui.inbox.pane import NOTHING, InboxPane
from desktop.ui.inbox.rows import InboxEntries, InboxEntry, answered_entries, place_words
from desktop.ui.inbox.steps import Steps
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, CONTROL_HEIGHT_COMPACT, SPACE_2, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button, small_button
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_OPENS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Right)
_SIZE, _LIST = (900, 600), 320
_NONE_ANSWERED = tr("You answered nothing today.")


@dataclass(frozen=True)
class InboxFacts:
    """What the inbox reads."""

    inputs: OpenInputs
    book: ChatBook
    engine: EngineFacts
    made: InboxEntries
    marks: InboxMarks


class InboxDialog(Dialog):
    """The order stands still while it is open; what comes is put last. `chat_asked`: go to this chat (the folder of its
    repository); `audit_asked`: to its audit, `reviews_asked`: to what is to be looked back on there; `rules_asked`: to
    the rules, with what was asked most and the rule that would have answered it."""

    chat_asked = Signal(str, str)
    audit_asked = Signal(str, str)
    reviews_asked = Signal(str, str)
    rules_asked = Signal()

    def __init__(self, means: CardMeans, facts: InboxFacts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inbox_dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Waiting for you"))
        self.resize(*(theme().px(side) for side in _SIZE))
        self._means, self._inputs, self._book, self._engine = means, facts.inputs, facts.book, facts.engine
        self._made = facts.made
        self._order, self._entries = FrozenOrder(), dict[str, InboxEntry]()
        self._filter, self._key, self._filling, self._go_on = "all", "", False, False
        self._shown_key = ""
        self._put_off: dict[str, str] = {}
        self._answered: dict[str, InboxEntry] = {}
        self._today = AnsweredToday(means.requests, means.clock, self)
        self.model = InboxModel(self)
        self._list = row_list(self, "inbox_list", tr("What waits for you"), self.model, InboxDelegate)
        self._marks = facts.marks
        self.pane = InboxPane(means, self._inputs, self._marks, self)
        self._answering = InboxAnswering(self.pane, self._inputs, means.requests, self)
        self._full_auto = FullAutoQuestion(self._engine, self)
        self._filters = {name: self._filter_button(name) for name in FILTERS}
        self._again = small_button("", "inbox_sort_again", self, "link")
        self._rules = small_button(tr("Be asked less…"), "inbox_rules", self, "link")
        self._rules.clicked.connect(self.rules_asked)
        self._left = QWidget(self)
        self._lay_out()
        self._connect()
        self.hearing = Hearing(self.pane.stage.hearing).on(SessionsChanged, self._on_list)
        self._list.setFocus()
        self._listed = self._carded = False
        self._opening = Steps(self._open(), self)

    def _open(self) -> Iterator[None]:
        """No step is long, whatever waits; the first card is made when the rows are painted."""
        for _ in self._made.ahead(self._project_id):
            yield
        self._order.sort(self._ranked())
        self._listed = True  # what comes before the next step is taken
        yield
        self._refresh()
        yield
        self.pane.show_head(self._entry(), "")
        yield
        self.pane.stage.lane = self._lane(self._entry())
        yield from self.pane.begin(self._entry())
        self._carded = True
        self._show(self.model.row_at(self._list.currentIndex().row()) if self._key else None)

    # Showing

    @property
    def _project_id(self) -> str:
        project = self._engine.project
        return project.id if project is not None else ""

    def _ranked(self) -> list[str]:
        """The keys of everything that waits, by weight; the entries are read anew."""
        found = self._made.all(self._project_id)
        self._entries = {one.key: one for one in found}
        order = ranked((one.standing for one in found), self._means.clock())
        self._put_off = {one.key: words for one in found if (words := self._marks.snoozed(one))}
        return sorted(order, key=lambda key: key in self._put_off)

    def _on_list(self, _update: SessionsChanged) -> None:
        self._on_changed()

    def _on_changed(self) -> None:
        if self._listed:
            self._order.take(self._ranked())
            self._refresh()

    def _sort_again(self) -> None:
        self._order.sort(self._ranked())
        self._refresh()

    def _refresh(self) -> None:
        """Write everything anew; what is selected stays, and where it is gone the next one is."""
        if not self._listed:
            return
        now = self._means.clock()
        listed = [self._entries[key] for key in self._order.keys]
        if self._filter == ANSWERED:
            listed = [*self._answered.values()]
        rows = [self._row(entry, now) for entry in listed if self._belongs(entry, self._filter)]
        at = self._list.currentIndex().row()
        self._filling = True
        self.model.set_rows(rows)
        self._filling = False
        self._show_list(bool(rows))
        keys = [row.key for row in rows]
        moved = self._key not in keys
        at = min(max(at, 0), len(rows) - 1) if moved else keys.index(self._key)
        self._select(at)
        for name, button in self._filters.items():
            known = (*self._entries.values(), *self._answered.values())
            number = sum(one.number for one in known if self._belongs(one, name))
            button.setText(f"{FILTERS[name]} {number}" if number else FILTERS[name])
        self._again.setText(tr("{new} new · Sort again", new=len(self._order.new)))
        self._again.setVisible(bool(self._order.new))
        if moved and self._go_on:
            self._go_on = False
            self._to_card()

    def _show_list(self, shown: bool) -> None:
        """An empty list is not shown; the keys wait in the window until there is one again."""
        left = not shown and self._left.isAncestorOf(self.focusWidget() or self)
        self._left.setVisible(shown)
        if left or (shown and self.focusWidget() in (None, self)):
            self._focus_list()

    def _focus_list(self) -> None:
        (self if self._left.isHidden() else self._list).setFocus()

    def _select(self, at: int) -> None:
        index = self.model.index(at, 0) if at >= 0 else QModelIndex()
        if index != self._list.currentIndex():
            self._filling = True
            self._list.setCurrentIndex(index)
            self._filling = False
        self._show(self.model.row_at(at) if at >= 0 else None)

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        if not self._filling:
            self._show(self.model.row_at(index.row()) if index.isValid() else None)

    def _show(self, row: InboxRow | None) -> None:
        self._key = row.key if row is not None else ""
        if not self._carded:
            return
        entry = row.entry if row is not None else None
        where = entry.where if entry is not None else ""
        if entry is not None and entry.inputs:
            place = self._inputs.place(entry.session_id)
            parts = place_words(place, entry.session_id, self._book, self._project_id)
            where = " · ".join(part for part in parts if part)
        self.pane.stage.lane = self._lane(entry)
        known, self._shown_key = self._shown_key, self._key
        self.pane.show_entry(entry, where)
        if known != self._key:
            self._today.look(entry)

    def _lane(self, entry: InboxEntry | None) -> str:
        place = self._inputs.place(entry.session_id) if entry is not None else None
        return place.lane if place is not None else ""

    def _row(self, entry: InboxEntry, now: datetime) -> InboxRow:
        return shown(entry, now, snoozed=self._put_off.get(entry.key, ""), marked=self._marks.marked(entry))

    def _belongs(self, entry: InboxEntry, name: str) -> bool:
        if entry.card is not None:
            return name == ANSWERED
        return name in ("all", entry.kind) or (name == "snoozed" and entry.key in self._put_off)

    # What a person does

    def _to_card(self) -> None:
        if not self.pane.focus_card():
            self._focus_list()

    def _step(self, step: int) -> None:
        """To the card of the next row, or the one before."""
        self._step_in_list(step)
        self._to_card()

    def _step_in_list(self, step: int) -> None:
        at = self._list.currentIndex().row() + step
        if 0 <= at < self.model.rowCount():
            self._list.setCurrentIndex(self.model.index(at, 0))

    def _choose_filter(self, name: str) -> None:
        self._filter = name
        self.pane.nothing = _NONE_ANSWERED if name == ANSWERED else NOTHING
        if name == ANSWERED:
            self._today.load()
        self._refresh()

    def _on_answered_loaded(self, loaded: AnsweredLoaded) -> None:
        found = answered_entries(loaded, self._book, self._project_id)
        self._answered = {one.key: one for one in found}
        self._refresh()

    def _entry(self) -> InboxEntry | None:
        return self._entries.get(self._key) or self._answered.get(self._key)

    def _go(self) -> None:
        entry = self._entry()
        if entry is not None:
            asked = self.reviews_asked if entry.kind == "review" else self.chat_asked
            asked.emit(*self._chat_of(entry))
            self.close()

    def _chat_of(self, entry: InboxEntry) -> tuple[str, str]:
        place = self._inputs.place(entry.session_id)
        return (place.chat_id, place.project_path) if place is not None else (entry.session_id, "")

    def _go_to_audit(self) -> None:
        entry = self._entry()
        if entry is not None:
            self.audit_asked.emit(*self._chat_of(entry))
            self.close()

    def _on_answered(self) -> None:
        self._go_on = True

    def _on_resolved(self, _input_id: str) -> None:
        if self._filter == ANSWERED:
            self._today.load()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter in the list goes to the card, G to the chat; nothing typed there answers, or waits for painting."""
        typed = watched is self._list and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if typed:
            self._opening.finish()
        if typed and isinstance(event, QKeyEvent) and not event.modifiers() and not event.isAutoRepeat():
            act = self._list_key(event.key())
            if act is not None:
                act()
                return True
        return super().eventFilter(watched, event)

    def _list_key(self, key: int) -> Callable[[], None] | None:
        put_off = self.pane.put_off
        acts = {Qt.Key.Key_S: put_off.open_menu, Qt.Key.Key_L: put_off.toggle_second_look, Qt.Key.Key_G: self._go}
        return self._to_card if key in _OPENS else acts.get(Qt.Key(key)) if self._key else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F8 goes from card to card."""
        if event.key() == Qt.Key.Key_F8 and not event.isAutoRepeat():
            step = -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self._step(step if self.pane.stage.has_focus else 0)
            event.accept()
        else:
            super().keyPressEvent(event)

    # Making

    def _filter_button(self, name: str) -> QPushButton:
        button = small_button("", f"inbox_filter_{name}", self, "chip")
        button.setCheckable(True)
        button.setChecked(name == "all")
        button.clicked.connect(partial(self._choose_filter, name))
        return button

    def _lay_out(self) -> None:
        top, group = QWidget(self), QButtonGroup(self)
        filters = FlowLayout(top, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        for button in self._filters.values():
            group.addButton(button)
            filters.addWidget(button)
        left = self._left
        column = QVBoxLayout(left)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addWidget(self._list, 1)
        column.addWidget(self._again)
        split = QSplitter(self)
        split.setObjectName("inbox_splitter")
        split.addWidget(left)
        split.addWidget(self.pane)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(1, 1)
        split.setSizes([theme().px(_LIST), theme().px(_SIZE[0] - _LIST)])
        close = push_button(tr("Close"), "inbox_close", self, self.close)
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(top, 1)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        top.setContentsMargins(0, (theme().px(CONTROL_HEIGHT) - theme().px(CONTROL_HEIGHT_COMPACT)) // 2, 0, 0)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_4, SPACE_4, SPACE_4), SPACE_4)
        layout.addLayout(head)
        below = QVBoxLayout()
        set_gaps(below, (0, 0, 0, 0), SPACE_2)
        below.addWidget(split, 1)
        below.addWidget(self._rules, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(below, 1)

    def _connect(self) -> None:
        self._inputs.resolved.connect(self._on_resolved)
        self._inputs.changed.connect(self._on_changed)
        self._list.installEventFilter(self)
        self._list.selectionModel().currentChanged.connect(self._on_current)
        self._again.clicked.connect(self._sort_again)
        pane, stage = self.pane, self.pane.stage
        self._marks.changed.connect(self._on_changed)
        pane.put_off.snoozed.connect(partial(self._step_in_list, 1))
        self._answering.answered.connect(self._on_answered)
        stage.left.connect(self._focus_list)
        stage.audit_asked.connect(self._go_to_audit)
        stage.full_auto_asked.connect(partial(self._full_auto.ask, PermissionMode.PLAN))
        pane.chat_asked.connect(self._go)
        pane.undo_asked.connect(self._today.undo)
        self._today.loaded.connect(self._on_answered_loaded)
        self._today.undoable.connect(pane.offer_undo)
        self._today.told.connect(lambda words: pane.note.tell(prose_text(words)))
