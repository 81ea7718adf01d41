"""Redirects: where a browser brings a person's answer after a sign-in, on a random port of 127.0.0.1, once.

Each authority has a path of its own: one that knows Banksman by a fixed id compares paths and lets the port be any, so
it sends nobody back to where another authority is waited for (RFC 9700, 4.4).
"""

import asyncio
import hashlib
import secrets
from typing import Self
from urllib.parse import parse_qs, urlsplit

from desktop.records import dataclass
from desktop.services.mcp.sign_in.place import SignInError, shown

MAX_HEAD = 16 * 1024
READ_S = 10.0
_PATH = "/signed-in/"
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>Banksman</title>"
    "<p style='font:16px sans-serif;margin:3em'>{text} You can close this page.</p>"
)
_HEAD = (
    "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n"
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nReferrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
)


@dataclass(frozen=True)
class Returned:
    """What a browser brought. `issuer`: who it says that it comes from, None if it does not say."""

    code: str
    issuer: str | None


def return_place(issuer: str) -> str:
    """Where an authority is to send people back to, without the port, which is another one each time."""
    return f"http://127.0.0.1{_path(issuer)}"


def _path(issuer: str) -> str:
    return _PATH + hashlib.sha256(issuer.encode()).hexdigest()[:16]


class Redirects:
    """It listens from when it is made by `open` until the first answer, or until it is closed. Only an answer with the
    `state` that was sent along counts; any other one ends the sign-in with an error, and so does a refusal."""

    def __init__(self, issuer: str) -> None:
        """`issuer`: the authority that is waited for."""
        self._path = _path(issuer)
        self.state = secrets.token_urlsafe(32)
        self.address = ""
        self._host = ""
        self._answer: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None

    @classmethod
    async def open(cls, issuer: str) -> Self:
        """Begin to listen for what this authority sends."""
        redirects = cls(issuer)
        server = await asyncio.start_server(redirects._meet, "127.0.0.1", 0, limit=MAX_HEAD)
        redirects._server = server
        redirects._host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        redirects.address = f"http://{redirects._host}{redirects._path}"
        return redirects

    async def answer(self) -> Returned:
        """What the browser brings.

        Raises:
            SignInError: it was not for this sign-in, or a refusal.
        """
        try:
            return await self._answer
        finally:
            self.close()

    def close(self) -> None:
        """Listen no longer."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if not self._answer.cancel() and not self._answer.cancelled():
            self._answer.exception()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_S):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                status, text = self._reply(head)
                page = _PAGE.format(text=text).encode()
                writer.write(_HEAD.format(status=status, length=len(page)).encode() + page)
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()

    def _reply(self, head: str) -> tuple[str, str]:
        first, *lines = head.split("\r\n")
        words = first.split(" ")
        parts = urlsplit(words[1]) if len(words) == 3 else urlsplit("")
        hosts = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
        if words[0] != "GET" or parts.path != self._path or hosts != [self._host]:
            return "404 Not Found", "There is nothing here."
        if self._answer.done():
            return "410 Gone", "This sign-in is over."
        outcome = self._judged({name: values[0] for name, values in parse_qs(parts.query).items()})
        if isinstance(outcome, SignInError):
            self._answer.set_exception(outcome)
            return "400 Bad Request", "Nobody was signed in."
        self._answer.set_result(outcome)
        return "200 OK", "Banksman has the answer."

    def _judged(self, said: dict[str, str]) -> Returned | SignInError:
        if not secrets.compare_digest(said.get("state", "").encode(), self.state.encode()):
            return SignInError("The browser brought an answer of another sign-in. Nobody was signed in; try again.")
        if "error" in said:
            return SignInError(f"The sign-in was refused ({shown(said.get('error_description') or said['error'])}).")
        if not said.get("code"):
            return SignInError("The browser came back without an answer. Nobody was signed in; try again.")
        return Returned(said["code"], said.get("iss"))
