"""LaunchCommands: the same first message in several lanes, one for each model (lanes-L16)."""

import asyncio
from typing import Protocol

from pydantic import JsonValue, ValidationError

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.lanes.project_log import ProjectLog
from desktop.domain.commands import NewSession
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.work import Project
from desktop.domain.events import Event
from desktop.domain.guests.values import OWN_DRIVER, guest_of
from desktop.domain.lanes.commands import CreateLanesForModels, LaneSlot
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesLaunched
from desktop.services.lanes.making.plan import LaneWish

LEAST, MOST = 2, 12
OPERATION = "launch"
TITLE_CHARS = 200
_OTHERS = frozenset({"create", "import", "edit", "adopt", "switch_branch"})
"""Operations of other parts of which only the record is left open; the lanes themselves are compared with git."""
_CLEARED = _OTHERS | {OPERATION}
_CUT_OFF = "Banksman closed before it was begun"


class Begins(Protocol):
    """What begins chats, and says before there is one whether it could."""

    async def begin(self, command: NewSession) -> Session:
        """A chat with its first turn under way. Raises CommandError, LaneError: there is none."""

    async def checked(self, command: NewSession) -> tuple[NewSession, list[Event]]:
        """The command with its model named, and how its mode came about. Raises CommandError: it cannot be begun."""


