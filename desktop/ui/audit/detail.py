"""One decision, opened: the evidence as it was shown, and looking back on a call that ran without asking."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.audit.fold import AuditRow
from desktop.ui.audit.words import NO_REVERT, evidence_text
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_NO_NOTE = tr("Write the note first.")


class AuditDetail(QFrame):
    """Shows one row. `marked`: a person looked at it; `told`: with a note for the agent; `turn_marked`: at all of its
    turn; `revert_asked`; `closed`."""

    marked = Signal()
    told = Signal(str)
    turn_marked = Signal()
    revert_asked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("audit_detail")
        self.setProperty("kind", "surface")
        self.row: AuditRow | None = None
        self._recorded = ""
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_3), SPACE_2)
        top = QHBoxLayout()
        set_gaps(top, spacing=SPACE_2)
        self._title = ElidedLabel("", self)
        self._title.setObjectName("audit_detail_title")
        self._title.setProperty("kind", "strong")
        close = IconButton("x", tr("Close"), self)
        close.setObjectName("audit_detail_close")
        close.clicked.connect(lambda: self.closed.emit())
        top.addWidget(self._title, 1)
        top.addWidget(close)
        column.addLayout(top)
        self._actions = self._build_actions()
        column.addWidget(self._actions)
        self._note_line = self._build_note()
        column.addWidget(self._note_line)
        self._problem = plain_label(self, "", "audit_detail_problem")
        self._problem.setProperty("role", "danger")
        self._problem.setVisible(False)
        column.addWidget(self._problem)
        self.text = TextBox("audit_evidence", tr("Evidence"), self)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        column.addWidget(self.text, 1)

    def event(self, event: QEvent) -> bool:
        """It stays high enough for its buttons, its sentence and a few lines at the width it has."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            layout = self.layout()
            if layout is not None:
                self.setMinimumHeight(max(0, layout.totalMinimumHeightForWidth(self.width())))
        return super().event(event)

    def show_row(self, row: AuditRow) -> None:
        """Show this decision, or the same one as it is now."""
        if self.row is None or row.key != self.row.key:
            self._recorded = ""
            self.refuse("")
            self._end_note()
        elif row == self.row:
            return
        self.row = row
        self._title.set_full_text(row.what)
        self._actions.setVisible(bool(row.review) or row.can_revert)
        for button in (self._mark, self._tell, self._all):
            button.setVisible(bool(row.review))
        self._revert.setVisible(row.can_revert)
        self._no_revert.setVisible(bool(row.review) and not row.can_revert)
        self._show_text(row)

    def show_recorded(self, text: str) -> None:
        """The text that was on screen, read from the store."""
        self._recorded = text
        if self.row is not None:
            self._show_text(self.row)

    def refuse(self, sentence: str) -> None:
        """What was asked for could not be done; "" takes the sentence away."""
        self._problem.setText(display_text(sentence))
        self._problem.setVisible(bool(sentence))
        self.updateGeometry()

    def _show_text(self, row: AuditRow) -> None:
        text = evidence_text(row, self._recorded)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)

    def _build_actions(self) -> QWidget:
        actions = QWidget(self)
        flow = FlowLayout(actions, gap_x=SPACE_2, gap_y=SPACE_2)
        self._mark = push_button(tr("Mark reviewed"), "audit_mark", actions)
        self._tell = push_button(tr("Tell the agent…"), "audit_tell", actions)
        self._revert = push_button(tr("Revert…"), "audit_revert", actions)
        self._all = push_button(tr("Mark all of this turn"), "audit_mark_turn", actions)
        self._mark.clicked.connect(lambda: self.marked.emit())
        self._tell.clicked.connect(self._begin_note)
        self._revert.clicked.connect(lambda: self.revert_asked.emit())
        self._all.clicked.connect(lambda: self.turn_marked.emit())
        self._no_revert = plain_label(self, "caption", "audit_no_revert")
        self._no_revert.setText(NO_REVERT)
        for button in (self._mark, self._tell, self._revert, self._all):
            flow.addWidget(button)
        around = QWidget(self)
        column = QVBoxLayout(around)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        column.addWidget(actions)
        column.addWidget(self._no_revert)
        return around

    def _build_note(self) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        set_gaps(row, (0, 0, 0, 0), SPACE_2)
        self._note = QLineEdit(line)
        self._note.setObjectName("audit_note")
        self._note.setAccessibleName(tr("Note for the agent"))
        self._note.setPlaceholderText(tr("Goes with your next message"))
        self._note.textChanged.connect(self._note_changed)
        self._note.returnPressed.connect(self._tell_now)
        self._keep = push_button(tr("Add note"), "audit_note_keep", line)
        set_off(self._keep, _NO_NOTE)
        self._keep.clicked.connect(self._tell_now)
        row.addWidget(self._note, 1)
        row.addWidget(self._keep)
        line.setVisible(False)
        return line

    def _note_changed(self, text: str) -> None:
        set_off(self._keep, "" if text.strip() else _NO_NOTE)

    def _begin_note(self) -> None:
        self._note_line.setVisible(True)
        self._note.setFocus()

    def _tell_now(self) -> None:
        text = self._note.text().strip()
        if text:
            self._end_note()
            self.told.emit(text)

    def _end_note(self) -> None:
        self._note.clear()
        self._note_line.setVisible(False)
