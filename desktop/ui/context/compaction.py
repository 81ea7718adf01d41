"""CompactionDialog: the summary that would stand for earlier messages, to change and to put in force (sessions-SX8)."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop.domain.chats.commands import ApplyCompaction
from desktop.domain.chats.updates import CompactionOffered
from desktop.domain.context.events import Compacted
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 620, 480


class CompactionDialog(Dialog):
    """Closes when the summary is in force; a refusal is told in place, and nothing that was changed is lost."""

    def __init__(self, requests: Requests, offer: CompactionOffered, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._offer = requests, offer
        self._applying = Request()
        self.hearing = Hearing().on(Envelope, self._on_event)
        self.setObjectName("compaction_dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Summarise earlier messages"))
        self.setModal(True)
        title = plain_label(self, "title", wrap=False)
        title.setText(tr("Summarise earlier messages"))
        before, after = fmt.tokens(offer.tokens_before), fmt.tokens(offer.tokens_after)
        figures = plain_label(self, "", "compaction_figures", wrap=False)
        figures.setText(tr("About {before} → {after} tokens", before=before, after=after))
        words = plain_label(self, "muted", "compaction_keeps")
        keeps = f" {display_text(said(offer.keeps))}" if offer.keeps else ""
        words.setText(
            tr("The model goes on with this text instead of the earlier messages, which stay in the transcript.")
            + keeps
        )
        self.summary = QPlainTextEdit(offer.summary, self)
        self.summary.setObjectName("compaction_summary")
        self.summary.setAccessibleName(tr("Summary"))
        self.summary.setTabChangesFocus(True)
        self.summary.textChanged.connect(self._check)
        self._error = plain_label(self, "", "compaction_error", role="danger")
        self._error.hide()
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (title, figures, words):
            layout.addWidget(widget)
        layout.addWidget(self.summary, 1)
        layout.addWidget(self._error)
        layout.addLayout(self._make_buttons())
        room = parent.window().size()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))
        self._cancel.setFocus()

    def _on_event(self, update: Envelope) -> None:
        if isinstance(update.event, Compacted) and update.session_id == self._offer.session_id:
            self.accept()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._error.setText(display_text(failed.text))
        self._error.show()
        self._check()

    def _make_buttons(self) -> QHBoxLayout:
        self._cancel = QPushButton(tr("Cancel"), self)
        self._cancel.setObjectName("compaction_cancel")
        self._cancel.clicked.connect(self.reject)
        self._apply = QPushButton(tr("Apply"), self)
        self._apply.setObjectName("compaction_apply")
        self._apply.setProperty("kind", "primary")
        self._apply.clicked.connect(self._on_apply)
        buttons = QHBoxLayout()
        set_gaps(buttons, (0, 0, 0, 0), SPACE_2)
        buttons.addStretch(1)
        for button in (self._cancel, self._apply):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        return buttons

    def _on_apply(self) -> None:
        command = ApplyCompaction(
            session_id=self._offer.session_id, staging_id=self._offer.staging_id, summary=self.summary.toPlainText()
        )
        self._applying = self._requests.ask(command, self, failed=self._on_failed)
        self._error.hide()
        self._check()

    def _check(self) -> None:
        blank = not self.summary.toPlainText().strip()
        set_off(self._apply, UNDER_WAY if self._applying.is_waiting else tr("The summary is blank.") if blank else "")
