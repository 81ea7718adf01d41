"""ChatProvider: one endpoint with the chat completions protocol, which most services and local servers speak."""

import json
import re
from decimal import ROUND_CEILING, Decimal
from typing import Any

import httpx2
from pydantic import SecretStr

from desktop.config.settings import OPENAI_ADDRESS, Endpoint
from desktop.domain.updates import ModelInfo
from desktop.providers.base import Request
from desktop.providers.chat_answer import ChatReader
from desktop.providers.chat_request import chat_body
from desktop.providers.errors import NotAnApi, Refused, TooMuch
from desktop.providers.streamed import AnswerReader, StreamedProvider, key_headers

_WINDOWS = ("context_length", "max_model_len", "context_window", "max_context_length")
"""What lists call a model's window: OpenRouter, vLLM, Groq, LM Studio."""
_PRICE, _MILLION = re.compile(r"[0-9]{1,6}(\.[0-9]{1,15})?"), 1_000_000
_NO_CHAT = ("text-embedding", "whisper", "tts-", "dall-e", "omni-moderation", "gpt-image", "sora", "babbage", "davinci")
"""How models of the vendor begin that hold no conversation."""


class ChatProvider(StreamedProvider):
    """A provider of that protocol."""

    def __init__(self, endpoint: Endpoint, key: SecretStr | None) -> None:
        super().__init__(ChatCompletions(endpoint.base_url == OPENAI_ADDRESS), endpoint, key)

    async def ask(self, path: str, body: bytes, most: int) -> tuple[int, bytes]:
        """One request below the endpoint's address, with its key: the status, and at most so many bytes of the answer.

        Raises:
            httpx2.HTTPError: there was no answer.
            TooMuch: it is longer.
        """
        client = await self._made_client()
        headers = key_headers(self._endpoint, self._key)
        async with client.stream("POST", path, content=body, headers=headers) as response:
            found = bytearray()
            async for piece in response.aiter_bytes():
                found += piece
                if len(found) > most:
                    raise TooMuch(f"the service answered with more than {most:,} bytes")
            return response.status_code, bytes(found)


class ChatCompletions:
    """The protocol, a `WireProtocol`. `vendor`: it is the service that the protocol is from, whose newer models know
    one name of a limit, while other servers know the older."""

    path = "/chat/completions"
    request_ids = "x-request-id"

    def __init__(self, vendor: bool = False) -> None:
        self._limit_name = "max_completion_tokens" if vendor else "max_tokens"

    def body(self, request: Request) -> bytes:
        """As `WireProtocol.body`."""
        return chat_body(request, self._limit_name)

    def headers(self, endpoint: Endpoint, key: str) -> dict[str, str]:
        """As `WireProtocol.headers`."""
        return key_headers(endpoint, key)

    def reader(self) -> AnswerReader:
        """As `WireProtocol.reader`."""
        return ChatReader()

    def caches(self, endpoint: Endpoint) -> bool:
        """As `WireProtocol.caches`: services of this protocol cache by themselves."""
        return False

    async def models(self, client: httpx2.AsyncClient, endpoint: Endpoint, key: str) -> tuple[ModelInfo, ...]:
        """As `WireProtocol.models`."""
        answer = await client.get("/models", headers=key_headers(endpoint, key))
        if not answer.is_success:
            raise Refused(answer.status_code, answer.headers, answer.text)
        try:
            page = json.loads(answer.text)
        except (ValueError, RecursionError) as error:
            raise NotAnApi(f"{endpoint.base_url} does not answer like a model service") from error
        entries = page.get("data") if isinstance(page, dict) else None
        if not isinstance(entries, list):
            raise NotAnApi(f"{endpoint.base_url} does not answer like a model service")
        return tuple(model for model in map(_model, entries) if model is not None)


def _model(entry: object) -> ModelInfo | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not entry["id"]:
        return None
    if entry["id"].startswith(_NO_CHAT):
        return None
    window = next((entry[name] for name in _WINDOWS if isinstance(entry.get(name), int)), _loaded_window(entry))
    best = entry.get("top_provider")
    most = best.get("max_completion_tokens") if isinstance(best, dict) else 0
    name = entry.get("name")
    prices = entry.get("pricing")
    read, written = (_microusd(prices, part) for part in ("prompt", "completion"))
    priced = read is not None and written is not None
    return ModelInfo(
        id=entry["id"],
        name=name if isinstance(name, str) and name else entry["id"],
        window=max(0, window),
        max_output=most if isinstance(most, int) and most > 0 else 0,
        input_microusd=read if priced else None,
        output_microusd=written if priced else None,
    )


def _loaded_window(entry: dict[str, Any]) -> int:
    """The window that llama.cpp gave the model, which is mostly less than it was trained for; 0 where it says none."""
    meta = entry.get("meta")
    window = meta.get("n_ctx") if isinstance(meta, dict) else 0
    return window if isinstance(window, int) else 0


def _microusd(prices: object, part: str) -> int | None:
    """The price of a million tokens from that of one in dollars, as OpenRouter writes it."""
    said = prices.get(part) if isinstance(prices, dict) else None
    if not isinstance(said, str) or not _PRICE.fullmatch(said):
        return None
    return int((Decimal(said) * _MILLION * _MILLION).to_integral_value(ROUND_CEILING))
