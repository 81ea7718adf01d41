"""Google's Gemini API: agents of others ask it in its own protocol, chats of our own by its chat completions."""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.providers.builtin.openai import LABEL, MODEL, chat_provider, load_chat
from desktop.providers.kinds import ProviderKind

if TYPE_CHECKING:
    from desktop.providers.base import Provider

CHAT_COMPLETIONS = "/v1beta/openai"
"""Where it speaks chat completions (https://ai.google.dev/gemini-api/docs/openai)."""


def gemini_provider(endpoint: Endpoint, key: SecretStr | None, pace_s: float | None) -> "Provider":
    """A `desktop.providers.chat.ChatProvider` at the address that speaks chat completions."""
    return chat_provider(speaking_chat(endpoint), key, pace_s)


def speaking_chat(endpoint: Endpoint) -> Endpoint:
    """The endpoint at the address where it speaks chat completions."""
    return endpoint.model_copy(update={"base_url": endpoint.base_url + CHAT_COMPLETIONS})


KIND = ProviderKind(
    name="gemini",
    label="Google Gemini",
    make=gemini_provider,
    load=load_chat,
    priced_as="google",
    address="https://generativelanguage.googleapis.com",
    fields=(LABEL, MODEL),
    speaks=("gemini",),
)
