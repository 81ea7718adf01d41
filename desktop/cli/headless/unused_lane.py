"""UnusedLane: takes back the lane of a run whose model never answered, when nothing was done in it."""

import asyncio

from desktop.agent.engine import Engine
from desktop.domain.core.update import Update
from desktop.domain.events import AssistantMessage, Envelope, Event, LaneAttached, ToolCallDecided, TurnEnded
from desktop.domain.lanes.commands import DeleteLanes, PlanDelete
from desktop.domain.lanes.updates import DeletePlanned, LaneLoss, LanesDeleted
from desktop.domain.updates import TextDelta, ThinkingDelta

TAKEN_BACK = "Nothing was done, so the lane and its branch {branch} were removed. The chat stays."


class UnusedLane:
    """Takes every update of the engine. The lane goes as a person deletes one, so it can be restored; one that holds
    anything, or of which that cannot be told, stays."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._lane_id = ""
        self._worked = self._failed = False
        self._plan: DeletePlanned | None = None
        self._deleted: LanesDeleted | None = None

    def take(self, update: Update) -> None:
        """Note what one update of the engine says of the lane's use."""
        if isinstance(update, Envelope) and update.session_id == self._session_id:
            self._event(update.event)
        elif isinstance(update, TextDelta | ThinkingDelta):
            self._worked = True
        elif isinstance(update, DeletePlanned):
            self._plan = update
        elif isinstance(update, LanesDeleted):
            self._deleted = update

    async def take_back(self, engine: Engine) -> str:
        """After the turn: a sentence when the lane went or its removal left something, "" when it stays."""
        if self._worked or not self._failed or not self._lane_id:
            return ""
        task = engine.sessions.get(self._session_id).task
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
        await engine.handle(PlanDelete(lane_ids=(self._lane_id,)))
        if self._plan is None or not all(_is_untouched(loss) for loss in self._plan.losses):
            return ""
        await engine.handle(DeleteLanes(lane_ids=(self._lane_id,), digest=self._plan.digest, with_branch=True))
        if self._deleted is None:
            return ""
        problem = " ".join(text for _, _, text in self._deleted.results if text)
        return problem or TAKEN_BACK.format(branch=self._plan.losses[0].lane.branch)

    def _event(self, event: Event) -> None:
        if isinstance(event, LaneAttached):
            self._lane_id = event.lane_id
        elif isinstance(event, AssistantMessage | ToolCallDecided):
            self._worked = True
        elif isinstance(event, TurnEnded):
            self._failed = event.status == "failed"


def _is_untouched(loss: LaneLoss) -> bool:
    return loss.nothing and not loss.refused and not loss.unlink and loss.head == loss.lane.base_oid
