"""SettingsSaver: checks a change of the settings, has it saved, and tells the field what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Endpoint, Settings
from desktop.domain.commands import SaveSettings
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, EngineReady, SettingsChanged
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.sink import CommandSink
from desktop.ui.settings.fields import Field
from desktop.ui.settings.reasons import reason

_Value = str | int | bool | tuple[str, ...]


@dataclass(frozen=True)
class _Sent:
    settings: Settings
    field: Field


class SettingsSaver(QObject):
    """`changed`: the settings on screen are others now. `facts` belong to the window, which feeds them first."""

    changed = Signal()

    def __init__(self, sink: CommandSink, facts: EngineFacts, parent: QObject) -> None:
        super().__init__(parent)
        self.facts = facts
        self._sink = sink
        self._in_force = facts.settings
        self._sent: dict[str, _Sent] = {}
        self._others: dict[str, Field] = {}

    @property
    def settings(self) -> Settings:
        """The settings as they will be when all that was sent is saved."""
        return self.facts.settings

    def change(self, field: Field, **values: object) -> bool:
        """Change some settings; an invalid value goes no further than the reason below the field."""
        return self._take(field, self.settings.model_dump() | values)

    def change_endpoint(self, endpoint_id: str, field: Field, **values: _Value) -> bool:
        """Change an endpoint in the same way."""
        endpoints = []
        for endpoint in self.settings.endpoints:
            if endpoint.id == endpoint_id:
                try:
                    endpoints.append(Endpoint.model_validate(endpoint.model_dump() | values))
                except ValidationError as error:
                    field.set_problem(reason(error))
                    return False
            else:
                endpoints.append(endpoint)
        return self.change(field, endpoints=tuple(endpoints))

    def change_database(self, name: str, field: Field, /, **values: _Value) -> bool:
        """Change a database connection in the same way."""
        connections = []
        for connection in self.settings.databases:
            if connection.name == name:
                try:
                    connections.append(DatabaseConnection.model_validate(connection.model_dump() | values))
                except ValidationError as error:
                    field.set_problem(reason(error))
                    return False
            else:
                connections.append(connection)
        return self.change(field, databases=tuple(connections))

    def send(self, field: Field, command: Command) -> None:
        """Send a command that saves no settings; why it is refused is told below the field."""
        self._others[command.command_id] = field
        self._sink.send(command)

    def hand_over(self, field: Field, other: Field) -> None:
        """`field` goes away; what comes of its changes is told to the other one."""
        for command_id, sent in self._sent.items():
            if sent.field is field:
                self._sent[command_id] = replace(sent, field=other)

    def apply(self, updates: Sequence[Update]) -> None:
        """Match what the engine says with what was sent."""
        for update in updates:
            if isinstance(update, EngineReady):
                self._in_force = update.settings
                self.changed.emit()
            elif isinstance(update, SettingsChanged):
                self._in_force = update.settings
                for command_id, sent in list(self._sent.items()):
                    if sent.settings == update.settings:
                        del self._sent[command_id]
                        sent.field.confirm_saved()
                self.changed.emit()
            elif isinstance(update, CommandFailed) and update.command_id in self._sent:
                sent = self._sent.pop(update.command_id)
                self.facts.settings = self._in_force
                self.changed.emit()
                sent.field.set_problem(display_text(update.text))
            elif isinstance(update, CommandFailed) and update.command_id in self._others:
                self._others.pop(update.command_id).set_problem(display_text(update.text))

    def _take(self, field: Field, values: dict[str, object]) -> bool:
        try:
            settings = Settings.model_validate(values)
        except ValidationError as error:
            field.set_problem(reason(error))
            return False
        field.set_problem("")
        if settings != self.settings:
            command = SaveSettings(settings=settings)
            self._sent[command.command_id] = _Sent(settings, field)
            self.facts.settings = settings
            self._sink.send(command)
        self.changed.emit()
        return True
