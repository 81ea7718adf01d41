"""Notifications: which events are told and heard, how loud, when nothing is, and the chats that are muted."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.config.notification_settings import NoticeKind
from desktop.domain.chats.commands import MuteSession
from desktop.domain.chats.sounds import Sound
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.notices.sounds import Sounds
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.notice_fields import KindField, MutedField, VolumeField
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps

_ON, _OFF = "on", "off"
_NARROW = 140
KINDS: tuple[tuple[NoticeKind, str], ...] = (
    ("waiting", tr("Waits for you")),
    ("done", tr("Chat is done")),
    ("failed", tr("Chat failed")),
    ("budget", tr("Budget reached")),
    ("pull", tr("Pull request")),
)
NO_PLAYER = tr(
    "No program that plays sounds was found, so the bell of the system is rung, as loud as the system has it."
)
PLAYER = tr("Played by {name}.")


class NotificationsPage(SettingsPage):
    """Messages, sounds with a button for each and their volume, each kind of event, quiet hours, muted chats."""

    name, title, icon = "notifications", tr("Notifications"), "bell"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver = saver
        self.sounds = Sounds(self, requests)
        self._looked = False
        self._make_switches()
        self._kinds = {kind: KindField(label, kind, self.contents) for kind, label in KINDS}
        self._quiet = TextField(
            tr("Quiet hours"),
            "settings_notifications_quiet",
            self.contents,
            tr("Two times of day between which nothing is told, such as 22:00-07:00."),
        )
        self._quiet.edit.setPlaceholderText(tr("None"))
        self._quiet.keep_narrow(_NARROW)
        self._muted = MutedField(self.contents)
        for field in (self._messages, self._unfocused, self._details, self._sounds, self._volume):
            self.column.addWidget(field)
        together = QVBoxLayout()
        set_gaps(together, spacing=SPACE_1)
        for row in self._kinds.values():
            together.addWidget(row)
        self.column.addLayout(together)
        self.column.addWidget(self._quiet)
        self.column.addWidget(self._muted)
        self._connect()
        self.hearing.after(self._show_muted)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings."""
        settings = self._saver.settings.notifications
        self._messages.set_value(_ON if settings.messages else _OFF)
        self._sounds.set_value(_ON if settings.sounds else _OFF)
        self._unfocused.set_value(_ON if settings.only_unfocused else _OFF)
        self._details.set_value(_ON if settings.details else _OFF)
        self._volume.set_value(settings.volume)
        for kind, field in self._kinds.items():
            field.set_values(kind not in settings.untold, kind not in settings.unheard)
        self._quiet.set_value(settings.quiet_hours)
        self._muted.show_chats(self._saver.facts.muted)

    def _show_muted(self) -> None:
        self._muted.show_chats(self._saver.facts.muted)

    def showEvent(self, event: QShowEvent) -> None:
        """Which program plays sounds is looked for when somebody wants to know."""
        super().showEvent(event)
        if not self._looked:
            self._looked = True
            self.sounds.look()

    def _make_switches(self) -> None:
        self._messages = self._switch(
            tr("Messages"),
            "messages",
            tr("Of the system: when a chat waits for you, ends, or fails, and when a pull request changes."),
        )
        self._unfocused = self._switch(
            tr("Only elsewhere"),
            "unfocused",
            tr(
                "Messages and sounds come only while no window of Banksman is in front. The "
                "chat that is on screen is never told of."
            ),
        )
        self._details = self._switch(
            tr("Details in text"),
            "details",
            tr("Messages show the command, the SQL, the path or the question. Who sees your screen can read them."),
        )
        self._sounds = self._switch(
            tr("Sounds"),
            "sounds",
            tr("Two strokes when a chat waits for you, one when something is done."),
        )
        self._add_try("waiting", tr("Hear “waiting for you”"))
        self._add_try("done", tr("Hear “done”"))
        self._volume = VolumeField(self.contents)

    def _connect(self) -> None:
        self._messages.chosen.connect(lambda value: self._change(self._messages, messages=value == _ON))
        self._sounds.chosen.connect(lambda value: self._change(self._sounds, sounds=value == _ON))
        self._unfocused.chosen.connect(lambda value: self._change(self._unfocused, only_unfocused=value == _ON))
        self._details.chosen.connect(lambda value: self._change(self._details, details=value == _ON))
        self._volume.chosen.connect(lambda value: self._change(self._volume, volume=value))
        for field in self._kinds.values():
            field.chosen.connect(self._on_kind)
        self._quiet.entered.connect(lambda text: self._change(self._quiet, quiet_hours=text))
        self._muted.unmuted.connect(self._unmute)
        self.sounds.told.connect(self._on_player)
        self._saver.changed.connect(self.refresh)

    def _on_player(self, name: str) -> None:
        self._volume.set_player(PLAYER.format(name=name) if name else NO_PLAYER, obeys=bool(name))

    def _unmute(self, session_id: str) -> None:
        self._saver.send(self._muted, MuteSession(session_id=session_id, muted=False))

    def _on_kind(self, kind: NoticeKind) -> None:
        field = self._kinds[kind]
        untold = tuple(one for one, row in self._kinds.items() if not row.is_told)
        unheard = tuple(one for one, row in self._kinds.items() if not row.is_heard)
        self._change(field, untold=untold, unheard=unheard)

    def _switch(self, label: str, name: str, help_text: str) -> ChoiceField:
        choices = [(_ON, tr("On")), (_OFF, tr("Off"))]
        return ChoiceField(label, f"settings_notifications_{name}", choices, self.contents, help_text)

    def _add_try(self, sound: Sound, words: str) -> None:
        button = push_button(words, f"settings_notifications_try_{sound}", self._sounds)
        button.setToolTip(tr("Play it"))
        button.clicked.connect(lambda: self.sounds.play(sound, self._saver.settings.notifications.volume))
        self._sounds.row.addWidget(button)

    def _change(self, field: Field, **values: str | bool | int | tuple[str, ...]) -> None:
        settings = self._saver.settings.notifications
        self._saver.change(field, notifications=settings.model_dump() | values)
