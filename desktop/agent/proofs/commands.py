"""ProofCommands: the proofs of lanes: listed, looked at, reviewed, compared and saved by people."""

import asyncio
import logging

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.proofs.list import ProofList
from desktop.agent.turns.chat_work import ChatWork
from desktop.config.folders import typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import (
    ComparisonLoaded,
    ProofContentLoaded,
    ProofSaved,
)
from desktop.domain.proofs.values import Proof, hundredths_of
from desktop.services.pictures.pictures import (
    PictureFound,
    PictureProblem,
    compare_pictures,
    shown_picture,
)

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS = 1_000_000
MISSING = "The picture file is gone; its record is kept."
MISSING_FILE = "The file is missing; its record is kept."


class ProofCommands:
    """All on the engine thread; files are read on threads, pictures decoded by a helper."""

    def __init__(
        self, publish: Publish, log: ProjectLog, chats: ChatWork, intake: ProofIntake, proofs: ProofList
    ) -> None:
        self._publish = publish
        self._log = log
        self._chats = chats
        self._intake = intake
        self._proofs = proofs

    def handlers(self) -> dict[type[Command], Handler]:
        """What people do with proofs."""
        return {
            c.LoadProofs: self._load,
            c.LoadProofContent: self._content,
            c.ReviewProof: self._review,
            c.CompareProofs: self._compare,
            c.SaveProof: self._save,
        }

    async def _load(self, command: c.LoadProofs) -> None:
        await self._proofs.tell(command.lane_id, command.command_id)

    async def _content(self, command: c.LoadProofContent) -> None:
        proof = self._known(command.proof_id)
        loaded = ProofContentLoaded(proof_id=proof.id, form=command.form, command_id=command.command_id)
        if command.form == "thumb":
            data = self._intake.blobs.get(proof.thumb_sha256) if proof.thumb_sha256 else None
            problem = "" if data else proof.cannot_show or (MISSING if proof.is_picture else "")
            self._publish(loaded.model_copy(update={"data": data or b"", "problem": problem}))
            return
        data = self._stored(proof)
        if data is None:
            problem = MISSING if proof.is_picture else MISSING_FILE
            self._publish(loaded.model_copy(update={"problem": problem}))
        elif command.form == "picture":
            self._publish(loaded.model_copy(update=await _picture(data)))
        else:
            self._publish(loaded.model_copy(update=self._text(data)))

    def _text(self, data: bytes) -> dict[str, object]:
        """The text with known secrets masked; the stored bytes stay as they are."""
        text = data.decode("utf-8-sig", "replace")
        redacted = self._chats.settings.redactor.redact(text[:MAX_TEXT_CHARS])
        cut = f"\n[{len(text) - MAX_TEXT_CHARS:,} more characters]" if len(text) > MAX_TEXT_CHARS else ""
        return {"text": redacted.text + cut, "secrets": redacted.found}

    async def _review(self, command: c.ReviewProof) -> None:
        """Raises CommandError: why the note cannot be sent; nothing was changed then."""
        proof = self._known(command.proof_id)
        note = command.note.strip()
        async with self._log.operation(
            "review_proof", proof.lane_id, proof_id=proof.id, state=command.state, note=note
        ):
            if command.state == "needs_more" and note and self._chats.sessions.knows(proof.session_id):
                session = self._chats.sessions.get(proof.session_id)
                await self._chats.turns.send(session, f"About the proof {proof.id} “{proof.title}”: {note}")
            self._intake.store.save(proof.model_copy(update={"review": command.state, "note": note}))
        await self._proofs.tell(proof.lane_id, command.command_id)

    async def _compare(self, command: c.CompareProofs) -> None:
        before, after = self._known(command.before_id), self._known(command.after_id)
        loaded = ComparisonLoaded(
            before_id=before.id, after_id=after.id, threshold=command.threshold, command_id=command.command_id
        )
        first, second = self._stored(before), self._stored(after)
        if first is None or second is None:
            self._publish(loaded.model_copy(update={"problem": MISSING}))
            return
        try:
            found, png = await compare_pictures(first, second, command.threshold)
        except PictureProblem as error:
            self._publish(loaded.model_copy(update={"problem": f"The pictures cannot be compared: {error}."}))
            return
        share = hundredths_of(found.changed, found.total)
        update: dict[str, object] = {
            "changed": found.changed,
            "total": found.total,
            "hundredths": share,
            "regions": found.regions,
            "region_count": found.region_count,
            "size_note": _size_note(found, before, after),
            "data": png,
        }
        self._publish(loaded.model_copy(update=update))

    async def _save(self, command: c.SaveProof) -> None:
        """Raises CommandError: `gone` or `not_saved`."""
        proof = self._known(command.proof_id)
        data = self._stored(proof)
        if data is None:
            raise CommandError("gone", MISSING if proof.is_picture else MISSING_FILE)
        path = typed_path(command.path)
        try:
            await asyncio.to_thread(path.write_bytes, data)
        except OSError as error:
            raise CommandError("not_saved", f"{path.name} could not be written: {error.strerror or error}.") from error
        self._publish(ProofSaved(command_id=command.command_id, proof_id=proof.id, path=str(path)))

    def _known(self, proof_id: str) -> Proof:
        proof = self._intake.store.get(proof_id)
        if proof is None:
            raise CommandError("unknown_proof", "This proof does not exist any more.")
        return proof

    def _stored(self, proof: Proof) -> bytes | None:
        return self._intake.blobs.get(proof.sha256)


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
