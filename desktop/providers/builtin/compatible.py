"""Any server that speaks /v1/messages, such as a local one."""

from desktop.domain.core.service_kinds import ServiceField
from desktop.providers.builtin.anthropic import load_messages, messages_provider
from desktop.providers.kinds import ProviderKind

KIND = ProviderKind(
    name="compatible",
    label="Anthropic-compatible",
    make=messages_provider,
    load=load_messages,
    fields=(
        ServiceField(name="label", label="Name"),
        ServiceField(
            name="base_url",
            label="Address",
            help="Any server that speaks /v1/messages.",
            example="https://models.example.com",
        ),
        ServiceField(name="default_model", label="Model of new chats"),
        ServiceField(name="auth", label="Access"),
    ),
    speaks=("anthropic",),
)
