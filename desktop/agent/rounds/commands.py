"""RoundCommands: the commands about what a pull request waits for, and about rounds of work on it."""

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.rounds.book import ResolutionBook
from desktop.agent.rounds.launch import NotLaunched
from desktop.agent.rounds.plan import ResolutionPlanner
from desktop.agent.rounds.rounds import ResolutionRounds
from desktop.domain.core.command import Command
from desktop.domain.rounds import commands as c


class RoundCommands:
    """All on the engine thread. What a person does to items stands in the log of the project."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        log: ProjectLog,
        book: ResolutionBook,
        planner: ResolutionPlanner,
        rounds: ResolutionRounds,
    ) -> None:
        self._ground = ground
        self._publish = publish
        self._log = log
        self._book, self._planner, self._rounds = book, planner, rounds

    def handlers(self) -> dict[type[Command], Handler]:
        """Showing, deciding, and the rounds."""
        return {
            c.LoadInventory: self._load,
            c.RefreshInventory: self._refresh,
            c.SetItemState: self._set_state,
            c.SetPipeline: self._set_pipeline,
            c.PreviewResolution: self._preview,
            c.LaunchResolution: self._launch,
            c.ResumeResolution: self._resume,
            c.StopResolution: self._stop,
        }

    async def _load(self, command: c.LoadInventory) -> None:
        self._ground.lane(command.lane_id)
        self._book.publish(command.lane_id)
        self._book.publish_rounds(command.lane_id)

    async def _refresh(self, command: c.RefreshInventory) -> None:
        self._ground.lane(command.lane_id)
        self._book.publish(command.lane_id, loading=True)
        await self._book.fresh(command.lane_id)
        self._book.publish(command.lane_id)

    async def _set_state(self, command: c.SetItemState) -> None:
        own = self._book.own(command.lane_id)
        ids: list[JsonValue] = [*command.item_ids]
        async with self._log.operation(
            "set_item_state", command.lane_id, pull=own.key, items=ids, to=command.to, reason=command.reason
        ) as operation:
            changed = self._book.set_state(command.lane_id, command.item_ids, command.to, command.reason)
            operation.text = f"{len(changed)} of #{own.pull.number}: {command.to}."

    async def _set_pipeline(self, command: c.SetPipeline) -> None:
        own = self._book.own(command.lane_id)
        settings = command.settings
        async with self._log.operation(
            "set_pipeline", command.lane_id, pull=own.key, settings=settings.model_dump(mode="json")
        ):
            self._book.store.save_settings(own.key, settings)
        self._book.publish_rounds(command.lane_id)

    async def _preview(self, command: c.PreviewResolution) -> None:
        plan = await self._planner.plan(command.lane_id, command.choice)
        self._publish(plan.preview(command.command_id))

    async def _launch(self, command: c.LaunchResolution) -> None:
        try:
            await self._rounds.launch(command.lane_id, command.choice, command.session_id, command.digest)
        except NotLaunched as error:
            self._publish(error.plan.preview(command.command_id))
            raise

    async def _resume(self, command: c.ResumeResolution) -> None:
        await self._rounds.resume(command.lane_id)

    async def _stop(self, command: c.StopResolution) -> None:
        await self._rounds.stop(command.lane_id)
