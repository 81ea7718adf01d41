"""Any server that speaks /v1/messages, such as a local one."""

from desktop.providers.builtin.anthropic import load_messages, messages_provider
from desktop.providers.kinds import ProviderKind

KIND = ProviderKind(name="compatible", make=messages_provider, load=load_messages)
