"""The Audit tab: every decision about a call of the shown chat, on what evidence it was made, and what came of it."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.commands import ExportAudit, LoadBlob, MarkReviewed, RevertChange, VerifyAudit
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.egress.commands import LoadTraffic
from desktop.domain.egress.updates import TrafficLoaded
from desktop.domain.events import Envelope
from desktop.domain.updates import AuditExported, AuditVerified, BlobLoaded, CommandFailed, SessionOpened
from desktop.language import said, tr
from desktop.ui.audit.bar import AuditBar
from desktop.ui.audit.detail import AuditDetail
from desktop.ui.audit.fold import AuditRow
from desktop.ui.audit.model import AuditFilter, AuditModel
from desktop.ui.audit.table import AuditTable
from desktop.ui.audit.words import shown_differs, table_text
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.models.keyed_rows import ROW_ROLE
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.dialogs.new_file import ask_new_file
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps

NOTHING = (tr("No decisions yet."), tr("Every request and answer is listed here."))
READING = (tr("Reading the decisions…"), tr("This chat is long."))


class AuditPanel(Panel):
    """A table, latest last, with filters; a row opens below it."""

    def __init__(self, requests: Requests, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self.model = AuditModel(self)
        self.setObjectName("audit_panel")
        self.hearing = Hearing().together((SessionOpened, Envelope), self._on_log)
        self.hearing.on(AuditVerified, self._on_verified).on(BlobLoaded, self._on_blob)
        self._shown = AuditFilter(self.model, self)
        self.bar = AuditBar(self)
        self.bar.filtered.connect(self._filter_changed)
        self.bar.verify_asked.connect(self._verify)
        self.bar.copy_asked.connect(self._copy)
        self.bar.export_asked.connect(self._choose_file)
        self.table = AuditTable(self.model, self._shown, self)
        self.table.clicked.connect(self._open_row)
        self.table.activated.connect(self._open_row)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.detail = AuditDetail(self)
        self.detail.setVisible(False)
        self.detail.marked.connect(self._mark)
        self.detail.told.connect(self._tell)
        self.detail.turn_marked.connect(self._mark_turn)
        self.detail.revert_asked.connect(self._ask_revert)
        self.detail.closed.connect(self._close_row)
        self._no_match = self._make_no_match()
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._make_body())
        self._none = EmptyState("shield-check", *NOTHING, self)
        self._stack.addWidget(self._none)
        outer = QVBoxLayout(self)
        set_gaps(outer, (0, SPACE_3, 0, 0))
        outer.addWidget(self._stack)
        self.model.whole_changed.connect(self._on_whole)
        self._refresh()

    def show_session(self, session_id: str) -> None:
        """Show this chat's decisions; "" for none."""
        if session_id != self.model.session_id:
            self.bar.clear()
            self.bar.say("")
            self.bar.set_verifying(False)
            self._close_row()
        self.model.show_session(session_id)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: what was told meanwhile is made rows of."""
        super().showEvent(event)
        self.model.set_seen(True)
        self._requests.ask(LoadTraffic(), self, answer(TrafficLoaded, self._on_traffic))
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """A long chat is not folded for nobody."""
        super().hideEvent(event)
        self.model.set_seen(False)

    def show_reviews(self) -> None:
        """Show only what is to be looked back on."""
        self.bar.show_reviews()

    def _on_log(self, updates: Sequence[Update]) -> None:
        bar = self.table.verticalScrollBar()
        at_end = bar.value() == bar.maximum() and self.detail.row is None
        self.model.apply(updates)
        if self.isVisible():
            self._refresh()
        if at_end:
            self.table.scrollToBottom()

    def _on_whole(self) -> None:
        self._refresh()
        self.table.scrollToBottom()

    def _on_traffic(self, update: TrafficLoaded) -> None:
        self.model.show_beside(update.seen)
        self._refresh()

    def _on_verified(self, update: AuditVerified) -> None:
        if update.session_id == self.model.session_id:
            self.bar.set_verifying(False)
            self.bar.say(said(update.text), "success" if update.ok else "danger")

    def _on_exported(self, update: AuditExported) -> None:
        if update.session_id == self.model.session_id:
            records = count(update.records, "record")
            self.bar.say(
                tr(
                    "{records} written to {path}. Secrets that were recognised are removed.",
                    records=records,
                    path=update.path,
                ),
                "success",
            )

    def _on_blob(self, update: BlobLoaded) -> None:
        if update.session_id == self.model.session_id and self._waits_for(update.sha256):
            self.detail.show_recorded(update.text)

    def _waits_for(self, sha256: str) -> bool:
        return self.detail.row is not None and sha256 == shown_differs(self.detail.row)

    def _on_record_failed(self, session_id: str, failed: CommandFailed) -> None:
        if session_id == self.model.session_id:
            self.bar.set_verifying(False)
            self.bar.say(said(failed.text), "danger")

    def _on_row_failed(self, key: str, failed: CommandFailed) -> None:
        if self.detail.row is not None and self.detail.row.key == key:
            self.detail.refuse(failed.text)

    # Building

    def _make_body(self) -> QWidget:
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        set_gaps(column, spacing=SPACE_2)
        column.addWidget(self.bar)
        column.addWidget(self._no_match)
        splitter = QSplitter(Qt.Orientation.Vertical, body)
        splitter.setObjectName("audit_splitter")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(max(1, theme().px(1)))
        splitter.addWidget(self.table)
        splitter.addWidget(self.detail)
        splitter.setSizes([theme().px(240), theme().px(400)])
        column.addWidget(splitter, 1)
        return body

    def _make_no_match(self) -> QLabel:
        label = plain_label(self, "muted", "audit_no_match")
        label.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_3), 0)
        return label

    # The record as a whole

    def _verify(self) -> None:
        self.bar.set_verifying(True)
        session_id = self.model.session_id
        failed = partial(self._on_record_failed, session_id)
        self._requests.ask(VerifyAudit(session_id=session_id), self, failed=failed)

    def _copy(self) -> None:
        rows = self._shown.shown
        QGuiApplication.clipboard().setText(table_text(rows))
        self.bar.say(tr("{decisions} copied.", decisions=count(len(rows), "decision")))

    def _choose_file(self) -> None:
        title, name = tr("Export JSONL (secrets are removed)"), f"banksman-{self.model.session_id}.jsonl"
        ask_new_file(title, "audit_export_dialog", name, self, self._export)

    def _export(self, path: str) -> None:
        self.bar.say(tr("Exporting…"))
        session_id = self.model.session_id
        failed = partial(self._on_record_failed, session_id)
        exported = answer(AuditExported, self._on_exported)
        self._requests.ask(ExportAudit(session_id=session_id, path=path), self, exported, failed=failed)

    # One decision

    def _ask_for_row(self, command: Command, key: str) -> None:
        """Give a command about a decision; what it fails with is said there."""
        self._requests.ask(command, self, failed=partial(self._on_row_failed, key))

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        """The keys move the opened row; focus alone opens none."""
        if self.detail.row is not None:
            self._open_row(index)

    def _open_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, AuditRow):
            self._show_row(row)

    def _show_row(self, row: AuditRow) -> None:
        is_new = self.detail.row is None or self.detail.row.key != row.key
        self.detail.show_row(row)
        self.detail.setVisible(True)
        recorded = shown_differs(row)
        if is_new and recorded:
            self._ask_for_row(LoadBlob(session_id=self.model.session_id, sha256=recorded), row.key)

    def _close_row(self) -> None:
        self.detail.row = None
        self.detail.setVisible(False)
        self.table.setCurrentIndex(QModelIndex())
        self.table.clearSelection()

    def _mark(self) -> None:
        self._review(lambda row: row.key == self._key)

    def _mark_turn(self) -> None:
        turn = self.detail.row.turn if self.detail.row is not None else 0
        self._review(lambda row: row.turn == turn)

    def _tell(self, note: str) -> None:
        self._review(lambda row: row.key == self._key, note)

    @property
    def _key(self) -> str:
        return self.detail.row.key if self.detail.row is not None else ""

    def _review(self, wanted: Callable[[AuditRow], bool], note: str = "") -> None:
        inputs = tuple(row.review for row in self.model.rows if row.review and wanted(row))
        self.detail.refuse("")
        self._ask_for_row(MarkReviewed(session_id=self.model.session_id, input_ids=inputs, note=note), self._key)

    def _ask_revert(self) -> None:
        row = self.detail.row
        finished = row.proof.finished if row is not None else None
        if row is None or finished is None:
            return
        names = "\n".join(display_text(file.path) for file in finished.touched)
        question = Question(
            "audit_revert_dialog",
            tr("Take this change back?"),
            tr(
                "{names}\n\nEach gets back what it held before this call, if nobody changed it since. The "
                "agent is told.",
                names=names,
            ),
            (tr("Cancel"), "audit_revert_cancel"),
            (tr("Revert"), "audit_revert_go"),
        )
        ask_first(question, self, self._revert)

    def _revert(self) -> None:
        row = self.detail.row
        if row is not None:
            self.detail.refuse("")
            self._ask_for_row(RevertChange(session_id=self.model.session_id, call_id=row.call_id), row.key)

    # Showing

    def _filter_changed(self) -> None:
        self._shown.choose(self.bar.decision, self.bar.rule, self.bar.text.text())
        self._refresh()

    def _refresh(self) -> None:
        if not self.model.is_whole:
            self._none.set_texts(*READING)
            self._stack.setCurrentIndex(1)
            return
        self._none.set_texts(*NOTHING)
        rows = self.model.rows
        self.bar.show_rows(rows)
        if self.detail.row is not None:
            now = next((row for row in rows if row.key == self._key), None)
            if now is not None:
                self._show_row(now)
            else:
                self._close_row()
        self._no_match.setText(self._nothing_words())
        self._no_match.setVisible(bool(self._no_match.text()))
        self._stack.setCurrentIndex(0 if rows else 1)

    def _nothing_words(self) -> str:
        if not self.model.rows or self._shown.rowCount():
            return ""
        if self._shown.text:
            return tr("Nothing matches “{text}”.", text=display_text(self._shown.text))
        return tr("No decision is like that.")


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return AuditPanel(requests, parent)


AUDIT = PanelSpec("audit", tr("Audit"), tr("Show audit"), ("Alt+5",), "shield-check", _made)
