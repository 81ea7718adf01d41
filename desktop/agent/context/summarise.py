"""summarise(): one summary of a conversation by the session's own model, with retries and a time limit."""

import asyncio
from contextlib import aclosing
from urllib.parse import urlsplit

from desktop.agent.context.compaction import SUMMARY_TOKENS, SYSTEM
from desktop.agent.core.session import Session
from desktop.agent.providers.request import sendable
from desktop.agent.providers.retry import failed_attempt, failure_sentence, wait_before
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.usage import Usage
from desktop.domain.events import AssistantMessage
from desktop.domain.history.state_of import message_text
from desktop.domain.history.words import Message
from desktop.providers.base import Provider, ProviderError, Request
from desktop.providers.kinds import request_cost
from desktop.records import dataclass

TIME_LIMIT_S = 120.0
ATTEMPTS = 3


class SummaryFailed(BanksmanError):
    """There is no summary; the text says why, as a sentence for people."""


@dataclass(frozen=True)
class Summary:
    """The model's words, what they took, and what that cost in microdollars (None: nobody knows)."""

    text: str
    usage: Usage
    cost_microusd: int | None


async def summarise(session: Session, settings: SettingsKeeper, messages: list[Message], turn_id: str = "") -> Summary:
    """The summary that the session's model writes of these messages, the last of which asks for it.

    Raises:
        SummaryFailed: after the last attempt, or when it takes over 120 s.
        CommandError: the endpoint is gone, or the messages are none that a service takes.
    """
    request = Request(
        model=session.state.model,
        system=SYSTEM,
        messages=messages,
        max_tokens=SUMMARY_TOKENS,
        purpose="summary",
    )
    return await asked(session, settings, request, turn_id=turn_id)


async def asked(
    session: Session,
    settings: SettingsKeeper,
    request: Request,
    *,
    turn_id: str = "",
    attempts: int = ATTEMPTS,
    limit_s: float = TIME_LIMIT_S,
) -> Summary:
    """What the session's model answers to a request that is no part of the conversation. Raises as `summarise`."""
    request = sendable(request)
    endpoint = settings.find(session.state.endpoint_id) or DEMO_ENDPOINT
    provider = await settings.provider(endpoint.id)
    await session.barrier()
    try:
        async with asyncio.timeout(limit_s):
            message = await _with_retries(session, provider, request, endpoint, turn_id, attempts)
    except TimeoutError as error:
        raise SummaryFailed(f"The model did not answer within {limit_s:g} s.") from error
    cost = request_cost(endpoint, message.model or request.model, message.usage)
    return Summary(text=message_text(message).strip(), usage=message.usage, cost_microusd=cost)


async def _with_retries(
    session: Session, provider: Provider, request: Request, endpoint: Endpoint, turn_id: str, attempts: int
) -> AssistantMessage:
    attempt = 1
    while True:
        try:
            return await _answer(provider, request)
        except ProviderError as error:
            wait = wait_before(attempt, error.failure) if error.failure.retryable and attempt < attempts else None
            if error.usage != Usage():
                session.append(failed_attempt(error, endpoint, request.model, turn_id, (attempt, attempts), wait))
            if wait is None:
                host = urlsplit(endpoint.base_url).netloc or endpoint.label
                raise SummaryFailed(failure_sentence(error.failure, endpoint.label, request.model, host)) from error
        await asyncio.sleep(wait)
        attempt += 1


async def _answer(provider: Provider, request: Request) -> AssistantMessage:
    async with aclosing(provider.stream(request)) as deltas:
        async for delta in deltas:
            if isinstance(delta, AssistantMessage):
                return delta
    raise SummaryFailed("The stream ended without an answer.")
