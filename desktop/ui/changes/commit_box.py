"""CommitBox: the message and the button for what is ticked among the uncommitted changes."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.text.format import count
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

SUBJECT_CHARS = 72
_LINES = 3


@dataclass(frozen=True)
class CommitFacts:
    """What decides whether a commit can be made. `files`: how many are ticked at least in part; `hindrance`: why none
    can be made at all, "" if one can; `nothing`: why there is nothing to commit in the whole lane; `author`: who
    commits; `no_amend`: why the last commit cannot be changed, `last`: its message; `push`: how many commits the remote
    lacks, −1 for a branch it does not have; `busy`: what is being done. Texts are safe to show, but `last`."""

    files: int = 0
    hindrance: str = ""
    nothing: str = ""
    author: str = ""
    no_amend: str = ""
    last: str = ""
    push: int = 0
    busy: str = ""


class _Message(QPlainTextEdit):
    """Ctrl+Enter commits."""

    done = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """That key; the rest is text."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.done.emit()
        else:
            super().keyPressEvent(event)


class CommitBox(QWidget):
    """`committed` (message, amend); `suggest_asked`; `push_asked`; `opened` (open): what is below the head."""

    committed = Signal(str, bool)
    suggest_asked = Signal()
    push_asked = Signal()
    opened = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("commit_box")
        self._facts = CommitFacts()
        self.head = small_button(tr("Commit…"), "commit_open", self)
        self.push = small_button(tr("Push"), "commit_push", self)
        self.message = _Message(self)
        self.message.setObjectName("commit_message")
        self.message.setAccessibleName(tr("Commit message"))
        self.message.setPlaceholderText(tr("What does this change do?"))
        self.message.setTabChangesFocus(True)
        self.message.setFixedHeight(self.message.fontMetrics().lineSpacing() * _LINES + theme().px(SPACE_2) * 2)
        self.counter = plain_label(self, "caption", "commit_counter", wrap=False)
        self.reason = plain_label(self, "caption", "commit_reason", wrap=False)
        self.reason.setWordWrap(True)
        self.author = ElidedLabel("", self)
        self.author.setObjectName("commit_author")
        self.author.setProperty("kind", "caption")
        self.amend = QCheckBox(tr("Amend"), self)
        self.amend.setObjectName("commit_amend")
        self.suggest = IconButton("sparkles", tr("Suggest message"), self)
        self.suggest.setObjectName("commit_suggest")
        self.button = small_button(tr("Commit"), "commit_button", self)
        self.button.setProperty("kind", "primary")
        self._lay_out()
        self._connect()
        self._take()

    def set_facts(self, facts: CommitFacts) -> None:
        """Offer what is possible now; the same again costs nothing."""
        if facts != self._facts:
            self._facts = facts
            self._take()

    def set_open(self, opened: bool) -> None:
        """Show the message and what belongs to it, or the head alone."""
        self._body.setVisible(opened)
        self.head.setVisible(not opened)

    def take_message(self, text: str) -> None:
        """A message to commit with, to be looked at."""
        self.message.setPlainText(text)
        self.message.setFocus()

    def done(self) -> None:
        """The commit was made: nothing is written any more."""
        self.message.clear()
        self.amend.setChecked(False)

    @property
    def why_off(self) -> str:
        """Why the button cannot be pressed, "" if it can."""
        facts = self._facts
        if facts.busy or facts.hindrance:
            return facts.busy or facts.hindrance
        if not facts.files and not self.amend.isChecked():
            return tr("Tick what is to be committed.")
        return "" if self.message.toPlainText().strip() else tr("Write a message.")

    def _take(self) -> None:
        facts, why = self._facts, self.why_off
        set_off(self.head, facts.nothing, "")
        set_off(self.button, why, "Ctrl+Enter")
        self.button.setText(tr("Commit {files}", files=count(facts.files, "file")) if facts.files else tr("Commit"))
        self.reason.setText(why)
        self.reason.setVisible(bool(why))
        self.author.set_full_text(tr("as {author}", author=facts.author) if facts.author else "")
        self.author.setVisible(bool(facts.author))
        set_off(self.amend, facts.no_amend, tr("Replace the last commit, which was not pushed."))
        if facts.no_amend:
            self.amend.setChecked(False)
        set_off(
            self.suggest,
            facts.busy or ("" if facts.files else tr("Tick what is to be committed.")),
            tr("Suggest message"),
        )
        self.push.setVisible(facts.push != 0)
        self.push.setText(tr("Push {commits}", commits=count(facts.push, "commit")) if facts.push > 0 else tr("Push"))
        size = len(self.message.toPlainText().split("\n", 1)[0])
        self.counter.setText(f"{size}" if size else "")
        self.counter.setToolTip(tr("{number} of {most} characters in the first line", number=size, most=SUBJECT_CHARS))
        restyle(self.counter, role="warning" if size > SUBJECT_CHARS else "")

    def _on_amend(self, amend: bool) -> None:
        """The last message is what one starts from."""
        if amend and not self.message.toPlainText().strip():
            self.message.setPlainText(self._facts.last.strip())
        self._take()

    def _commit(self) -> None:
        if not self.why_off:
            self.committed.emit(self.message.toPlainText().strip(), self.amend.isChecked())

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_1, SPACE_2, SPACE_2), SPACE_1)
        self._body = QWidget(self)
        inner = QVBoxLayout(self._body)
        set_gaps(inner, (0, 0, 0, 0), SPACE_1)
        inner.addWidget(self.message)
        told = QHBoxLayout()
        told.addWidget(self.reason, 1)
        told.addStretch(0)
        told.addWidget(self.counter)
        told.addWidget(self.suggest)
        options = QHBoxLayout()
        set_gaps(options, spacing=SPACE_2)
        options.addWidget(self.amend)
        options.addStretch(1)
        inner.addLayout(told)
        inner.addWidget(self.author)
        inner.addLayout(options)
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_2)
        row.addWidget(self.head)
        row.addStretch(1)
        options.addWidget(self.push)
        options.addWidget(self.button)
        column.addWidget(self._body)
        column.addLayout(row)
        self._body.hide()

    def _connect(self) -> None:
        self.head.clicked.connect(lambda: self.opened.emit(True))
        self.message.textChanged.connect(self._take)
        self.message.done.connect(self._commit)
        self.amend.toggled.connect(self._on_amend)
        self.suggest.clicked.connect(lambda: self.suggest_asked.emit())
        self.button.clicked.connect(self._commit)
        self.push.clicked.connect(lambda: self.push_asked.emit())
