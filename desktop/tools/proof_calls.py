"""The calls that tools about proofs make to the engine, and what they get."""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import BanksmanError
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.proofs.values import Proof, ProofKind
from desktop.services.files.lane_files import LaneFiles

Blocked = Literal["blocked_by_capability", "missing"]
Ask = Callable[[InputRequest], Awaitable[Answer]]


class CaptureBlocked(BanksmanError):
    """No picture can be taken this way. `ways`: what would help, as parts of a sentence."""

    def __init__(self, kind: Blocked, why: str, ways: tuple[str, ...]) -> None:
        super().__init__(why)
        self.kind = kind
        self.ways = ways


class CaptureDeclined(BanksmanError):
    """A person saw the picture and did not send it. `note`: their words; `stop_turn`: they want the turn to end."""

    def __init__(self, note: str, *, stop_turn: bool) -> None:
        super().__init__(note)
        self.note = note
        self.stop_turn = stop_turn


class WantedPage(Frozen):
    """A page as the agent asks for it: see the tool."""

    url: str
    title: str = ""
    description: str = ""
    width: int = 1280
    height: int = 800
    scale: int = 1
    wait_ms: int = 1_000
    full_page: bool = False
    theme: Literal["light", "dark"] = "light"


class WantedScreen(Frozen):
    """A picture of the screen as the agent asks for it. `window`: part of the title of the window it means."""

    target: Literal["window", "desktop"]
    window: str = ""
    title: str = ""
    description: str = ""


class WantedFile(Frozen):
    """A file that is to become a proof."""

    path: str
    kind: ProofKind | None = None
    title: str = ""
    description: str = ""
    compare_with: str = ""


class AddedProof(Frozen):
    """The proof that is there now; `again`: and was before. `picture`: what a model is shown, PNG, b"" for none.
    `windows`: titles of the lane's windows, that of the picture first, when one was taken without a person."""

    proof: Proof
    again: bool = False
    picture: bytes = b""
    windows: tuple[str, ...] = ()


class PostedProofs(Frozen):
    """A request that names proofs now: `owner/name#42`, and where it lies. `block`: the part of its text that does;
    `before`: the one that was in its place, "" for none."""

    request: str
    url: str
    block: str
    before: str = ""


class ChatProofs(Protocol):
    """The acts that one chat can do about proofs."""

    def page_problem(self, url: str) -> str:
        """Why this address cannot be captured from this chat's lane, "" when it can. Takes some milliseconds."""
        ...

    def file_problem(self, path: str) -> str:
        """Why a file cannot be attached, "" when it can."""
        ...

    async def page(self, call_id: str, wanted: WantedPage, files: LaneFiles) -> AddedProof:
        """A page of the lane. `files`: held to what was judged.

        Raises:
            CaptureBlocked: there is no browser.
            BanksmanError: it could not be taken; nothing was stored.
        """
        ...

    async def window(self, call_id: str, wanted: WantedScreen) -> AddedProof | None:
        """A window of a program that was started in the lane. None: a person has to look first, since there is none, or
        it cannot be told, or a window of another program lies over it.

        Raises:
            BanksmanError: the lane has windows, but none that is meant; or nothing was to be seen. Nothing was stored.
        """
        ...

    async def screen(self, call_id: str, wanted: WantedScreen, ask: Ask) -> AddedProof:
        """The screen, after a person saw the picture and left of it what may be sent.

        Raises:
            CaptureBlocked: no picture can be taken here.
            CaptureDeclined: a person did not send it; nothing was stored.
        """
        ...

    async def attach(self, call_id: str, wanted: WantedFile, files: LaneFiles) -> AddedProof:
        """A file of the lane or of the chat's temporary folder. `files`: held to what was judged.

        Raises:
            BanksmanError: it is refused; nothing was stored.
        """
        ...

    def post_target(self, proof_ids: tuple[str, ...]) -> str:
        """The readers and the exact text of a post into the lane's request. Takes some milliseconds.

        Raises:
            BanksmanError: one of them is not this lane's.
        """
        ...

    async def post(self, proof_ids: tuple[str, ...], target: str) -> PostedProofs:
        """Put the text of `target` into the lane's request.

        Raises:
            BanksmanError: it is not what would be posted any more, or it cannot be.
        """
        ...
