"""PaneSwitch: which of two chats is seen where there is room for one."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from desktop.language import tr
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.layouts.gaps import set_gaps


class PaneSwitch(QFrame):
    """A button a pane, from the left; `chosen`: its place."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pane_switch")
        self.setProperty("kind", "bar")
        self.setAccessibleName(tr("Chats beside each other"))
        layout = QHBoxLayout(self)
        set_gaps(layout, (SPACE_2, SPACE_1, SPACE_2, SPACE_1), SPACE_1)
        self._buttons = [self._make(at) for at in range(2)]
        for button in self._buttons:
            layout.addWidget(button, 1)
        self.show_names([(tr("New chat"), False)] * 2, 0)
        self.hide()

    def show_names(self, names: Sequence[tuple[str, bool]], active: int) -> None:
        """The titles of the chats, each with whether it waits for a person; `active`: which one is seen."""
        for at, (button, (title, waits)) in enumerate(zip(self._buttons, names, strict=True)):
            words = tr("{title} · waiting", title=title) if waits and at != active else title
            button.set_full_text(words, prose=True)
            button.setChecked(at == active)
            button.setAccessibleName(
                tr("Left chat: {title}", title=words) if at == 0 else tr("Right chat: {title}", title=words)
            )

    def _make(self, at: int) -> ElidedButton:
        button = ElidedButton("", self)
        button.setObjectName(f"pane_{('left', 'right')[at]}")
        button.setProperty("kind", "chip")
        button.setCheckable(True)
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.chosen.emit(at))
        return button
