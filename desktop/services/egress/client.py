"""EgressClient: one client of the proxy, with its socket, the hosts it may reach and its limits."""

import asyncio
import contextlib
import errno
import os
import socket
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from desktop.policy.network.hosts import Refused, is_allowed
from desktop.records import dataclass
from desktop.services.egress.connecting import AddressRefused
from desktop.services.egress.egress import Reach, Reports
from desktop.services.egress.joining import IDLE_S, End, joined
from desktop.services.egress.requests import MAX_HEAD, NotAsked, Wanted, answer, read_request
from desktop.services.egress.routes import Routes

MAX_CONNECTIONS = 64
MAX_BYTES_A_DAY = 2 * 1024**3
HEAD_LIMIT_S = 10.0
CONNECT_LIMIT_S = 20.0
MODEL_IDLE_S = 600.0
MAX_KEPT_OUT = 5
MAX_REASON = 200
PORT = 3128
"""The port on 127.0.0.1 that stands for the proxy in a sandbox with a network of its own."""
LEND = b"listen\n"
LENT = b"ok\n"
_ADDRESS = f"http://127.0.0.1:{PORT}"
_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
VARIABLES = {
    **{name: _ADDRESS for one in _NAMES for name in (one, one.lower())},
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
    "NODE_USE_ENV_PROXY": "1",
}
"""What tells programs in the sandbox of the proxy."""
_WHY_TOLD: Mapping[type[OSError], str] = {
    ConnectionRefusedError: "connection refused",
    ConnectionResetError: "the connection was reset",
    TimeoutError: "no answer",
    socket.gaierror: "its name was not found",
    ssl.SSLCertVerificationError: "its certificate is not trusted",
}
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH)


@dataclass(frozen=True)
class Limits:
    """How much one client may use."""

    connections: int = MAX_CONNECTIONS
    bytes_a_day: int = MAX_BYTES_A_DAY
    idle_s: float = IDLE_S
    head_s: float = HEAD_LIMIT_S


USUAL = Limits()


