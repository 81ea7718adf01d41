"""FilterButton: which proofs the tab shows: of all or of this chat, of a kind, in a state."""

from typing import get_args

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.proofs.values import ProofKind, ReviewState, kind_words, review_words
from desktop.language import said, tr
from desktop.ui.proofs.model import ProofFilter, Which
from desktop.ui.widgets.buttons.icon_button import IconButton

_WHICH: dict[Which, str] = {
    "all": tr("All of this lane"),
    "chat": tr("Of this chat"),
    "pull": tr("For this pull request"),
}


class FilterButton(IconButton):
    """`chosen` carries a ProofFilter."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("list-filter", tr("Filter proofs"), parent)
        self.setObjectName("proofs_filter")
        self._filter = ProofFilter()
        self._menu = QMenu(self)
        self._menu.setObjectName("proofs_filter_menu")
        self._actions: dict[tuple[str, str], QAction] = {}
        self._group("which", {which: words for which, words in _WHICH.items()})
        kinds: dict[str, str] = {"": tr("Every kind"), **{kind: said(kind_words(kind)) for kind in get_args(ProofKind)}}
        self._group("kind", kinds)
        states: dict[str, str] = {
            "": tr("Every state"),
            **{state: said(review_words(state)) for state in get_args(ReviewState)},
        }
        self._group("state", states)
        self.clicked.connect(lambda: self._menu.popup(self.mapToGlobal(self.rect().bottomLeft())))
        self._show()

    def choose(self, field: str, value: str) -> None:
        """Choose as the menu does; `field`: which, kind or state."""
        self._filter = ProofFilter(**{**vars(self._filter), field: value})
        self._show()
        self.chosen.emit(self._filter)

    def reset(self) -> None:
        """Choose all proofs again."""
        self._filter = ProofFilter()
        self._show()
        self.chosen.emit(self._filter)

    def _group(self, field: str, choices: dict[str, str]) -> None:
        if self._actions:
            self._menu.addSeparator()
        group = QActionGroup(self._menu)
        for value, words in choices.items():
            action = self._menu.addAction(words)
            action.setObjectName(f"proofs_filter_{field}_{value or 'any'}")
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _checked, field=field, value=value: self.choose(field, value))
            self._actions[field, value] = action

    def _show(self) -> None:
        for (field, value), action in self._actions.items():
            action.setChecked(vars(self._filter)[field] == value)
        chosen = [(field, value) for field, value in vars(self._filter).items() if value not in ("", "all")]
        named = [self._actions[one].text() for one in chosen]
        self.set_icon("list-filter", "accent" if named else "muted")
        self.set_name(tr("Filter proofs: {named}", named=", ".join(named)) if named else tr("Filter proofs"))
