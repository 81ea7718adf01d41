"""PullOrders: what a person told the forge to do, and whether it was done: only what the forge then tells counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from desktop.domain.core.update import Update
from desktop.domain.pulls.commands import PullCommand
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.pulls.updates import PullRequestChanged
from desktop.domain.updates import CommandFailed
from desktop.ui.core.sink import CommandSink

Landed = Callable[[PullSnapshot], bool]
_ENOUGH = 3


@dataclass
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

    def __init__(self, sink: CommandSink, parent: QObject) -> None:
        super().__init__(parent)
        self._sink = sink
        self._open: dict[str, _Order] = {}

    def give(self, command: PullCommand, key: str, landed: Landed, finish: Callable[[str], None]) -> bool:
        """Send a command unless one of the same key is under way. `finish` is given "" when it was done, else why not
        (not display-safe). False: it was not sent."""
        if self.is_busy(key):
            return False
        self._open[command.command_id] = _Order(command, key, landed, finish)
        self._sink.send(command)
        self.changed.emit()
        return True

    def is_busy(self, key: str) -> bool:
        """Whether an order of that key is under way."""
        return any(order.key == key for order in self._open.values())

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what came of the orders."""
        for update in updates:
            if isinstance(update, CommandFailed) and update.command_id in self._open:
                self._end(update.command_id, update.text)
            elif isinstance(update, PullRequestChanged) and not update.loading:
                self._take(update.snapshot)

    def _take(self, snapshot: PullSnapshot) -> None:
        for command_id, order in list(self._open.items()):
            if order.command.lane_id != snapshot.lane_id:
                continue
            order.readings += 1
            if snapshot.problem is None and order.landed(snapshot):
                self._end(command_id, "")
            elif order.readings >= _ENOUGH:
                self._end(command_id, "GitHub does not show it yet. Refresh, and look before you try again.")

    def _end(self, command_id: str, problem: str) -> None:
        order = self._open.pop(command_id)
        order.finish(problem)
        self.changed.emit()


def same_words(one: str, other: str) -> bool:
    """Whether two texts say the same but for blanks and line ends, which a forge may change."""
    return " ".join(one.split()) == " ".join(other.split())
