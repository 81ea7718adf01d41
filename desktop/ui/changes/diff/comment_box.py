"""Comments between the lines of a diff: one that stands there, and the field in which one is written."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop.domain.changes.values import ReviewComment
from desktop.domain.display.text import display_text, prose_text
from desktop.language import number, tr
from desktop.ui.text.safe_text import code_text
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST_CHARS = 5_000
_STATES = {"draft": (tr("Draft"), "warning"), "sent": (tr("Sent"), "accent"), "resolved": (tr("Resolved"), "success")}
_FIELD_LINES, _QUOTED = 4, 6


def place_words(comment: ReviewComment) -> str:
    """Where a comment stands: "line 4", "lines 4–6 before the change"."""
    lines = (
        tr("line {number}", number=comment.first)
        if comment.first == comment.last
        else tr("lines {first}–{last}", first=comment.first, last=comment.last)
    )
    return tr("{lines} before the change", lines=lines) if comment.side == "old" else lines


class CommentBox(QFrame):
    """One comment. `edited`: the person wants to change it; `removed`; `resolved` with whether it is dealt with."""

    edited = Signal(str)
    removed = Signal(str)
    resolved = Signal(str, bool)

    def __init__(self, comment: ReviewComment, parent: QWidget) -> None:
        super().__init__(parent)
        self.comment = comment
        self.setObjectName("changes_comment")
        self.setProperty("item_id", comment.comment_id)
        self.setProperty("kind", "card")
        state, role = (tr("Outdated"), "muted") if comment.outdated else _STATES[comment.state]
        self.setProperty("role", role if role == "warning" else "accent")
        words = f"{state} · {place_words(comment)}"
        self.setAccessibleName(tr("Comment, {facts}: {comment}", facts=words, comment=prose_text(comment.text)))
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_2, SPACE_1, SPACE_2, SPACE_1), SPACE_1)
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_1)
        row.addWidget(_label(words, "caption", self, role), 1)
        for button in self._buttons(comment):
            row.addWidget(button)
        column.addLayout(row)
        if comment.outdated:
            quoted = "\n".join(comment.quoted[:_QUOTED])
            old = _label(code_text(quoted), "mono", self)
            old.setToolTip(tr("The lines the comment was about. They have changed since."))
            column.addWidget(old)
        column.addWidget(_label(display_text(comment.text, multiline=True), "", self))

    def _buttons(self, comment: ReviewComment) -> list[QPushButton]:
        one, place = comment.comment_id, place_words(comment)
        if comment.state == "draft":
            about = tr("Edit comment on {place}", place=place), tr("Remove comment on {place}", place=place)
            edit = self._button(tr("Edit"), "changes_comment_edit", about[0])
            remove = self._button(tr("Remove"), "changes_comment_remove", about[1])
            edit.clicked.connect(lambda: self.edited.emit(one))
            remove.clicked.connect(lambda: self.removed.emit(one))
            return [edit, remove]
        done = comment.state == "resolved"
        label = tr("Reopen") if done else tr("Resolve")
        spoken = tr("Reopen comment on {place}", place=place) if done else tr("Resolve comment on {place}", place=place)
        button = self._button(label, "changes_comment_resolve", spoken)
        button.clicked.connect(lambda: self.resolved.emit(one, not done))
        return [button]

    def _button(self, text: str, name: str, spoken: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(spoken)
        button.setProperty("kind", "link")
        button.setProperty("role", "caption")
        button.setAutoDefault(False)
        return button


class _Text(QPlainTextEdit):
    """Ctrl+Enter is done, Esc leaves; the rest is text."""

    done = Signal()
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Those two keys."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.done.emit()
        elif event.matches(QKeySequence.StandardKey.Cancel):
            self.left.emit()
        else:
            super().keyPressEvent(event)


class CommentField(QFrame):
    """Where a comment is written. `added` with its text; `left`: the field is to go, what is in it is kept as a draft
    (the text) or dropped ("")."""

    added = Signal(str)
    left = Signal(str)

    def __init__(self, where: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("changes_comment_box")
        self.setProperty("kind", "card")
        self.setProperty("role", "accent")
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_2, SPACE_1, SPACE_2, SPACE_2), SPACE_1)
        column.addWidget(_label(where, "caption", self))
        self.text = _Text(self)
        self.text.setObjectName("changes_comment_field")
        self.text.setAccessibleName(tr("Comment on {place}", place=where))
        self.text.setPlaceholderText(tr("What should change here?"))
        self.text.setTabChangesFocus(True)
        self.text.setPlainText(text)
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * _FIELD_LINES + theme().px(SPACE_2) * 2)
        column.addWidget(self.text)
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        self.problem = _label("", "caption", self, "danger")
        row.addWidget(self.problem, 1)
        cancel = small_button(tr("Cancel"), "changes_comment_cancel", self)
        self.add = small_button(tr("Add comment"), "changes_comment_add", self)
        self.add.setProperty("kind", "primary")
        self.add.setToolTip("Ctrl+Enter")
        row.addWidget(cancel)
        row.addWidget(self.add)
        column.addLayout(row)
        cancel.clicked.connect(lambda: self.left.emit(""))
        self.add.clicked.connect(self._add)
        self.text.done.connect(self._add)
        self.text.left.connect(lambda: self.left.emit(self.text.toPlainText()))
        self.text.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        size = len(self.text.toPlainText())
        self.problem.setText(
            tr("{number} of {most} characters", number=number(size), most=number(MOST_CHARS))
            if size > MOST_CHARS
            else ""
        )
        restyle(self.problem, role="danger")
        why = self.problem.text() or ("" if self.text.toPlainText().strip() else tr("Write a comment."))
        set_off(self.add, why, "Ctrl+Enter")

    def _add(self) -> None:
        if self.add.isEnabled():
            self.added.emit(self.text.toPlainText())


def _label(text: str, kind: str, parent: QWidget, role: str = "") -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("kind", kind)
    label.setProperty("role", role)
    return label
