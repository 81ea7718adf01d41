"""How often commands asked in the last day, and the rule that would have answered most of it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import AskedKind, AskedLately, Rule
from desktop.language import tr
from desktop.ui.text.format import count
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions_asked"


class AskedCard(QFrame):
    """Hidden where nothing asked. `wanted`: the person wants to look at a rule of these words."""

    wanted = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setProperty("kind", "banner")
        self.setAccessibleName(tr("How often commands asked"))
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_3), SPACE_2)
        self._words = plain_label(self, "", f"{_NAME}_words")
        self._rule = plain_label(self, "muted", f"{_NAME}_rule")
        self._make = push_button(tr("Look at this rule…"), f"{_NAME}_make", self)
        self._make.clicked.connect(self._on_make)
        column.addWidget(self._words)
        column.addWidget(self._rule)
        column.addWidget(self._make, 0, Qt.AlignmentFlag.AlignLeft)
        self._shown: AskedKind | None = None
        self.hide()

    def show_asked(self, asked: AskedLately) -> None:
        """Show these figures."""
        self._shown = next((kind for kind in asked.kinds if len(kind.tokens) == 1), None)
        most = asked.kinds[0].times if asked.kinds else 0
        times = count(asked.asked, "time")
        self._words.setText(
            tr("Asked {times} in the last 24 hours, {most} of one kind.", times=times, most=most)
            if most and self._shown is None
            else tr("Asked {times} in the last 24 hours.", times=times)
        )
        self._rule.setText("" if self._shown is None else _covered(self._shown, asked.asked))
        self._rule.setVisible(self._shown is not None)
        self._make.setVisible(self._shown is not None)
        self.setVisible(asked.asked > 0)

    def _on_make(self) -> None:
        if self._shown is not None:
            (tokens,) = self._shown.tokens
            self.wanted.emit(Rule(id="", decision="allow", kind="command", tokens=tokens))


def _covered(kind: AskedKind, asked: int) -> str:
    words = display_text(" ".join(kind.tokens[0]))
    if not kind.declined:
        return tr(
            "A rule for “{words}” would have answered {covered} of these {asked}.",
            words=words,
            covered=kind.covered,
            asked=asked,
        )
    return tr(
        "A rule for “{words}” would have answered {covered} of these {asked}, {declined} of which you declined.",
        words=words,
        covered=kind.covered,
        asked=asked,
        declined=kind.declined,
    )
