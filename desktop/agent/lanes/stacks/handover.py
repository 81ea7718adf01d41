"""HandoverCommands: a lane's files shown in the person's own checkout, and what was edited there brought back."""

import asyncio
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.lanes.base import LaneActs, LaneContents
from desktop.config.folders import Folders
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.lanes.commands import BringBack, TryInCheckout
from desktop.domain.lanes.events import LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import HandoverChanged
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.git.trees.merge import commit_id
from desktop.services.history.branch_move import undo_cut_off, was_cut_off
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.history.refs import CheckpointRef
from desktop.services.lanes.identity import lane_moved, require_own_folder
from desktop.services.lanes.stacks.handover import (
    RETURNING_REFS,
    SHOWN_REFS,
    Handover,
    Returned,
    bring_back,
    check_checkout,
    finish_return,
    forget_handover,
    is_shown,
    show,
)
from desktop.services.lanes.stacks.handover_recovery import undo_show
from desktop.services.lanes.stacks.rebase import operation_in
from desktop.services.processes.stubborn import to_its_end

TRY, BACK, UNDO = "try_in_checkout", "bring_back", "undo_try_in_checkout"
MERGE_UNDONE = "Banksman closed while your checkout was moved forward. It stands as before that; merge again."


class HandoverCommands:
    """All on the engine thread. What the checkout shows follows from the record and from the checkout itself."""

    def __init__(
        self, ground: Ground, telling: Telling, acts: LaneActs, contents: LaneContents, folders: Folders
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._acts = acts
        self._contents = contents
        self._folders = folders
        self._tasks: set[asyncio.Task[object]] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """The two commands; both act in the person's checkout, on their word."""
        return {TryInCheckout: self._try, BringBack: self._back}

    def project_opened(self) -> None:
        """Tell which lane the checkout shows, if it shows one."""
        task: asyncio.Task[object] = asyncio.create_task(self._opened(), name="handover")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for what was begun."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _opened(self) -> None:
        """What a crash cut off in the checkout comes to its end first; what stands against that is told."""
        project = self._ground.the_project()
        try:
            async with self._acts.use.repository(project.id):
                text = await self._recovered(Path(project.path))
        except (BanksmanError, OSError) as error:
            text = f"Your checkout could not be looked after: {error}" if isinstance(error, OSError) else str(error)
        await self._tell(text)

    async def _recovered(self, folder: Path) -> str:
        if was_cut_off(folder):
            async with self._acts.log.operation("undo_cut_off", "", by="system") as op:
                done = await to_its_end(asyncio.to_thread(undo_cut_off, Git(folder)))
                op.text = MERGE_UNDONE if done else "Nothing was to do."
            return op.text if done else ""
        begun, whole = self._begun()
        if begun is None:
            return ""
        shown = await asyncio.to_thread(is_shown, folder, begun)
        if shown and not await asyncio.to_thread(commit_id, Git(folder), f"{RETURNING_REFS}/{begun.lane_id}"):
            return ""
        if not shown and not await asyncio.to_thread(commit_id, Git(folder), f"{SHOWN_REFS}/{begun.lane_id}"):
            return ""
        if not shown and whole:  # a person moved it: what is in their checkout by now is theirs
            await asyncio.to_thread(forget_handover, Git(folder), begun)
            return ""
        name, commit = BACK if shown else UNDO, begun.commit
        async with self._acts.log.operation(name, begun.lane_id, by="system", commit=commit) as op:
            if shown:
                await to_its_end(asyncio.to_thread(finish_return, self._checkout(), begun))
                op.result["returned"] = True
                op.text = "Your checkout stands as before it showed the lane. What you edited there is in the lane."
            else:
                op.text = await to_its_end(asyncio.to_thread(undo_show, self._checkout(), begun))
        return op.text

    async def _tell(self, text: str = "") -> None:
        shown = await self._shown()
        if shown is None:
            self._telling.publish(HandoverChanged(lane_id="", text=text))
        else:
            self._telling.publish(HandoverChanged(lane_id=shown.lane_id, branch=shown.branch, text=text))

    async def _try(self, command: TryInCheckout) -> None:
        lane = self._ground.lane(command.lane_id)
        project = self._ground.the_project()
        folder = Path(project.path)
        if lane.type == "primary":
            raise CommandError("primary", "This is your own checkout already.")
        async with self._acts.use.repository(project.id):
            if (shown := await self._shown()) is not None:
                raise CommandError(
                    "handover_open", f"Your checkout shows “{self._name(shown)}”. Bring that back first."
                )
            self._require_quiet(lane)
            await require_own_folder(lane, folder)
            if operation := await asyncio.to_thread(operation_in, Path(lane.worktree_path)):
                raise CommandError("not_ready", f"A {operation} is open in the lane '{lane.name}'.")
            async with self._acts.use.lane(lane.id):
                branch, head = await asyncio.to_thread(check_checkout, folder)
                kept = await self._contents.keeper.work_in(lane, self._contents.files(lane), _kept)
            if kept.large or kept.partial:
                raise CommandError("not_whole", "This lane has files that are too large to be shown in your checkout.")
            handover = Handover(lane.id, branch, head, kept.commit)
            async with self._acts.log.operation(TRY, lane.id, branch=branch, head=head, commit=kept.commit) as op:
                await to_its_end(asyncio.to_thread(show, self._checkout(), handover))
                op.text = f"Your checkout shows “{lane.name}”."
        await self._tell(op.text)

    async def _back(self, command: BringBack) -> None:
        del command
        project = self._ground.the_project()
        async with self._acts.use.repository(project.id):
            handover = await self._shown()
            if handover is None:
                raise CommandError("no_handover", "Your checkout shows no lane.")
            lane = self._ground.lanes.get(handover.lane_id)
            if lane is None or lane.state != "active" or lane_moved(lane):
                done = await self._returned(handover, None)
            else:
                self._require_quiet(lane)
                async with self._acts.use.lane(lane.id):
                    done = await self._returned(handover, lane)
        if done.conflicts:
            named, verb = ", ".join(done.conflicts[:5]), "does" if len(done.conflicts) == 1 else "do"
            raise CommandError(
                "does_not_fit",
                f"The lane changed meanwhile, and {named} {verb} not go together with what you edited. Nothing was "
                f"changed: your edits are in your checkout, and in {done.edits}.",
            )
        await self._tell(_words(done, handover))
        self._telling.listed()

    async def _returned(self, handover: Handover, lane: Lane | None) -> Returned:
        files = None
        if lane is not None:
            files = self._contents.files(lane)
            await self._contents.keeper.work_in(lane, files, lambda checkpoints: checkpoints.take("call"))
        branch, commit = handover.branch, handover.commit
        async with self._acts.log.operation(BACK, handover.lane_id, branch=branch, commit=commit) as op:
            done = await to_its_end(asyncio.to_thread(bring_back, self._checkout(), files, handover))
            op.result |= {"edits": done.edits, "conflicts": len(done.conflicts), "changed": len(done.changed)}
            op.result["returned"] = not done.conflicts
            op.text = _words(done, handover) if not done.conflicts else "It does not fit; nothing was changed."
        return done

    async def _shown(self) -> Handover | None:
        """The handover that was begun and not ended; one that a crash cut off counts if the checkout shows it."""
        begun, _ = self._begun()
        if begun is None:
            return None
        folder = Path(self._ground.the_project().path)
        try:
            return begun if await asyncio.to_thread(is_shown, folder, begun) else None
        except BanksmanError:
            return begun

    def _begun(self) -> tuple[Handover | None, bool]:
        """The last one that was not ended on record, and whether it came to be shown."""
        begun: Handover | None = None
        whole = False
        for start, end in self._acts.log.history(TRY, BACK):
            if start.operation == TRY and (end is None or end.status in ("done", "interrupted")):
                begun, whole = _handover(start), end is not None and end.status == "done"
            elif start.operation == BACK and end is not None and end.result.get("returned") is True:
                begun = None
        return begun, whole

    def _checkout(self) -> LaneFiles:
        folders, project = self._folders, self._ground.the_project()
        own = (folders.config, folders.data / "store", folders.cache, folders.logs)
        return LaneFiles(Path(project.path), name=project.name, own_folders=own)

    def _require_quiet(self, lane: Lane) -> None:
        self._acts.use.require_quiet(lane.id)
        for one in self._ground.lanes.of_project(lane.project_id):
            if one.type == "primary":
                self._acts.use.require_quiet(one.id)

    def _name(self, handover: Handover) -> str:
        lane = self._ground.lanes.get(handover.lane_id)
        return lane.name if lane is not None else "a lane that is gone"


def _kept(checkpoints: LaneCheckpoints) -> CheckpointRef:
    """The lane's files as they are now, in a commit that is never pruned."""
    taken = checkpoints.take("call")
    checkpoints.keep(taken.ref)
    return taken.ref


def _handover(start: LaneOperationStarted) -> Handover:
    branch, head, commit = (str(start.arguments.get(name, "")) for name in ("branch", "head", "commit"))
    return Handover(start.lane_id, branch, head, commit)


def _words(done: Returned, handover: Handover) -> str:
    if done.gone:
        return "Your checkout stands elsewhere already. Nothing was brought back."
    where = f"is on {done.branch} again" if done.branch else f"stands at {handover.head[:7]} again, on no branch"
    count = len(done.changed)
    brought = f" {count} {'file' if count == 1 else 'files'} that you edited there came into the lane." if count else ""
    return f"Your checkout {where}.{brought}"
