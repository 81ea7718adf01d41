"""Notifications: whether messages of the system and sounds tell of chats and pull requests, and when nothing does."""

from PySide6.QtWidgets import QPushButton, QWidget

from desktop.ui.dialogs.settings.fields import ChoiceField, Field, TextField
from desktop.ui.dialogs.settings.page import SettingsPage
from desktop.ui.dialogs.settings.saver import SettingsSaver
from desktop.ui.sounds import Sound, Sounds
from desktop.ui.theme.theme import theme

_ON, _OFF = "on", "off"
_NARROW = 140


class NotificationsPage(SettingsPage):
    """Messages, sounds with a button for each, quiet hours. A single chat is muted in its own menu."""

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__("notifications", "Notifications", parent)
        self._saver = saver
        self.sounds = Sounds(self)
        self._messages = self._switch(
            "Messages", "messages", "When a chat waits for you, ends, or fails, and when a pull request changes, while "
            "no window of Banksman is in front.",
        )  # fmt: skip
        self._sounds = self._switch(
            "Sounds", "sounds", "The bell of this system: two strokes when a chat waits for you, one when something is "
            "done. Press one to hear it.",
        )  # fmt: skip
        self._add_try("waiting", "Waiting for you")
        self._add_try("done", "Done")
        self._quiet = TextField(
            "Quiet hours", "settings_notifications_quiet", self.contents,
            "Two times of day between which nothing is told, such as 22:00-07:00.",
        )  # fmt: skip
        self._quiet.edit.setPlaceholderText("None")
        self._quiet.edit.setMaximumWidth(theme().px(_NARROW))
        self._quiet.row.addStretch(1)
        for field in (self._messages, self._sounds, self._quiet):
            self.column.addWidget(field)
        self._messages.chosen.connect(lambda value: self._change(self._messages, messages=value == _ON))
        self._sounds.chosen.connect(lambda value: self._change(self._sounds, sounds=value == _ON))
        self._quiet.entered.connect(lambda text: self._change(self._quiet, quiet_hours=text))
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings."""
        settings = self._saver.settings.notifications
        self._messages.set_value(_ON if settings.messages else _OFF)
        self._sounds.set_value(_ON if settings.sounds else _OFF)
        self._quiet.set_value(settings.quiet_hours)

    def _switch(self, label: str, name: str, help_text: str) -> ChoiceField:
        choices = [(_ON, "On"), (_OFF, "Off")]
        return ChoiceField(label, f"settings_notifications_{name}", choices, self.contents, help_text)

    def _add_try(self, sound: Sound, words: str) -> None:
        button = QPushButton(words, self._sounds)
        button.setObjectName(f"settings_notifications_try_{sound}")
        button.setToolTip("Play it")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.sounds.play(sound))
        self._sounds.row.addWidget(button)

    def _change(self, field: Field, **values: str | bool) -> None:
        settings = self._saver.settings.notifications
        self._saver.change(field, notifications=settings.model_dump() | values)
