"""The providers, whose network library and SDK are loaded when the first one is made, or before in another thread."""

import importlib
from functools import cache
from types import ModuleType

from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.providers.base import Provider


def anthropic_provider(endpoint: Endpoint, key: SecretStr | None) -> Provider:
    """A `desktop.providers.anthropic.AnthropicProvider`; the first call imports it."""
    provider: Provider = _module("desktop.providers.anthropic").AnthropicProvider(endpoint, key)
    return provider


def demo_provider(pace_s: float | None) -> Provider:
    """A `desktop.providers.demo.DemoProvider`; the first call imports it."""
    provider: Provider = _module("desktop.providers.demo").DemoProvider(pace_s=pace_s)
    return provider


def load_anthropic() -> None:
    """Import what a request to a service needs (0.3 s), the SDK and the network library. From any thread."""
    _module("desktop.providers.sdk").load_sdk()
    _module("httpcore2")
    _module("desktop.providers.anthropic")


@cache
def _module(name: str) -> ModuleType:
    return importlib.import_module(name)
