"""AnthropicProvider: one endpoint with the /v1/messages protocol, the vendor's own or a compatible server."""

from typing import Any

import httpx2
from pydantic import SecretStr

from desktop.config.settings import ANTHROPIC_ADDRESS, Endpoint
from desktop.domain.updates import ModelInfo
from desktop.providers.base import Delta, Request
from desktop.providers.collector import MessageCollector
from desktop.providers.errors import ErrorEvent, NotAnApi
from desktop.providers.event_stream import ServerEvent
from desktop.providers.model_list import model_page
from desktop.providers.streamed import AnswerReader, StreamedProvider, event_object, key_headers
from desktop.providers.wire import request_body

VERSION = "2026-10-21"
"""Of the protocol, as the SDK names it too."""


class AnthropicProvider(StreamedProvider):
    """The SDK copies and writes each body anew, 0.04 s in a chat of 2,000 steps, so it lists the models and no more."""

    def __init__(self, endpoint: Endpoint, key: SecretStr | None) -> None:
        super().__init__(Messages(), endpoint, key)


class Messages:
    """The protocol, a `WireProtocol`."""

    path = "/v1/messages"
    request_ids = "request-id"

    def body(self, request: Request) -> bytes:
        """As `WireProtocol.body`."""
        return request_body(request)

    def headers(self, endpoint: Endpoint, key: str) -> dict[str, str]:
        """As `WireProtocol.headers`."""
        return {**key_headers(endpoint, key), "anthropic-version": VERSION}

    def reader(self) -> AnswerReader:
        """As `WireProtocol.reader`."""
        return _Reader()

    def caches(self, endpoint: Endpoint) -> bool:
        """As `WireProtocol.caches`."""
        return endpoint.caching == "on" or (endpoint.caching == "auto" and endpoint.base_url == ANTHROPIC_ADDRESS)

    async def models(self, client: httpx2.AsyncClient, endpoint: Endpoint, key: str) -> tuple[ModelInfo, ...]:
        """As `WireProtocol.models`."""
        page = await model_page(client, endpoint, key)
        if not isinstance(page, dict):
            raise NotAnApi(f"{endpoint.base_url} does not answer like a model service")
        entries = page.get("data")
        found = [_model(entry) for entry in (entries if isinstance(entries, list) else ())]
        return tuple(model for model in found if model is not None)


class _Reader:
    def __init__(self) -> None:
        self.collector = MessageCollector()

    def feed(self, event: ServerEvent, request_id: str) -> list[Delta]:
        """As `AnswerReader.feed`."""
        data = None if self.collector.stopped else event_object(event.name, event.data)
        if data is None:
            return []
        if event.name is not None and "type" not in data:
            data = {**data, "type": event.name}
        if data.get("type") == "error" or event.name == "error":
            raise ErrorEvent(data, request_id)
        return self.collector.feed(data)

    def take_whole(self, value: dict[str, Any]) -> list[Delta]:
        """As `AnswerReader.take_whole`."""
        return self.collector.take_whole(value)


def _model(entry: object) -> ModelInfo | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not entry["id"]:
        return None
    numbers = {name: entry.get(name) for name in ("max_input_tokens", "max_tokens")}
    window, most = (value if isinstance(value, int) and value > 0 else 0 for value in numbers.values())
    return ModelInfo(id=entry["id"], name=str(entry.get("display_name") or entry["id"]), window=window, max_output=most)
