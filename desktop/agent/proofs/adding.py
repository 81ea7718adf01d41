"""ProofAdding: people add proofs to a lane: a file or picture of theirs, or a page of the lane that is captured."""

import asyncio
from collections.abc import Awaitable, Callable

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.proofs.chat import PageCapture
from desktop.agent.proofs.intake import NewProof, ProofIntake
from desktop.config.folders import Folders, typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes.lane import Lane
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import ProofAdded
from desktop.services.pictures.pictures import PictureProblem, cut_picture
from desktop.services.proofs.files import Copied, copy_of_person
from desktop.services.proofs.type import largest
from desktop.tools.proof_calls import AddedProof, CaptureBlocked, WantedPage


class ProofAdding:
    """All on the engine thread; files are read on threads, pictures decoded by a helper."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        files_of: FilesOf,
        folders: Folders,
        intake: ProofIntake,
        pages: PageCapture,
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._files_of = files_of
        self._folders = folders
        self._intake = intake
        self._pages = pages

    def handlers(self) -> dict[type[Command], Handler]:
        """Adding, and capturing."""
        return {c.AddProof: self._add, c.CaptureProof: self._capture}

    async def _add(self, command: c.AddProof) -> None:
        """Raises CommandError: `bad_proof`, why it is not taken."""
        lane = self._ground.lane(command.lane_id)
        copied = await self._copied(command)
        data = copied.data
        if command.crop is not None or command.blanks:
            try:
                _, data = await cut_picture(data, command.crop, command.blanks)
            except PictureProblem as error:
                raise CommandError("bad_proof", f"The picture cannot be changed: {error}.") from error
        new = NewProof(
            backend=command.backend,
            name=copied.name,
            title=command.title,
            kind=command.kind,
            source="",
            scale=command.scale,
            session_id=command.session_id,
            created_by="person",
        )
        await self._kept(command, lane, lambda: self._intake.keep(lane, data, new))

    async def _copied(self, command: c.AddProof) -> Copied:
        if not command.path:
            return Copied(command.data, "", command.name or "pasted.png")
        folders = self._folders
        closed = (folders.data / "store", folders.config, folders.cache)
        path = typed_path(command.path)
        try:
            return await asyncio.to_thread(copy_of_person, path, closed, largest())
        except BanksmanError as error:
            raise CommandError("bad_proof", str(error)) from error

    async def _capture(self, command: c.CaptureProof) -> None:
        lane = self._ground.lane(command.lane_id)
        files = self._files_of(lane)
        fields = {name: value for name, value in vars(command).items() if name in WantedPage.model_fields}
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
        self._publish(
            ProofAdded(
                command_id=command.command_id, lane_id=lane.id, proof_id=proof.id, again=added.again, notice=notice
            )
        )
