"""Any server that speaks chat completions, such as Ollama, vLLM, LM Studio or llama.cpp."""

from desktop.domain.core.service_kinds import ServiceField
from desktop.providers.builtin.openai import LABEL, MODEL, chat_provider, load_chat
from desktop.providers.kinds import ProviderKind

KIND = ProviderKind(
    name="openai_compatible",
    label="OpenAI-compatible",
    make=chat_provider,
    load=load_chat,
    fields=(
        LABEL,
        ServiceField(
            name="base_url",
            label="Address",
            help="Any server that speaks chat completions: Ollama, vLLM, LM Studio, llama.cpp and others.",
            example="http://127.0.0.1:11434/v1",
        ),
        MODEL,
        ServiceField(name="auth", label="Access"),
    ),
    speaks=("openai",),
    perhaps=("responses",),
)
