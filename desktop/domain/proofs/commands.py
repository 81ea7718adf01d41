"""Commands about proofs: capturing, adding, looking at, reviewing and comparing them."""

from typing import ClassVar, Literal

from pydantic import Field

from desktop.domain.core.command import CheckedCommand, Command
from desktop.domain.proofs.values import MAX_NOTE, MAX_TITLE, Backend, ProofKind, ReviewState

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the picture."""


class LoadProofs(Command):
    """The proofs of a lane. → ProofsChanged."""

    reads: ClassVar[bool] = True
    type: Literal["load_proofs"] = "load_proofs"
    lane_id: str


class LoadProofContent(Command):
    """Ask for the content of a proof: its thumbnail, the whole picture made anew, or its text. → ProofContentLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_proof_content"] = "load_proof_content"
    proof_id: str
    form: Literal["thumb", "picture", "text"] = "thumb"


class AddProof(CheckedCommand):
    """A person adds a proof: the file at `path`, or `data` that was pasted or taken off the screen. `session_id`: the
    chat it belongs to, "" for the lane alone; `crop` and `blanks` are what the person left and hid. → ProofAdded."""

    type: Literal["add_proof"] = "add_proof"
    lane_id: str
    session_id: str = ""
    path: str = ""
    data: bytes = b""
    name: str = Field(default="", max_length=255)
    title: str = Field(default="", max_length=MAX_TITLE)
    kind: ProofKind | None = None
    backend: Backend = "drop"
    scale: int = Field(default=1, ge=1, le=4)
    crop: Box | None = None
    blanks: tuple[Box, ...] = ()


class CaptureProof(CheckedCommand):
    """A person captures a page of the lane: an address on one of its ports or an HTML or SVG file. → ProofAdded."""

    type: Literal["capture_proof"] = "capture_proof"
    lane_id: str
    session_id: str = ""
    url: str = Field(min_length=1, max_length=2_000)
    title: str = Field(default="", max_length=MAX_TITLE)
    width: int = Field(default=1280, ge=320, le=3840)
    height: int = Field(default=800, ge=240, le=2160)
    scale: int = Field(default=1, ge=1, le=3)
    full_page: bool = False
    theme: Literal["light", "dark"] = "light"


class CaptureDone(CheckedCommand):
    """The answer to CaptureRequested: a PNG of the screen, or `problem` and the ways out of it."""

    type: Literal["capture_done"] = "capture_done"
    request_id: str
    data: bytes = b""
    scale: int = Field(default=1, ge=1, le=4)
    screen: str = Field(default="", max_length=200)
    problem: str = Field(default="", max_length=300)
    ways: tuple[str, ...] = ()


class LoadCapture(Command):
    """The picture that a card shows and that is kept nowhere yet. → CaptureLoaded, with the same `input_id`."""

    reads: ClassVar[bool] = True
    type: Literal["load_capture"] = "load_capture"
    call_id: str
    input_id: str = ""


class ListWindows(Command):
    """A person wants to capture a window: which there are. → WindowsListed."""

    type: Literal["list_windows"] = "list_windows"


class CaptureWindow(Command):
    """Take one of them; the person sees it before it is kept. → WindowCaptured."""

    type: Literal["capture_window"] = "capture_window"
    window_id: int


class ReviewProof(CheckedCommand):
    """A person's word on a proof. `needs_more` with a note sends the note to the chat that made it. → ProofsChanged."""

    type: Literal["review_proof"] = "review_proof"
    proof_id: str
    state: ReviewState
    note: str = Field(default="", max_length=MAX_NOTE)


class CompareProofs(CheckedCommand):
    """Compare the pictures of two proofs. `threshold`: how much a channel may differ, 0 to 64. → ComparisonLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["compare_proofs"] = "compare_proofs"
    before_id: str
    after_id: str
    threshold: int = Field(default=8, ge=0, le=64)


class CountProofs(Command):
    """Count the proofs that only this chat and its lane have. → ProofsCounted."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["count_proofs"] = "count_proofs"
    session_id: str


class SaveProof(Command):
    """Write the content as it is to a new file that a person chose. → ProofSaved."""

    reads: ClassVar[bool] = True
    type: Literal["save_proof"] = "save_proof"
    proof_id: str
    path: str


class PlanPublish(CheckedCommand):
    """Tell what attaching these proofs to the lane's pull request would post, and where. `pictures`: whether their
    pictures are published too; None: as it was last done in this repository, at first not. → PublishPlanned."""

    type: Literal["plan_publish"] = "plan_publish"
    lane_id: str
    proof_ids: tuple[str, ...] = Field(min_length=1, max_length=50)
    pictures: bool | None = None


class PublishProofs(CheckedCommand):
    """Post exactly what the plan of this digest showed; anything else is refused. `pictures`: push them first, and do
    so from here on in this repository. → ProofsPublished, ProofsChanged."""

    type: Literal["publish_proofs"] = "publish_proofs"
    lane_id: str
    proof_ids: tuple[str, ...] = Field(min_length=1, max_length=50)
    digest: str
    pictures: bool = False
