"""General: how chats begin, what Enter does, where lanes are."""

from PySide6.QtWidgets import QWidget

from desktop.domain.permissions import PermissionMode, mode_label
from desktop.ui.dialogs.settings.fields import ChoiceField, TextField
from desktop.ui.dialogs.settings.page import SettingsPage
from desktop.ui.dialogs.settings.saver import SettingsSaver

_MODES = (PermissionMode.PLAN, PermissionMode.EDIT)
_SENDS, _BREAKS = "send", "line"


class GeneralPage(SettingsPage):
    """Default mode, Enter, lanes folder."""

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__("general", "General", parent)
        self._saver = saver
        self._mode = ChoiceField(
            "Mode of new chats",
            "settings_general_mode",
            [(mode.value, mode_label(mode)) for mode in _MODES],
            self.contents,
            "In Plan nothing is changed. Full auto is chosen chat by chat.",
        )
        self._enter = ChoiceField(
            "Enter key",
            "settings_general_enter",
            [(_SENDS, "Sends"), (_BREAKS, "New line")],
            self.contents,
            "Ctrl+Enter always sends, Shift+Enter always starts a new line.",
        )
        self._lanes = TextField(
            "Folder of lanes",
            "settings_general_lanes_root",
            self.contents,
            "Each lane is a folder with its own branch. Counts from the next start, for new lanes.",
        )
        self._lanes.edit.setPlaceholderText("The usual folder of this system")
        for field in (self._mode, self._enter, self._lanes):
            self.column.addWidget(field)
        self._mode.chosen.connect(self._on_mode)
        self._enter.chosen.connect(self._on_enter)
        self._lanes.entered.connect(self._on_lanes)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings."""
        settings = self._saver.settings
        self._mode.set_value(settings.default_mode.value)
        self._enter.set_value(_SENDS if settings.enter_sends else _BREAKS)
        self._lanes.set_value(settings.lanes_root)

    def _on_mode(self, mode: str) -> None:
        self._saver.change(self._mode, default_mode=PermissionMode(mode))

    def _on_enter(self, choice: str) -> None:
        self._saver.change(self._enter, enter_sends=choice == _SENDS)

    def _on_lanes(self, path: str) -> None:
        self._saver.change(self._lanes, lanes_root=path)
