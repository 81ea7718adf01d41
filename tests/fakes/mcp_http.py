"""An MCP server over HTTP on 127.0.0.1, spoken by hand, so that it can do what no library would."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

INFO = {"name": "fake", "version": "1.0"}
ECHO = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}


@dataclass(frozen=True)
class SeenRequest:
    """A request as it came. Header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body as JSON."""
        return json.loads(self.body)

    @property
    def token(self) -> str:
        """The token that it carried, ""."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


class ServedApp:
    """An application on a port of 127.0.0.1, in a thread of its own. A context manager."""

    def __init__(self) -> None:
        self.seen: list[SeenRequest] = []
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._stop = asyncio.Event()
        self.port = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def origin(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def routes(self) -> list[web.RouteDef]:
        """What it answers."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(25)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(25)

    def asked(self, path: str) -> list[SeenRequest]:
        """The requests for a path, in order."""
        return [one for one in self.seen if one.path == path]

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._run())
        self._loop.close()

    async def _run(self) -> None:
        @web.middleware
        async def note(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            headers = {name.lower(): value for name, value in request.headers.items()}
            self.seen.append(SeenRequest(request.method, request.path, headers, await request.read()))
            return await handler(request)

        app = web.Application(middlewares=[note], client_max_size=64 * 1024 * 1024)
        app.add_routes(self.routes())
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()


@dataclass
class Habits:
    """How the server behaves. `token`: who does not bring it is refused with `challenge`. `old`: it speaks server-sent
    events alone. `events`: it answers posts as events. `redirect`: where it sends posts. `big`: how many bytes the
    answer of a call has. `packed`: it answers gzip whatever was asked. `session`: the id that it gives one;
    `deaf_to_goodbye`: it never answers when that is ended. `abilities`: what else it says that it has."""

    token: str = ""
    challenge: str = "Bearer"
    old: bool = False
    events: bool = False
    redirect: str = ""
    big: int = 0
    packed: bool = False
    session: str = ""
    deaf_to_goodbye: bool = False
    abilities: tuple[str, ...] = ("resources", "prompts", "completions")
    tools: list[dict[str, Any]] = field(default_factory=lambda: [dict(ECHO)])
    answers: dict[str, Any] = field(default_factory=dict)


class FakeMcpHttp(ServedApp):
    """The server, at `url`. Its habits may be changed at any time."""

    def __init__(self, **habits: Any) -> None:
        super().__init__()
        self.habits = Habits(**habits)
        self._queues: list[asyncio.Queue[str]] = []

    @property
    def url(self) -> str:
        """Where it is spoken to."""
        return f"{self.origin}/mcp"

    @property
    def methods(self) -> list[str]:
        """The methods that it was asked, in order."""
        return [one.json.get("method", "") for one in self.seen if one.method == "POST" and one.path in ("/mcp", "/in")]

    def routes(self) -> list[web.RouteDef]:
        """One address, and one for posts of the old kind."""
        return [
            web.post("/mcp", self._post),
            web.post("/moved", self._post),
            web.get("/mcp", self._get),
            web.delete("/mcp", self._delete),
            web.post("/in", self._old_post),
        ]

    async def _post(self, request: web.Request) -> web.StreamResponse:
        habits = self.habits
        if habits.redirect and request.path == "/mcp":
            raise web.HTTPTemporaryRedirect(habits.redirect)
        if habits.token and request.headers.get("Authorization") != f"Bearer {habits.token}":
            return web.Response(status=401, headers={"WWW-Authenticate": habits.challenge})
        if habits.old:
            return web.Response(status=405)
        answer = self._answer(await request.json())
        if answer is None:
            return web.Response(status=202)
        text = json.dumps(answer)
        if habits.packed:
            return web.Response(body=text.encode(), headers={"Content-Encoding": "gzip"})
        if habits.events:
            return web.Response(text=f"event: message\ndata: {text}\n\n", content_type="text/event-stream")
        named = {"Mcp-Session-Id": habits.session} if habits.session else {}
        return web.Response(text=text, content_type="application/json", headers=named)

    async def _delete(self, request: web.Request) -> web.StreamResponse:
        if self.habits.deaf_to_goodbye:
            await asyncio.Event().wait()
        return web.Response(status=204)

    async def _get(self, request: web.Request) -> web.StreamResponse:
        if not self.habits.old:
            return web.Response(status=405)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        await stream.write(b"event: endpoint\ndata: /in\n\n")
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._queues.append(queue)
        while True:
            text = await queue.get()
            await stream.write(f"event: message\ndata: {text}\n\n".encode())

    async def _old_post(self, request: web.Request) -> web.StreamResponse:
        answer = self._answer(await request.json())
        if answer is not None:
            for queue in self._queues:
                queue.put_nowait(json.dumps(answer))
        return web.Response(status=202)

    def _answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if "id" not in message or "method" not in message:
            return None
        return {"jsonrpc": "2.0", "id": message["id"], **self._outcome(message["method"], message.get("params") or {})}

    def _outcome(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method in self.habits.answers:
            return {"result": self.habits.answers[method]}
        match method:
            case "initialize":
                capabilities = {name: {} for name in ("tools", *self.habits.abilities)}
                version = params["protocolVersion"]
                return {"result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": INFO}}
            case "ping":
                return {"result": {}}
            case "tools/list":
                return {"result": {"tools": self.habits.tools}}
            case "tools/call":
                text = "x" * self.habits.big if self.habits.big else json.dumps(params.get("arguments"))
                return {"result": {"content": [{"type": "text", "text": text}]}}
        return {"error": {"code": -32601, "message": "Method not found"}}
