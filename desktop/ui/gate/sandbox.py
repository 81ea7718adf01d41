"""SandboxDialog: what the sandbox of this computer stops, opened from the chip of a chat."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.commands import ProbeSandbox
from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import CommandFailed, SandboxReported
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.gate.probe_list import ProbeList
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 560, 560


class SandboxDialog(Dialog):
    """Open it with `open()`; it deletes itself when closed. `apply` keeps it fresh."""

    def __init__(self, requests: Requests, report: SandboxReport | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sandbox_dialog")
        self.setWindowTitle(tr("Sandbox of this computer"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._requests, self._probing = requests, Request()
        self.hearing = Hearing().on(SandboxReported, self._on_report)
        title = plain_label(self, "title")
        title.setText(self.windowTitle())
        scroll = QScrollArea(self)
        scroll.setObjectName("sandbox_scroll")
        scroll.setAccessibleName(tr("Escapes that were tried"))
        scroll.setProperty("kind", "plain")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        contents = QWidget(scroll)
        inside = QVBoxLayout(contents)
        set_gaps(inside, (0, 0, SPACE_3, 0))
        self._list = ProbeList("sandbox", contents)
        inside.addWidget(self._list)
        inside.addStretch(1)
        scroll.setWidget(contents)
        close = push_button(tr("Close"), "sandbox_close", self)
        close.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_4), SPACE_4)
        layout.addWidget(title)
        layout.addWidget(scroll, 1)
        layout.addLayout(buttons)
        self._list.again.clicked.connect(self._probe)
        self._list.show_report(report)
        self.resize(theme().px(_WIDTH), min(theme().px(_HEIGHT), parent.window().height()))
        close.setFocus()

    def _on_report(self, update: SandboxReported) -> None:
        self._list.show_report(update.report)

    def _on_failed(self, failed: CommandFailed) -> None:
        self._list.show_problem(display_text(failed.text))

    def _probe(self) -> None:
        self._list.show_probing()
        self._probing.drop()
        self._probing = self._requests.ask(ProbeSandbox(), self, failed=self._on_failed)
