"""SameBar: offers to answer the same request in other lanes by the answer on the shown card."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.language import tr
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.text.format import count
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps


class SameBar(QFrame):
    """Hidden where no other lane asks for the same. It is never ticked by itself, and unticked once others ask.
    `changed`: other lanes are named, or it was ticked or not."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inbox_same")
        self.setProperty("kind", "banner")
        self.setProperty("role", "accent")
        self._others: tuple[PendingItem, ...] = ()
        self._tick = QCheckBox(self)
        self._tick.setObjectName("inbox_same_tick")
        self._tick.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lanes = plain_label(self, "caption", "inbox_same_lanes")
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_2), SPACE_1)
        column.addWidget(self._tick)
        column.addWidget(self._lanes)
        self._tick.toggled.connect(self._on_ticked)
        self.hide()

    @property
    def ticked(self) -> bool:
        """Whether the answer is for the other lanes too."""
        return self._tick.isChecked() and bool(self._others)

    def show_others(self, others: tuple[PendingItem, ...]) -> None:
        """Name those who ask for the same in other lanes."""
        if others == self._others:
            return
        self._others = others
        self._tick.setChecked(False)
        where = count(len(others), "other lane")
        self._tick.setText(tr("Answer the &same in {where} too", where=where))
        self._tick.setAccessibleName(tr("Answer the same in {where} too", where=where))
        self._name_lanes()
        self.setVisible(bool(others))
        self.changed.emit()

    def also_for(self, answer: Answer) -> tuple[PendingItem, ...]:
        """The others for whom this answer counts too: a plain yes, once, or a no."""
        plain = answer.outcome == "allow_once" and answer.edited_input is None and not answer.effect
        return self._others if self.ticked and (plain or answer.outcome == "reject") else ()

    def _on_ticked(self) -> None:
        self._name_lanes()
        self.changed.emit()

    def _name_lanes(self) -> None:
        """Whom the answer is for, and that what is typed to a no is for all of them."""
        lanes = ", ".join(lane_of(item) for item in self._others)
        reach = (
            tr(". With Decline, your reason goes to all {value} chats.", value=len(self._others) + 1)
            if self.ticked
            else ""
        )
        self._lanes.setText(lanes + reach)
        self._tick.setAccessibleDescription(lanes + reach)


def lane_of(item: PendingItem) -> str:
    """The lane that a request is about, as it may be shown."""
    return display_text(item.request.lane) if isinstance(item.request, ApprovalRequest) else ""
