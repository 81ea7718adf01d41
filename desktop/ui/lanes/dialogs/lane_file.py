"""LaneFileDialog: the repository's lane file as a whole, to be trusted as it is; or how one is written."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import LoadLaneFile, TrustLaneFile
from desktop.domain.lanes.updates import LaneFileLoaded
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Ask, Request
from desktop.ui.text.safe_text import code_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

EXAMPLE = """# .banksman/lane.toml: how new lanes of this repository are made ready.
[setup]
command = "npm ci"
network = true

[run]
command = "npm run dev -- --port $PORT"

[copy]
paths = [".env"]
"""
_WIDTH, _HEIGHT, _INCLUDE_HEIGHT = 760, 640, 76
_REVIEW = tr("It counts for exactly this content. When a byte of it changes you are asked again.")
_TRUSTED = tr("You trusted exactly this content. When a byte of it changes you are asked again.")
_HOW = tr(
    "Put a file like this at .banksman/lane.toml in your repository. Nothing in it runs before you have trusted it."
)
_NETWORK = tr("Setup runs with the network: what it installs can send anything it can read.")


class LaneFileDialog(Dialog):
    """`lane_id`: the lane whose setup begins when the file is trusted, "" for none."""

    def __init__(self, lane_id: str, ask: Ask, parent: QWidget) -> None:
        super().__init__(parent)
        self._lane_id, self._ask = lane_id, ask
        self._file: LaneFileLoaded | None = None
        self._trusting = Request()
        self.hearing = Hearing().on(LaneFileLoaded, self._take)
        self.setObjectName("lane_file_dialog")
        self.setWindowTitle(tr("Lane file"))
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        self._title = plain_label(self, "title", "lane_file_title")
        self._text = plain_label(self, "muted", "lane_file_intro")
        self._problem = plain_label(self, "strong", "lane_file_problem", role="danger")
        self._network = plain_label(self, "strong", "lane_file_network", role="warning")
        self._says = FactList("lane_file_says", tr("What it does"), ("chevron-right", "muted"), self)
        self._content = TextBox("lane_file_text", tr("Lane file"), self, wrap=False)
        self._include_title = plain_label(self, "heading", wrap=False)
        self._include_title.setText(".worktreeinclude")
        self._include = TextBox("lane_file_include", tr("Files to copy"), self, wrap=False)
        self._copy = push_button(tr("Copy example"), "lane_file_copy", self, self._on_copy)
        self._later = push_button(tr("Not now"), "lane_file_later", self, self.reject)
        self._trust = push_button(tr("Trust this file"), "lane_file_trust", self, self._on_trust)
        self._trust.setProperty("kind", "primary")
        self._lay_out()
        self._show()
        self._load()

    def _load(self) -> None:
        self._ask(LoadLaneFile(), self)

    def _take(self, update: LaneFileLoaded) -> None:
        """When the trusted one is there, the dialog is done."""
        if self._trusting.is_waiting and update.trusted:
            self.accept()
            return
        self._file = update
        self._show()

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._problem, display_text(failed.text))
        self._load()

    def _show(self) -> None:
        file = self._file
        there = file is not None and bool(file.sha256 or file.problem)
        self._title.setText(
            tr("Trust this repository's lane file?") if there and file and not file.trusted else tr("Lane file")
        )
        if file is None:
            self._text.setText(tr("Reading the file…"))
        else:
            self._text.setText((_TRUSTED if file.trusted else _REVIEW) if there else _HOW)
            if file.problem or not self._problem.text():
                say(self._problem, display_text(said(file.problem)))
        say(self._network, _NETWORK if file is not None and file.network else "")
        self._says.show_lines([display_text(said(line)) for line in file.says] if file is not None else [])
        self._says.setVisible(file is not None and bool(file.says))
        text = file.text if file is not None and there else EXAMPLE if file is not None else ""
        self._content.setPlainText(code_text(text))
        self._content.setVisible(bool(text))
        include = file.include_text if file is not None else ""
        self._include.setPlainText(code_text(include))
        self._include.setVisible(bool(include))
        self._include_title.setVisible(bool(include))
        self._copy.setVisible(file is not None and not there)
        self._trust.setVisible(there and file is not None and not file.trusted)
        waits = UNDER_WAY if file is None or self._trusting.is_waiting else ""
        set_off(self._trust, waits or display_text(file.problem if file is not None else ""))
        self._trust.setText(tr("Trust and run setup") if self._runs_setup() else tr("Trust this file"))
        self._later.setText(tr("Not now") if not self._trust.isHidden() else tr("Close"))

    def _runs_setup(self) -> bool:
        return self._file is not None and self._file.sets_up and bool(self._lane_id)

    def _on_trust(self) -> None:
        if self._file is not None:
            command = TrustLaneFile(sha256=self._file.sha256, lane_id=self._lane_id)
            set_off(self._trust, UNDER_WAY)
            self._trusting = self._ask(command, self, failed=self._on_failed)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(EXAMPLE)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        buttons.addWidget(self._later)
        buttons.addWidget(self._trust)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (self._title, self._text, self._problem, self._network, self._says):
            layout.addWidget(widget)
        layout.addWidget(self._content, 1)
        layout.addWidget(self._include_title)
        self._include.setFixedHeight(theme().px(_INCLUDE_HEIGHT))
        layout.addWidget(self._include)
        layout.addLayout(buttons)
        self._later.setFocus()
