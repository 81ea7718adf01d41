"""PullFold: what the PR tab must know of the shown chat: its lane, how its pull request stands, what that waits for."""

from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.rounds.items import Scope
from desktop.domain.rounds.updates import InventoryChanged, RoundChanged
from desktop.language import tr
from desktop.ui.changes.fold import ReviewFold
from desktop.ui.core.hearing import Hearing


class PullFold:
    """Requests of other lanes are kept, so that another chat shows its own at once."""

    def __init__(self) -> None:
        self._place = ReviewFold()
        self._told: dict[str, PullRequestChanged] = {}
        self._inventories: dict[str, InventoryChanged] = {}
        self._rounds: dict[str, RoundChanged] = {}
        self._before = self._known
        self._changed = False
        self.hearing = (
            Hearing()
            .then(self._begin)
            .inside(self._place.hearing)
            .on(PullRequestChanged, self._on_pull)
            .on(InventoryChanged, self._on_inventory)
            .on(RoundChanged, self._on_round)
            .then(self._compare)
        )

    @property
    def session_id(self) -> str:
        """The shown chat, "" for none."""
        return self._place.session_id

    @property
    def is_there(self) -> bool:
        """The chat has been opened, so its lane is known if it has one."""
        return self._place.is_there

    @property
    def lane_id(self) -> str:
        """The lane that is shown, "" for none yet."""
        return self._place.lane_id

    @property
    def lane(self) -> Lane | None:
        """The record of the lane."""
        return self._place.lane

    @property
    def status(self) -> LaneStatus | None:
        """The status of the lane as git told it last."""
        return self._place.status

    @property
    def snapshot(self) -> PullSnapshot | None:
        """The snapshot of the lane's request as it was told last, None before the first answer."""
        told = self._told.get(self.lane_id)
        return told.snapshot if told is not None else None

    @property
    def loading(self) -> bool:
        """Whether the request is being asked for."""
        told = self._told.get(self.lane_id)
        return told is not None and told.loading

    @property
    def remotes(self) -> tuple[str, ...]:
        """Remotes to choose from."""
        told = self._told.get(self.lane_id)
        return told.remotes if told is not None else ()

    @property
    def inventory(self) -> InventoryChanged | None:
        """The inventory of what the lane's request waits for, None before it was told."""
        return self._inventories.get(self.lane_id)

    @property
    def rounds(self) -> RoundChanged | None:
        """The rounds of work on it, None before that was told."""
        return self._rounds.get(self.lane_id)

    def why_not_fix(self, scope: Scope) -> str:
        """Why that scope cannot be given to an agent now, "" when it can."""
        told = self.inventory
        return told.availability.why(scope) if told is not None else tr("It is not known yet what there is to fix.")

    def show_session(self, session_id: str) -> None:
        """Another chat is shown."""
        self._place.show_session(session_id)

    def take_changed(self) -> bool:
        """Whether what is known of the shown lane may have become another since this was asked last."""
        changed, self._changed = self._changed, False
        return changed

    def _begin(self) -> None:
        self._before = self._known

    def _compare(self) -> None:
        self._changed = self._changed or self._before != self._known

    def _on_pull(self, update: PullRequestChanged) -> None:
        self._told[update.snapshot.lane_id] = update

    def _on_inventory(self, update: InventoryChanged) -> None:
        self._inventories[update.lane_id] = update

    def _on_round(self, update: RoundChanged) -> None:
        self._rounds[update.lane_id] = update

    @property
    def _known(self) -> tuple[object, ...]:
        return (
            self.lane_id,
            self.lane,
            self.status,
            self.is_there,
            self._told.get(self.lane_id),
            self.inventory,
            self.rounds,
        )
