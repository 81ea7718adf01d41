"""SettingsSaver: checks a change of the settings, has it saved, and tells the field what came of it."""

from functools import partial

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Endpoint, Settings
from desktop.domain.commands import SaveSettings
from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed, EngineReady, SettingsChanged
from desktop.records import dataclass
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests
from desktop.ui.settings.fields import Field
from desktop.ui.settings.reasons import reason

_Value = str | int | bool | tuple[object, ...]


@dataclass(eq=False)
class _Sent:
    """Settings on their way. `field`: where what comes of them is told."""

    settings: Settings
    field: Field
    request: Request


class SettingsSaver(QObject):
    """`changed`: the settings on screen are others now. `facts` belong to the window, which feeds them first."""

    changed = Signal()

    def __init__(self, requests: Requests, facts: EngineFacts, parent: QObject) -> None:
        super().__init__(parent)
        self.facts = facts
        self._requests = requests
        self._in_force = facts.settings
        self._sent: list[_Sent] = []
        self.hearing = Hearing().on(EngineReady, self._on_ready).on(SettingsChanged, self._on_changed)

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
        self._requests.ask(command, field, failed=partial(_tell, field))

    def hand_over(self, field: Field, other: Field) -> None:
        """`field` goes away; what comes of its changes is told to the other one."""
        for sent in self._sent:
            if sent.field is field:
                sent.field = other

    def _on_ready(self, update: EngineReady) -> None:
        self._in_force = update.settings
        self.changed.emit()

    def _on_changed(self, update: SettingsChanged) -> None:
        self._in_force = update.settings
        for sent in [one for one in self._sent if one.settings == update.settings]:
            self._sent.remove(sent)
            sent.request.drop()
            sent.field.confirm_saved()
        self.changed.emit()

    def _on_refused(self, sent: _Sent, failed: CommandFailed) -> None:
        self._sent.remove(sent)
        self.facts.settings = self._in_force
        self.changed.emit()
        _tell(sent.field, failed)

    def _take(self, field: Field, values: dict[str, object]) -> bool:
        try:
            settings = Settings.model_validate(values)
        except ValidationError as error:
            field.set_problem(reason(error))
            return False
        field.set_problem("")
        if settings != self.settings:
            self.facts.settings = settings
            sent = _Sent(settings, field, Request())
            self._sent.append(sent)
            command, failed = SaveSettings(settings=settings), partial(self._on_refused, sent)
            sent.request = self._requests.ask(command, self, failed=failed)
        self.changed.emit()
        return True


def _tell(field: Field, failed: CommandFailed) -> None:
    field.set_problem(display_text(failed.text))
