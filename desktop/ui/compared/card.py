"""RunCard: one of several results: its state, what it took, what it changed, what is borne out of it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.compared.rows import RunRow
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_ARCHIVED = tr("This result is archived. Undo that first.")
_KEPT = tr("This result was kept.")


class RunCard(QFrame):
    """`opened`, `keep_asked`, `answer_asked`: what a person wants of it; each carries its chat."""

    opened = Signal(str)
    keep_asked = Signal(str)
    answer_asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("compared_run")
        self.setProperty("kind", "card")
        self.row: RunRow | None = None
        self._icon = IconLabel("circle", "muted", self)
        self.title = ElidedLabel("", self)
        self.title.setProperty("kind", "strong")
        self._model = ElidedLabel("", self)
        self._model.setProperty("kind", "muted")
        self.state = ElidedLabel("", self)
        self.state.setObjectName("compared_state")
        self._figures = plain_label(self, "caption", "compared_figures")
        self._changed = plain_label(self, "caption", "compared_changed")
        self.verdict = plain_label(self, "caption", "compared_verdict", role="neutral")
        self._answer = small_button(tr("Answer…"), "compared_answer", self, kind="primary")
        self._open = small_button(tr("Open"), "compared_open", self)
        self._keep = small_button(tr("Keep this one"), "compared_keep", self)
        self._answer.clicked.connect(lambda: self.answer_asked.emit(self._session_id))
        self._open.clicked.connect(lambda: self.opened.emit(self._session_id))
        self._keep.clicked.connect(lambda: self.keep_asked.emit(self._session_id))
        self._lay_out()

    @property
    def _session_id(self) -> str:
        return self.row.session_id if self.row is not None else ""

    def show_row(self, row: RunRow) -> None:
        """Become this; the same again costs nothing."""
        if row == self.row:
            return
        self.row = row
        self.setAccessibleName(row.sentence)
        self._icon.set_icon(*row.icon)
        self.title.set_full_text(row.title)
        self._model.set_full_text(row.model)
        self.state.set_full_text(row.words)
        say(self._figures, row.figures)
        say(self._changed, row.changed)
        words, role = row.verdict
        restyle(self.verdict, role=role)
        say(self.verdict, words)
        self._answer.setVisible(row.waits)
        set_off(self._keep, _ARCHIVED if row.archived else _KEPT if row.kept else "")
        for button, does in ((self._answer, tr("Answer")), (self._open, tr("Open")), (self._keep, tr("Keep"))):
            button.setAccessibleName(f"{does} {row.title}")

    def _lay_out(self) -> None:
        bar = QWidget(self)
        self._buttons = FlowLayout(bar, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2), fair=True)
        head = QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_2)
        head.addWidget(self._icon)
        head.addWidget(self.title, 1)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_3), SPACE_1)
        column.addLayout(head)
        for line in (self._model, self.state, self._figures, self._changed, self.verdict):
            column.addWidget(line)
        column.addStretch(1)
        for button in (self._answer, self._keep, self._open):
            self._buttons.addWidget(button)
        column.addWidget(bar)
        self.setSizePolicy(self.sizePolicy().Policy.Ignored, self.sizePolicy().Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
