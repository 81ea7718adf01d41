"""Updates about proofs: passing state, never stored."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Outcome, Update
from desktop.domain.proofs.commands import Box
from desktop.domain.proofs.values import ShownProof


class ProofsChanged(Outcome):
    """All proofs of a lane, the newest first. Replaces the former list. `of`: how many there are, should not all be in
    it. `page_problem`: why no page can be captured on this computer, "" when it can. `as_of`: when the lane's files
    were compared. `project_bytes`: what the proofs of the whole project take. Every window lists
    them."""

    lane_id: str
    proofs: tuple[ShownProof, ...]
    of: int = 0
    page_problem: str = ""
    as_of: datetime | None = None
    project_bytes: int = 0
    command_id: str = ""


class ProofCapturing(Update):
    """A picture is being taken in this lane, or (`title` "") no longer."""

    lane_id: str
    title: str = ""


class ProofAdded(Answer):
    """A proof is there; `again`: it was there already. `notice`: what was odd about it."""

    lane_id: str
    proof_id: str
    again: bool = False
    notice: str = ""


class ProofContentLoaded(Answer):
    """The content of a proof. `data`: a PNG made by our own helper; `problem`: why there is none. `secrets`: names of
    known secrets that were masked in the text."""

    proof_id: str
    form: Literal["thumb", "picture", "text"]
    data: bytes = b""
    text: str = ""
    problem: str = ""
    secrets: tuple[str, ...] = ()
    command_id: str = ""


class ComparisonLoaded(Answer):
    """The differences between two pictures. `changed`: pixels of `total`; `regions`: up to 50 boxes, the largest first,
    of `region_count`. `size_note`: how the sizes differ, "" when they are the same. `data`: a PNG with the regions
    marked."""

    before_id: str
    after_id: str
    threshold: int
    changed: int = 0
    total: int = 0
    hundredths: int = 0
    regions: tuple[Box, ...] = ()
    region_count: int = 0
    size_note: str = ""
    data: bytes = b""
    problem: str = ""
    command_id: str = ""


class ProofsCounted(Answer):
    """The number of proofs that only a chat and its lane have."""

    session_id: str
    count: int


class ProofsRemoved(Update):
    """Proofs of these lanes are gone for good."""

    lane_ids: tuple[str, ...]


class CaptureRequested(Update):
    """A window takes a picture of the screen and answers with CaptureDone within the limit."""

    request_id: str
    target: Literal["window", "desktop"]
    limit_s: float = 15.0


class CaptureLoaded(Answer):
    """The picture of a card. `data` empty: it is not held any more."""

    call_id: str
    input_id: str = ""
    data: bytes = b""
    command_id: str = ""


class ProgramWindow(Frozen):
    """A window on screen. `title`: what its program says, not to be trusted. `program`: name and pid, "" unknown.
    `lane_id`: the lane in which the program was started, "" for none and for ourselves. Sides in pixels."""

    window_id: int
    title: str
    program: str
    lane_id: str
    width: int
    height: int


class WindowsListed(Answer):
    """The windows on screen, the topmost first. `problem`: why they cannot be told apart here, a part of a sentence."""

    windows: tuple[ProgramWindow, ...] = ()
    problem: str = ""


class WindowCaptured(Answer):
    """A window as it is now, PNG, kept nowhere yet. `alone`: nothing of another program is in it. `problem`: why there
    is no picture, a part of a sentence."""

    title: str = ""
    data: bytes = b""
    alone: bool = True
    problem: str = ""


class ProofSaved(Answer):
    """The file was written."""

    proof_id: str
    path: str


class PublishedPicture(Frozen):
    """A picture as it would be pushed, made anew without where and with what it was taken: its path on the branch, its
    bytes and its sides."""

    proof_id: str
    path: str
    size: int
    width: int
    height: int


class PublishPlanned(Answer):
    """The post that publishing these proofs would make: `text` between the markers, in the text of `request`
    (`owner/name#42`), which lies at `url`. `private` None: it is not known whether everybody can read it. `replaces`: a
    block is there already.

    `with_pictures`: `pictures` would be pushed to `branch` of that repository first. `no_pictures`: why none can be."""

    lane_id: str
    proof_ids: tuple[str, ...]
    request: str
    url: str
    text: str
    digest: str
    private: bool | None = None
    replaces: bool = False
    with_pictures: bool = False
    pictures: tuple[PublishedPicture, ...] = ()
    branch: str = ""
    no_pictures: str = ""


class ProofsPublished(Answer):
    """The text of the request names these proofs now."""

    lane_id: str
    request: str
    url: str
