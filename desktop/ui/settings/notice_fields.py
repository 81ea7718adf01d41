"""Fields of the notifications: what is told and heard of one kind of event, the volume, the chats that are muted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QListWidgetItem, QSlider, QWidget

from desktop.config.notification_settings import NoticeKind
from desktop.language import tr
from desktop.ui.settings.fields import Field
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_4
from desktop.ui.widgets.box_list import BoxList
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import plain_tooltip

_CHOOSE = tr("Choose a chat.")
_SESSION_ROLE = Qt.ItemDataRole.UserRole + 1
_SLIDER_WIDTH, _FIGURE_WIDTH, _STEP, _MOST_ROWS = 200, 44, 5, 5
NOBODY = tr("No chat is muted. A chat is muted in its own menu.")


class KindField(Field):
    """Two ticks. `chosen` carries the kind; nothing is changed by `set_values`."""

    chosen = Signal(str)

    def __init__(self, label: str, kind: NoticeKind, parent: QWidget) -> None:
        super().__init__(label, f"settings_notifications_{kind}", parent)
        self._tell = self._tick(
            tr("Tell me"), tr("{label}: tell me", label=label), f"settings_notifications_tell_{kind}", kind
        )
        self.row.addSpacing(theme().px(SPACE_4))
        self._hear = self._tick(
            tr("Sound"), tr("{label}: sound", label=label), f"settings_notifications_sound_{kind}", kind
        )
        self.row.addStretch(1)

    @property
    def is_told(self) -> bool:
        """Whether notes and messages tell of it."""
        return self._tell.isChecked()

    @property
    def is_heard(self) -> bool:
        """Whether a sound tells of it."""
        return self._hear.isChecked()

    def set_values(self, told: bool, heard: bool) -> None:
        """The values in force."""
        self._tell.setChecked(told)
        self._hear.setChecked(heard)

    def _tick(self, words: str, accessible: str, name: str, kind: NoticeKind) -> QCheckBox:
        tick = QCheckBox(words, self)
        tick.setObjectName(name)
        tick.setAccessibleName(accessible)
        tick.clicked.connect(lambda: self.chosen.emit(kind))
        self.row.addWidget(tick)
        return tick


class VolumeField(Field):
    """How loud, in percent. `chosen` carries it once the slider rests."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Volume"), "settings_notifications_volume", parent)
        self._value = -1
        self._slider = QSlider(Qt.Orientation.Horizontal, self)
        self._slider.setObjectName("settings_notifications_volume")
        self._slider.setAccessibleName(tr("Volume in percent"))
        self._slider.setRange(0, 100)
        self._slider.setSingleStep(_STEP)
        self._slider.setPageStep(4 * _STEP)
        self._slider.setFixedWidth(theme().px(_SLIDER_WIDTH))
        self._figure = plain_label(self, "muted", wrap=False)
        self._figure.setMinimumWidth(theme().px(_FIGURE_WIDTH))
        self._note = plain_label(self, "caption", "settings_notifications_player")
        self.row.addWidget(self._slider)
        self.row.addWidget(self._figure)
        self.row.addStretch(1)
        self.below.addWidget(self._note)
        say(self._note, "")
        self._slider.valueChanged.connect(self._on_value)
        self._slider.sliderReleased.connect(lambda: self._on_value(self._slider.value()))

    def set_value(self, value: int) -> None:
        """The volume in force."""
        self._value = value
        if not self._slider.isSliderDown():
            self._slider.setValue(value)
        self._figure.setText(f"{self._slider.value()} %")

    def set_player(self, words: str, *, obeys: bool) -> None:
        """Who plays sounds, and whether as loud as is chosen here."""
        say(self._note, words)
        set_off(self._slider, "" if obeys else words)
        self._figure.setVisible(obeys)

    def _on_value(self, value: int) -> None:
        self._figure.setText(f"{value} %")
        if value != self._value and not self._slider.isSliderDown():
            self.chosen.emit(value)


class MutedField(Field):
    """The muted chats of the open repository. `unmuted`: the id of one that is to be told of again."""

    unmuted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Muted chats"), "settings_notifications_muted", parent)
        self._chats: tuple[tuple[str, str], ...] | None = None
        self._list = BoxList("settings_notifications_muted", tr("Muted chats"), self)
        self._button = push_button(tr("Unmute"), "settings_notifications_unmute", self)
        self._none = plain_label(self, "muted", "settings_notifications_nobody")
        self.row.addWidget(self._list, 1)
        self.row.addWidget(self._none, 1)
        self.row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self._button.clicked.connect(self._unmute)
        self._list.itemActivated.connect(self._unmute)
        self._list.currentRowChanged.connect(lambda row: set_off(self._button, "" if row >= 0 else _CHOOSE))

    def show_chats(self, chats: Sequence[tuple[str, str]]) -> None:
        """These are muted: ids and display-safe titles."""
        if tuple(chats) == self._chats:
            return
        self._chats = tuple(chats)
        self._list.clear()
        for session_id, title in self._chats:
            item = QListWidgetItem(title, self._list)
            item.setData(_SESSION_ROLE, session_id)
            item.setToolTip(plain_tooltip(title))
        self._list.fit(_MOST_ROWS)
        self._list.setVisible(bool(self._chats))
        self._button.setVisible(bool(self._chats))
        set_off(self._button, _CHOOSE)
        say(self._none, "" if self._chats else NOBODY)

    def _unmute(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            self.unmuted.emit(str(item.data(_SESSION_ROLE)))
