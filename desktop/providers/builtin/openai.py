"""OpenAI's own service, by its chat completions protocol."""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.settings import OPENAI_ADDRESS, Endpoint
from desktop.domain.core.service_kinds import ServiceField
from desktop.late import late
from desktop.providers.kinds import ProviderKind

if TYPE_CHECKING:
    from desktop.providers.base import Provider

LABEL = ServiceField(name="label", label="Name")
MODEL = ServiceField(name="default_model", label="Model of new chats")


def chat_provider(endpoint: Endpoint, key: SecretStr | None, pace_s: float | None) -> "Provider":
    """A `desktop.providers.chat.ChatProvider`, for every server that speaks chat completions."""
    provider: Provider = late("desktop.providers.chat").ChatProvider(endpoint, key)
    return provider


def load_chat() -> None:
    """Import what a request to a service needs, the network library. From any thread."""
    late("httpcore2")
    late("anyio._backends._asyncio")
    late("desktop.providers.chat")


KIND = ProviderKind(
    name="openai",
    label="OpenAI",
    make=chat_provider,
    load=load_chat,
    priced_as="openai",
    address=OPENAI_ADDRESS,
    fields=(LABEL, MODEL),
    speaks=("openai", "responses"),
)
