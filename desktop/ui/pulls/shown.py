"""ShownPull: what the pages of the PR tab work with: what is known, where commands go, and whom they may ask."""

from PySide6.QtCore import QObject, Signal

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.pulls.pull_request import PullRequest, PullSnapshot
from desktop.language import said, tr
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.pages.picture_store import PullPictures
from desktop.ui.pulls.pull_orders import PullOrders

SHORT_S = 30
"""So short a wait is waited out by what is written (lanes-G21)."""


class ShownPull(QObject):
    """`noted`: a sentence (any characters) and whether it tells of a failure. `link_asked`: an address for the browser;
    `place_asked`: a file and a line (0: none) to show among the changes; `commit_asked`: a commit to show there;
    `agent_asked`: text for the composer; `act_asked`: one of `ui/pulls/actions.py`; `tab_asked`: a page of the tab;
    `fix_asked`: a scope and ids of what an agent is to fix (none: all that is new), to be asked about with the exact
    prompt; `rounds_asked`: how rounds go now, to be changed; `chat_asked`: a round's chat.

    `drafts`: texts that were written and not sent, by what they are for; `pictures`: those of texts that were loaded.
    """

    noted = Signal(str, bool)
    link_asked = Signal(str)
    place_asked = Signal(str, int)
    commit_asked = Signal(str)
    agent_asked = Signal(str)
    act_asked = Signal(str)
    tab_asked = Signal(str)
    fix_asked = Signal(str, object)
    rounds_asked = Signal(object)
    chat_asked = Signal(str)

    def __init__(self, requests: Requests, clock: Clock, parent: QObject) -> None:
        super().__init__(parent)
        self.requests, self.clock = requests, clock
        self.fold = PullFold()
        self.orders = PullOrders(requests, self)
        self.pictures = PullPictures(requests, self)
        self.drafts: dict[str, str] = {}

    @property
    def lane_id(self) -> str:
        """The lane that is shown, "" for none."""
        return self.fold.lane_id

    @property
    def snapshot(self) -> PullSnapshot | None:
        """The snapshot of the lane's request as it was told last."""
        return self.fold.snapshot

    @property
    def pull(self) -> PullRequest | None:
        """The lane's request, None for none."""
        return self.snapshot.pull if self.snapshot is not None else None

    def send(self, command: Command) -> None:
        """Send a command whose outcome all hear."""
        self.requests.send(command)

    def hindrance(self) -> str:
        """Why nothing can be written now, display-safe; "" if it can."""
        snapshot = self.snapshot
        if snapshot is None:
            return tr("Nothing is known yet.")
        problem = snapshot.problem
        if problem is not None and problem.kind in ("offline", "rate_limited", "unauthorised"):
            wait_s = (problem.until - self.clock()).total_seconds() if problem.until is not None else SHORT_S
            return "" if problem.kind == "rate_limited" and wait_s < SHORT_S else display_text(said(problem.text))
        return display_text(snapshot.read_only)
