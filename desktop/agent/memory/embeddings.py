"""Embeddings: texts as numbers, by a model of a service that speaks as the vendor of chat completions does."""

import asyncio
import json
import math

from desktop.domain.core.errors import BanksmanError
from desktop.providers.chat import ChatProvider

LIMIT_S = 5.0
MOST_ANSWERED = 32 * 1024 * 1024
Vector = tuple[float, ...]


class NoEmbeddings(BanksmanError):
    """The service gave none; the text says why, and holds nothing that was sent."""


async def embeddings(provider: ChatProvider, model: str, texts: tuple[str, ...]) -> tuple[Vector, ...]:
    """One vector a text, each of length 1, in their order.

    Raises:
        NoEmbeddings: they could not be had within five seconds.
    """
    body = json.dumps({"model": model, "input": texts, "encoding_format": "float"}).encode()
    try:
        async with asyncio.timeout(LIMIT_S):
            status, answer = await provider.ask("/embeddings", body, MOST_ANSWERED)
    except TimeoutError as error:
        raise NoEmbeddings(f"It did not answer within {LIMIT_S:g} s.") from error
    except Exception as error:  # whatever the service does, the words of the search are there
        raise NoEmbeddings(f"It could not be asked ({type(error).__name__}).") from error
    if status != 200:
        raise NoEmbeddings(f"It answered with status {status}.")
    return await asyncio.to_thread(_vectors, answer, len(texts))


def _vectors(answer: bytes, count: int) -> tuple[Vector, ...]:
    try:
        data = json.loads(answer)["data"]
        found = {int(one["index"]): _unit([float(part) for part in one["embedding"]]) for one in data}
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise NoEmbeddings("It did not answer with embeddings.") from error
    vectors = tuple(found.get(at, ()) for at in range(count))
    if not all(vectors) or len({len(one) for one in vectors}) != 1:
        raise NoEmbeddings("It did not answer with one embedding for each text.")
    return vectors


def _unit(values: list[float]) -> Vector:
    length = math.sqrt(sum(one * one for one in values))
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("a vector without a direction")
    return tuple(one / length for one in values)
