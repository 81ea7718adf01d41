"""ProofDesk: the proofs of lanes: listed, looked at, added, reviewed, compared and saved by people."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop.agent.core.desk import Handler
from desktop.agent.core.parts import LaneParts
from desktop.agent.lanes.folder import files_of
from desktop.agent.proofs.chat import NO_BROWSER, PageCapture
from desktop.agent.proofs.intake import NewProof, ProofIntake
from desktop.agent.reports.book import ReportBook
from desktop.agent.reports.proofs import named_in
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import (
    ComparisonLoaded,
    ProofAdded,
    ProofContentLoaded,
    ProofSaved,
    ProofsChanged,
)
from desktop.domain.proofs.values import Proof, ProofLink, ShownProof, hundredths_of, staleness
from desktop.services.pictures.pictures import (
    PictureFound,
    PictureProblem,
    compare_pictures,
    cut_picture,
    shown_picture,
)
from desktop.services.proofs.files import Copied, copy_of_person
from desktop.services.proofs.type import largest
from desktop.tools.proof_calls import AddedProof, CaptureBlocked, WantedPage

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS = 1_000_000
MISSING = "The picture file is gone; its record is kept."
MISSING_FILE = "The file is missing; its record is kept."


class ProofDesk:
    """All on the engine thread; files are read on threads, pictures decoded by a helper."""

    def __init__(self, parts: LaneParts, intake: ProofIntake, pages: PageCapture, reports: ReportBook) -> None:
        self._parts = parts
        self._reports = reports
        self._intake = intake
        self._pages = pages
        self._blobs = parts.store.blobs

    def handlers(self) -> dict[type[Command], Handler]:
        """What people do with proofs."""
        return {
            c.LoadProofs: self._load,
            c.LoadProofContent: self._content,
            c.AddProof: self._add,
            c.CaptureProof: self._capture,
            c.ReviewProof: self._review,
            c.CompareProofs: self._compare,
            c.SaveProof: self._save,
        }

    async def tell(self, lane_id: str, command_id: str = "") -> None:
        """Send the list of a lane, compared with its files as they are now."""
        lane = self._parts.lane(lane_id)
        proofs = self._intake.store.of_lane(lane_id)
        place = await self._intake.place(lane) if proofs else None
        head, tree = (place.head, place.tree_id) if place is not None else ("", "")
        titles = {row.session_id: row.title for row in self._parts.store.events.rows(lane.project_id)} if proofs else {}
        named = named_in(self._reports.made_in(lane_id)) if proofs else {}
        shown = tuple(self._shown(proof, head, tree, titles, named.get(proof.id, {})) for proof in proofs)
        browser = await asyncio.to_thread(self._pages.browser, lane)
        self._parts.publish(
            ProofsChanged(
                lane_id=lane_id, proofs=shown, of=self._intake.store.count(lane_id), as_of=self._parts.clock(),
                page_problem="" if browser else NO_BROWSER, command_id=command_id,
                project_bytes=self._intake.store.size_of_project(lane.project_id),
            )
        )  # fmt: skip

    def _shown(
        self, proof: Proof, head: str, tree: str, titles: dict[str, str], reports: dict[ProofLink, str]
    ) -> ShownProof:
        links = (*self._intake.store.links(proof.id), *reports)
        found = [(link.owner_id, reports.get(link) or self._name(link, titles)) for link in links]
        return ShownProof(
            proof=proof,
            stale=staleness(proof, head, tree),
            missing=not self._blobs.has(proof.sha256),
            links=links,
            names=tuple((owner_id, name) for owner_id, name in found if name),
        )

    def _name(self, link: ProofLink, titles: dict[str, str]) -> str:
        """What people call an owner, "" for one that is gone or has no name but its id."""
        if link.owner == "session":
            return titles.get(link.owner_id, "")
        lane = self._parts.lanes.get(link.owner_id) if link.owner == "lane" else None
        return lane.name if lane is not None else ""

    async def _load(self, command: c.LoadProofs) -> None:
        await self.tell(command.lane_id, command.command_id)

    async def _content(self, command: c.LoadProofContent) -> None:
        proof = self._known(command.proof_id)
        loaded = ProofContentLoaded(proof_id=proof.id, form=command.form, command_id=command.command_id)
        if command.form == "thumb":
            data = self._blobs.get(proof.thumb_sha256) if proof.thumb_sha256 else None
            problem = "" if data else proof.cannot_show or (MISSING if proof.is_picture else "")
            self._parts.publish(loaded.model_copy(update={"data": data or b"", "problem": problem}))
            return
        data = self._stored(proof)
        if data is None:
            problem = MISSING if proof.is_picture else MISSING_FILE
            self._parts.publish(loaded.model_copy(update={"problem": problem}))
        elif command.form == "picture":
            self._parts.publish(loaded.model_copy(update=await _picture(data)))
        else:
            self._parts.publish(loaded.model_copy(update=self._text(data)))

    def _text(self, data: bytes) -> dict[str, object]:
        """The text with known secrets masked; the stored bytes stay as they are (F8)."""
        text = data.decode("utf-8-sig", "replace")
        redacted = self._parts.settings.redactor.redact(text[:MAX_TEXT_CHARS])
        cut = f"\n[{len(text) - MAX_TEXT_CHARS:,} more characters]" if len(text) > MAX_TEXT_CHARS else ""
        return {"text": redacted.text + cut, "secrets": redacted.found}

    async def _add(self, command: c.AddProof) -> None:
        """Raises CommandError: `bad_proof`, why it is not taken."""
        lane = self._parts.lane(command.lane_id)
        copied = await self._copied(command)
        data = copied.data
        if command.crop is not None or command.blanks:
            try:
                _, data = await cut_picture(data, command.crop, command.blanks)
            except PictureProblem as error:
                raise CommandError("bad_proof", f"The picture cannot be changed: {error}.") from error
        new = NewProof(
            backend=command.backend, name=copied.name, title=command.title, kind=command.kind, source="",
            scale=command.scale, session_id=command.session_id, created_by="person",
        )  # fmt: skip
        await self._kept(command, lane, lambda: self._intake.keep(lane, data, new))

    async def _copied(self, command: c.AddProof) -> Copied:
        if not command.path:
            return Copied(command.data, "", command.name or "pasted.png")
        folders = self._parts.folders
        closed = (folders.data / "store", folders.config, folders.cache)
        path = Path(command.path).expanduser()
        try:
            return await asyncio.to_thread(copy_of_person, path, closed, largest())
        except BanksmanError as error:
            raise CommandError("bad_proof", str(error)) from error

    async def _capture(self, command: c.CaptureProof) -> None:
        lane = self._parts.lane(command.lane_id)
        files = files_of(self._parts, lane)
        fields = command.model_dump(include=set(WantedPage.model_fields))
        new = NewProof(backend="page", session_id=command.session_id, created_by="person")
        await self._kept(command, lane, lambda: self._pages.take(lane, WantedPage.model_validate(fields), new, files))

    async def _kept(self, command: Command, lane: Lane, make: Callable[[], Awaitable[AddedProof]]) -> None:
        try:
            added = await make()
        except CaptureBlocked as error:
            ways = "; ".join(error.ways)
            raise CommandError("blocked", f"Cannot take screenshots: {error}. You can: {ways}.") from error
        except BanksmanError as error:
            raise CommandError("bad_proof", str(error)) from error
        proof = added.proof
        notice = "This is a proof of this lane already." if added.again else proof.notice or proof.cannot_show
        self._parts.publish(
            ProofAdded(
                command_id=command.command_id, lane_id=lane.id, proof_id=proof.id, again=added.again, notice=notice
            )
        )

    async def _review(self, command: c.ReviewProof) -> None:
        """Raises CommandError: why the note cannot be sent; nothing was changed then."""
        proof = self._known(command.proof_id)
        note = command.note.strip()
        async with self._parts.log.operation(
            "review_proof", proof.lane_id, proof_id=proof.id, state=command.state, note=note
        ):
            if command.state == "needs_more" and note and self._parts.sessions.knows(proof.session_id):
                session = self._parts.sessions.get(proof.session_id)
                await self._parts.turns.send(session, f"About the proof {proof.id} “{proof.title}”: {note}")
            self._intake.store.save(proof.model_copy(update={"review": command.state, "note": note}))
        await self.tell(proof.lane_id, command.command_id)

    async def _compare(self, command: c.CompareProofs) -> None:
        before, after = self._known(command.before_id), self._known(command.after_id)
        loaded = ComparisonLoaded(
            before_id=before.id, after_id=after.id, threshold=command.threshold, command_id=command.command_id
        )
        first, second = self._stored(before), self._stored(after)
        if first is None or second is None:
            self._parts.publish(loaded.model_copy(update={"problem": MISSING}))
            return
        try:
            found, png = await compare_pictures(first, second, command.threshold)
        except PictureProblem as error:
            self._parts.publish(loaded.model_copy(update={"problem": f"The pictures cannot be compared: {error}."}))
            return
        share = hundredths_of(found.changed, found.total)
        update: dict[str, object] = {
            "changed": found.changed, "total": found.total, "hundredths": share, "regions": found.regions,
            "region_count": found.region_count, "size_note": _size_note(found, before, after), "data": png,
        }  # fmt: skip
        self._parts.publish(loaded.model_copy(update=update))

    async def _save(self, command: c.SaveProof) -> None:
        """Raises CommandError: `gone` or `not_saved`."""
        proof = self._known(command.proof_id)
        data = self._stored(proof)
        if data is None:
            raise CommandError("gone", MISSING if proof.is_picture else MISSING_FILE)
        path = Path(command.path).expanduser()
        try:
            await asyncio.to_thread(path.write_bytes, data)
        except OSError as error:
            raise CommandError("not_saved", f"{path.name} could not be written: {error.strerror or error}.") from error
        self._parts.publish(ProofSaved(command_id=command.command_id, proof_id=proof.id, path=str(path)))

    def _known(self, proof_id: str) -> Proof:
        proof = self._intake.store.get(proof_id)
        if proof is None:
            raise CommandError("unknown_proof", "This proof does not exist any more.")
        return proof

    def _stored(self, proof: Proof) -> bytes | None:
        return self._blobs.get(proof.sha256)


async def _picture(data: bytes) -> dict[str, object]:
    try:
        _, png = await shown_picture(data)
    except PictureProblem as error:
        return {"problem": f"This picture cannot be shown: {error}."}
    return {"data": png}


def _size_note(found: PictureFound, before: Proof, after: Proof) -> str:
    """How the sizes differ, "" when they are the same."""
    if found.before == found.after and before.scale == after.scale:
        return ""
    old, new = (f"{width}×{height}" for width, height in (found.before, found.after))
    scales = f", scale {before.scale} before and {after.scale} after" if before.scale != after.scale else ""
    return f"The size changed from {old} to {new}{scales}."
