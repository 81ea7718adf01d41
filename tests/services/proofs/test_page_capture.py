"""Pages are taken by a real browser in the lane's sandbox, which reaches the lane's own ports and files alone."""

import asyncio
import io
import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PIL import Image

from desktop.domain.core.ids import new_session_id
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.proofs.browser import LANE_HOST, browser_arguments, find_browser
from desktop.services.proofs.devtools import DevTools
from desktop.services.proofs.loaded_page import LoadedPage, PageWish, may_reach
from desktop.services.proofs.page import CaptureFailed, capture_page

BROWSER = find_browser("", os.environ)
needs_browser = pytest.mark.skipif(not BROWSER, reason="no Chromium is installed")


class Server(ThreadingHTTPServer):
    """A page of the lane, or of another one; `asked` are the paths that were asked for."""

    def __init__(self, page: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.page, self.asked = page, list[str]()
        self.port = int(self.server_address[1])
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def end(self) -> None:
        self.shutdown()
        self.server_close()


class _Page(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def lane(tmp_path: Path) -> LaneFiles:
    (tmp_path / "site").mkdir()
    style = "body{background:#d00}@media(prefers-color-scheme:dark){body{background:#00d}}"
    (tmp_path / "site" / "style.css").write_text(style)
    (tmp_path / ".env").write_text("TOKEN=1")
    (tmp_path / "site" / "page.html").write_text(
        "<link rel=stylesheet href=style.css><p>Hello<img src=/.env><script>console.error('from the page')</script>"
    )
    return LaneFiles(tmp_path)


@pytest.fixture
def other() -> Iterator[Server]:
    server = Server("other")
    yield server
    server.end()


def passing() -> set[Path]:
    """What this process has put into the folder for temporary files."""
    return {one for one in Path(tempfile.gettempdir()).iterdir() if one.name.startswith(passing_prefix())}


def at(png: bytes, x: int, y: int) -> object:
    return Image.open(io.BytesIO(png)).convert("RGB").getpixel((x, y))


@needs_browser
@pytest.mark.asyncio
async def test_a_page_of_the_lane_is_taken_and_reaches_nothing_else(lane: LaneFiles, other: Server) -> None:
    other_port = other.port
    own = Server(
        "<style>body{margin:0;background:#0a0}</style><div style='height:2000px'>x</div><script>"
        f"fetch('http://127.0.0.1:{other_port}/fetched').catch(e => console.log('no fetch'));"
        f"new Image().src='http://localhost:{other_port}/image';"
        f"const s = new WebSocket('ws://127.0.0.1:{other_port}/socket'); s.onerror = () => console.log('no socket');"
        f"window.open('http://127.0.0.1:{other_port}/opened'); alert('hello');</script>"
    )
    before = passing()
    try:
        wish = PageWish(
            url=f"http://127.0.0.1:{own.port}/", ports=(own.port,), width=400, height=300, scale=2, wait_ms=3_000,
            full_page=True,
        )  # fmt: skip
        shot = await capture_page(BROWSER, wish, lane, Sandbox(os.environ), mark=new_session_id())
    finally:
        own.end()
    assert Image.open(io.BytesIO(shot.png)).size == (800, 4000)
    assert at(shot.png, 700, 3900) == (0, 170, 0)
    assert "/" in own.asked
    assert other.asked == [], "nothing but the lane's own port was reached"
    said = "\n".join(shot.console)
    assert f"blocked: http://127.0.0.1:{other_port}/fetched" in said
    assert "no fetch" in said
    assert "dialog: hello" in said
    assert passing() == before, "temporary files are removed"


@needs_browser
@pytest.mark.asyncio
async def test_a_file_of_the_lane_is_taken_without_a_network_and_without_secrets(lane: LaneFiles) -> None:
    wish = PageWish(url=f"http://{LANE_HOST}/site/page.html", width=320, height=240, wait_ms=0, theme="dark")
    shot = await capture_page(BROWSER, wish, lane, Sandbox(os.environ), mark=new_session_id())
    assert at(shot.png, 300, 200) == (0, 0, 221)
    assert "404: .env" in shot.console
    assert "error: from the page" in shot.console


@needs_browser
@pytest.mark.asyncio
async def test_where_nothing_answers_there_is_no_picture(lane: LaneFiles) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wish = PageWish(url=f"http://127.0.0.1:{port}/", ports=(port,), wait_ms=0)
    with pytest.raises(CaptureFailed, match="Nothing answers"):
        await capture_page(BROWSER, wish, lane, None, mark=new_session_id())


@pytest.mark.asyncio
async def test_a_browser_that_ends_at_once_or_hangs_is_told(lane: LaneFiles, tmp_path: Path) -> None:
    wish = PageWish(url=f"http://{LANE_HOST}/site/page.html")
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'no such library' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(CaptureFailed, match=r"ended at once: no such library|did not work"):
        await capture_page(str(broken), wish, lane, None, mark=new_session_id())
    broken.write_text("#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(CaptureFailed, match=r"not there within 0\.5 s"):
        await capture_page(str(broken), wish, lane, None, mark=new_session_id(), limit_s=0.5)


@pytest.mark.asyncio
async def test_what_a_browser_asks_for_by_itself_is_not_held_against_the_page(lane: LaneFiles, tmp_path: Path) -> None:
    to, back = tmp_path / "to", tmp_path / "back"
    for pipe in (to, back):
        os.mkfifo(pipe)
    tools = DevTools(to, back, lambda _method, _fields: None)
    page = LoadedPage(PageWish(url=f"http://{LANE_HOST}/site/index.html"), lane, tools, "one")
    for number, name in enumerate(("favicon.ico", "missing.css")):
        address = f"http://{LANE_HOST}/{name}"
        page.hear("Fetch.requestPaused", {"requestId": str(number), "request": {"url": address}})
        page.hear("Log.entryAdded", {"entry": {"level": "error", "text": "Failed to load", "url": address}})
        page.hear("Fetch.requestPaused", {"requestId": f"o{number}", "request": {"url": f"http://127.0.0.1:4/{name}"}})
    async with asyncio.timeout(20):
        while len(page.console) < 3:
            await asyncio.sleep(0)
    await page.close()
    await tools.close()
    assert sorted(page.console) == [
        "404: missing.css",
        "blocked: http://127.0.0.1:4/missing.css",
        f"error: Failed to load http://{LANE_HOST}/missing.css",
    ]


def test_only_own_ports_and_what_is_in_the_page_can_be_reached() -> None:
    assert may_reach("http://localhost:4100/x", (4100,))
    assert may_reach("data:text/plain,x", ())
    for url in ("http://127.0.0.1:4101/", "http://example.com:4100/", "https://127.0.0.1/", "file:///etc/passwd",
                "ftp://127.0.0.1:4100/", "http://127.0.0.1:99999/"):  # fmt: skip
        assert not may_reach(url, (4100,)), url


def test_the_browser_is_the_chosen_one_and_never_one_of_the_lane(tmp_path: Path) -> None:
    fake = tmp_path / "bin" / "chromium"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    path = {"PATH": str(fake.parent)}
    assert find_browser("", path) == str(fake)
    assert find_browser("", path, lane_root=tmp_path) in ("", find_browser("", {"PATH": ""}))
    assert find_browser(str(fake), {}) == str(fake)
    assert find_browser("/nowhere", path) == ""
    words = browser_arguments("/b", tmp_path, (4100,), confined=True)
    assert "--proxy-bypass-list=<-loopback>;127.0.0.1:4100;localhost:4100;[::1]:4100" in words
    assert "--no-sandbox" in words
