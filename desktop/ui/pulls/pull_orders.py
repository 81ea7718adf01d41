"""PullOrders: what a person told the forge to do, and whether it was done: only what the forge then tells counts."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.domain.pulls.commands import PullCommand
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests

Landed = Callable[[PullSnapshot], bool]
_ENOUGH = 3


@dataclass(eq=False)
class _Order:
    command: PullCommand
    key: str
    landed: Landed
    finish: Callable[[str], None]
    readings: int = 0


class PullOrders(QObject):
    """`changed`: something else is under way now. An order ends when a snapshot shows what it wanted, when it is
    refused, or when several newer snapshots do not show it; then nothing is claimed and nothing is thrown away."""

    changed = Signal()

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self._open: list[_Order] = []
        self.hearing = Hearing().on(PullRequestChanged, self._on_changed)

    def give(self, command: PullCommand, key: str, landed: Landed, finish: Callable[[str], None]) -> bool:
        """Send a command unless one of the same key is under way. `finish` is given "" when it was done, else why not
        (not display-safe). False: it was not sent."""
        if self.is_busy(key):
            return False
        order = _Order(command, key, landed, finish)
        self._open.append(order)
        self._requests.ask(command, self, failed=partial(self._on_failed, order))
        self.changed.emit()
        return True

    def is_busy(self, key: str) -> bool:
        """Whether an order of that key is under way."""
        return any(order.key == key for order in self._open)

    def _on_failed(self, order: _Order, failed: CommandFailed) -> None:
        if order in self._open:
            self._end(order, failed.text)

    def _on_changed(self, update: PullRequestChanged) -> None:
        if not update.loading:
            self._take(update.snapshot)

    def _take(self, snapshot: PullSnapshot) -> None:
        for order in list(self._open):
            if order.command.lane_id != snapshot.lane_id:
                continue
            order.readings += 1
            if snapshot.problem is None and order.landed(snapshot):
                self._end(order, "")
            elif order.readings >= _ENOUGH:
                self._end(order, tr("GitHub does not show it yet. Refresh, and look before you try again."))

    def _end(self, order: _Order, problem: str) -> None:
        self._open.remove(order)
        order.finish(problem)
        self.changed.emit()


def same_words(one: str, other: str) -> bool:
    """Whether two texts say the same but for blanks and line ends, which a forge may change."""
    return " ".join(one.split()) == " ".join(other.split())