class LaunchCommands:
    """All on the engine thread. A launch is on record before its first lane; what a crash left of one is cleared up
    when the repository is opened again: lanes without a chat go, chats that had begun stay."""

    def __init__(
        self, ground: Ground, telling: Telling, log: ProjectLog, sessions: Sessions, starter: Begins, maker: LaneMaker
    ) -> None:
        self._ground = ground
        self._telling = telling
        self._log = log
        self._sessions = sessions
        self._starter = starter
        self._maker = maker
        self._left: dict[str, list[LaneOperationStarted]] = {}
        self._clearing: asyncio.Task[None] | None = None
        self._clearing_in = ""

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command."""
        return {CreateLanesForModels: self._launch}

    def project_opened(self) -> None:
        """Clear up what an earlier process left half-way in this repository: what is open in its log at the first
        opening, before anything else can begin here. What is left of another one's waits until that is opened again."""
        project = self._ground.the_project()
        if project.id not in self._left:
            self._left[project.id] = [one for one in self._log.unfinished() if one.operation in _CLEARED]
        if self._clearing is not None and not self._clearing.done():
            if self._clearing_in == project.id:
                return
            self._clearing.cancel()
        self._clearing_in = project.id
        self._clearing = asyncio.create_task(self._clear_up(self._left[project.id]), name="launches")

    async def close(self) -> None:
        """End the clearing up; what is left of it is done at the next start."""
        if self._clearing is not None:
            self._clearing.cancel()
            await asyncio.gather(self._clearing, return_exceptions=True)

    async def _launch(self, command: CreateLanesForModels) -> None:
        project = self._ground.the_project()
        await self._check(command)
        wish, notices = await self._common(command, project)
        slots: JsonValue = [slot.model_dump(mode="json") for slot in command.slots]
        begun = self._log.operation(
            OPERATION,
            slots=slots,
            base=command.base,
            parent_id=command.parent_id,
            text=command.text[:TITLE_CHARS],
        )
        async with begun as operation:
            lanes = await self._make_all(command, project, wish)
            failed = await self._begin_all(command, project, lanes)
            gone = {name for name, _ in failed}
            sent = tuple(slot.session_id for slot in command.slots if slot.name not in gone)
            operation.text = _told(len(sent), failed)
            operation.result["session_ids"] = list(sent)
        self._telling.listed()
        self._telling.publish(
            LanesLaunched(command_id=command.command_id, session_ids=sent, failed=failed, notices=notices)
        )

    async def _check(self, command: CreateLanesForModels) -> None:
        """Raises CommandError when something is wrong that would stop one of the chats; nothing was made."""
        if not LEAST <= len(command.slots) <= MOST:
            raise CommandError("slots", f"Choose {LEAST} to {MOST} models.")
        names = [slot.name.casefold() for slot in command.slots]
        ids = [key for slot in command.slots for key in (slot.lane_id, slot.session_id)]
        if len(set(names)) != len(names) or len(set(ids)) != len(ids):
            raise CommandError("slots", "Each lane needs a name of its own.")
        for slot in command.slots:
            if self._ground.lanes.get(slot.lane_id) is not None or self._sessions.knows(slot.session_id):
                raise CommandError("session_exists", "This launch was begun already.")
            await self._starter.checked(_chat(command, slot))

    async def _common(self, command: CreateLanesForModels, project: Project) -> tuple[LaneWish, tuple[str, ...]]:
        """What all lanes have in common: they begin at the same commit."""
        if command.parent_id:
            return LaneWish(parent=self._ground.lane(command.parent_id)), ()
        start, notices = await self._maker.start_for(project, command.base)
        return LaneWish(start=start), notices

    async def _make_all(self, command: CreateLanesForModels, project: Project, wish: LaneWish) -> list[Lane]:
        """A lane for each slot, or none at all."""
        lanes: list[Lane] = []
        try:
            for slot in command.slots:
                one = LaneWish(name=slot.name, lane_id=slot.lane_id, start=wish.start, parent=wish.parent)
                lanes.append((await self._maker.make(project, one)).lane)
        except BaseException as error:
            left = [kept for lane in lanes if (kept := await self._discarded(project, lane))]
            if not isinstance(error, BanksmanError):
                raise
            told = f"Nothing was sent. {error}{' ' if left else ''}{' '.join(left)}"
            raise CommandError("launch", told) from error
        return lanes

    async def _begin_all(
        self, command: CreateLanesForModels, project: Project, lanes: list[Lane]
    ) -> tuple[tuple[str, str], ...]:
        """Begin the chats; from the first that cannot begin, the lanes of those that were not begun go."""
        failed: list[tuple[str, str]] = []
        for slot, lane in zip(command.slots, lanes, strict=True):
            try:
                if failed:
                    raise CommandError("launch", "it was not begun after that")
                await self._starter.begin(_chat(command, slot))
            except BanksmanError as error:
                left = await self._discarded(project, lane)
                failed.append((slot.name, f"{error} {left}".strip()))
        return tuple(failed)

    async def _discarded(self, project: Project, lane: Lane, *, later: bool = False) -> str:
        """Take a lane back in which nothing began; why it stays, "" when it is gone."""
        try:
            await self._ground.lanes.discard(project, lane, later=later)
        except BanksmanError as error:
            return f"Lane '{lane.name}' is left: {error}"
        return ""

    # What a crash left

    async def _clear_up(self, left: list[LaneOperationStarted]) -> None:
        while left:
            if left[0].operation == OPERATION:
                await self._clear_one(left[0])
            else:
                self._close_record(left[0], "Banksman closed before this came to its end.")
            left.pop(0)

    def _close_record(self, begun: LaneOperationStarted, text: str) -> None:
        self._log.append(
            LaneOperationFinished(
                operation_id=begun.operation_id,
                operation=begun.operation,
                lane_id=begun.lane_id,
                status="interrupted",
                text=text,
            )
        )

    async def _clear_one(self, begun: LaneOperationStarted) -> None:
        project = self._ground.the_project()
        slots = _slots(begun)
        sent = tuple(slot.session_id for slot in slots if self._sessions.knows(slot.session_id))
        failed: list[tuple[str, str]] = []
        for slot in slots:
            lane = self._ground.lanes.get(slot.lane_id)
            if slot.session_id in sent:
                continue
            left = ""
            if lane is not None and lane.state in ("creating", "active"):
                left = await self._discarded(project, lane, later=True)
            failed.append((slot.name, left or _CUT_OFF))
        self._close_record(begun, _told(len(sent), tuple(failed)))
        self._telling.listed()
        if failed:
            self._telling.publish(LanesLaunched(command_id="", session_ids=sent, failed=tuple(failed)))


def _chat(command: CreateLanesForModels, slot: LaneSlot) -> NewSession:
    return NewSession(
        session_id=slot.session_id,
        lane_id=slot.lane_id,
        text=command.text,
        attachments=command.attachments,
        mode=command.mode,
        endpoint_id=slot.endpoint_id,
        model=slot.model,
        without_sandbox=command.without_sandbox,
        driver=guest_of(slot.endpoint_id) or OWN_DRIVER,
    )


def _slots(begun: LaneOperationStarted) -> list[LaneSlot]:
    listed = begun.arguments.get("slots")
    try:
        return [LaneSlot.model_validate(slot) for slot in listed] if isinstance(listed, list) else []
    except ValidationError:
        return []


def _told(sent: int, failed: tuple[tuple[str, str], ...]) -> str:
    names = "; ".join(f"{name}: {why}" for name, why in failed)
    return f"Begun in {sent} lanes." + (f" Not begun: {names}" if failed else "")
