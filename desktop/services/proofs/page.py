"""Taking the picture of a page in a browser without a window, in the lane's sandbox, with nothing left of it."""

import asyncio
import base64
import binascii
import contextlib
import os
import time
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.processes.around import Place, ProcessError
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.session import Processes
from desktop.services.proofs.browser import browser_arguments
from desktop.services.proofs.devtools import DevTools, DevToolsError, Fields
from desktop.services.proofs.loaded_page import LoadedPage, PageWish

LIMIT_S = 15.0
LEFT_FOR_PICTURE_S = 2.0
MAX_PIXELS = 50_000_000
MAX_SIDE_PX = 16_000
# Constant text: what varies stands in a file.
_START = 'mapfile -d "" -t words <"$TMPDIR/words"; exec "${words[@]}" 3<"$TMPDIR/to" 4>"$TMPDIR/back"'


class CaptureFailed(BanksmanError):
    """The picture of a page could not be taken, and nothing of the attempt is left; the text says why."""


@dataclass(frozen=True)
class PageShot:
    """The picture as PNG; `console`: what the page said and which requests failed, oldest first."""

    png: bytes
    console: tuple[str, ...] = ()


async def capture_page(
    browser: str, wish: PageWish, files: LaneFiles, sandbox: Sandbox | None, *, mark: str, limit_s: float = LIMIT_S
) -> PageShot:
    """The page as the browser draws it. Its own profile folder and everything it started are gone afterwards.

    Raises:
        CaptureFailed: the browser does not come up, nothing answers, or the time is over.
    """
    processes = Processes(mark, os.environ, lane_root=files.root, sandbox=sandbox)
    try:
        async with asyncio.timeout(limit_s):
            return await _captured(browser, wish, files, processes, sandbox, time.monotonic() + limit_s)
    except TimeoutError as error:
        raise CaptureFailed(f"The page was not there within {limit_s:g} s.") from error
    except (DevToolsError, ProcessError, OSError) as error:
        raise CaptureFailed(f"The browser did not work: {error}") from error
    finally:
        await asyncio.shield(processes.stop_all())


async def _captured(
    browser: str, wish: PageWish, files: LaneFiles, processes: Processes, sandbox: Sandbox | None, deadline: float
) -> PageShot:
    confined = sandbox is not None and (await sandbox.ready()).tier != "none"
    folder = processes.private_folder()
    words = browser_arguments(browser, folder / "profile", wish.ports, confined=confined)
    await asyncio.to_thread(_prepare, folder, words)
    pages: list[LoadedPage] = []

    def on_event(method: str, fields: Fields) -> None:
        for page in pages:
            page.hear(method, fields)

    tools = DevTools(folder / "to", folder / "back", on_event)
    try:
        await tools.open()
        shell = await processes.start_background(_START, cwd=files.root, place=Place(network=not wish.is_file))
        ended = asyncio.create_task(processes.wait(shell, LIMIT_S))
        taking = asyncio.create_task(_taken(tools, wish, files, pages, deadline))
        try:
            await asyncio.wait({ended, taking}, return_when=asyncio.FIRST_COMPLETED)
            if not taking.done():
                raise CaptureFailed(await _why_it_ended(processes, shell))
            return PageShot(taking.result(), tuple(line for page in pages for line in page.console))
        finally:
            for task in (ended, taking):
                task.cancel()
            await asyncio.gather(ended, taking, *(page.close() for page in pages), return_exceptions=True)
    finally:
        await tools.close()


def _prepare(folder: Path, words: tuple[str, ...]) -> None:
    for name in ("to", "back"):
        os.mkfifo(folder / name, 0o600)
    (folder / "words").write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
    (folder / "profile").mkdir(mode=0o700)


async def _why_it_ended(processes: Processes, shell: str) -> str:
    text = (await processes.output(shell, tail_lines=20)).text
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"The browser ended at once{f': {lines[-1][:200]}' if lines else '.'}"


async def _taken(tools: DevTools, wish: PageWish, files: LaneFiles, pages: list[LoadedPage], deadline: float) -> bytes:
    """The whole way from an empty page to the picture."""
    target = await tools.ask("Target.createTarget", url="about:blank")
    attached = await tools.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
    own = str(attached["sessionId"])
    for domain in ("Page", "Runtime", "Log"):
        await tools.ask(f"{domain}.enable", own)
    page = LoadedPage(wish, files, tools, own)
    pages.append(page)
    await tools.ask("Fetch.enable", own, patterns=[{"urlPattern": "*"}])
    await tools.ask("Browser.setDownloadBehavior", behavior="deny")
    await tools.ask(
        "Emulation.setDeviceMetricsOverride",
        own,
        width=wish.width,
        height=wish.height,
        deviceScaleFactor=wish.scale,
        mobile=False,
    )
    scheme: JsonValue = {"name": "prefers-color-scheme", "value": wish.theme}
    await tools.ask("Emulation.setEmulatedMedia", own, features=[scheme])
    went = await tools.ask("Page.navigate", own, url=wish.url)
    if went.get("errorText"):
        raise CaptureFailed(_not_loaded(wish, str(went["errorText"])))
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(deadline - time.monotonic() - 2 * LEFT_FOR_PICTURE_S, 0.5)):
            await page.loaded.wait()
    await asyncio.sleep(min(wish.wait_ms / 1000, max(deadline - time.monotonic() - LEFT_FOR_PICTURE_S, 0)))
    return await _picture(tools, own, wish)


async def _picture(tools: DevTools, session: str, wish: PageWish) -> bytes:
    given: dict[str, JsonValue] = {}
    if wish.full_page:
        metrics = await tools.ask("Page.getLayoutMetrics", session)
        size = metrics.get("cssContentSize")
        fields = size if isinstance(size, dict) else {}
        width = min(_whole(fields.get("width"), wish.width), MAX_SIDE_PX // wish.scale)
        height = min(_whole(fields.get("height"), wish.height), MAX_SIDE_PX // wish.scale)
        height = min(height, MAX_PIXELS // (width * wish.scale * wish.scale))
        given = {
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
        }
    answer = await tools.ask("Page.captureScreenshot", session, format="png", **given)
    try:
        return base64.b64decode(str(answer.get("data", "")), validate=True)
    except (binascii.Error, ValueError) as error:
        raise CaptureFailed("The browser gave no picture.") from error


def _whole(value: JsonValue, otherwise: int) -> int:
    return max(int(value), 1) if isinstance(value, int | float) else otherwise


def _not_loaded(wish: PageWish, reason: str) -> str:
    if "CONNECTION_REFUSED" in reason:
        return f"Nothing answers at {wish.url}. Start the server of this lane first."
    return f"{wish.url} could not be loaded ({reason})."
