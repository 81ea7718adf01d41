"""What the tools of one chat can do about proofs: pages of its lane, the screen, files."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Session
from desktop.agent.proofs.intake import NewProof, ProofIntake
from desktop.agent.proofs.posting import ProofPosting
from desktop.agent.proofs.screen import WAY_FILE, ScreenPictures
from desktop.agent.proofs.windows import LaneWindows
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.ids import new_id
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.values import MAX_TITLE, Backend
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.leftovers import passing_prefix
from desktop.services.processes.ports import listeners
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.proofs.browser import LANE_HOST, find_browser
from desktop.services.proofs.files import copy_of_lane
from desktop.services.proofs.loaded_page import LOOPBACK, PageWish
from desktop.services.proofs.page import capture_page
from desktop.services.proofs.type import ProofRefused, largest
from desktop.tools.proof_calls import (
    AddedProof,
    Ask,
    CaptureBlocked,
    PostedProofs,
    WantedFile,
    WantedPage,
    WantedScreen,
)

PAGES = (".html", ".htm", ".svg", ".xhtml")
_BLOCKED_TOLD: Mapping[str, str] = {"browser": "no browser that works without a window was found"}
NO_BROWSER = _BLOCKED_TOLD["browser"]
INSTALL = "ask the person to install Chromium or to choose a browser in Settings"
Capturing = Callable[[str, str], None]


def page_path(url: str) -> str | None:
    """The path of a file that an address names, None for an address of a server."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    return url if not parts.scheme or "://" not in url else None


class PageCapture:
    """Pages of lanes, for agents and for people. `capturing` is told lane and title, and "" when it is over."""

    def __init__(self, settings: SettingsKeeper, sandbox: Sandbox, intake: ProofIntake, capturing: Capturing) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._intake = intake
        self._capturing = capturing

    def browser(self, lane: Lane | None = None) -> str:
        """The browser in use, "" for none. Blocking (a millisecond)."""
        root = Path(lane.worktree_path) if lane is not None else None
        return find_browser(self._settings.current.browser, os.environ, lane_root=root)

    def problem(self, lane: Lane, url: str, files: LaneFiles) -> str:
        """Why this address is none that can be captured, "" when it is. Blocking (some milliseconds)."""
        path = page_path(url)
        if path is not None:
            return _file_problem(files, path)
        try:
            parts = urlsplit(url)
            port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
        except ValueError:
            return f"{url} is no address"
        if parts.scheme not in ("http", "https") or parts.hostname not in LOOPBACK:
            return f"{url} is not on this computer; only pages of this lane on 127.0.0.1 are captured"
        if parts.username is not None or parts.password is not None:
            return "an address with a name or password is not opened"
        own = range(lane.ports, lane.ports + lane.port_count) if lane.ports else range(0)
        found = listeners([port]).get(port)
        of_other = found is not None and found.lane_id not in ("", lane.id)
        if (port in own and not of_other) or (found is not None and found.lane_id == lane.id):
            return ""
        ports = f"its ports are {own[0]} to {own[-1]}" if own else "it has no ports"
        return f"port {port} does not belong to this lane ({ports})"

    async def take(self, lane: Lane, wanted: WantedPage, new: NewProof, files: LaneFiles) -> AddedProof:
        """The page as a proof.

        Raises:
            CaptureBlocked: there is no browser.
            BanksmanError: it cannot be captured, or nothing was to be seen; nothing was stored.
        """
        problem = await asyncio.to_thread(self.problem, lane, wanted.url, files)
        if problem:
            raise ProofRefused(f"Not captured: {problem}.")
        browser = await asyncio.to_thread(self.browser, lane)
        if not browser:
            raise CaptureBlocked("missing", NO_BROWSER, (INSTALL, WAY_FILE))
        title = wanted.title or _title(wanted.url)
        self._capturing(lane.id, title)
        try:
            wish = _wish(lane, wanted, files)
            shot = await capture_page(browser, wish, files, self._sandbox, mark=new_id(f"{lane.id}.page."))
            new = replace(new, name="page.png", title=title, source=_source(wanted.url), scale=wanted.scale)
            added = await self._intake.keep(lane, shot.png, replace(new, console=shot.console))
            return added.model_copy(update={"picture": await self._intake.for_model(shot.png)})
        finally:
            self._capturing(lane.id, "")


@dataclass(frozen=True)
class ProofSources:
    """Where proofs come from."""

    ground: Ground
    intake: ProofIntake
    pages: PageCapture
    screens: ScreenPictures
    windows: LaneWindows
    posting: ProofPosting


