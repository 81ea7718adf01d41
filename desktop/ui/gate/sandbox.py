"""SandboxDialog: what the sandbox of this computer stops, opened from the chip of a chat."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.commands import ProbeSandbox
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import CommandFailed, SandboxReported
from desktop.ui.core.sink import CommandSink
from desktop.ui.gate.probe_list import ProbeList
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 560, 560


class SandboxDialog(QDialog):
    """Open it with `open()`; it deletes itself when closed. `apply` keeps it fresh."""

    def __init__(self, sink: CommandSink, report: SandboxReport | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sandbox_dialog")
        self.setWindowTitle("Sandbox of this computer")
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._sink = sink
        self._sent = ""
        title = plain_label(self, "title")
        title.setText(self.windowTitle())
        scroll = QScrollArea(self)
        scroll.setObjectName("sandbox_scroll")
        scroll.setAccessibleName("Escapes that were tried")
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
        close = QPushButton("Close", self)
        close.setObjectName("sandbox_close")
        close.setAutoDefault(False)
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

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""
        for update in updates:
            if isinstance(update, SandboxReported):
                self._list.show_report(update.report)
            elif isinstance(update, CommandFailed) and update.command_id == self._sent:
                self._list.show_problem(display_text(update.text))

    def _probe(self) -> None:
        command = ProbeSandbox()
        self._sent = command.command_id
        self._list.show_probing()
        self._sink.send(command)
