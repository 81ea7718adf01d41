"""What is set for one agent of others."""

from typing import Any

from pydantic import ValidationError
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.config.guests import GuestSettings
from desktop.config.settings import Settings
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing
from desktop.language import tr
from desktop.ui.settings.agents.services import OWN_SIGN_IN, THROUGH, services_for
from desktop.ui.settings.fields import ChoiceField, Field, PickField, TextField
from desktop.ui.settings.reasons import reason
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.modes import mode_words
from desktop.ui.theme.tokens import SPACE_4
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem

_NAME = "settings_agents"
_OWN = ":own"
_NARROW = 72


class AgentFields(QWidget):
    """What a person sets for the agent that is shown."""

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver, self._listed = saver, GuestListing(id="-", label="-")
        self._model = PickField(
            tr("Its model"),
            f"{_NAME}_model",
            self,
            THROUGH,
        )
        modes = [(mode.value, mode_words(mode)) for mode in PermissionMode]
        self._mode = ChoiceField(
            tr("Mode at most"), f"{_NAME}_mode", modes, self, tr("Its chats cannot have a looser one.")
        )
        self._idle = TextField(
            tr("Waits for a next turn"),
            f"{_NAME}_idle",
            self,
            tr("Minutes, 1 to 120. Then it is ended, to free its memory."),
        )
        self._idle.keep_narrow(_NARROW)
        changed = [("tell", tr("Tell me")), ("ask", tr("Ask me first"))]
        self._changed = ChoiceField(
            tr("Another version"),
            f"{_NAME}_changed",
            changed,
            self,
            tr("When its program is not the one that worked before."),
        )
        homes = [("own", tr("Its own folder")), ("mine", tr("Mine"))]
        self._folders = ChoiceField(tr("Configuration"), f"{_NAME}_folders", homes, self)
        self._fields = (self._model, self._mode, self._idle, self._changed, self._folders)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_4)
        for field in self._fields:
            column.addWidget(field)
        self._model.chosen.connect(self._on_model)
        self._mode.chosen.connect(lambda value: self._change(self._mode, most_mode=value))
        self._changed.chosen.connect(lambda value: self._change(self._changed, asks_when_changed=value == "ask"))
        self._folders.chosen.connect(self._on_folders)
        self._idle.entered.connect(lambda text: self._change(self._idle, idle_minutes=text.strip()))

    def show_agent(self, listed: GuestListing) -> None:
        """Show what is set for this one."""
        self._listed = listed
        settings = self._saver.settings
        chosen = _chosen(settings, listed.id)
        offered = services_for(listed, self._saver)
        self._model.show_choices([PickItem(_OWN, *OWN_SIGN_IN), *offered.items], offered.chosen or _OWN)
        self._model.set_help("\n".join(filter(None, (THROUGH, offered.others))))
        self._model.setVisible(bool(listed.takes_model or listed.endpoint_id))
        self._mode.set_value(chosen.most_mode.value)
        self._idle.set_value(str(chosen.idle_minutes))
        self._changed.set_value("ask" if chosen.asks_when_changed else "tell")
        self._folders.set_value("mine" if chosen.own_folders else "own")
        self._folders.set_help(tr("Yours: {folders}, where its sign-in and its settings are.", folders=self._named()))
        self._folders.setVisible(bool(listed.home_folders))

    def _named(self) -> str:
        return display_text(", ".join(f"~/{name}" for name in self._listed.home_folders))

    def _on_folders(self, value: str) -> None:
        """Its own folder at once, the person's after a look at what that means."""
        if value == "own":
            self._change(self._folders, own_folders=False)
            return
        self._folders.set_value("own")
        listed = self._listed
        ask_first(give_question(display_text(listed.label), self._named()), self.window(), lambda: self._give(listed))

    def _give(self, listed: GuestListing) -> None:
        if listed is self._listed:
            self._change(self._folders, own_folders=True)

    def _on_model(self, key: str) -> None:
        chosen = "" if key == _OWN else key
        models = {**self._saver.settings.guest_models, self._listed.id: chosen}
        self._saver.change(self._model, guest_models=models)

    def _change(self, field: Field, **values: Any) -> None:
        guests = self._saver.settings.guests
        try:
            changed = GuestSettings.model_validate(_chosen(self._saver.settings, self._listed.id).model_dump() | values)
        except ValidationError as error:
            field.set_problem(reason(error))
            return
        self._saver.change(field, guests={**guests, self._listed.id: changed})


def give_question(label: str, named: str) -> Question:
    """What a person is asked before an agent has their own folders."""
    text = tr(
        "{folders}: {agent} reads and writes there instead of in a folder of its own. This agent "
        "can then change settings and hooks that run without the sandbox when you use it "
        "elsewhere. What it changes there is told in the chat.",
        folders=named,
        agent=label,
    )
    return Question(
        "settings_agents_give_dialog",
        tr("Give {agent} your own configuration?", agent=label),
        text,
        (tr("Cancel"), "settings_agents_give_cancel"),
        (tr("Give it"), "settings_agents_give_go"),
        dangerous=True,
    )


def _chosen(settings: Settings, guest_id: str) -> GuestSettings:
    return settings.guests.get(guest_id, GuestSettings())
