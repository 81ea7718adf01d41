"""The GitHub stand-in: a server on 127.0.0.1 in a thread of its own, and everything a test does to it.

    def test_…(github: FakeGitHub) -> None:                       # the fixture, see plugin.py
        repo = github.add_repo("octo/app")                        # a bare repository with one commit on main
        sha = repo.push("feature", {"a.py": "x = 1\\n"}, by="mona")
        pull = repo.open_pull("feature", title="Add x")
        repo.workflow(sha, jobs={"test": "failure"})
        github.fail(faults.answer_lost(), on="POST /repos/*/pulls")

`base_url` is the site (git addresses, device flow), `api_url` the REST root in the manner of an Enterprise host
(`/api/v3`), `graphql_url` its GraphQL; the manner of api.github.com is served too: REST at `base_url` itself, GraphQL
at `base_url + "/graphql"`. `token` belongs to `login`, who owns what `add_repo` makes under that name.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.github.changes import Changes, Pushed
from tests.fakes.github.control import RepoControl
from tests.fakes.github.device_flow import DeviceFlow
from tests.fakes.github.faults import Rule
from tests.fakes.github.model import Account, Token, World
from tests.fakes.github.service import Rate, Service, request_names
from tests.fakes.github.wire import Exchange, Fault, Request

LOGIN = "octo"
TOKEN = "ghp_standin0000000000000000000000000000"


class FakeGitHub:
    """Use as a context manager: its end raises AssertionError when a request or an answer departed from what GitHub
    publishes. All methods may be called from any thread."""

    def __init__(self, folder: Path, *, login: str = LOGIN, token: str = TOKEN) -> None:
        self.world = World(folder)
        self.changes = Changes(self.world)
        self.service = Service(self.world, self.changes, Rate(self.world.now() + timedelta(hours=1)))
        self.login, self.token = login, token
        self.add_token(login, token)
        self._exchanges: list[Exchange] = []
        self._log_requests: list[Request] = []
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), name="fake-github", daemon=True)
        self._thread.start()
        if not started.wait(25):
            raise RuntimeError("the stand-in did not start")

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return self.service.web

    @property
    def host(self) -> str:
        """`127.0.0.1:<port>`."""
        return self.base_url.removeprefix("http://")

    @property
    def api_url(self) -> str:
        """The root of REST, `…/api/v3`."""
        return f"{self.base_url}/api/v3"

    @property
    def graphql_url(self) -> str:
        """Where GraphQL is, `…/api/graphql`."""
        return f"{self.base_url}/api/graphql"

    @property
    def rate(self) -> Rate:
        """The quota as it stands."""
        return self.service.rate

    def set_rate(self, remaining: int, *, resets_in_s: float = 3600, limit: int = 5000) -> None:
        """So much of the quota is left until then."""
        with self.world.lock:
            now = self.world.now()
            self.service.rate = Rate(now + timedelta(seconds=resets_in_s), limit, remaining)

    @property
    def device(self) -> DeviceFlow:
        """Signing in by a code: script `steps`, read `client_id`."""
        return self.service.device

    @property
    def log_requests(self) -> list[Request]:
        """What arrived at the other host, where logs are; the token does not belong there."""
        with self._changed:
            return list(self._log_requests)

    def take_departures(self) -> list[str]:
        """Where requests or answers departed from what GitHub publishes, so far; they are forgotten by this. The
        end of the stand-in raises for those that are left."""
        with self.world.lock:
            taken, self.service.departures = self.service.departures, []
            return taken

    def add_account(self, login: str, *, kind: str = "User", name: str = "") -> Account:
        """The account of that login, made if new. `kind`: User, Bot or Organization."""
        with self.world.lock:
            account = self.world.account(login)
            account.type = "Bot" if login.endswith("[bot]") else kind
            account.name = name or account.name
            return account

    def add_token(self, login: str, value: str, *, scopes: Sequence[str] | None = ("repo", "workflow", "read:org"),
                  expires_at: datetime | None = None, read_only: bool = False) -> Token:  # fmt: skip
        """A token of that account, in the place of one with the same value. `scopes` None: fine-grained, which may be
        `read_only`. Set `revoked` on it to take it back."""
        with self.world.lock:
            self.world.account(login)
            token = Token(value, login, tuple(scopes) if scopes is not None else None, expires_at, False, read_only)
            self.world.tokens[value] = token
            return token

    def add_repo(
        self, full_name: str, *, private: bool = True, default_branch: str = "main", empty: bool = False
    ) -> RepoControl:
        """A new repository with one commit (README.md) unless `empty`."""
        owner, _, name = full_name.partition("/")
        with self.world.lock:
            account = self.world.account(owner)
            repo = self.changes.new_repo(account, name, private=private, default_branch=default_branch)
            if not empty:
                self.changes.commit(repo, default_branch, {"README.md": f"# {name}\n"}, "Initial commit", account)
        return RepoControl(self.changes, repo, self.base_url)

    def repo(self, full_name: str) -> RepoControl:
        """The repository of that name today. Raises KeyError."""
        found = self.world.repo_named(*full_name.split("/", 1))
        if found is None:
            raise KeyError(full_name)
        return RepoControl(self.changes, found, self.base_url)

    def on_push(self, hook: Callable[[Pushed], object]) -> None:
        """Call `hook` whenever a branch moved, before the pusher is answered; it may use all of this API."""
        self.changes.on_push.append(hook)

    def fail(self, fault: Fault, on: str = "*", *, times: int | None = 1, skip: int = 0) -> Rule:
        """The next `times` requests that match get that fault (None: all; the first `skip` pass). `on` is a pattern
        over "METHOD /path" without /api/v3, with `*` for anything, or "METHOD " and the described path
        (`PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge`), or `POST /graphql resolveReviewThread`. Set
        `times = 0` on the rule to end it."""
        rule = Rule(on, fault, times, skip)
        with self.world.lock:
            self.service.rules.append(rule)
        return rule

    def heal(self) -> None:
        """No faults any more."""
        with self.world.lock:
            self.service.rules.clear()

    def advance(self, seconds: float) -> None:
        """Its clock goes forward."""
        with self.world.lock:
            self.world.clock_ahead += timedelta(seconds=seconds)

    @property
    def exchanges(self) -> list[Exchange]:
        """Every request with its answer, in the order in which they were answered."""
        with self._changed:
            return list(self._exchanges)

    def asked(self, on: str = "*") -> list[Exchange]:
        """Those that match, see `fail`."""
        return [
            each
            for each in self.exchanges
            if Rule(on, Fault(""), None, 0).takes(request_names(each.request, each.route))
        ]

    def wait_for(self, count: int, on: str = "*", timeout_s: float = 25.0) -> list[Exchange]:
        """Until that many requests that match were answered. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.asked(on)) >= count, timeout_s):
                raise TimeoutError(
                    f"{len(self.asked(on))} of {count} requests {on!r} in {timeout_s} s: {self.exchanges}"
                )
        return self.asked(on)

    def close(self) -> None:
        """End all connections and the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
        departures = self.take_departures()
        if departures and kind is None:
            raise AssertionError("This is not how GitHub's interface is described:\n" + "\n".join(departures))

    def _serve(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._run(started))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _run(self, started: threading.Event) -> None:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", "/{path:.*}", self._on_request)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.2, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.service.web = f"http://{host}:{port}"
        logs = web.Application()
        logs.router.add_get("/logs/{repo}/{job}", self._on_log)
        log_runner = web.AppRunner(logs, handler_cancellation=True, shutdown_timeout=0.2, access_log=None)
        await log_runner.setup()
        await web.TCPSite(log_runner, "127.0.0.1", 0).start()
        self.changes.log_host = f"http://{host}:{log_runner.addresses[0][1]}"
        started.set()
        await self._stop.wait()
        await runner.cleanup()
        await log_runner.cleanup()

    async def _on_log(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        with self._changed:
            self._log_requests.append(Request("GET", request.path, "", request.query_string, headers, b""))
        repo = self.world.repos.get(int(request.match_info["repo"]))
        job = repo.jobs.get(int(request.match_info["job"])) if repo is not None else None
        if job is None or job.log is None:
            return web.Response(status=404, text="The specified blob does not exist.")
        if request.headers.get("Authorization"):  # the real log host then wants a signature of its own kind
            return web.Response(status=400, text="InvalidAuthenticationInfo")
        return web.Response(body=job.log.encode(), content_type="text/plain")

    async def _on_request(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        path, api = request.path, ""
        if path.startswith("/api/"):
            api = "/api/v3"
            path = path.removeprefix("/api/v3" if path.startswith("/api/v3/") else "/api")
        path = self.service.named(path)
        headers = {name.lower(): value for name, value in request.headers.items()}
        arrived = Request(request.method, path, api, request.query_string, headers, raw)
        exchange = await asyncio.to_thread(self._exchange, arrived)
        if exchange.fault is not None and exchange.fault.delay_s:
            await asyncio.sleep(exchange.fault.delay_s)
        return await _send(request, exchange)

    def _exchange(self, arrived: Request) -> Exchange:
        exchange = self.service.exchange(arrived)
        with self._changed:
            self._exchanges.append(exchange)
            self._changed.notify_all()
        return exchange


async def _send(request: web.Request, exchange: Exchange) -> web.StreamResponse:
    answer, fault = exchange.answer, exchange.fault
    if answer is None or (fault is not None and fault.cut == "after"):
        return _cut(request)
    payload = answer.payload()
    headers = {**answer.headers, **({"Content-Type": answer.content_type} if payload else {})}
    if fault is None or fault.cut != "within":
        return web.Response(status=answer.status, body=payload or None, headers=headers)
    response = web.StreamResponse(status=answer.status, headers={**headers, "Content-Length": str(len(payload))})
    await response.prepare(request)
    await response.write(payload[: len(payload) // 2])
    await asyncio.sleep(0.02)  # so that the half arrives before the end
    return _cut(request)


def _cut(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
