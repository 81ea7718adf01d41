"""RoundLauncher: begins rounds: on record first, then the chat; items are given away when that has really started."""

from collections.abc import Callable
from datetime import datetime

from pydantic import JsonValue

from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.rounds.book import OwnPull, ResolutionBook
from desktop.agent.rounds.plan import Plan, ResolutionPlanner
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.chats.queue_events import Limits, LimitsChanged
from desktop.domain.commands import NewSession
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.event_base import By
from desktop.domain.events import Event, TitleChanged
from desktop.domain.gate.events import SessionTainted
from desktop.domain.rounds.inventory import sent, taken_back
from desktop.domain.rounds.items import LaunchChoice, PipelineRun, RoundRecord, RoundState
from desktop.tools.untrusted import forge_source

OPERATION = "resolution_round"
CHANGED = "Something changed since you saw the prompt, so nothing was begun. Look at it again."
STOPPED = "a person stopped it"
ASKS_AGAIN = "Full auto with this sandbox needs your word again. Begin the next round yourself."


class NotLaunched(CommandError):
    """The round was not begun; there is no chat. `plan`: how it would begin now."""

    def __init__(self, code: str, text: str, plan: Plan) -> None:
        super().__init__(code, text)
        self.plan = plan


class RoundLauncher:
    """Engine thread only. `trusted`: requests of which a person launched a round, or went on with one, in this process;
    `lane_of`: by the id of a round's chat, its lane. A person's word for full auto with a sandbox that does not stop
    everything holds for the rounds that follow by themselves, in this process and while it stops as much."""

    def __init__(
        self,
        log: ProjectLog,
        clock: Callable[[], datetime],
        chats: ChatWork,
        book: ResolutionBook,
        planner: ResolutionPlanner,
    ) -> None:
        self._clock = clock
        self._log = log
        self._chats = chats
        self._book, self._planner = book, planner
        self.trusted: set[str] = set()
        self.lane_of: dict[str, str] = {}
        self._agreed: dict[str, tuple[str, ...]] = {}

    async def launch(
        self, lane_id: str, choice: LaunchChoice, session_id: str, digest: str | None, ready: Callable[[], None]
    ) -> None:
        """Begin a round; nobody else begins one of this lane meanwhile. `digest`: of what the person saw; None: the
        loop launches it. `ready`: called once nothing stands against it.

        Raises:
            NotLaunched: it cannot begin, or is another one than the person saw; there is no chat.
            BanksmanError: the chat could not begin; items are as they were.
        """
        plan = await self._planner.plan(lane_id, choice)
        if plan.problem or plan.own is None:
            raise NotLaunched("not_launched", plan.problem, plan)
        if digest is None and self._book.run(plan.own.key).state != "polling":
            raise NotLaunched("stopped", STOPPED, plan)
        if digest is not None and digest != plan.digest:
            raise NotLaunched("changed", CHANGED, plan)
        if self._chats.sessions.knows(session_id):
            raise NotLaunched("session_exists", "This round was begun already.", plan)
        if not self._is_agreed(plan, plan.own.key, by_person=digest is not None):
            raise NotLaunched("asks_sandbox", ASKS_AGAIN, plan)
        ready()
        own, by_person = plan.own, digest is not None
        self._write_begin(plan, own, session_id, by_person)
        by: By = "person" if by_person else "system"
        try:
            ids: list[JsonValue] = [*plan.choice.item_ids]
            intent = self._log.operation(
                OPERATION, lane_id, by=by, pull=own.key, round=plan.number, session_id=session_id, items=ids
            )
            async with intent as operation:
                await self._begin_chat(plan, own, session_id)
                operation.text = f"Round {plan.number} of #{own.pull.number} has begun."
        except BanksmanError as error:
            self.not_begun(lane_id, own.key, str(error))
            raise
        if self._chats.sessions.get(session_id).running:
            self.turn_started(session_id)

    def _is_agreed(self, plan: Plan, key: str, *, by_person: bool) -> bool:
        """Whether a person's word covers the sandbox that the round would run in."""
        chosen = plan.chosen_sandbox
        if chosen is None:
            return True
        if by_person:
            self._agreed[key] = (chosen.level, *chosen.gaps)
        return self._agreed.get(key) == (chosen.level, *chosen.gaps)

    def _write_begin(self, plan: Plan, own: OwnPull, session_id: str, by_person: bool) -> None:
        """On record before anything begins."""
        before = self._book.run(own.key)
        lane_id = plan.lane.id
        if by_person:
            self.trusted.add(own.key)
        self.lane_of[session_id] = lane_id
        self.end_record(lane_id, own.key, "done")
        record = RoundRecord(
            number=plan.number,
            session_id=session_id,
            title=f"PR #{own.pull.number} round {plan.number}",
            items=plan.choice.item_ids,
            started_at=self._clock(),
            head_before=plan.head,
            new=len(plan.chosen),
        )
        self._book.save_round(lane_id, own.key, record)
        run = PipelineRun(
            state="launching",
            poller="idle",
            round=before.round,
            session_id=session_id,
            choice=plan.choice.model_copy(update={"item_ids": ()}),
            told=before.told,
            counted_from=before.round if by_person else before.counted_from,
            files_before=len(own.snapshot.files) or own.pull.changed_files,
        )
        self._book.save_run(lane_id, own.key, run)

    async def _begin_chat(self, plan: Plan, own: OwnPull, session_id: str) -> None:
        choice, pull = plan.choice, own.pull
        command = NewSession(
            session_id=session_id,
            lane_id=plan.lane.id,
            text=plan.prompt,
            mode=choice.mode,
            endpoint_id=choice.endpoint_id,
            model=choice.model,
            without_sandbox=choice.without_sandbox,
        )
        told: list[Event] = [
            TitleChanged(title=f"PR #{pull.number} round {plan.number}", by="person"),
            SessionTainted(reason="untrusted", source=forge_source(pull.repository.slug, pull.number)),
            LimitsChanged(limits=self._limits(own.key), by="system"),
        ]
        await self._chats.starter.begin(command, "resolver", *told)

    def _limits(self, key: str) -> Limits:
        """The person's own, and no more tokens than a round may have."""
        limits = self._chats.settings.current.limits
        most = self._book.settings(key).round_token_limit
        return limits.model_copy(update={"tokens": min(limits.tokens, most) if limits.tokens else most})

    def not_begun(self, lane_id: str, key: str, why: str) -> None:
        """The chat could not begin: what it was given is new again (lanes-P29)."""
        run = self._book.run(key)
        self.lane_of.pop(run.session_id, None)
        items = taken_back(self._book.items(key), run.session_id, self._clock())
        self._book.save_items(lane_id, key, items)
        self.end_record(lane_id, key, "failed", why)
        failed = {"state": "failed", "poller": "stopped", "reason": why, "session_id": ""}
        self._book.save_run(lane_id, key, run.model_copy(update=failed))

    def turn_started(self, session_id: str) -> None:
        """The chat has really started: now its items are given away. A round that was cut off goes on."""
        lane_id = self.lane_of.get(session_id, "")
        own = self._book.find(lane_id) if lane_id else None
        if own is None:
            return
        run, record = self._book.run(own.key), self.last(own.key)
        if run.session_id != session_id or record is None or record.session_id != session_id:
            return
        if run.state == "launching":
            now = self._clock()
            given = sent(self._book.items(own.key), record.items, record.number, session_id, now)
            self._book.save_items(lane_id, own.key, given)
        elif run.state != "paused" or record.ended_at is not None:
            return
        begun = record.model_copy(update={"state": "running", "sent": len(record.items)})
        self._book.save_round(lane_id, own.key, begun)
        going = {"state": "running", "poller": "idle", "reason": "", "round": record.number}
        self._book.save_run(lane_id, own.key, run.model_copy(update=going))

    def last(self, key: str) -> RoundRecord | None:
        """The last round of a request."""
        rounds = self._book.rounds(key)
        return rounds[-1] if rounds else None

    def end_record(self, lane_id: str, key: str, state: RoundState, reason: str = "") -> None:
        """The last round is over, if it was not."""
        last = self.last(key)
        if last is None or last.state not in ("launching", "running", "waiting"):
            return
        ended = {"state": state, "reason": reason, "ended_at": last.ended_at or self._clock()}
        self._book.save_round(lane_id, key, last.model_copy(update=ended))
