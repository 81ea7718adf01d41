"""NewChat: what a person has chosen for a chat that is not begun: mode, model, and who carries it out."""

from typing import Any

from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.commands import NewSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.values import OWN_DRIVER, guest_endpoint
from desktop.ui.core.engine_facts import EngineFacts


class NewChat:
    """What is not chosen comes from the settings; in the tour's repository the scripted model answers.
    `without_sandbox`: agreed to full auto as the sandbox is."""

    def __init__(self, engine: EngineFacts) -> None:
        self._engine = engine
        self._mode: PermissionMode | None = None
        self._model: tuple[str, str] | None = None
        self._driver: str | None = None
        self.without_sandbox = False

    @property
    def mode(self) -> PermissionMode:
        """The mode it begins in."""
        return self._mode or self._engine.settings.default_mode

    @property
    def driver(self) -> str:
        """Who carries out its turns: `own`, or the id of an agent of others."""
        return self._driver or self._engine.settings.default_agent

    @property
    def guest_id(self) -> str:
        """The agent of others that carries it out, "" for none."""
        return "" if self.driver == OWN_DRIVER else self.driver

    @property
    def model(self) -> tuple[str, str]:
        """Endpoint id and model, blank where there is none; of an agent of others its endpoint alone."""
        if self.guest_id:
            return guest_endpoint(self.guest_id), ""
        if self._model is not None:
            return self._model
        if self._engine.sample:
            return DEMO_ENDPOINT.id, DEMO_ENDPOINT.default_model
        endpoint: Endpoint | None = self._engine.endpoint(self._engine.default_endpoint)
        return (endpoint.id, endpoint.default_model) if endpoint is not None else ("", "")

    def choose_mode(self, mode: PermissionMode, *, without_sandbox: bool) -> None:
        """Begin in this mode."""
        self._mode, self.without_sandbox = mode, without_sandbox

    def choose_model(self, endpoint_id: str, model: str) -> None:
        """Begin with this model; it stays chosen for the chats after it."""
        self._model, self._driver = (endpoint_id, model), OWN_DRIVER

    def choose_agent(self, guest_id: str) -> None:
        """Begin with this agent of others; it stays chosen for the chats after it."""
        self._driver = guest_id

    def command(self, text: str, **more: Any) -> NewSession:
        """What begins it with this first message; `more`: where it works, and in which mode if not the usual one."""
        endpoint_id, model = self.model
        return NewSession(
            session_id=new_session_id(), text=text, endpoint_id=endpoint_id, model=model, driver=self.driver, **more
        )

    def begun(self) -> None:
        """The chat is on its way: the next one begins as the settings say."""
        self._mode, self.without_sandbox = None, False
