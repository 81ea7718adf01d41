"""Advanced: chats that the lists lost, names of branches, how often GitHub is asked, a proxy, instruction files, and
places."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices, QShowEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from desktop.domain.chats.commands import RebuildIndex
from desktop.domain.chats.updates import IndexRebuilt
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.language import tr, trn
from desktop.ui.core.requests import Requests
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_PLACES = (
    (
        "store_folder",
        tr("Folder of the chats"),
        tr("Every entry of every chat, for this user only."),
        tr("Show the folder of the chats"),
    ),
    (
        "log_folder",
        tr("Folder of the logs"),
        tr("What the program itself notes. Secrets that were recognised are removed."),
        tr("Show the folder of the logs"),
    ),
)

_NARROW = 120
_PREFIX = tr("What the branches of new lanes begin with, such as lane/.")
_PULLS = tr("Seconds between two looks at a pull request on screen, 5 to 1,800; 0 looks only when you say so.")
_PROXY = tr(
    "Commands, hooks, servers and the web of agents reach hosts through it, such as http://proxy.example:3128. Only "
    "hosts that you named as those of your own network are reached without it."
)
_NAMES = tr(
    "With names, the proxy finds the addresses itself: that a host is not a computer of your own network is then no "
    "longer checked."
)
_GIVEN = (("addresses", tr("Addresses")), ("names", tr("Names")))


class AdvancedPage(SettingsPage):
    """Find chats on disk; instruction files of the chat on screen; the folders of chats and logs."""

    name, title, icon = "advanced", tr("Advanced"), "wrench"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts, self._requests = saver.facts, requests
        self.hearing.on(IndexRebuilt, self._on_rebuilt)
        help_text = tr("Makes the lists and the search anew from what is recorded. Nothing is changed in the chats.")
        find = Field(tr("Chats on disk"), "settings_advanced_find", self.contents, help_text)
        self._find = push_button(tr("Find chats on disk"), "settings_advanced_find", find)
        self._find.clicked.connect(self._on_find)
        find.row.addWidget(self._find)
        find.row.addStretch(1)
        self._state = plain_label(find, "muted", "settings_advanced_find_state")
        find.below.addWidget(self._state)
        say(self._state, "")
        self._field = find
        self.column.addWidget(find)
        self._prefix = TextField(tr("Prefix of branches"), "settings_advanced_lane_prefix", self.contents, _PREFIX)
        self._prefix.entered.connect(lambda text: saver.change(self._prefix, lane_prefix=text))
        self.column.addWidget(self._prefix)
        self._pulls = TextField(
            tr("Look at pull requests every"), "settings_advanced_pull_every", self.contents, _PULLS
        )
        self._pulls.keep_narrow(_NARROW)
        self._pulls.entered.connect(lambda text: saver.change(self._pulls, pull_every_s=text.strip()))
        self.column.addWidget(self._pulls)
        self._proxy = TextField(tr("Your proxy"), "settings_advanced_proxy", self.contents, _PROXY)
        self._proxy.entered.connect(lambda text: saver.change(self._proxy, upstream_proxy=text))
        self.column.addWidget(self._proxy)
        self._names = ChoiceField(
            tr("Your proxy is given"), "settings_advanced_proxy_names", _GIVEN, self.contents, _NAMES
        )
        self._names.chosen.connect(lambda given: saver.change(self._names, upstream_names=given == "names"))
        self.column.addWidget(self._names)
        self._files = self._add_files()
        self._places = {place[0]: self._add_place(*place) for place in _PLACES}
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings, and the folders as the engine told them."""
        self._prefix.set_value(self._facts.settings.lane_prefix)
        self._pulls.set_value(str(self._facts.settings.pull_every_s))
        self._proxy.set_value(self._facts.settings.upstream_proxy)
        self._names.set_value("names" if self._facts.settings.upstream_names else "addresses")
        for name, edit in self._places.items():
            edit.setText(display_text({"store_folder": self._facts.store_folder}.get(name, self._facts.log_folder)))
            edit.setCursorPosition(0)

    def _on_rebuilt(self, update: IndexRebuilt) -> None:
        set_off(self._find, "" if update.done else UNDER_WAY)
        looking = tr("Looking… {percent} %", percent=update.percent) if update.percent else tr("Looking…")
        say(self._state, trn(update.chats, "{n} chat found.", "{n} chats found.") if update.done else looking)

    def _on_failed(self, failed: CommandFailed) -> None:
        set_off(self._find, "")
        say(self._state, "")
        self._field.set_problem(display_text(failed.text))

    def _on_find(self) -> None:
        self._field.set_problem("")
        set_off(self._find, UNDER_WAY)
        say(self._state, tr("Looking…"))
        self._requests.ask(RebuildIndex(), self, failed=self._on_failed)

    def showEvent(self, event: QShowEvent) -> None:
        """There is a chat on screen, or there is none."""
        super().showEvent(event)
        action = self._window_action()
        set_off(self._files, "" if action is not None and action.isEnabled() else tr("Open a chat first."))

    def _add_files(self) -> QPushButton:
        words = tr("What AGENTS.md and CLAUDE.md files tell the model in the chat on screen, and commands from files.")
        field = Field(tr("Instruction files"), "settings_advanced_instructions", self.contents, words)
        button = push_button(tr("Show those of the chat…"), "settings_advanced_instructions", field)
        button.clicked.connect(self._on_files)
        field.row.addWidget(button)
        field.row.addStretch(1)
        self.column.addWidget(field)
        return button

    def _on_files(self) -> None:
        action = self._window_action()
        if action is not None:
            action.trigger()

    def _window_action(self) -> QAction | None:
        """The action of the window that the settings belong to."""
        owner = self.window().parentWidget()
        return owner.findChild(QAction, "action_instructions") if owner is not None else None

    def _add_place(self, name: str, label: str, words: str, shows: str) -> QLineEdit:
        field = Field(label, f"settings_advanced_{name}", self.contents, words)
        edit = QLineEdit(field)
        edit.setObjectName(f"settings_advanced_{name}")
        edit.setAccessibleName(label)
        edit.setReadOnly(True)
        show = push_button(tr("Show"), f"settings_advanced_{name}_show", field)
        show.setAccessibleName(shows)
        show.clicked.connect(lambda: self._open(name))
        field.row.addWidget(edit, 1)
        field.row.addWidget(show)
        self.column.addWidget(field)
        return edit

    def _open(self, name: str) -> None:
        folder = self._facts.store_folder if name == "store_folder" else self._facts.log_folder
        if folder:
            QDesktopServices.openUrl(QUrl.fromLocalFile(folder))
