"""ChatStarter: begins chats: what is checked before there is one, its lane, and its first turn."""

from collections.abc import Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.commands import GateCommands
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.drivers import Drivers
from desktop.agent.turns.limits import LimitWatch, checked
from desktop.domain.commands import NewSession
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project
from desktop.domain.events import Event, ModelChanged, SessionKind
from desktop.domain.guests.values import OWN_DRIVER, guest_endpoint
from desktop.records import dataclass
from desktop.tools.tool import Surface


@dataclass(frozen=True)
class ChatStarter:
    """`kind` of the chats it begins; `project`: the repository that is open."""

    sessions: Sessions
    settings: SettingsKeeper
    gate: GateCommands
    limits: LimitWatch
    turns: TurnCommands
    kind: SessionKind
    project: Callable[[], Project | None]
    drivers: Drivers

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command."""
        return {NewSession: self._new_session}

    async def _new_session(self, command: NewSession) -> None:
        await self.begin(command)

    async def begin(self, command: NewSession, surface: Surface = "chat", *told: Event) -> Session:
        """A chat with its first turn under way. `told`: what is recorded of it before that.

        Raises:
            CommandError, LaneError: it cannot be begun; there is no chat and no new lane.
        """
        chosen, events = await self.checked(command)
        project = self.project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        session = await self.sessions.create(chosen, project, self.kind, [*events, *told], surface)
        if command.thinking != "off":
            session.append(ModelChanged(endpoint_id=chosen.endpoint_id, model=chosen.model, thinking=command.thinking))
        await self.turns.begin_chat(session, command)
        return session

    async def checked(self, command: NewSession) -> tuple[NewSession, list[Event]]:
        """The command with its model named, and what is recorded of how its mode came about, its limits and its rules.

        Raises:
            CommandError: no repository is open, there is nothing to send, or the model, a limit or a rule cannot be
                used.
        """
        if self.project() is None:
            raise CommandError("no_project", "Open a repository first.")
        if not command.text.strip() and not command.attachments:
            raise CommandError("empty", "There is nothing to send.")
        endpoint_id, model = await self.chosen(command.driver, command.mode, command.endpoint_id, command.model)
        events: list[Event] = [] if command.limits is None else [checked(command.limits, "session")]
        events += self.gate.rules.of_chat(command.rules)
        if command.mode is PermissionMode.FULL_AUTO:
            events += await self.gate.full_auto_events(accepted=command.without_sandbox)
        if command.driver == OWN_DRIVER:
            await self.settings.require_key(endpoint_id)
        await self.limits.may_begin(endpoint_id, model, command.limits or self.settings.current.limits)
        return command.model_copy(update={"endpoint_id": endpoint_id, "model": model}), events

    async def chosen(self, driver: str, mode: PermissionMode, endpoint_id: str, model: str) -> tuple[str, str]:
        """Who carries out the turns: an endpoint with its model, or a guest with its own. Raises as `checked`."""
        if driver != OWN_DRIVER:
            await self.drivers.may_begin(driver, mode)
            return guest_endpoint(driver), ""
        endpoint_id, model = self.settings.model_for(endpoint_id, model)
        self.settings.warm_up(endpoint_id)
        return endpoint_id, model
