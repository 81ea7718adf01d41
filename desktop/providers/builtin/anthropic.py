"""The vendor's own service. The network library is imported when the first provider is made."""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.settings import ANTHROPIC_ADDRESS, Endpoint
from desktop.late import late
from desktop.providers.kinds import ProviderKind

if TYPE_CHECKING:
    from desktop.providers.base import Provider


def messages_provider(endpoint: Endpoint, key: SecretStr | None, pace_s: float | None) -> "Provider":
    """A `desktop.providers.anthropic.AnthropicProvider`, for every server that speaks /v1/messages."""
    provider: Provider = late("desktop.providers.anthropic").AnthropicProvider(endpoint, key)
    return provider


def load_messages() -> None:
    """Import what a request to a service needs, the network library. From any thread."""
    late("httpcore2")
    late("anyio._backends._asyncio")
    late("desktop.providers.anthropic")


KIND = ProviderKind(
    name="anthropic",
    label="Anthropic",
    make=messages_provider,
    load=load_messages,
    priced_as="anthropic",
    caches=True,
    searches=True,
    address=ANTHROPIC_ADDRESS,
    speaks=("anthropic",),
)
