"""The panel "Why am I asked?": what decided, on what, and the digest the answer is bound to."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from desktop.domain.display import display_text
from desktop.domain.pending import ApprovalRequest
from desktop.domain.permissions import mode_label
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_3
from desktop.ui.views.cards.parts import plain_label
from desktop.ui.views.cards.wording import category_word
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.icon_button import IconButton

_NOT_RECORDED = "not recorded"
_SANDBOX = {"none": "none", "limited": "limited", "full": "on"}
_HEX_SHOWN = 12


class WhyPanel(QFrame):
    """Read-only. Everything in it is a stored field of the request."""

    def __init__(self, request: ApprovalRequest, lane: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("approval_why_panel")
        self.setProperty("kind", "banner")
        self.setAccessibleName("Why am I asked?")
        self._digest = request.digest
        px = theme().px
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(px(SPACE_3), px(SPACE_3), px(SPACE_3), px(SPACE_3))
        self._grid.setHorizontalSpacing(px(SPACE_3))
        self._grid.setVerticalSpacing(px(SPACE_1))
        self._grid.setColumnStretch(1, 1)
        self._row("Rule", request.rule)
        self._row("Reason", request.reason)
        for hit in request.hits:
            if hit.rule != request.rule and hit.reason:
                self._row("Also", f"{hit.rule}: {hit.reason}")
        self._row("Mode", mode_label(request.mode))
        self._row("Kind", category_word(request.category))
        self._row("Lane", request.lane or lane)
        self._row("HEAD", request.head[:_HEX_SHOWN])
        self._row("Folder", "the lane's own" if request.cwd == "." else request.cwd)
        self._row("Sandbox", _SANDBOX[request.sandbox])
        self._row("Digest", request.digest[:_HEX_SHOWN])
        if request.digest:
            copy = IconButton("copy", "Copy the whole digest", self)
            copy.setObjectName("approval_copy_digest")
            copy.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            copy.clicked.connect(self._copy_digest)
            self._grid.addWidget(copy, self._grid.rowCount() - 1, 2, Qt.AlignmentFlag.AlignRight)

    def _row(self, name: str, value: str) -> None:
        row = self._grid.rowCount()
        label = plain_label(self, "caption", wrap=False)
        label.setText(name)
        text = plain_label(self, "caption")
        text.setText(display_text(value) or _NOT_RECORDED)
        text.setToolTip(plain_tooltip(display_text(value)))
        text.setProperty("kind", "")
        label.setFixedHeight(text.fontMetrics().height())
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(text, row, 1, Qt.AlignmentFlag.AlignTop)

    def _copy_digest(self) -> None:
        QGuiApplication.clipboard().setText(self._digest)
