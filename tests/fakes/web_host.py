"""A web server on 127.0.0.1: what is asked of it, and what it answers, path by path."""

import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self


class Asked(NamedTuple):
    """One request: method, path with its query, headers in lower case, body."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Told(NamedTuple):
    """One answer. Without a length of its own, a body in pieces is sent until the other side hangs up."""

    body: bytes | Callable[[], Iterable[bytes]] = b""
    headers: Mapping[str, str] = {"Content-Type": "text/html; charset=utf-8"}
    status: int = 200


class WebHost(ThreadingHTTPServer):
    """`pages`: answers by path without its query, 404 for all others. `asked`: all requests, in order."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Told] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.pages = dict(pages or {})
        self.asked: list[Asked] = []
        self.port = int(self.server_address[1])

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [one.path for one in self.asked]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Exchange(BaseHTTPRequestHandler):
    server: WebHost

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        self.server.asked.append(Asked(self.command, self.path, headers, body))
        told = self.server.pages.get(self.path.partition("?")[0], Told(b"gone", status=404))
        with contextlib.suppress(ConnectionError):
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            if isinstance(told.body, bytes):
                self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            for piece in [told.body] if isinstance(told.body, bytes) else told.body():
                self.wfile.write(piece)

    def log_message(self, *_: object) -> None:
        """Quiet."""