class SessionProofs:
    """ChatProofs of one chat."""

    def __init__(self, sources: ProofSources, session: Session, lane: Lane) -> None:
        self._ground = sources.ground
        self._pages = sources.pages
        self._intake = sources.intake
        self._screens = sources.screens
        self._windows = sources.windows
        self._posting = sources.posting
        self._session = session
        self._lane = lane

    def page_problem(self, url: str) -> str:
        """See ChatProofs."""
        if self._session.files is None:
            return "this chat has no lane"
        return self._pages.problem(self._lane_now(), url, self._session.files)

    def file_problem(self, path: str) -> str:
        """See ChatProofs."""
        own = self._own_temporary(path)
        if is_temporary(path):
            return "" if own is not None else f"{path} belongs to another chat"
        files = self._session.files
        facts = files.resolve(path, "read") if files is not None else None
        if facts is None or facts.verdict == "outside":
            return f"{path} is not in this lane or in this chat's TMPDIR"
        return ""

    async def page(self, call_id: str, wanted: WantedPage, files: LaneFiles) -> AddedProof:
        """See ChatProofs."""
        new = self._made_by(call_id, NewProof(backend="page", description=wanted.description))
        return await self._pages.take(self._lane_now(), wanted, new, files)

    async def window(self, call_id: str, wanted: WantedScreen) -> AddedProof | None:
        """See ChatProofs."""
        found = await self._windows.of_lane(self._lane.id, wanted.window)
        if found is None:
            return None
        picture, titles = found
        new = NewProof(
            backend="window",
            name="window.png",
            title=wanted.title or "Window",
            description=wanted.description,
            source=picture.window.title,
        )
        added = await self._intake.keep(self._lane_now(), picture.png, self._made_by(call_id, new))
        shown = await self._intake.for_model(picture.png)
        return added.model_copy(update={"picture": shown, "windows": titles})

    async def screen(self, call_id: str, wanted: WantedScreen, ask: Ask) -> AddedProof:
        """See ChatProofs."""
        sent = await self._screens.sent(call_id, wanted, ask)
        backend: Backend = "window" if wanted.target == "window" and sent.cropped else "desktop"
        new = NewProof(
            backend=backend,
            name="screen.png",
            title=wanted.title or ("Window" if backend == "window" else "Screen"),
            description=wanted.description,
            scale=sent.scale,
            source=sent.screen,
        )
        added = await self._intake.keep(self._lane_now(), sent.data, self._made_by(call_id, new))
        return added.model_copy(update={"picture": await self._intake.for_model(sent.data)})

    async def attach(self, call_id: str, wanted: WantedFile, files: LaneFiles) -> AddedProof:
        """See ChatProofs."""
        problem = self.file_problem(wanted.path)
        if problem:
            raise ProofRefused(f"{problem}.")
        if wanted.compare_with and self._intake.store.get(wanted.compare_with) is None:
            raise ProofRefused(f'There is no proof "{wanted.compare_with}" to compare with.')
        own, path = self._own_temporary(wanted.path), wanted.path
        if own is not None:
            files, path = own
        copied = await asyncio.to_thread(copy_of_lane, files, path, largest())
        new = NewProof(
            backend="file",
            name=copied.name,
            title=wanted.title,
            description=wanted.description,
            kind=wanted.kind,
            source=copied.name,
            compare_with=wanted.compare_with,
        )
        return await self._intake.keep(self._lane_now(), copied.data, self._made_by(call_id, new))

    def post_target(self, proof_ids: tuple[str, ...]) -> str:
        """See ChatProofs."""
        return self._posting.target(self._lane_now(), proof_ids)

    async def post(self, proof_ids: tuple[str, ...], target: str) -> PostedProofs:
        """See ChatProofs."""
        return await self._posting.post(self._lane_now(), proof_ids, target)

    def _made_by(self, call_id: str, new: NewProof) -> NewProof:
        return replace(new, session_id=self._session.session_id, call_id=call_id)

    def _lane_now(self) -> Lane:
        return self._ground.lane(self._lane.id)

    def _own_temporary(self, path: str) -> tuple[LaneFiles, str] | None:
        """The files of this chat's temporary folder and the path in it; None for every other path."""
        if not is_temporary(path) or self._session.processes is None:
            return None
        folder = self._session.processes.private_folder()
        below = Path(path)
        if ".." in below.parts or not below.is_relative_to(folder):
            return None
        return LaneFiles(folder), str(below.relative_to(folder))


def is_temporary(path: str) -> bool:
    """Whether a path stands in a temporary folder of some chat of this process."""
    return path.startswith(str(Path(tempfile.gettempdir()) / passing_prefix()))


def _file_problem(files: LaneFiles, path: str) -> str:
    facts = files.resolve(path, "read")
    if facts.verdict != "inside" or facts.kind != "file":
        return f"{path} is no file of this lane"
    if not facts.rel.lower().endswith(PAGES):
        return f"{path} is no HTML or SVG file"
    return ""


def _wish(lane: Lane, wanted: WantedPage, files: LaneFiles) -> PageWish:
    path, url = page_path(wanted.url), wanted.url
    ports = tuple(range(lane.ports, lane.ports + lane.port_count)) if lane.ports else ()
    if path is not None:
        url, ports = f"http://{LANE_HOST}/{quote(files.resolve(path, 'read').rel)}", ()
    else:
        ports = tuple({*ports, urlsplit(url).port or 0} - {0})
    return PageWish(
        url=url,
        ports=ports,
        width=wanted.width,
        height=wanted.height,
        scale=wanted.scale,
        wait_ms=wanted.wait_ms,
        full_page=wanted.full_page,
        theme=wanted.theme,
    )


def _source(url: str) -> str:
    """The address without its query: that may hold a secret."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))[:1000] if parts.scheme else url[:1000]


def _title(url: str) -> str:
    source = _source(url)
    return (source.rpartition("://")[2] or source)[:MAX_TITLE]