class EgressClient:
    """Made by `Egress.client`, on the engine's loop; closed by `close`, or at the end of a `with`.

    `socket`: where it is served: a sandbox shows this path to its program, and whoever started it without one gives it
    the path alone. `environment`: what tells its programs of the proxy. Once closed, nothing connects and what was
    connected has ended.
    """

    def __init__(self, reach: Reach, place: Path, routes: Routes, reports: Reports, limits: Limits = USUAL) -> None:
        self.hosts, self._own = reach.hosts, reach.own
        self.socket = place
        self.environment = dict(VARIABLES)
        self.kept_out: list[str] = []
        self._limits = limits
        self._routes = routes
        self._reports = reports
        self._loop = asyncio.get_running_loop()
        self._listening: list[socket.socket] = []
        self._serving: set[asyncio.Task[None]] = set()
        self._closed = False
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            server.bind(str(place))
            place.chmod(0o600)
            self._listen(server)
        except BaseException:
            server.close()
            raise

    def __enter__(self) -> "EgressClient":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all of its connections, and take its socket away."""
        if self._closed:
            return
        self._closed = True
        for server in self._listening:
            self._loop.remove_reader(server.fileno())
            server.close()
        for task in self._serving:
            task.cancel()
        self.socket.unlink(missing_ok=True)
        self._reports.closed()

    def _listen(self, server: socket.socket) -> None:
        server.setblocking(False)
        server.listen(MAX_CONNECTIONS)
        self._listening.append(server)
        self._loop.add_reader(server.fileno(), self._accept, server)

    def _accept(self, server: socket.socket) -> None:
        try:
            connection, _ = server.accept()
        except OSError as error:
            if error.errno == errno.EINVAL:  # whoever lent it has ended it, and it would be found ready for ever
                self._loop.remove_reader(server.fileno())
            return
        connection.setblocking(False)
        if len(self._serving) >= self._limits.connections:
            with contextlib.suppress(OSError):
                connection.send(answer("503 Busy", f"{self._limits.connections} connections are open already."))
            connection.close()
            return
        task = self._loop.create_task(self._serve(connection), name="egress connection")
        self._serving.add(task)
        self._reports.serving(task)
        task.add_done_callback(self._serving.discard)
        task.add_done_callback(lambda _: connection.close())  # also of one that was cancelled before it began

    async def _serve(self, connection: socket.socket) -> None:
        """One connection, to its end. Whatever goes wrong closes it."""
        try:
            async with asyncio.timeout(self._limits.head_s):
                head, rest = await self._head(connection)
            if head:
                await self._pass_on(connection, head, rest)
        except (OSError, TimeoutError):
            return
        finally:
            connection.close()

    async def _head(self, connection: socket.socket) -> tuple[bytes, bytes]:
        """The head of the request and what follows it; nothing where a sandbox lent its own listening socket."""
        await self._readable(connection)
        read, lent, _, _ = socket.recv_fds(connection, MAX_HEAD, 1, socket.MSG_CMSG_CLOEXEC)
        if lent:
            self._take_in(lent, read, connection)
            return b"", b""
        while b"\r\n\r\n" not in read:
            more = await self._loop.sock_recv(connection, MAX_HEAD)
            if not more or len(read) + len(more) > MAX_HEAD:
                return (b"\r\n\r\n", b"") if more else (b"", b"")
            read += more
        head, _, rest = read.partition(b"\r\n\r\n")
        return head + b"\r\n\r\n", rest

    async def _readable(self, connection: socket.socket) -> None:
        ready = asyncio.Event()
        self._loop.add_reader(connection.fileno(), ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_reader(connection.fileno())

    def _take_in(self, lent: list[int], words: bytes, connection: socket.socket) -> None:
        """Serve on a socket that was made inside a sandbox, where nothing of the network of this computer is. Each
        client lends one."""
        try:
            server = socket.socket(fileno=lent[0])
        except OSError:
            os.close(lent[0])
            raise
        try:
            if words != LEND or len(self._listening) > 1 or server.family != socket.AF_INET:
                raise OSError("not the one socket of a sandbox")
            self._listen(server)
        except OSError:
            server.close()
            raise
        connection.send(LENT)

    async def _pass_on(self, connection: socket.socket, head: bytes, rest: bytes) -> None:
        wanted = read_request(head, self._own)
        if isinstance(wanted, Refused):
            if isinstance(wanted, NotAsked):
                self._reports.refused(wanted.what, 0)
            status = "403 Forbidden" if isinstance(wanted, NotAsked) else "400 Bad Request"
            await self._say(connection, status, wanted.reason)
        elif not wanted.chosen and (
            wanted.host.is_address or not is_allowed(wanted.host.name, wanted.port, self.hosts)
        ):
            self._reports.counted(wanted.host.name, wanted.port, refused=1)
            self._reports.refused(wanted.host.name, wanted.port)
            if wanted.place not in self.kept_out and len(self.kept_out) < MAX_KEPT_OUT:
                self.kept_out.append(wanted.place)
            await self._say(connection, "403 Forbidden", f"{wanted.place} is not among the hosts that may be reached.")
        elif self._reports.used(0) >= self._limits.bytes_a_day:
            await self._say(connection, "429 Too Much", "The bytes of a day are used up.")
        else:
            await self._through(connection, wanted, rest)

    async def _through(self, connection: socket.socket, wanted: Wanted, rest: bytes) -> None:
        name, port = wanted.host.name, wanted.port
        heard = wanted.heard
        far = End(lambda count: self._count(name, port, down=count), heard.feed if heard is not None else None)
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                await self._routes.connect(wanted, far)
        except AddressRefused as error:
            self._reports.counted(name, port, refused=1)
            await self._say(connection, "403 Forbidden", str(error))
            return
        except (OSError, TimeoutError) as error:
            why = _why(error)
            self._reports.unreached(name, port, why)
            await self._say(connection, "502 Bad Gateway", f"{wanted.place} cannot be reached: {why}.")
            return
        self._reports.counted(name, port, connections=1)
        near = End(self._upward(wanted, len(rest)))
        try:
            if not wanted.first:
                await self._loop.sock_sendall(connection, b"HTTP/1.1 200 Connection established\r\n\r\n")
            if wanted.body is not None and len(rest) > wanted.body:
                return
            first = wanted.first + rest
            if first and not self._count(name, port, up=len(first)):
                return
            far.write(first)
            await self._loop.connect_accepted_socket(lambda: near, connection.dup())
            await joined(near, far, idle_s=MODEL_IDLE_S if wanted.chosen else self._limits.idle_s)
        finally:
            far.abort()
            if heard is not None:
                heard.end()

    def _upward(self, wanted: Wanted, sent: int) -> Callable[[int], bool]:
        """Whether so many more bytes may go up; of a body that has an end, no more than it has."""
        left = wanted.body

        def counted(count: int) -> bool:
            nonlocal sent
            sent += count
            return self._count(wanted.host.name, wanted.port, up=count) and (left is None or sent <= left)

        return counted

    def _count(self, host: str, port: int, *, up: int = 0, down: int = 0) -> bool:
        self._reports.counted(host, port, bytes_up=up, bytes_down=down)
        return self._reports.used(up + down) <= self._limits.bytes_a_day

    async def _say(self, connection: socket.socket, status: str, sentence: str) -> None:
        await self._loop.sock_sendall(connection, answer(status, sentence))
        connection.shutdown(socket.SHUT_WR)
        await asyncio.sleep(0)


def _why(error: OSError) -> str:
    """Why a host cannot be reached, as it follows a colon."""
    if error.errno in _NO_WAY:
        return "there is no way to it from here"
    told = next((words for kind, words in _WHY_TOLD.items() if isinstance(error, kind)), "")
    return told or " ".join(str(error).split())[:MAX_REASON].rstrip(". ") or "no answer"
