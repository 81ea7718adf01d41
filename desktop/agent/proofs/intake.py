"""ProofIntake: from bytes to a record: type told, looked at by the helper, kept once, linked to its owners."""

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

from desktop.agent.lanes.base import LaneContents
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs.values import (
    MAX_DESCRIPTION,
    MAX_TITLE,
    THUMB_PX,
    Backend,
    Proof,
    ProofKind,
    ProofLink,
    ProofPair,
    hundredths_of,
)
from desktop.records import dataclass
from desktop.services.git.run import Git, head_commit
from desktop.services.history.tree_id import commit_tree_id, lane_tree_id
from desktop.services.pictures.pictures import PictureFound, PictureProblem, compare_pictures, look_at, shown_picture
from desktop.services.proofs.type import ProofRefused, ProofType, proof_type
from desktop.store.core.blobs import BlobStore
from desktop.store.core.proofs import ProofStore
from desktop.tools.proof_calls import AddedProof

logger = logging.getLogger(__name__)

THRESHOLD = 8
MAX_PICTURE_BYTES = 5 * 1024 * 1024
_SIDES_FOR_MODEL = (1568, 1024, 640)
_TAKEN: tuple[Backend, ...] = ("page", "window", "desktop")
ONE_COLOUR = "The picture has one colour only, so nothing was captured."


@dataclass(frozen=True)
class LanePlace:
    """The lane's files at a moment; "" what could not be told. `dirty`: they differ from the commit."""

    head: str = ""
    tree_id: str = ""
    dirty: bool = False


@dataclass(frozen=True)
class NewProof:
    """What is known of content that is to become a proof. `name`: a file name, for its type and title."""

    backend: Backend
    name: str = ""
    title: str = ""
    description: str = ""
    kind: ProofKind | None = None
    source: str = ""
    scale: int = 1
    session_id: str = ""
    call_id: str = ""
    created_by: Literal["agent", "person"] = "agent"
    console: tuple[str, ...] = ()
    compare_with: str = ""
    captured_at: datetime | None = None


