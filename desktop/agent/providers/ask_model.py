"""AskModel: one answer of the model, with visible retries. Nothing that ran is ever run again by a retry."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from contextlib import aclosing
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.gate.judge import Judge
from desktop.agent.providers.request import RequestBuilder, is_paused, record_prompt
from desktop.agent.providers.retry import (
    RETRIES_PER_TURN,
    failed_attempt,
    failure_sentence,
    retry_sentence,
    wait_before,
)
from desktop.agent.providers.stream import StreamGatherer
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.web.vendor import TOOL, searches_at_vendor, vendor_events
from desktop.config.settings import DEMO_ENDPOINT, Endpoint
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.event_base import Parts
from desktop.domain.core.ids import new_id
from desktop.domain.core.usage import Usage
from desktop.domain.core.work import Activity
from desktop.domain.events import AssistantMessage, Event, ProviderFailed
from desktop.domain.updates import RetryScheduled
from desktop.providers.base import Failure, Provider, ProviderError, Request
from desktop.providers.kinds import kind_of, request_cost
from desktop.providers.prices import warm_prices
from desktop.store.core.blobs import BlobStore

CUT_REASONS = ("max_tokens", "model_context_window_exceeded")
Cap = Callable[[Request], int]


class ModelFailed(BanksmanError):
    """No answer could be had; the text is a sentence for people. `category`: why, as a word."""

    def __init__(self, category: str, text: str) -> None:
        super().__init__(text)
        self.category = category


class AskModel:
    """Builds the request, streams the answer, stores it, tries again where that can help (sessions-SY2 to
    sessions-SY7). `sections`: what themes add to the prompt of a chat."""

    def __init__(
        self,
        judge: Judge,
        blobs: BlobStore,
        settings: SettingsKeeper,
        sections: Callable[[Session], Iterable[str]],
        *,
        interactive: bool,
    ) -> None:
        self._judge = judge
        self._blobs = blobs
        self._settings = settings
        self._requests = RequestBuilder(blobs, sections, interactive=interactive)
        self._waits: dict[str, asyncio.Event] = {}

    async def ask(
        self, session: Session, provider: Provider, turn_id: str, *, widen: int = 1, cap: Cap | None = None
    ) -> AssistantMessage:
        """The model's next answer, already stored. `widen`: how much more output than usual it may have; `cap`: how
        much it may have at most, asked before each attempt; what it raises ends the asking.

        Raises:
            ModelFailed: after the last attempt, or at once where trying again cannot help.
        """
        endpoint = self._settings.find(session.state.endpoint_id) or DEMO_ENDPOINT
        attempts, began = self._settings.current.max_attempts, time.monotonic()
        for attempt in range(1, attempts + 1):
            request = await self._durable_request(session, endpoint, widen, cap)
            try:
                return await self._attempt(session, provider, request, turn_id, attempt)
            except ProviderError as error:
                wait = self._wait_after(session, error.failure, attempt, attempts)
                source = self._settings.find(session.state.endpoint_id)
                failed = failed_attempt(error, source, session.state.model, turn_id, (attempt, attempts), wait)
                session.append(failed)
                if wait is None:
                    host = urlsplit(endpoint.base_url).netloc or endpoint.label
                    sentence = failure_sentence(error.failure, endpoint.label, request.model, host, session.now())
                    tried = f" {attempt} attempts in {time.monotonic() - began:.0f} s." if attempt > 1 else ""
                    raise ModelFailed(error.failure.category, sentence + tried) from error
                await self._pause(session, endpoint, error.failure, attempt, attempts, wait)
        raise ModelFailed("server", "The service failed.")

    def retry_now(self, session_id: str) -> None:
        """Do not wait for the next attempt; does nothing when none is waited for."""
        if (waiting := self._waits.get(session_id)) is not None:
            waiting.set()

    async def _durable_request(self, session: Session, endpoint: Endpoint, widen: int, cap: Cap | None) -> Request:
        """The request, once all that it holds is on the disk."""
        seq = session.state.head_seq
        _, request = await asyncio.gather(session.barrier(), self._request(session, endpoint, widen, cap))
        if session.state.head_seq != seq:  # building it was recorded
            await session.barrier()
        return request

    async def _request(self, session: Session, endpoint: Endpoint, widen: int, cap: Cap | None) -> Request:
        await self._requests.begin(session)
        tools = self._judge.offered(session)
        searches = searches_at_vendor(session, self._settings, endpoint, resumes=is_paused(session))
        if searches:
            tools = tuple(tool for tool in tools if tool.name != TOOL)
        request = await self._requests.build(session, tools, endpoint)
        request = request.model_copy(update={"max_tokens": request.max_tokens * widen, "searches": searches})
        record_prompt(session, request, self._blobs)
        return request if cap is None else request.model_copy(update={"max_tokens": cap(request)})

    async def _attempt(
        self, session: Session, provider: Provider, request: Request, turn_id: str, attempt: int
    ) -> AssistantMessage:
        gatherer = StreamGatherer(session, new_id("msg_"))
        session.set_activity(Activity.REQUESTING)
        began, first_ms = time.monotonic(), None
        try:
            async with aclosing(provider.stream(request)) as deltas:
                async for delta in deltas:
                    if first_ms is None:
                        first_ms = round((time.monotonic() - began) * 1000)
                        session.set_activity(Activity.STREAMING)
                        if self._priced(session):
                            asyncio.get_running_loop().run_in_executor(None, warm_prices)
                    if isinstance(delta, AssistantMessage):
                        gatherer.close()
                        message = delta.model_copy(
                            update=self._stamped(session, delta, gatherer, turn_id, attempt)
                            | {"first_delta_ms": first_ms, "duration_ms": round((time.monotonic() - began) * 1000)}
                        )
                        done = self._vendor_events(session, delta.parts, message, request)
                        session.append_many([message, *done], lazy=True)
                        return message
                    gatherer.add(delta)
        except asyncio.CancelledError:
            self._keep_cut_text(session, gatherer, request, turn_id, attempt, "stopped")
            raise
        except ProviderError as error:
            if self._keep_cut_text(session, gatherer, request, turn_id, attempt, error.failure.category):
                text = (
                    "The connection broke while you were answering. Continue exactly where you stopped; do not repeat."
                )
                session.append(note("stream_cut", text, turn_id))
            raise
        except Exception:
            gatherer.discard("internal")
            raise
        failure = Failure(category="server", retryable=True, message="The stream ended without an answer.")
        raise ProviderError(failure)

    def _stamped(
        self, session: Session, delta: AssistantMessage, gatherer: StreamGatherer, turn_id: str, attempt: int
    ) -> dict[str, Any]:
        return {
            "message_id": gatherer.message_id,
            "endpoint_id": session.state.endpoint_id,
            "turn_id": turn_id,
            "attempt": attempt,
            "parts": session.with_own_call_ids(usable_answer(delta)),
            "cost_microusd": self._cost(session, delta.model or session.state.model, delta.usage),
        }

    def _cost(self, session: Session, model: str, usage: Usage) -> int | None:
        return request_cost(self._settings.find(session.state.endpoint_id), model, usage)

    def _priced(self, session: Session) -> bool:
        """Whether the cost of an answer is looked up in the price table."""
        endpoint = self._settings.find(session.state.endpoint_id)
        return endpoint is not None and bool(kind_of(endpoint).priced_as)

    def _keep_cut_text(
        self, session: Session, gatherer: StreamGatherer, request: Request, turn_id: str, attempt: int, reason: str
    ) -> bool:
        """Store what had arrived of an answer that was cut, its text and what the service did by itself, or withdraw
        what was shown. True: stored."""
        parts: tuple[JsonValue, ...] = gatherer.arrived()
        if not parts:
            gatherer.discard(reason)
            return False
        gatherer.close()
        cut = AssistantMessage(
            message_id=gatherer.message_id,
            parts=parts,
            endpoint_id=session.state.endpoint_id,
            model=request.model,
            interrupted=True,
            attempt=attempt,
            turn_id=turn_id,
            cost_microusd=0,
        )
        session.record(cut, *self._vendor_events(session, parts, cut, request))
        return True

    def _vendor_events(
        self, session: Session, parts: Parts, message: AssistantMessage, request: Request
    ) -> list[Event]:
        endpoint = self._settings.find(session.state.endpoint_id) or DEMO_ENDPOINT
        return vendor_events(session, parts, message, endpoint, offered=request.searches > 0)

    def _wait_after(self, session: Session, failure: Failure, attempt: int, attempts: int) -> float | None:
        """Seconds until the next attempt, None: there is none."""
        retries = sum(1 for e in session.turn_events() if isinstance(e, ProviderFailed))
        if not failure.retryable or attempt >= attempts or retries >= RETRIES_PER_TURN:
            return None
        return wait_before(attempt, failure)

    async def _pause(
        self, session: Session, endpoint: Endpoint, failure: Failure, attempt: int, attempts: int, wait: float
    ) -> None:
        host = urlsplit(endpoint.base_url).netloc or endpoint.label
        update = RetryScheduled(
            session_id=session.session_id,
            reason=retry_sentence(failure, endpoint.label, host),
            attempt=attempt + 1,
            max_attempts=attempts,
            retry_at=session.now() + timedelta(seconds=wait),
        )
        session.set_activity(Activity.RETRYING, update.reason)
        session.publish(update)
        now = self._waits[session.session_id] = asyncio.Event()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await now.wait()
        finally:
            self._waits.pop(session.session_id, None)


def usable_answer(message: AssistantMessage) -> AssistantMessage:
    """The answer without a call that was cut off at the output limit, and without anything where the model declined to
    answer (sessions-SL5)."""
    if message.stop_reason == "refusal":
        return message.model_copy(update={"parts": ()})
    last = message.parts[-1] if message.parts else None
    cut = message.stop_reason in CUT_REASONS and isinstance(last, dict) and last.get("type") == "tool_use"
    if cut and isinstance(last, dict) and (not isinstance(last.get("input"), dict) or not last.get("input")):
        return message.model_copy(update={"parts": message.parts[:-1]})
    return message
