"""Editor: a program that drives `banksman acp` as editors do, over its pipes, and looks at every message it gets."""

import asyncio
import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.events import Envelope
from desktop.store.database import open_store
from tests.agent.rig import folders_below
from tests.cli.running import environment
from tests.fakes.acp_schema import problems
from tests.forking import Forked, fork

PROGRAM = "tests.cli.acp_program"
WAIT_S = 60.0
LINE_BYTES = 64 * 1024 * 1024
Answer = Callable[[dict[str, Any]], Any]


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]


def use_service(home: Path, url: str, kind: str = "compatible") -> None:
    """Settings below `home` whose one model service is at this address."""
    service = Endpoint(id="fake", label="Fake", kind=kind, base_url=url, auth="none", default_model="small")
    save_settings(folders_below(home).settings_file, Settings(endpoints=(service,), default_endpoint="fake"))


def pick(option: str) -> Answer:
    """A person who picks this option of every permission."""
    return lambda params: {"outcome": {"outcome": "selected", "optionId": option}}


def log_of(home: Path, chat: str) -> list[Envelope]:
    """The log of a chat, once no process holds it."""
    store = open_store(folders_below(home).store)
    try:
        return list(store.events.path(chat))
    finally:
        store.close()


class Editor:
    """Use as an asynchronous context manager. `asks`: by method, what answers a request of the agent, None: an error; a
    coroutine may be given too. `asked`, `updates`: what came, in order. Every message is checked against the schema."""

    def __init__(self, home: Path, folder: Path, *words: str, **variables: str) -> None:
        self.asks: dict[str, Answer] = {}
        self.asked: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []
        self.cancelled: list[Any] = []
        self.faults: list[str] = []
        self._env, self._folder, self._words = environment(home, **variables), folder, list(words)
        self._answers: dict[int | str, asyncio.Future[dict[str, Any]]] = {}
        self._methods: dict[int | str, str] = {}
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0
        self.over = False

    async def __aenter__(self) -> Self:
        reading, self._writing = os.pipe()
        self.process = self.start(["acp", *self._words], self._folder, self._env, reading)
        os.close(reading)
        assert self.process.stdout is not None
        reader = asyncio.StreamReader(limit=LINE_BYTES)
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self.process.stdout
        )
        self._spawn(self._read(reader))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        if kind is None:
            await asyncio.to_thread(self.process.wait, WAIT_S)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._transport.close()
        with self.process:
            pass
        if kind is None:
            assert self.faults == [], "\n".join(self.faults)

    def start(
        self, words: list[str], folder: Path, environ: dict[str, str], stdin: int
    ) -> "Forked | subprocess.Popen[bytes]":
        """The agent, with pipes."""
        return fork(PROGRAM, words, folder, environ, stdin=stdin)

    def leave(self) -> None:
        """Close the agent's input, as an editor that is closed does."""
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        while data:
            data = data[os.write(self._writing, data) :]

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def begin(self, method: str, params: Any, number: int | str = 0) -> "asyncio.Future[dict[str, Any]]":
        """Send a request; its answer, whole. `number`: its id, 0 for the next one."""
        self._count += 1
        number = number or self._count
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._methods[number] = method
        self.send(id=number, method=method, params=params)
        return answer

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and wait; its result. Raises Refused: it is an error."""
        return result_of(await asyncio.wait_for(self.begin(method, params), WAIT_S))

    async def greet(self, **can: Any) -> dict[str, Any]:
        """Begin. `can`: what the editor is capable of."""
        info = {"name": "zed", "version": "1"}
        return await self.ask("initialize", protocolVersion=1, clientCapabilities=can, clientInfo=info)

    async def new(self, folder: Path, servers: list[dict[str, Any]] | None = None) -> str:
        """A chat; its id."""
        made = await self.ask("session/new", cwd=str(folder), mcpServers=servers or [])
        return str(made["sessionId"])

    def prompt(self, chat: str, text: str) -> "asyncio.Future[dict[str, Any]]":
        """Send a message; the answer comes with the end of its turn."""
        return self.begin("session/prompt", {"sessionId": chat, "prompt": [{"type": "text", "text": text}]})

    async def say(self, chat: str, text: str) -> str:
        """Send a message and wait; the stop reason."""
        return str(result_of(await asyncio.wait_for(self.prompt(chat, text), WAIT_S))["stopReason"])

    async def asked_about(self, folder: Path, text: str) -> "tuple[str, asyncio.Future[dict[str, Any]]]":
        """Begin, and send a message to a new chat. Once a card came: the chat, and the answer that will come."""
        await self.greet()
        chat = await self.new(folder)
        answer = self.prompt(chat, text)
        await self.until(lambda: bool(self.asked), "no card came")
        return chat, answer

    async def cancel(self, chat: str, answer: "asyncio.Future[dict[str, Any]]") -> None:
        """Stop a turn whose card waits: it ends as cancelled, and the card is taken back."""
        self.send(method="session/cancel", params={"sessionId": chat})
        assert (await asyncio.wait_for(answer, 30))["result"] == {"stopReason": "cancelled"}
        assert self.cancelled == [{"requestId": self.asked[0]["id"]}]

    async def until(self, holds: Callable[[], bool], why: str) -> None:
        """Wait until something holds of what came."""
        async with self._news:
            try:
                await asyncio.wait_for(self._news.wait_for(holds), WAIT_S)
            except TimeoutError as error:
                raise AssertionError(f"{why}; came: {json.dumps(self.updates)[-2000:]}") from error

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The updates of one kind."""
        return [one for one in self.updates if one["sessionUpdate"] == kind]

    @property
    def text(self) -> str:
        """All that the agent said."""
        return "".join(one["content"]["text"] for one in self.of("agent_message_chunk"))

    def calls(self) -> list[dict[str, Any]]:
        """What is known of each call by now, in the order in which they came."""
        known: dict[str, dict[str, Any]] = {}
        for one in self.updates:
            if "toolCallId" in one:
                known[one["toolCallId"]] = known.get(one["toolCallId"], {}) | one
        return list(known.values())

    # Within

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message = json.loads(line)
            assert isinstance(message, dict), line
            assert message.get("jsonrpc") == "2.0", line
            async with self._news:
                self._take(message)
                self._news.notify_all()
        self.over = True
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result({"error": {"code": 0, "message": "the agent has gone"}})
        async with self._news:
            self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            number = message["id"]
            if "result" in message:
                self._look(self._methods[number], "Response", message["result"])
            else:
                assert isinstance(message["error"]["code"], int)
            answer = self._answers.pop(number)
            if not answer.done():
                answer.set_result(message)
        elif "id" in message:
            self._look(method, "Request", message["params"])
            self.asked.append(message)
            self._spawn(self._answer(message))
        else:
            self._look(method, "Notification", message["params"])
            if method == "session/update":
                self.updates.append({**message["params"]["update"], "chat": message["params"]["sessionId"]})
            else:
                self.cancelled.append(message["params"])

    def _look(self, method: str, part: Any, value: Any) -> None:
        self.faults += [f"{method} {part}: {one}" for one in problems(method, part, value)]

    async def _answer(self, message: dict[str, Any]) -> None:
        answer = self.asks.get(message["method"])
        if answer is None:
            return
        result = answer(message["params"])
        if isinstance(result, Awaitable):
            result = await result
        if result is None:
            self.send(id=message["id"], error={"code": -32603, "message": "The editor failed."})
        elif self._writing >= 0:
            self.send(id=message["id"], result=result)

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def result_of(message: dict[str, Any]) -> dict[str, Any]:
    """The result of an answer. Raises Refused: it is an error."""
    if "error" in message:
        raise Refused(message["error"])
    result: dict[str, Any] = message["result"]
    return result