class ProofIntake:
    """All on the engine thread; `changed` is told the lane of every new record; `store` has
    the records, `blobs` their content."""

    def __init__(
        self,
        clock: Callable[[], datetime],
        contents: LaneContents,
        settings: SettingsKeeper,
        kept: ProofStore,
        blobs: BlobStore,
        changed: Callable[[str], None],
    ) -> None:
        self.store = kept
        self.blobs = blobs
        self._clock = clock
        self._contents = contents
        self._settings = settings
        self._changed = changed

    async def place(self, lane: Lane) -> LanePlace:
        """The lane's commit and files now; empty where they cannot be read."""
        try:
            files = self._contents.files(lane)
            tree = await self._contents.keeper.work_in(lane, files, lane_tree_id)
            return await asyncio.to_thread(_place, Path(lane.worktree_path), tree)
        except BanksmanError as error:
            logger.info("The files of lane %s cannot be compared: %s", lane.id, error)
            return LanePlace()

    async def keep(self, lane: Lane, data: bytes, new: NewProof) -> AddedProof:
        """A record of this content, or the one that is there already of the same content on the same files.

        Raises:
            ProofRefused: its type, its size, or a capture of one colour; nothing was stored.
        """
        told = await asyncio.to_thread(proof_type, data, new.name, new.kind)
        place = await self.place(lane)
        sha256 = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        known = self._known(lane, sha256, told.kind, place, new)
        if known is not None:
            self._link(known.id, lane, new)
            self._changed(lane.id)
            return AddedProof(proof=known, again=True)
        thumb, found, problem = await self._look(data, told, new)
        proof = self._record(lane, told, place, new, (sha256, len(data)))
        proof = proof.model_copy(update={"cannot_show": problem})
        if found is not None:
            proof = proof.model_copy(update={"width": found.width, "height": found.height})
        self.blobs.put(data, told.stored)
        if thumb:
            proof = proof.model_copy(update={"thumb_sha256": self.blobs.put(thumb, "image/png").sha256})
        proof = await self._with_pair(proof, data)
        self.store.add(proof, self._owners(lane, new))
        self._changed(lane.id)
        return AddedProof(proof=proof)

    async def for_model(self, data: bytes) -> bytes:
        """The picture small enough for a model, b"" when it cannot be shown."""
        for side in _SIDES_FOR_MODEL:
            try:
                _, png = await shown_picture(data, side)
            except PictureProblem:
                return b""
            if len(png) <= MAX_PICTURE_BYTES:
                return png
        return b""

    def before_of(self, proof: Proof) -> Proof | None:
        """The earlier picture that this one is compared with: the one it names, else the newest of the same title and
        address in its lane."""
        if proof.compare_with:
            return self.store.get(proof.compare_with)
        same = (
            one
            for one in self.store.of_lane(proof.lane_id)
            if one.is_picture and one.id != proof.id and (one.title, one.source) == (proof.title, proof.source)
        )
        return next((one for one in same if one.captured_at <= proof.captured_at), None)

    def _known(self, lane: Lane, sha256: str, kind: ProofKind, place: LanePlace, new: NewProof) -> Proof | None:
        if new.backend in _TAKEN:
            return None
        same = (one for one in self.store.with_content(lane.id, sha256) if one.kind == kind)
        return next((one for one in same if (one.tree_id, one.head) == (place.tree_id, place.head)), None)

    async def _look(self, data: bytes, told: ProofType, new: NewProof) -> tuple[bytes, PictureFound | None, str]:
        """Thumbnail, what the helper found, and why there is no picture of it."""
        if told.kind != "screenshot":
            return b"", None, ""
        try:
            found, thumb = await look_at(data, THUMB_PX)
        except PictureProblem as error:
            if new.backend in _TAKEN:
                raise ProofRefused(f"The picture that was taken cannot be read: {error}.") from error
            return b"", None, str(error)
        if found.one_colour and new.backend in _TAKEN:
            raise ProofRefused(ONE_COLOUR)
        return thumb, found, ""

    def _record(self, lane: Lane, told: ProofType, place: LanePlace, new: NewProof, content: tuple[str, int]) -> Proof:
        now = self._clock()
        redact = self._settings.redactor.redact
        title = " ".join((new.title or Path(new.name).name or told.kind).split())[:MAX_TITLE] or told.kind
        return Proof(
            id=f"pf_{os.urandom(6).hex()}",
            project_id=lane.project_id,
            kind=told.kind,
            title=redact(title).text[:MAX_TITLE],
            description=redact(new.description).text[:MAX_DESCRIPTION],
            mime_type=told.stored,
            sha256=content[0],
            size=content[1],
            width=told.width,
            height=told.height,
            scale=new.scale,
            captured_at=new.captured_at or now,
            ingested_at=now,
            backend=new.backend,
            source=new.source,
            lane_id=lane.id,
            head=place.head,
            tree_id=place.tree_id,
            dirty=place.dirty,
            session_id=new.session_id,
            call_id=new.call_id,
            created_by=new.created_by,
            review="accepted" if new.created_by == "person" else "pending",
            notice=told.notice,
            console=tuple(redact(line).text for line in new.console),
            compare_with=new.compare_with,
        )

    async def _with_pair(self, proof: Proof, data: bytes) -> Proof:
        """With the comparison with the one before, where there is one that can be compared."""
        if not proof.is_picture or proof.cannot_show:
            return proof
        before = self.before_of(proof)
        earlier = self.blobs.get(before.sha256) if before is not None and before.is_picture else None
        if before is None or earlier is None:
            return proof
        try:
            found, _ = await compare_pictures(earlier, data, THRESHOLD)
        except PictureProblem:
            return proof
        share = hundredths_of(found.changed, found.total)
        pair = ProofPair(before_id=before.id, changed=found.changed, hundredths=share)
        return proof.model_copy(update={"pair": pair})

    def _owners(self, lane: Lane, new: NewProof) -> tuple[ProofLink, ...]:
        made: Literal["produced_by", "attached_to"] = "produced_by" if new.created_by == "agent" else "attached_to"
        owners = [ProofLink(owner="lane", owner_id=lane.id, relation="attached_to")]
        if new.session_id:
            owners.append(ProofLink(owner="session", owner_id=new.session_id, relation=made))
        return tuple(owners)

    def _link(self, proof_id: str, lane: Lane, new: NewProof) -> None:
        for link in self._owners(lane, new):
            self.store.link(proof_id, link)


def _place(root: Path, tree: str) -> LanePlace:
    head = head_commit(root) or ""
    committed = commit_tree_id(Git(root), head) if head else ""
    return LanePlace(head, tree, bool(tree) and tree != committed)
