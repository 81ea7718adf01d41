"""TrustCard: the allow rules that came with the repository and count only when a person trusts them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.surfaces import path_text
from desktop.domain.gate.rules import RuleFile
from desktop.language import tr
from desktop.ui.gate.rules_model import rule_line
from desktop.ui.text.format import count
from desktop.ui.text.places import short_path
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_permissions_trust"
_TEXT = tr(
    "These rules came with the repository. Each lets agents act without asking you. They count from the moment you "
    "trust them, and only as they stand here: after any change you are asked again."
)


class TrustCard(QFrame):
    """`trusted` carries the sha256 of the content that was shown. Hidden while nothing waits."""

    trusted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setProperty("kind", "card")
        self.setProperty("role", "warning")
        self._file: RuleFile | None = None
        self._title = plain_label(self, "title", f"{_NAME}_title")
        text = plain_label(self)
        text.setText(_TEXT)
        self._rules = FactList(f"{_NAME}_rules", tr("Rules that wait"), ("shield-check", "warning"), self)
        self._path = ElidedLabel("", self, Qt.TextElideMode.ElideMiddle)
        self._path.setProperty("kind", "muted")
        self.button = push_button(tr("Trust these rules"), f"{_NAME}_accept", self)
        self.button.clicked.connect(self._on_trust)
        foot = QHBoxLayout()
        set_gaps(foot, spacing=SPACE_3)
        foot.addWidget(self._path, 1)
        foot.addWidget(self.button)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_2)
        layout.addWidget(self._title)
        layout.addWidget(text)
        layout.addWidget(self._rules)
        layout.addLayout(foot)
        self.hide()

    def show_files(self, files: Sequence[RuleFile]) -> None:
        """Show the file whose rules wait, if there is one."""
        file = next((file for file in files if file.waiting), None)
        self.setVisible(file is not None)
        set_off(self.button, "")
        if file is None or file == self._file:
            return
        self._file = file
        self._title.setText(tr("The repository brings {rules}", rules=count(len(file.waiting), "allow rule")))
        self.setAccessibleName(self._title.text())
        self._rules.show_lines([rule_line(rule) for rule in file.waiting])
        self._path.set_full_text(path_text(short_path(file.path)))

    def _on_trust(self) -> None:
        if self._file is not None:
            set_off(self.button, UNDER_WAY)
            self.trusted.emit(self._file.sha256)
