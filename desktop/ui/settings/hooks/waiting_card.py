"""WaitingHooks: a file of hooks that runs only when a person trusts it as it is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.hooks.updates import HookFile
from desktop.language import tr
from desktop.ui.gate.cards.evidence.evidence import show_lines
from desktop.ui.settings.listing.waiting import WaitingFrame
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_TEXT = tr(
    "They run from the moment you trust them, in the sandbox of the lane, and only as they are now: after any change "
    "you are asked again. They can stop calls and ask about them, and allow nothing."
)
_HOSTS = tr("They may reach {hosts}, and send there what they are told of calls and what they can read of the lane.")


class WaitingHooks(WaitingFrame):
    """`trusted` carries whose file it is and the sha256 of the content that was shown."""

    trusted = Signal(str, str)

    def __init__(self, file: HookFile, parent: QWidget) -> None:
        name = f"settings_hooks_trust_{file.scope}"
        super().__init__(name, tr("The hooks of {path} wait for you", path=display_text(file.path)), parent)
        self._file = file
        text = plain_label(self)
        text.setText(_TEXT)
        runs = plain_label(self, "muted", f"{name}_files")
        say(
            runs,
            tr("They run {files}.", files=", ".join(map(display_text, file.files))) if file.files else "",
        )
        reach = plain_label(self, "strong", f"{name}_hosts")
        say(reach, _HOSTS.format(hosts=", ".join(map(display_text, file.hosts))) if file.hosts else "")
        self._difference = self.evidence(f"{name}_difference", tr("What differs from what you trusted"), "")
        self._show_difference()
        theme().changed.connect(self._show_difference)
        self.button = push_button(tr("Trust these hooks"), f"{name}_accept", self, self._on_trust)
        self.lay_out(text, runs, reach, self._difference, foot=(None, self.button))

    def _show_difference(self) -> None:
        show_lines(self._difference, display_text(self._file.difference, multiline=True), diff=True)

    def _on_trust(self) -> None:
        set_off(self.button, UNDER_WAY)
        self.trusted.emit(self._file.scope, self._file.sha256)
