"""model_page(): the models that an endpoint lists, asked through the SDK."""

import asyncio
from typing import TYPE_CHECKING

import httpx2

from desktop.config.settings import Endpoint
from desktop.providers.errors import Refused, StreamFault
from desktop.providers.sdk import load_sdk, without_sdk_variables

if TYPE_CHECKING:
    import anthropic

MAX_MODELS = 1_000


async def model_page(transport: httpx2.AsyncClient, endpoint: Endpoint, key: str) -> object:
    """The page as the service sent it; nobody checked what it holds. The SDK is imported here, on a worker thread.

    Raises:
        Refused: the service answered with an error.
        StreamFault: there was no answer; its cause says why.
    """
    sdk = await asyncio.to_thread(load_sdk)
    with without_sdk_variables():
        client = sdk.client(
            api_key=key,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=transport.timeout,
            http_client=transport,
            open_telemetry=False,
        )
    headers: dict[str, str | anthropic.Omit] = {}
    if endpoint.auth != "api_key" or not key:
        headers["Authorization"] = sdk.omit
    if endpoint.auth == "x-api-key" and key:
        headers["x-api-key"] = key
    try:
        return await client.get(f"/v1/models?limit={MAX_MODELS}", cast_to=object, options={"headers": headers})
    except sdk.status_error as error:
        raise Refused(error.status_code, error.response.headers, error.response.text) from error
    except sdk.error as error:
        raise StreamFault(str(error)) from error
