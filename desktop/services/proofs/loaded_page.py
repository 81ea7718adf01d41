"""LoadedPage: a page while a browser loads it: what it says, what it may ask for, which files of the lane it gets."""

import asyncio
import base64
import contextlib
import mimetypes
from collections.abc import Coroutine
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import PathError
from desktop.domain.proofs.values import MAX_CONSOLE_LINES
from desktop.services.files.lane_files import LaneFiles
from desktop.services.proofs.browser import LANE_HOST
from desktop.services.proofs.devtools import DevTools, DevToolsError, Fields

MAX_RESOURCE_BYTES = 20 * 1024 * 1024
MAX_LINE_CHARS = 500
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class PageWish(Frozen):
    """The wish for a picture of a page. `url`: an address on one of `ports`, or `http://lane.localhost/<path>` for a
    file of the lane. Sides in pixels of the page."""

    url: str
    ports: tuple[int, ...] = ()
    width: int = 1280
    height: int = 800
    scale: int = 1
    wait_ms: int = 1_000
    full_page: bool = False
    theme: Literal["light", "dark"] = "light"

    @property
    def is_file(self) -> bool:
        """Whether it is a file of the lane."""
        return urlsplit(self.url).hostname == LANE_HOST


class LoadedPage:
    """`hear` is told what the browser tells of this page; `loaded` is set once the page says that it is."""

    def __init__(self, wish: PageWish, files: LaneFiles, tools: DevTools, session: str) -> None:
        self.loaded = asyncio.Event()
        self.console: list[str] = []
        self._wish = wish
        self._files = files
        self._tools = tools
        self._session = session
        self._tasks: set[asyncio.Task[None]] = set()

    def hear(self, method: str, fields: Fields) -> None:
        """Take one event of the browser."""
        match method:
            case "Page.loadEventFired":
                self.loaded.set()
            case "Runtime.consoleAPICalled":
                self._say(f"{fields.get('type')}: {_console_words(fields.get('args'))}")
            case "Runtime.exceptionThrown":
                self._say(f"error: {_exception_words(fields.get('exceptionDetails'))}")
            case "Log.entryAdded":
                entry = fields.get("entry")
                if isinstance(entry, dict) and not _of_browser(str(entry.get("url", ""))):
                    self._say(f"{entry.get('level')}: {entry.get('text')} {entry.get('url', '')}")
            case "Page.javascriptDialogOpening":
                self._say(f"dialog: {fields.get('message')}")
                self._begin(self._send("Page.handleJavaScriptDialog", accept=False))
            case "Fetch.requestPaused":
                self._begin(self._answer(fields))

    async def close(self) -> None:
        """Stop answering the page's requests."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, fields: Fields) -> None:
        """A request of the page: an own port goes on, a file of the lane is given, all else fails."""
        request = fields.get("request")
        url = str(request.get("url", "")) if isinstance(request, dict) else ""
        number = str(fields.get("requestId"))
        if urlsplit(url).hostname == LANE_HOST:
            await self._give_file(number, url)
        elif may_reach(url, self._wish.ports):
            await self._send("Fetch.continueRequest", requestId=number)
        else:
            self._blame("blocked", url, url)
            await self._send("Fetch.failRequest", requestId=number, errorReason="BlockedByClient")

    async def _give_file(self, number: str, url: str) -> None:
        path = unquote(urlsplit(url).path).lstrip("/")
        data = await asyncio.to_thread(self._read, path) if self._wish.is_file else None
        if data is None:
            self._blame("404", path, url)
            await self._send("Fetch.fulfillRequest", requestId=number, responseCode=404)
            return
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        header: JsonValue = {"name": "Content-Type", "value": kind}
        await self._send(
            "Fetch.fulfillRequest",
            requestId=number,
            responseCode=200,
            responseHeaders=[header],
            body=base64.b64encode(data).decode("ascii"),
        )

    def _read(self, path: str) -> bytes | None:
        """A file that an agent may read without being asked about; None for every other."""
        facts = self._files.resolve(path, "read")
        if facts.verdict != "inside" or facts.class_ == "secret" or facts.ask or facts.deny or facts.kind != "file":
            return None
        with contextlib.suppress(PathError, OSError):
            data = self._files.read_bytes(facts, max_bytes=MAX_RESOURCE_BYTES + 1)
            return data if len(data) <= MAX_RESOURCE_BYTES else None
        return None

    async def _send(self, method: str, **fields: JsonValue) -> None:
        with contextlib.suppress(DevToolsError):
            await self._tools.ask(method, self._session, **fields)

    def _begin(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _blame(self, problem: str, what: str, url: str) -> None:
        if not _of_browser(url):
            self._say(f"{problem}: {what}")

    def _say(self, line: str) -> None:
        if len(self.console) < MAX_CONSOLE_LINES:
            self.console.append(" ".join(line.split())[:MAX_LINE_CHARS])


def may_reach(url: str, ports: tuple[int, ...]) -> bool:
    """Whether a page may ask for this address: on this computer, on one of these ports, or within itself."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme in ("data", "blob", "about"):
        return True
    default = {"http": 80, "https": 443, "ws": 80, "wss": 443}.get(parts.scheme)
    return default is not None and parts.hostname in LOOPBACK and (port or default) in ports


def _of_browser(url: str) -> bool:
    """Whether a browser asks for this by itself, whatever the page holds: the small picture of a site."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).path == "/favicon.ico"
    return False


def _console_words(value: JsonValue) -> str:
    words = []
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            said = one.get("value", one.get("description", one.get("type")))
            words.append(str(said))
    return " ".join(words)


def _exception_words(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return "unknown"
    thrown = value.get("exception")
    said = thrown.get("description") if isinstance(thrown, dict) else None
    return str(said or value.get("text"))
