"""WaitingHooks: a file of hooks that runs only when a person trusts it as it is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.hooks.updates import HookFile
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

MOST_LINES = 12
_TEXT = (
    "They run from the moment you trust them, in the sandbox of the lane, and only as they are now: after any change "
    "you are asked again. They can stop calls and ask about them, and allow nothing."
)


class WaitingHooks(QFrame):
    """`trusted` carries whose file it is and the sha256 of the content that was shown."""

    trusted = Signal(str, str)

    def __init__(self, file: HookFile, parent: QWidget) -> None:
        super().__init__(parent)
        name = f"settings_hooks_trust_{file.scope}"
        self.setObjectName(name)
        self.setProperty("kind", "card")
        self.setProperty("role", "warning")
        self._file = file
        title = plain_label(self, "title", f"{name}_title")
        title.setText(f"The hooks of {display_text(file.path)} wait for you")
        self.setAccessibleName(title.text())
        text = plain_label(self)
        text.setText(_TEXT)
        runs = plain_label(self, "muted", f"{name}_files")
        runs.setText(f"They run {', '.join(map(display_text, file.files))}." if file.files else "")
        runs.setVisible(bool(file.files))
        self.button = push_button("Trust these hooks", f"{name}_accept", self, self._on_trust)
        foot = QHBoxLayout()
        set_gaps(foot, spacing=SPACE_3)
        foot.addStretch(1)
        foot.addWidget(self.button)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_3), SPACE_2)
        for widget in (title, text, runs, self._difference(f"{name}_difference")):
            layout.addWidget(widget)
        layout.addLayout(foot)

    def _difference(self, name: str) -> QPlainTextEdit:
        shown = QPlainTextEdit(self)
        shown.setObjectName(name)
        shown.setAccessibleName("What differs from what you trusted")
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setProperty("kind", "evidence")
        shown.setPlainText(display_text(self._file.difference, multiline=True))
        rows = min(MOST_LINES, max(2, shown.blockCount() + 1))
        shown.setFixedHeight(rows * shown.fontMetrics().lineSpacing() + theme().px(SPACE_4))
        return shown

    def _on_trust(self) -> None:
        self.button.setEnabled(False)
        self.trusted.emit(self._file.scope, self._file.sha256)
