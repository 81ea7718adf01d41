"""ScopeBar: which changes are shown, and the line that sums them up."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from desktop.domain.changes.values import ChangeScope
from desktop.language import number, tr
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.clear_button import add_clear_button
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.icon_button import icon_button
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

MAIN = (("lane", tr("Lane")), ("uncommitted", tr("Uncommitted")), ("last_turn", tr("Last turn")))
_COUNTED_WIDTH = 330
_SHORT_FIGURE = 9


class OtherScope(NamedTuple):
    """An entry of More: its words, safe to show, and what it means; a scope without a kind is a line between."""

    words: str
    scope: ChangeScope


class ScopeBar(QWidget):
    """`chosen` (ChangeScope), `commit_wanted`: the person wants to name a commit; `filtered` (text); `flat_asked`
    (flat); `refresh_asked`."""

    chosen = Signal(object)
    commit_wanted = Signal()
    filtered = Signal(str)
    flat_asked = Signal(bool)
    refresh_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._counts: dict[str, int] = {}
        self._scope = ChangeScope()
        self._others: tuple[OtherScope, ...] = ()
        self.scopes = Segmented("changes_scope", tr("Which changes"), MAIN, self, compact=True)
        self.more = icon_button("chevron-down", tr("More changes to look at"), "changes_scope_more", self)
        self.other = ElidedLabel("", self)
        self.other.setObjectName("changes_scope_other")
        self.other.setProperty("kind", "strong")
        self.summary = plain_label(self, "strong", "changes_summary", wrap=False)
        self.figure = plain_label(self, "muted", "changes_figure", wrap=False)
        self.seen = plain_label(self, "caption", "changes_seen", wrap=False)
        self.as_of = plain_label(self, "caption", "changes_as_of", wrap=False)
        for label in (self.seen, self.as_of):
            label.hide()  # an empty one would take the room of its gap
        self.pull = ElidedButton("", self)
        self.pull.setObjectName("changes_open_pr")
        self.pull.setProperty("kind", "link")
        self.pull.hide()
        self.search = icon_button("list-filter", tr("Filter files"), "changes_filter_toggle", self)
        self.flat = icon_button("list-tree", tr("List without folders"), "changes_flat", self)
        self.again = icon_button("refresh-cw", tr("Refresh changes"), "changes_refresh", self)
        self.field = QLineEdit(self)
        self.field.setObjectName("changes_filter")
        self.field.setAccessibleName(tr("Filter files"))
        self.field.setPlaceholderText(tr("Filter files"))
        add_clear_button(self.field)
        self.field.hide()
        self._lay_out()
        self._connect()
        self.set_scope(ChangeScope())

    def set_scope(self, scope: ChangeScope, words: str = "") -> None:
        """This scope is shown; `words`: what an entry of More is called."""
        self._scope = scope
        self.scopes.set_value(scope.kind)
        self.other.set_full_text(words)
        self.other.setVisible(bool(words))

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """How many files each scope holds."""
        self._counts = dict(counts)
        self._take_counts()

    def set_figure(self, words: str) -> None:
        """How many lines; a long figure leaves where there is no room, and is the tooltip of the files."""
        self.figure.setText(words)
        self._take_counts()

    def set_pull(self, words: str, hindrance: str = "") -> None:
        """What leads to the pull request is called, "" for nothing that does. `hindrance`: why none can be opened."""
        self.pull.set_full_text(words)
        self.pull.set_keep(len(words))
        set_off(self.pull, hindrance, "")
        self.pull.setVisible(bool(words))

    def set_others(self, others: Sequence[OtherScope]) -> None:
        """What More offers."""
        self._others = tuple(others)

    def open_filter(self) -> None:
        """Show the field, with the focus in it."""
        self.field.show()
        self.field.setFocus()

    def show_menu(self) -> None:
        """The menu of More."""
        menu = QMenu(self)
        menu.setObjectName("changes_scope_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for other in self._others:
            action = menu.addAction(other.words.replace("&", "&&"))
            action.setObjectName(f"changes_scope_{other.scope.kind}")
            action.setCheckable(True)
            action.setChecked(other.scope == self._scope)
            action.triggered.connect(lambda _checked=False, scope=other.scope: self.chosen.emit(scope))
        if self._others:
            menu.addSeparator()
        commit = menu.addAction(tr("Commit…"))
        commit.setObjectName("changes_scope_commit")
        commit.triggered.connect(lambda: self.commit_wanted.emit())
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Counts go where there is no room for them."""
        super().resizeEvent(event)
        self._take_counts()

    def _take_counts(self) -> None:
        room = self.width() >= theme().px(_COUNTED_WIDTH)
        self.figure.setVisible(bool(self.figure.text()) and (room or len(self.figure.text()) <= _SHORT_FIGURE))
        self.summary.setToolTip("" if self.figure.isVisibleTo(self) else self.figure.text())
        for kind, words in MAIN:
            known = kind in self._counts
            figure = f" {number(self._counts[kind])}" if known and room and self._counts[kind] else ""
            self.scopes.set_label(kind, f"{words}{figure}")
            self.scopes.set_tooltip(kind, f"{words}: {count(self._counts[kind], 'file')}" if known else words)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, 0, SPACE_2, 0), SPACE_1)
        top, line = QHBoxLayout(), QHBoxLayout()
        set_gaps(top, spacing=SPACE_1)
        set_gaps(line, spacing=SPACE_2)
        top.addWidget(self.scopes)
        top.addWidget(self.more)
        top.addStretch(1)
        for label in (self.summary, self.figure, self.seen):
            line.addWidget(label)
        line.addStretch(1)
        line.addWidget(self.as_of)
        line.addWidget(self.pull)
        icons = QHBoxLayout()
        set_gaps(icons, spacing=0)
        for button in (self.search, self.flat, self.again):
            icons.addWidget(button)
        line.addLayout(icons)
        column.addLayout(top)
        column.addWidget(self.other)
        column.addLayout(line)
        column.addWidget(self.field)

    def _connect(self) -> None:
        self.scopes.chosen.connect(self._on_scope)
        self.more.clicked.connect(self.show_menu)
        self.search.setCheckable(True)
        self.search.clicked.connect(self._toggle_filter)
        self.flat.setCheckable(True)
        self.flat.clicked.connect(self.flat_asked)
        self.again.clicked.connect(lambda: self.refresh_asked.emit())
        self.field.textChanged.connect(self.filtered)

    def _on_scope(self, kind: str) -> None:
        self.chosen.emit(ChangeScope.model_validate({"kind": kind}))

    def _toggle_filter(self, shown: bool) -> None:
        self.field.setVisible(shown)
        if shown:
            self.field.setFocus()
        else:
            self.field.clear()
