"""ResolutionBook: the inventory and the rounds of each lane's pull request, kept in step with what GitHub tells."""

import logging
from collections.abc import Callable, Collection
from datetime import datetime

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.pulls.book import PullBook
from desktop.domain.core.errors import BanksmanError, CommandError, StoreError
from desktop.domain.pulls.pull_request import PullRequest, PullSnapshot
from desktop.domain.pulls.updates import PullTransition
from desktop.domain.rounds.inventory import availability, changed_state, current_round, synced
from desktop.domain.rounds.items import (
    IssueItem,
    ItemState,
    PipelineRun,
    PipelineSettings,
    RoundRecord,
    pull_key,
)
from desktop.domain.rounds.prompt import MOST_DONE
from desktop.domain.rounds.updates import InventoryChanged, RoundChanged
from desktop.records import dataclass
from desktop.store.core.rounds import ResolutionStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class OwnPull:
    """A lane's request as it was told last. `key` names it in the store."""

    key: str
    snapshot: PullSnapshot
    pull: PullRequest


class ResolutionBook:
    """Engine thread only. What was told of a request is in the store before a window hears of it."""

    def __init__(
        self, ground: Ground, publish: Publish, clock: Callable[[], datetime], store: ResolutionStore, pulls: PullBook
    ) -> None:
        self._publish = publish
        self._ground = ground
        self._clock = clock
        self.pulls = pulls
        self.store = store
        pulls.changed.append(self._told)

    def find(self, lane_id: str) -> OwnPull | None:
        """The request of this lane, None when it has none or none was told yet. Asks nobody."""
        return _own(self.pulls.snapshot(lane_id))

    def own(self, lane_id: str) -> OwnPull:
        """The request of this lane.

        Raises:
            CommandError: `no_pull`.
        """
        self._ground.lane(lane_id)
        own = self.find(lane_id)
        if own is None:
            raise CommandError("no_pull", "This lane has no pull request that is known yet.")
        return own

    async def fresh(self, lane_id: str) -> PullSnapshot:
        """How the request stands now; the inventory is in step with it. Never raises."""
        return await self.pulls.fresh(lane_id)

    def ours(self, lane_id: str) -> frozenset[str]:
        """Ids of the comments that agents of this program wrote."""
        return self.pulls.store.agent_comments(lane_id)

    def items(self, key: str) -> tuple[IssueItem, ...]:
        """The inventory, oldest first."""
        return self.store.items(key)

    def save_items(self, lane_id: str, key: str, items: tuple[IssueItem, ...]) -> None:
        """The inventory is this; windows are told when it is another one than before."""
        before = {item.id: item for item in self.store.items(key)}
        changed = [item for item in items if before.get(item.id) != item]
        if changed:
            self.store.save_items(key, changed)
            self._count(key)
            self.publish(lane_id)

    def set_state(self, lane_id: str, ids: Collection[str], to: ItemState, reason: str) -> tuple[IssueItem, ...]:
        """A person's word about items; those it is about.

        Raises:
            CommandError: it cannot be so; nothing was changed.
        """
        own = self.own(lane_id)
        after = changed_state(self.items(own.key), ids, to, self._clock(), reason)
        self.save_items(lane_id, own.key, after)
        return tuple(item for item in after if item.id in ids)

    def run(self, key: str) -> PipelineRun:
        """Where its rounds stand."""
        run = self.store.run(key)
        return run.model_copy(update={"round": current_round(self.items(key), run.round)})

    def save_run(self, lane_id: str, key: str, run: PipelineRun) -> None:
        """They stand like this; windows are told when that is new."""
        if self.store.run(key) != run:
            self.store.save_run(key, run)
            self.publish_rounds(lane_id)

    def rounds(self, key: str) -> tuple[RoundRecord, ...]:
        """Its rounds, first to last."""
        return self.store.rounds(key)

    def save_round(self, lane_id: str, key: str, record: RoundRecord) -> None:
        """The round is like this; windows are told."""
        self.store.save_round(key, record)
        self._count(key)
        self.publish_rounds(lane_id)

    def settings(self, key: str) -> PipelineSettings:
        """How its rounds are to go."""
        return self.store.settings(key)

    # Telling windows

    def inventory(self, lane_id: str, *, loading: bool = False) -> InventoryChanged:
        """What windows show of the lane's items now."""
        snapshot = self.pulls.snapshot(lane_id)
        own = _own(snapshot)
        problem = snapshot.problem.text if snapshot is not None and snapshot.problem is not None else ""
        if own is None:
            return InventoryChanged(lane_id=lane_id, problem=problem, loading=loading)
        items = self.items(own.key)
        return InventoryChanged(
            lane_id=lane_id,
            number=own.pull.number,
            items=items,
            availability=availability(own.snapshot, items),
            synced_at=own.snapshot.as_of or self.store.synced_at(own.key),
            problem=problem,
            loading=loading,
        )

    def tell_paused(self, own: OwnPull, reason: str) -> None:
        """A person should know that rounds of this request do not go on by themselves."""
        number = own.pull.number
        self._publish(
            PullTransition(
                lane_id=own.snapshot.lane_id,
                number=number,
                kind="round_paused",
                notify=True,
                text=f"Rounds of #{number} are paused: {reason}",
                at=self._clock(),
            )
        )

    def publish(self, lane_id: str, *, loading: bool = False) -> None:
        """Tell windows of the items."""
        self._publish(self.inventory(lane_id, loading=loading))

    def publish_rounds(self, lane_id: str) -> None:
        """Tell windows of the rounds."""
        own = self.find(lane_id)
        if own is None:
            self._publish(RoundChanged(lane_id=lane_id))
            return
        run = self.run(own.key)
        rounds = self.rounds(own.key)
        told = RoundChanged(
            lane_id=lane_id,
            number=own.pull.number,
            run=run,
            settings=self.settings(own.key),
            rounds=rounds,
            next_round=next_round(run, rounds),
        )
        self._publish(told)

    # Keeping in step

    def _told(self, before: PullSnapshot | None, after: PullSnapshot) -> None:
        """GitHub told something, or could not be asked. Must not raise."""
        try:
            self._sync(after)
        except BanksmanError as error:
            logger.warning("the inventory of a pull request was not kept: %s", error)

    def _sync(self, snapshot: PullSnapshot) -> None:
        own = _own(snapshot)
        if own is not None and snapshot.problem is None and snapshot.as_of is not None:
            items = self.items(own.key)
            after = synced(items, snapshot, snapshot.as_of, self.ours(snapshot.lane_id))
            known = {item.id: item for item in items}
            changed = [item for item in after if known.get(item.id) != item]
            if changed:
                self.store.save_items(own.key, changed, snapshot.as_of)
                if self._count(own.key):
                    self.publish_rounds(snapshot.lane_id)
        self.publish(snapshot.lane_id)

    def _count(self, key: str) -> bool:
        """What became of the last round's items stands in its record; whether that is new."""
        rounds = self.rounds(key)
        if not rounds:
            return False
        last = rounds[-1]
        given = [item for item in self.items(key) if item.id in last.items]
        fixed = [item for item in given if item.state == "fixed"]
        counted = last.model_copy(
            update={
                "fixed": len(fixed),
                "done": tuple(item.headline for item in fixed[:MOST_DONE]),
                "dismissed": sum(item.state == "dismissed" for item in given),
                "returned": sum(item.state in ("new", "escalated") for item in given) if last.sent else 0,
            }
        )
        if counted == last:
            return False
        try:
            self.store.save_round(key, counted)
        except StoreError as error:
            logger.warning("the numbers of a round were not kept: %s", error)
            return False
        return True


def next_round(run: PipelineRun, rounds: tuple[RoundRecord, ...]) -> int:
    """The number that a round beginning now would have."""
    return max([run.round, *(one.number for one in rounds)]) + 1


def _own(snapshot: PullSnapshot | None) -> OwnPull | None:
    if snapshot is None or snapshot.pull is None:
        return None
    return OwnPull(pull_key(snapshot.pull.repository, snapshot.pull.number), snapshot, snapshot.pull)
