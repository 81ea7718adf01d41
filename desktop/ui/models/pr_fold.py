"""PullFold: what the PR tab must know of the shown chat: its lane, and how the lane's pull request stands."""

from collections.abc import Sequence

from desktop.domain.lane import Lane, LaneStatus
from desktop.domain.pr_updates import PullRequestChanged
from desktop.domain.pull_request import PullSnapshot
from desktop.domain.updates import Update
from desktop.ui.models.review_fold import ReviewFold


class PullFold:
    """Takes every update. Requests of other lanes are kept, so that another chat shows its own at once."""

    def __init__(self) -> None:
        self._place = ReviewFold()
        self._told: dict[str, PullRequestChanged] = {}

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
        """Its lane, "" for none yet."""
        return self._place.lane_id

    @property
    def lane(self) -> Lane | None:
        """The record of the lane."""
        return self._place.lane

    @property
    def status(self) -> LaneStatus | None:
        """What git said of the lane last."""
        return self._place.status

    @property
    def snapshot(self) -> PullSnapshot | None:
        """How the lane's request stood last, None before the first answer."""
        told = self._told.get(self.lane_id)
        return told.snapshot if told is not None else None

    @property
    def loading(self) -> bool:
        """Whether it is being asked for."""
        told = self._told.get(self.lane_id)
        return told is not None and told.loading

    @property
    def remotes(self) -> tuple[str, ...]:
        """Remotes to choose from."""
        told = self._told.get(self.lane_id)
        return told.remotes if told is not None else ()

    def show_session(self, session_id: str) -> None:
        """Another chat is shown."""
        self._place.show_session(session_id)

    def apply(self, updates: Sequence[Update]) -> bool:
        """Take updates in order; whether what is known of the shown lane may differ now."""
        before = (self.lane_id, self.lane, self.status, self.is_there, self._told.get(self.lane_id))
        self._place.apply(updates)
        for update in updates:
            if isinstance(update, PullRequestChanged):
                self._told[update.snapshot.lane_id] = update
        return before != (self.lane_id, self.lane, self.status, self.is_there, self._told.get(self.lane_id))
