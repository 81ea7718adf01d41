"""IssueList: the items of an inventory through a filter, the chosen one below, and what a person can do with them."""

from PySide6.QtCore import QItemSelection, QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.rounds.items import SEVERITIES, IssueItem, Scope
from desktop.domain.rounds.updates import InventoryChanged
from desktop.language import said, tr
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.pulls.parts import ListOverDetail, PullList, column_in, line_of
from desktop.ui.pulls.rows import PullRows
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import severity_words
from desktop.ui.rounds.ignore_issue import IgnoreDialog
from desktop.ui.rounds.issue import IssueDetail
from desktop.ui.rounds.issue_rows import STATE_WORDS, IssueFilter, counted_states, issue_row, source_words
from desktop.ui.text.format import clock_time, count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

NOTHING = tr("Nothing to fix.")
CHECKING = tr("Checking…")
ALL = "all"
_STATES = (*STATE_WORDS.items(), (ALL, tr("All")))
_ALWAYS, _USUAL = ("new", ALL), "sent_to_agent"
"""The segments that are always shown, and the one between them while no other state is chosen in the menu."""
_MOST_SOURCES = 20


class IssueList(QWidget):
    """`state_asked`: ids, a state and a reason; `fix_asked`: a scope and ids."""

    state_asked = Signal(tuple, str, str)
    fix_asked = Signal(str, tuple)

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown
        self._told: InventoryChanged | None = None
        self._filter = IssueFilter()
        self._states = Segmented(
            "issues_state",
            tr("Items by state"),
            list(_STATES),
            self,
            compact=True,
        )
        self._more = IconButton("list-filter", tr("Filter by state, source and severity"), self)
        self._more.setObjectName("issues_filter")
        self._note = plain_label(self, "caption", "issues_note")
        self._nothing = plain_label(self, "muted", "issues_nothing")
        self.rows = PullRows(self)
        self.list = PullList(self.rows, "issues_list", tr("Issues"), self)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.detail = IssueDetail(shown, self)
        self.ignore = small_button(tr("Ignore…"), "issue_ignore", self)
        self.restore = small_button(tr("Restore"), "issue_restore", self)
        self.escalate = small_button(tr("Escalate"), "issue_escalate", self)
        self.fix = small_button(tr("Fix with the agent…"), "issue_fix", self, "primary")
        self._stack = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._show_filter()

    def show_inventory(self, told: InventoryChanged | None) -> None:
        """Show this; None: nothing was told yet."""
        self._told = told
        items = told.items if told is not None else ()
        numbers = counted_states(items)
        for key, words in _STATES:
            number = numbers.get(key, len(items))
            self._states.set_label(key, f"{words} {number}" if number else words)
        kept = self.selected_ids
        shown = [item for item in items if self._filter.passes(item)]
        self.rows.set_rows([issue_row(item) for item in shown])
        if not kept and shown:
            self.list.choose_first()
        self._say(told, shown)
        self._on_selection()

    @property
    def selected_ids(self) -> tuple[str, ...]:
        """The ids of the selected items, top to bottom."""
        rows = sorted(self.list.selectionModel().selectedRows(), key=lambda index: index.row())
        return tuple(index.data(ROW_ROLE).key for index in rows)

    def set_filter(self, chosen: IssueFilter) -> None:
        """List what passes this."""
        self._filter = chosen
        self._show_filter()
        self.show_inventory(self._told)

    def show_menu(self) -> QMenu:
        """Show the menu for what is listed: states, sources, severities."""
        menu = QMenu(self)
        menu.setObjectName("issues_menu")
        states = [("", tr("Any state")), *STATE_WORDS.items()]
        sources = [("", tr("Any source")), *((one, source_words(one)) for one in self._sources())]
        severities = [
            ("", tr("Any severity")),
            *((one, severity_words(one) or tr("no severity")) for one in SEVERITIES),
        ]
        for field, choices in (("state", states), ("source", sources), ("severity", severities)):
            if menu.actions():
                menu.addSeparator()
            for value, words in choices:
                action = menu.addAction(button_text(words))
                action.setCheckable(True)
                action.setChecked(vars(self._filter)[field] == value)
                action.triggered.connect(lambda _checked=False, f=field, v=value: self._choose(f, v))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
        return menu

    # inside

    def _lay_out(self) -> None:
        splitter = ListOverDetail("issues_splitter", self.list, self.detail, 0.55, self)
        empty = QWidget(self)
        column_in(empty, self._nothing, margins=(SPACE_3, SPACE_3, SPACE_3, SPACE_3))
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._stack.addWidget(splitter)
        self._stack.addWidget(empty)
        top = line_of(self._states, self._more, margins=(SPACE_3, SPACE_1, SPACE_2, 0))
        top.insertStretch(1, 1)
        buttons = QWidget(self)
        flow = FlowLayout(buttons, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_1))
        for button in (self.fix, self.ignore, self.restore, self.escalate):
            flow.addWidget(button)
        acts = QWidget(self)
        column_in(acts, buttons, margins=(SPACE_3, SPACE_1, SPACE_2, SPACE_2))
        column = column_in(self, top, self._note, self._stack, acts, spacing=SPACE_1)
        column.setStretch(2, 1)
        column.setStretch(3, 0)
        self._note.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        self.ignore.setToolTip(tr("Not to be fixed; it stays away until somebody writes in it again"))
        self.escalate.setToolTip(tr("A person has to look at it; no agent gets it"))

    def _connect(self) -> None:
        self._states.chosen.connect(lambda value: self._choose("state", "" if value == ALL else value))
        self._more.clicked.connect(self.show_menu)
        self.list.selectionModel().selectionChanged.connect(self._on_selected)
        self.ignore.clicked.connect(self._on_ignore)
        self.restore.clicked.connect(lambda: self._ask_state("new"))
        self.escalate.clicked.connect(lambda: self._ask_state("escalated"))
        self.fix.clicked.connect(self._on_fix)

    def _say(self, told: InventoryChanged | None, shown: list[IssueItem]) -> None:
        loading = told is not None and told.loading
        synced = told.synced_at if told is not None else None
        at = tr("As of {time}.", time=clock_time(synced)) if synced is not None else ""
        problem = display_text(said(told.problem)) if told is not None else ""
        say(self._note, f"{problem} {at}".strip() if problem else CHECKING if loading else "")
        open_ones = told is not None and any(item.state not in ("fixed", "dismissed") for item in told.items)
        if told is None or (not told.number and not problem):
            words = CHECKING if loading or told is None else tr("No pull request.")
        elif told.synced_at is None:
            words = CHECKING if not problem else ""
        else:
            words = tr("No item passes the filter.") if open_ones else f"{NOTHING} {at}".strip()
        self._nothing.setText(words)
        self._stack.setCurrentIndex(0 if shown else 1)

    def _on_selected(self, _chosen: QItemSelection, _before: QItemSelection) -> None:
        self._on_selection()

    def _on_selection(self) -> None:
        items = self._selected()
        self.detail.show_item(items[0] if len(items) == 1 else None, len(items))
        offline = "" if self._told is None else display_text(said(self._told.problem))
        states = {item.state for item in items}
        self.restore.setVisible(bool(states - {"new"}))
        none = "" if items else tr("Choose items first.")
        ignorable = bool(states - {"dismissed", "fixed"})
        set_off(self.ignore, none or ("" if ignorable else tr("They are ignored or fixed already.")))
        self.ignore.setVisible(ignorable or self.restore.isHidden())
        open_ones = bool(states - {"escalated", "fixed", "dismissed"})
        set_off(self.escalate, none or ("" if open_ones else tr("They are escalated, ignored or fixed already.")))
        why = offline or self._why_not_fix(items) or none
        set_off(self.fix, why)

    def _why_not_fix(self, items: list[IssueItem]) -> str:
        if self._told is None or not self._told.number:
            return tr("There is no pull request.")
        return self._told.availability.why(self._scope(items))

    def _scope(self, items: list[IssueItem]) -> Scope:
        kinds = {item.type == "check" for item in items if item.state == "new"}
        if len(items) < 2 or len(kinds) != 1:
            return (self._told.availability.default if self._told is not None else "") or "both"
        return "checks" if kinds == {True} else "comments"

    def _on_fix(self) -> None:
        items = self._selected()
        several = tuple(item.id for item in items) if len(items) > 1 else ()
        self.fix_asked.emit(self._scope(items), several)

    def _on_ignore(self) -> None:
        ids = tuple(item.id for item in self._selected() if item.state not in ("dismissed", "fixed"))
        dialog = IgnoreDialog(count(len(ids), "item"), self.window())
        dialog.given.connect(lambda reason: self.state_asked.emit(ids, "dismissed", reason))
        dialog.open()

    def _ask_state(self, to: str) -> None:
        ids = tuple(item.id for item in self._selected() if item.state != to)
        if ids:
            self.state_asked.emit(ids, to, "")

    def _selected(self) -> list[IssueItem]:
        known = {item.id: item for item in self._told.items} if self._told is not None else {}
        return [known[key] for key in self.selected_ids if key in known]

    def _sources(self) -> list[str]:
        found = {item.source for item in self._told.items} if self._told is not None else set()
        return sorted(found)[:_MOST_SOURCES]

    def _choose(self, field: str, value: str) -> None:
        self.set_filter(IssueFilter(**{**vars(self._filter), field: value}))

    def _show_filter(self) -> None:
        chosen = self._filter
        lit = chosen.state or ALL
        between = _USUAL if lit in _ALWAYS else lit
        for state in STATE_WORDS:
            self._states.set_shown(state, state in (*_ALWAYS, between))
        self._states.set_value(lit)
        narrowed = bool(chosen.source or chosen.severity) or lit not in (*_ALWAYS, _USUAL)
        self._more.set_icon("list-filter", "accent" if narrowed else "muted")
