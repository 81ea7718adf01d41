"""HindranceRows: what is in the way, one under the other: a sentence, a tick where a person may go on, an action."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.pull_request import Hindrance
from desktop.language import said, tr
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT_COMPACT, SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

USE_FORK = "use_fork"
"""The action by which the engine offers the person's own fork."""
ACTIONS: dict[str, str] = {
    "commit": tr("Commit…"),
    "changes": tr("Show changes"),
    "push": tr("Push the branch"),
    "update": tr("Update from base…"),
    "rebase": tr("Rebase in lane…"),
    "conflicts": tr("Show conflicts…"),
    "connect": tr("Connect GitHub…"),
    "threads": tr("Show threads"),
    "checks": tr("Show checks"),
    "refresh": tr("Refresh"),
    "ready": tr("Ready for review…"),
    "update_branch": tr("Update branch"),
    "rerun": tr("Rerun failed"),
    "operation": tr("Show conflicts…"),
    "browser": tr("Open in the browser"),
    USE_FORK: tr("Use your fork"),
}
"""What the window offers against a hindrance, by the names that the engine gives."""


class HindranceRows(QWidget):
    """`acted` carries the name of an action; `changed`: another tick. `tick`: the words of the tick with which a
    person goes on all the same, "" for none; `red`: kinds whose tick is drawn as a danger."""

    acted = Signal(str)
    changed = Signal()

    def __init__(self, name: str, parent: QWidget, tick: Callable[[Hindrance], str], red: Sequence[str] = ()) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("What is in the way"))
        self._tick, self._red = tick, tuple(red)
        self._boxes: dict[str, QCheckBox] = {}
        self._shown: tuple[Hindrance, ...] = ()
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, 0, 0, 0), SPACE_2)

    @property
    def hindrances(self) -> tuple[Hindrance, ...]:
        """The hindrances that are shown."""
        return self._shown

    @property
    def ticks(self) -> tuple[str, ...]:
        """The kinds that a person accepted."""
        return tuple(kind for kind, box in self._boxes.items() if box.isChecked())

    @property
    def is_clear(self) -> bool:
        """Whether no hindrance blocks, and every other one was accepted."""
        return not any(one.blocks for one in self._shown) and all(box.isChecked() for box in self._boxes.values())

    def show_hindrances(self, hindrances: Sequence[Hindrance]) -> None:
        """Show these and no others; ticks of those that stay are kept."""
        if tuple(hindrances) == self._shown:
            return
        kept = set(self.ticks)
        self._shown, self._boxes = tuple(hindrances), {}
        while (item := self._column.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        for one in hindrances:
            row = self._row(one, ticked=one.kind in kept)
            self._column.addWidget(row)
            row.show()
        self.setVisible(bool(hindrances))

    def _row(self, one: Hindrance, *, ticked: bool) -> QWidget:
        row = QWidget(self)
        row.setProperty("item_id", one.kind)
        line = QHBoxLayout(row)
        set_gaps(line, (0, 0, 0, 0), SPACE_2)
        look = ("octagon-x", "danger") if one.blocks else ("triangle-alert", "warning")
        text = plain_label(row)
        lead = self._lead(text) if one.action in ACTIONS else 0
        mark = QVBoxLayout()
        mark.setContentsMargins(0, lead, 0, 0)
        mark.addWidget(IconLabel(*look, row), 0, Qt.AlignmentFlag.AlignTop)
        mark.addStretch(1)
        line.addLayout(mark)
        words = QVBoxLayout()
        set_gaps(words, spacing=SPACE_1)
        words.setContentsMargins(0, lead, 0, 0)
        text.setText(display_text(said(one.text), multiline=True))
        words.addWidget(text)
        if not one.blocks and (wanted := self._tick(one)):
            box = self._box(row, one, wanted)
            box.setChecked(ticked)
            words.addWidget(box)
        words.addStretch(1)
        line.addLayout(words, 1)
        if one.action in ACTIONS:
            button = small_button(button_text(ACTIONS[one.action]), f"{self.objectName()}_{one.action}", row)
            button.clicked.connect(lambda: self.acted.emit(one.action))
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    @staticmethod
    def _lead(text: QLabel) -> int:
        """What brings the first line to the middle of the button beside it."""
        text.ensurePolished()
        return max(0, (theme().px(CONTROL_HEIGHT_COMPACT) - text.fontMetrics().height()) // 2)

    def _box(self, row: QWidget, one: Hindrance, words: str) -> QCheckBox:
        box = QCheckBox(words, row)
        box.setObjectName(f"{self.objectName()}_tick_{one.kind}")
        box.setAccessibleName(f"{words}: {display_text(said(one.text))}")
        if one.kind in self._red:
            box.setProperty("role", "danger")
        box.toggled.connect(lambda _on: self.changed.emit())
        self._boxes[one.kind] = box
        return box
