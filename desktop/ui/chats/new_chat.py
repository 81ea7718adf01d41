"""NewChat: what a person has chosen for a chat that is not begun: mode and model."""

from desktop.config.settings import Endpoint
from desktop.domain.core.permissions import PermissionMode
from desktop.ui.core.engine_facts import EngineFacts


class NewChat:
    """What is not chosen comes from the settings. `without_sandbox`: agreed to full auto as the sandbox is."""

    def __init__(self, engine: EngineFacts) -> None:
        self._engine = engine
        self._mode: PermissionMode | None = None
        self._model: tuple[str, str] | None = None
        self.without_sandbox = False

    @property
    def mode(self) -> PermissionMode:
        """The mode it begins in."""
        return self._mode or self._engine.settings.default_mode

    @property
    def model(self) -> tuple[str, str]:
        """Endpoint id and model, blank where there is none."""
        if self._model is not None:
            return self._model
        settings = self._engine.settings
        endpoint: Endpoint | None = settings.endpoint(settings.default_endpoint)
        return (endpoint.id, endpoint.default_model) if endpoint is not None else ("", "")

    def choose_mode(self, mode: PermissionMode, *, without_sandbox: bool) -> None:
        """Begin in this mode."""
        self._mode, self.without_sandbox = mode, without_sandbox

    def choose_model(self, endpoint_id: str, model: str) -> None:
        """Begin with this model; it stays chosen for the chats after it."""
        self._model = (endpoint_id, model)

    def begun(self) -> None:
        """The chat is on its way: the next one begins as the settings say."""
        self._mode, self.without_sandbox = None, False
