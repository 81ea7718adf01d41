"""OtherPrograms: addresses of model services in the settings of other programs, looked for on click."""

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.commands import FindAddresses
from desktop.domain.core.service_kinds import FoundAddress
from desktop.domain.display.text import display_text
from desktop.domain.updates import AddressesFound, CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.settings.fields import Field
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.picker import Picker, PickItem

_NAME = "settings_providers_others"
_HELP = tr("The address alone is read, never a key: of Claude Code, Codex, opencode and aider.")
_NOTHING = tr("None of them names an address.")


class OtherPrograms(Field):
    """`picked` carries the kind of service and its address. `look`: the button that looks."""

    picked = Signal(str, str)

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(tr("Other programs"), _NAME, parent, _HELP)
        self._requests = requests
        self._found: dict[str, FoundAddress] = {}
        self.look = push_button(tr("Look for addresses…"), f"{_NAME}_look", self)
        self._told = plain_label(self, "muted", f"{_NAME}_told")
        self.row.addWidget(self.look)
        self.row.addWidget(self._told, 1)
        self._picker = Picker(
            (f"{_NAME}_popup", f"{_NAME}_search", f"{_NAME}_list"), tr("Addresses"), tr("Search"), self
        )
        self._picker.picked.connect(self._on_picked)
        self.look.clicked.connect(self._on_look)

    def _on_look(self) -> None:
        self._tell(tr("Looking…"))
        self._requests.ask(FindAddresses(), self, answer(AddressesFound, self._on_found), failed=self._on_failed)

    def _on_found(self, update: AddressesFound) -> None:
        self._tell("" if update.addresses else _NOTHING)
        self._found = {f"{one.kind} {one.address}": one for one in update.addresses}
        items = [
            PickItem(key, display_text(one.address), below=display_text(f"{one.program}, {one.file}"))
            for key, one in self._found.items()
        ]
        if items:
            self._picker.set_items(items)
            below = self.look.mapToGlobal(self.look.rect().topLeft())
            self._picker.open_at(QRect(below.x(), below.y(), self.width() - self.look.x(), self.look.height()))

    def _on_failed(self, failed: CommandFailed) -> None:
        self._tell(display_text(failed.text), role="danger")

    def _on_picked(self, key: str) -> None:
        one = self._found[key]
        self.picked.emit(one.kind, one.address)

    def _tell(self, text: str, role: str = "") -> None:
        self._told.setText(text)
        restyle(self._told, role=role)
