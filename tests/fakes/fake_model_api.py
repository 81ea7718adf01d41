"""A model service on 127.0.0.1 that speaks two streaming protocols, /v1/messages and chat completions, from a script.

As a program: `python -m tests.fakes.fake_model_api --script turns.json [--loop]` prints its address and serves until
its standard input ends.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.chat_turns import ChatWords, chat_message
from tests.fakes.model_turns import (
    Answer,
    Call,
    HttpFailure,
    Turn,
    answer_from_json,
    events_of,
    http_failure,
    message_of,
    text_turn,
    tool_turn,
    turn,
)
from tests.validity import chat_faults, request_faults

__all__ = ["Call", "FakeModelApi", "RecordedRequest", "http_failure", "text_turn", "tool_turn", "turn"]

MESSAGES, CHAT = "/v1/messages", "/v1/chat/completions"
DEFAULT_MODELS = ({"id": "claude-sonnet-4-6", "display_name": "Claude Sonnet 4.6", "max_input_tokens": 200_000},)


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it arrived. Header names in lower case; `body` {} if it was not a JSON object; `connection`: the
    same for all that came over one."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    body: dict[str, Any]
    at: float
    connection: int

    @property
    def key(self) -> str:
        """The key it carried, in either header, or ""."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ").strip()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The message list it carried."""
        return self.body.get("messages", [])


class FakeModelApi:
    """The service, in a thread of its own. Use as a context manager, or call `close()`.

    Each request to /v1/messages or /v1/chat/completions takes the next answer of the script. Without one it is refused
    with status 400, so that a request too many is seen. So is one whose messages no service would take, and then
    `close` raises AssertionError with what was wrong with it, so that no test passes by. `models` None: there is no
    list; `models_page`: a page is sent in its place; `kind`: of the endpoints that a test makes for it. All methods may
    be called from any thread.
    """

    def __init__(self, *, keys: frozenset[str] = frozenset(), models: tuple[dict[str, Any], ...] | None = None) -> None:
        self.keys = keys
        self.models: tuple[dict[str, Any], ...] | None = DEFAULT_MODELS if models is None else models
        self.models_page = ""
        self.kind = "compatible"
        self.closed_by_client = 0
        self._answers: deque[Answer] = deque()
        self._loop_answers = False
        self._responder: Callable[[RecordedRequest], Answer] | None = None
        self._all: list[RecordedRequest] = []
        self._faults: list[str] = []
        self._paused = False
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._held = asyncio.Event()
        self._address: str = ""
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), name="fake-model-api", daemon=True)
        self._thread.start()
        if not started.wait(25):
            raise RuntimeError("the fake model service did not start")

    @property
    def url(self) -> str:
        """Its address, `http://127.0.0.1:<port>`."""
        return self._address

    @property
    def requests(self) -> list[RecordedRequest]:
        """The requests for an answer, in order of arrival."""
        with self._changed:
            return [request for request in self._all if request.path in (MESSAGES, CHAT)]

    @property
    def all_requests(self) -> list[RecordedRequest]:
        """Every request, in order of arrival."""
        with self._changed:
            return list(self._all)

    def script(self, *answers: Answer, loop: bool = False) -> None:
        """Replace what is left of the script. `loop`: begin again at its end."""
        with self._changed:
            self._answers = deque(answers)
            self._loop_answers = loop

    def more(self, *answers: Answer) -> None:
        """Add to the end of the script."""
        with self._changed:
            self._answers.extend(answers)

    def answer_with(self, responder: Callable[[RecordedRequest], Answer] | None) -> None:
        """Answer each request with what `responder` returns, instead of the script."""
        with self._changed:
            self._responder = responder

    @property
    def left(self) -> int:
        """How many answers of the script are still to come."""
        with self._changed:
            return len(self._answers)

    def go_on(self) -> None:
        """Send the rest of what the fault `hold` keeps, and of all answers after it."""
        self._loop.call_soon_threadsafe(self._held.set)

    def wait_for_requests(self, count: int, timeout_s: float = 25.0) -> None:
        """Until `count` requests for an answer have arrived. Raises TimeoutError."""
        with self._changed:
            enough = self._changed.wait_for(
                lambda: sum(r.path in (MESSAGES, CHAT) for r in self._all) >= count, timeout_s
            )
        if not enough:
            raise TimeoutError(f"{len(self.requests)} of {count} requests arrived in {timeout_s} s")

    def close(self) -> None:
        """End all connections and the thread. Raises AssertionError when a request was none that a service takes."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
        faults, self._faults = self._faults, []
        assert not faults, f"requests that no service takes: {faults}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _serve(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._run(started))
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _run(self, started: threading.Event) -> None:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post(MESSAGES, self._on_messages)
        app.router.add_post(CHAT, self._on_messages)
        app.router.add_get("/v1/models", self._on_models)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self._address = f"http://{host}:{port}"
        started.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _record(self, request: web.Request) -> RecordedRequest:
        raw = await request.read()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = body if isinstance(body, dict) else {}
        port = request.transport.get_extra_info("peername")[1] if request.transport is not None else 0
        recorded = RecordedRequest(request.method, request.path, headers, raw, body, time.monotonic(), port)
        with self._changed:
            self._all.append(recorded)
            self._changed.notify_all()
        return recorded

    def _next_answer(self, recorded: RecordedRequest) -> Answer:
        with self._changed:
            responder = self._responder
        if responder is not None:
            return responder(recorded)
        with self._changed:
            if not self._answers:
                return HttpFailure(400, "invalid_request_error", "the script of the fake has no further answer")
            answer = self._answers.popleft()
            if self._loop_answers:
                self._answers.append(answer)
            return answer

    async def _on_models(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        if self.keys and recorded.key not in self.keys:
            return _failure(HttpFailure(401, "authentication_error", "invalid x-api-key"))
        if self.models_page:
            return web.Response(text=self.models_page, content_type="text/html")
        if self.models is None:
            return web.Response(status=404, text="404 page not found")
        return web.json_response({"data": list(self.models), "has_more": False})

    async def _on_messages(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        chat = recorded.path == CHAT
        if self.keys and recorded.key not in self.keys:
            return _failure(HttpFailure(401, "authentication_error", "invalid x-api-key"), chat=chat)
        faults = self._faults_of(recorded)
        self._faults += faults
        answer = self._next_answer(recorded) if not faults else HttpFailure(400, "invalid_request_error", faults[0])
        if isinstance(answer, HttpFailure):
            return _failure(answer, chat=chat)
        self._paused = answer.stop_reason == "pause_turn"
        with self._changed:
            number = len(self._all)
        message = message_of(answer, str(recorded.body.get("model", "")), number)
        speech = Speech(f"req_{number:08d}", ChatWords(message["model"]) if chat else None)
        try:
            return await _send_turn(request, answer, message, speech, self._held)
        except (asyncio.CancelledError, ConnectionError):
            self.closed_by_client += 1
            raise

    def _faults_of(self, recorded: RecordedRequest) -> list[str]:
        if not recorded.messages:
            return []
        if recorded.path == CHAT:
            return chat_faults(recorded.messages)
        return request_faults(recorded.messages, resumes=self._paused)


@dataclass(frozen=True)
class Speech:
    """How an answer is said. `chat`: in chunks of chat completions, None: in events of /v1/messages."""

    request_id: str
    chat: ChatWords | None

    @property
    def headers(self) -> dict[str, str]:
        return {"x-request-id" if self.chat is not None else "request-id": self.request_id}

    def wire(self, event: dict[str, Any], *, named: bool = True) -> bytes:
        """An event as it is sent."""
        return self.chat.wire(event) if self.chat is not None else _wire(event, named=named)


def _failure(answer: HttpFailure, *, chat: bool = False) -> web.Response:
    if answer.body:
        return web.Response(status=answer.status, text=answer.body, headers=answer.headers)
    if chat:
        said = {"message": answer.message, "type": answer.type or None, "param": None, "code": None}
        body: dict[str, Any] = {"error": said}
    else:
        error = {"type": "error", "error": {"type": answer.type, "message": answer.message}, "request_id": "req_failed"}
        body = error if answer.type else {"detail": answer.message}
    name = "x-request-id" if chat else "request-id"
    return web.json_response(body, status=answer.status, headers={name: "req_failed", **answer.headers})


async def _send_turn(
    request: web.Request, turn: Turn, message: dict[str, Any], speech: Speech, held: asyncio.Event
) -> web.StreamResponse:
    fault = turn.fault
    if turn.delay_s:
        await asyncio.sleep(turn.delay_s)
    if fault == "drop_before":
        return _cut(request)
    if fault == "stall_before":
        await asyncio.Event().wait()
    if fault == "html":
        return web.Response(text="<html><body>Sign in to the hotel network</body></html>", content_type="text/html")
    if fault == "json":
        whole = chat_message(message) if speech.chat is not None else message
        return web.json_response(whole, headers=speech.headers)
    if fault == "json_garbage":
        return web.json_response({"hello": "world"})
    if fault.startswith("raw:"):
        return web.Response(text=turn.text, content_type=fault.removeprefix("raw:"))
    headers = {"content-type": "text/event-stream", "cache-control": "no-cache", **speech.headers}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    if fault == "one_chunk":
        await response.write(b"".join(speech.wire(event) for event in events_of(turn, message)))
        return response
    if fault == "stall_before_event":
        await asyncio.Event().wait()
    return await _send_events((request, response), turn, message, speech, held)


async def _send_events(
    connection: tuple[web.Request, web.StreamResponse],
    turn: Turn,
    message: dict[str, Any],
    speech: Speech,
    held: asyncio.Event,
) -> web.StreamResponse:
    request, response = connection
    for event in events_of(turn, message):
        fault = turn.fault
        if fault == "eof_before_stop" and event["type"] == "message_delta":
            return response
        if (fault == "drop_before_stop" and event["type"] == "message_delta") or (
            fault == "drop_after_stop_reason" and event["type"] == "message_stop"
        ):
            await asyncio.sleep(0.05)
            return _cut(request)
        await response.write(speech.wire(event, named=fault != "no_event_lines"))
        delta = event.get("delta", {}).get("type", "")
        if delta == "text_delta" and await _fault_in_text(response, turn, speech, held):
            return response
        if fault.removeprefix("drop_in_") + "_delta" == delta.replace("input_json", "input"):
            await asyncio.sleep(0.05)
            return _cut(request)
        if turn.delay_s:
            await asyncio.sleep(turn.delay_s)
    return response


async def _fault_in_text(response: web.StreamResponse, turn: Turn, speech: Speech, held: asyncio.Event) -> bool:
    """Whether the answer ends here."""
    fault = turn.fault
    if fault == "hold":
        await held.wait()
    if fault == "eof_in_text":
        return True
    if fault == "malformed":
        await response.write(b'event: content_block_delta\ndata: {"type": "content_block_delta", oops\n\n')
        return True
    if fault.startswith("error:"):
        kind = fault.removeprefix("error:")
        error = {"type": "error", "error": {"type": kind, "message": turn.error_message or kind}}
        await response.write(speech.wire(error))
        return True
    if fault == "stall":
        await asyncio.Event().wait()
    while fault == "stall_pings":
        await response.write(speech.wire({"type": "ping"}))
        await asyncio.sleep(0.05)
    return False


def _wire(event: dict[str, Any], *, named: bool = True) -> bytes:
    head = f"event: {event['type']}\n" if named else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()


def _cut(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def main() -> int:
    """Serve a script file until standard input ends."""
    parser = argparse.ArgumentParser(description="A scripted model service on 127.0.0.1.")
    parser.add_argument("--script", type=Path, required=True, help="JSON: a list of answers")
    parser.add_argument("--loop", action="store_true", help="begin again at the end of the script")
    options = parser.parse_args()
    answers = [answer_from_json(value) for value in json.loads(options.script.read_text())]
    with FakeModelApi() as api:
        api.script(*answers, loop=options.loop)
        print(api.url, flush=True)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
