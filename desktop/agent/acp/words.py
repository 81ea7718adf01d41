"""The words of the Agent Client Protocol that Banksman says of itself: what it can do, its modes, its models."""

from collections.abc import Iterable

from pydantic import JsonValue

import desktop
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.permissions import PermissionMode, mode_label
from desktop.services.settings.environment import ANTHROPIC_KEY

Json = dict[str, JsonValue]

VERSION = 1
SETTINGS, KEY = "settings", "key"
"""The ids of the two ways to give a key."""
MODEL = "model"
_MODES = {
    PermissionMode.PLAN: "Reads and plans. Nothing is changed.",
    PermissionMode.EDIT: "Changes files of its lane. Commands ask.",
    PermissionMode.FULL_AUTO: "Commands run in the sandbox without asking.",
}


def initialised(*, terminal: bool) -> Json:
    """The answer to `initialize`. `terminal`: the editor can start a program on a terminal for its person."""
    return {
        "protocolVersion": VERSION,
        "agentInfo": {"name": "banksman", "title": "Banksman", "version": desktop.__version__},
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
            "mcpCapabilities": {"http": True, "sse": True},
            "sessionCapabilities": {"list": {}},
        },
        "authMethods": [*([_settings()] if terminal else []), _key()],
    }


def _settings() -> JsonValue:
    return {
        "id": SETTINGS,
        "name": "Banksman’s Settings",
        "description": "Opens Banksman’s window, where a key is kept in the system keyring.",
        "type": "terminal",
        "args": ["--settings"],
    }


def _key() -> JsonValue:
    return {
        "id": KEY,
        "name": "Key in the environment",
        "description": f"Banksman uses {ANTHROPIC_KEY} where its keyring has no key.",
        "type": "env_var",
        "vars": [{"name": ANTHROPIC_KEY, "label": "API key", "secret": True}],
    }


def modes(current: PermissionMode) -> Json:
    """All modes, and the one of a chat."""
    available: list[JsonValue] = [
        {"id": mode.value, "name": mode_label(mode), "description": text} for mode, text in _MODES.items()
    ]
    return {"currentModeId": current.value, "availableModes": available}


def options(settings: SettingsKeeper, endpoint_id: str, model: str) -> list[JsonValue]:
    """The choice of the model: one of each service that is set up, and the chat's own."""
    own = model_value(endpoint_id, model)
    services = [*settings.current.endpoints, *(one.endpoint for one in settings.found_services)]
    labels = {one.id: one.label for one in services}
    known = {model_value(one.id, one.default_model): one.label for one in services}
    values = {own: labels.get(endpoint_id, endpoint_id), **known}
    offered: list[JsonValue] = [
        {"value": value, "name": chosen_model(value)[1], "description": label}
        for value, label in values.items()
        if chosen_model(value)[1]
    ]
    return [
        {"id": MODEL, "name": "Model", "category": "model", "type": "select", "currentValue": own, "options": offered}
    ]


def model_value(endpoint_id: str, model: str) -> str:
    """A model with its service, as one value."""
    return f"{endpoint_id}/{model}"


def chosen_model(value: str) -> tuple[str, str]:
    """The service and the model of such a value."""
    endpoint_id, _, model = value.partition("/")
    return endpoint_id, model


def text_block(text: str) -> Json:
    """Text as content."""
    return {"type": "text", "text": text}


def shown(texts: Iterable[str]) -> list[JsonValue]:
    """Texts as the content of a tool call, blank ones left out."""
    return [{"type": "content", "content": text_block(text)} for text in texts if text]
