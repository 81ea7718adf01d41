"""Providers of either protocol at the scripted service, and what they answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.domain.events import AssistantMessage
from desktop.providers.base import Delta, ProviderError, Request
from desktop.providers.kinds import kind_of
from desktop.providers.streamed import StreamedProvider
from tests.fakes.fake_model_api import FakeModelApi


def endpoint(api: FakeModelApi, **fields: Any) -> Endpoint:
    limits = {"first_event_timeout_s": 5.0, "idle_timeout_s": 5.0}
    return Endpoint(**{"id": "local", "label": "Local", "kind": api.kind, "base_url": api.url, **limits, **fields})


def made(at: Endpoint, key: str = "") -> StreamedProvider:
    provider = kind_of(at).make(at, SecretStr(key) if key else None, None)
    assert isinstance(provider, StreamedProvider)
    return provider


@asynccontextmanager
async def provider_for(
    api: FakeModelApi, key: str = "test-key-123456", **fields: Any
) -> AsyncIterator[StreamedProvider]:
    provider = made(endpoint(api, **fields), key)
    try:
        yield provider
    finally:
        await provider.close()


def request(**fields: Any) -> Request:
    messages = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    return Request(**{"model": "m-1", "system": "Be brief.", "messages": messages, **fields})


async def deltas_of(api: FakeModelApi, *, ask: Request | None = None, **fields: Any) -> list[Delta]:
    async with provider_for(api, **fields) as provider:
        return [delta async for delta in provider.stream(ask or request())]


async def message_of(api: FakeModelApi, **fields: Any) -> AssistantMessage:
    last = (await deltas_of(api, **fields))[-1]
    assert isinstance(last, AssistantMessage)
    return last


async def failure_of(api: FakeModelApi, **fields: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await deltas_of(api, **fields)
    return caught.value
