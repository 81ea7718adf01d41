"""The panel "Why am I asked?": what decided, on what, and the digest the answer is bound to."""

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import ApprovalRequest
from desktop.language import said, tr
from desktop.ui.gate.cards.wording import category_word
from desktop.ui.text.gate_words import gate_rule_words
from desktop.ui.text.modes import mode_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import plain_tooltip

_NOT_RECORDED = tr("not recorded")
_SANDBOX = {"none": tr("none"), "limited": tr("limited"), "full": tr("full")}
_HEX_SHOWN = 12
_COPIED = tr("Copied")


def rule_test(request: ApprovalRequest) -> str:
    """The call as a line for the tests of a rule in a rules file, `match = ["npm run build"]`; "" if it is none."""
    command = request.arguments.get("command")
    if request.subject != "command" or not isinstance(command, str):
        return ""
    quoted = json.dumps(command, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"match = [{quoted}]"


class WhyPanel(QFrame):
    """Read-only. Everything in it is a stored field of the request. `audit_asked`: its "Show in Audit" was pressed."""

    audit_asked = Signal()

    def __init__(self, request: ApprovalRequest, lane: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("approval_why_panel")
        self.setProperty("kind", "banner")
        self.setAccessibleName(tr("Why am I asked?"))
        self._digest, self._test = request.digest, rule_test(request)
        px = theme().px
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(px(SPACE_3), px(SPACE_3), px(SPACE_3), px(SPACE_3))
        self._grid.setHorizontalSpacing(px(SPACE_3))
        self._grid.setVerticalSpacing(px(SPACE_1))
        self._grid.setColumnStretch(1, 1)
        self._row(tr("Rule"), gate_rule_words(request.rule))
        self._row(tr("Reason"), said(request.reason, codes=True))
        for hit in request.hits:
            if hit.rule != request.rule and hit.reason:
                self._row(tr("Also"), f"{hit.rule}: {said(hit.reason, codes=True)}")
        if request.would_not_ask:
            self._row(tr("Would not ask"), said(request.would_not_ask))
        if request.undo_how:
            self._row(tr("Undo"), said(request.undo_how))
        if request.tainted:
            self._row(tr("Read before"), "\n".join(display_text(said(line)) for line in request.tainted), lines=True)
        self._row(tr("Mode"), mode_words(request.mode))
        self._row(tr("Kind"), category_word(request.category))
        self._row(tr("Lane"), request.lane or lane)
        self._row("HEAD", request.head[:_HEX_SHOWN])
        self._row(tr("Folder"), tr("the lane's own") if request.cwd == "." else request.cwd)
        report = tr(" · report {report_id}", report_id=request.report_id) if request.report_id else ""
        self._row(tr("Sandbox"), _SANDBOX[request.sandbox] + report)
        if request.edited_from:
            self._row(tr("Edited from"), request.edited_from[:_HEX_SHOWN])
        self._row(tr("Digest"), request.digest[:_HEX_SHOWN], beside=True)
        self.controls: list[QWidget] = []
        if request.digest:
            copy = IconButton("copy", tr("Copy the whole digest"), self)
            copy.setObjectName("approval_copy_digest")
            copy.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            copy.clicked.connect(self._copy_digest)
            self._grid.addWidget(
                copy, self._grid.rowCount() - 1, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            )
            self.controls.append(copy)
        self._add_links()

    def _add_links(self) -> None:
        links = QHBoxLayout()
        links.setSpacing(theme().px(SPACE_4))
        if self._test:
            self._copy_test = self._link(tr("Copy as rule test"), "approval_copy_test")
            self._copy_test.clicked.connect(self._on_copy_test)
            links.addWidget(self._copy_test)
        audit = self._link(tr("Show in Audit"), "approval_show_audit")
        audit.clicked.connect(self.audit_asked)
        links.addWidget(audit)
        links.addStretch(1)
        self._grid.addLayout(links, self._grid.rowCount(), 0, 1, 3)

    def _link(self, text: str, name: str) -> QPushButton:
        link = push_button(text, name, self)
        link.setProperty("kind", "link")
        link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.controls.append(link)
        return link

    def _row(self, name: str, value: str, *, lines: bool = False, beside: bool = False) -> None:
        """`beside`: a button stands behind the value."""
        row = self._grid.rowCount()
        label = plain_label(self, "caption", wrap=False)
        label.setText(name)
        text = plain_label(self, "caption")
        text.setText(display_text(value, multiline=lines) or _NOT_RECORDED)
        text.setToolTip(plain_tooltip(display_text(value, multiline=lines)))
        text.setProperty("kind", "")
        label.setFixedHeight(text.fontMetrics().height())
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(text, row, 1, 1, 1 if beside else 2, Qt.AlignmentFlag.AlignTop)

    def _on_copy_test(self) -> None:
        QGuiApplication.clipboard().setText(self._test)
        self._copy_test.setText(_COPIED)

    def _copy_digest(self) -> None:
        QGuiApplication.clipboard().setText(self._digest)
