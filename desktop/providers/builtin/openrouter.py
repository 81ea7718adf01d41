"""OpenRouter: many vendors' models by the chat completions protocol, each at a price of its own."""

from desktop.providers.builtin.openai import LABEL, MODEL, chat_provider, load_chat
from desktop.providers.kinds import ProviderKind

KIND = ProviderKind(
    name="openrouter",
    label="OpenRouter",
    make=chat_provider,
    load=load_chat,
    priced_as="openrouter",
    address="https://openrouter.ai/api/v1",
    fields=(LABEL, MODEL),
    speaks=("openai", "responses"),
)
