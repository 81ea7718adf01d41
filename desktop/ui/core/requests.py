"""Requests: a command and what came of it as one value; a window has one, through which all its parts send."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from PySide6.QtCore import QMetaObject, QObject
from PySide6.QtWidgets import QDialog

from desktop.domain.core.command import Command
from desktop.domain.core.update import Outcome, Update
from desktop.domain.updates import CommandFailed
from desktop.language import said
from desktop.records import dataclass
from desktop.ui.core.hearing import Batch, Hearing
from desktop.ui.core.sink import CommandSink

Kind = TypeVar("Kind", bound=Outcome)
_KEPT = 2000


@dataclass(frozen=True)
class Reply:
    """A kind of outcome and what takes it. `last`: nothing follows it."""

    kind: type[Outcome]
    take: Callable[[Outcome], None]
    last: bool


def answer(kind: type[Kind], take: Callable[[Kind], object]) -> Reply:
    """An outcome with which the command is done."""
    return Reply(kind, _narrowed(kind, take), last=True)


def progress(kind: type[Kind], take: Callable[[Kind], object]) -> Reply:
    """An outcome that others follow."""
    return Reply(kind, _narrowed(kind, take), last=False)


class Request:
    """One command that was sent. `is_waiting`: its answer or its failure has not come, and is still wanted. One without
    a command waits for nothing: what a part has before it asked."""

    def __init__(self, command: Command | None = None, end: "Callable[[Request], None] | None" = None) -> None:
        """`end` is called once, when it waits no longer."""
        self.command = command
        self._end = end
        self._replies: tuple[Reply, ...] = ()
        self._failed: Callable[[CommandFailed], object] | None = None
        self._bonds: list[QMetaObject.Connection] = []

    @property
    def is_waiting(self) -> bool:
        """Whether something is still to come."""
        return self._end is not None

    def begin(
        self, owner: QObject, replies: tuple[Reply, ...], failed: Callable[[CommandFailed], object] | None
    ) -> None:
        """Wait, as long as the owner is there (a dialog: open)."""
        self._replies, self._failed = replies, failed
        self._bonds = [owner.destroyed.connect(self.drop)]
        if isinstance(owner, QDialog):
            self._bonds.append(owner.finished.connect(self.drop))

    def drop(self, _why: object = None) -> None:
        """What comes of it is not wanted any more."""
        end, self._end = self._end, None
        if end is not None:
            for bond in self._bonds:
                QObject.disconnect(bond)
            self._bonds, self._replies, self._failed = [], (), None
            end(self)

    def take(self, outcome: Outcome) -> None:
        """Call what waits for an outcome of this kind. With the last one the request has ended before the call."""
        failed, replies = self._failed, self._replies
        if isinstance(outcome, CommandFailed):
            self.drop()
            if failed is not None:
                failed(replace(outcome, text=said(outcome.text)))
            return
        for reply in replies:
            if reply.kind is type(outcome):
                if reply.last:
                    self.drop()
                reply.take(outcome)
                return


class Ask(Protocol):
    """`Requests.ask`, or what does more beside: what a part is given that needs nothing else of the window."""

    def __call__(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Send a command, and call one of `replies` or `failed` with what comes of it."""


class Requests:
    """The commands of one window, and those among them whose outcome a part waits for."""

    def __init__(self, sink: CommandSink) -> None:
        self._sink = sink
        self._waiting: dict[str, tuple[Request, ...]] = {}

    def send(self, command: Command) -> None:
        """Hand a command over whose outcome nobody waits for, or everybody hears."""
        self._sink.send(command)

    def ask(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Send a command, and call one of `replies` or `failed` with what comes of it.

        No call comes before this returns, none after `owner` is destroyed (a dialog: closed) or the request dropped.
        """
        request = self.expect(command, owner, *replies, failed=failed)
        self._sink.send(command)
        return request

    def expect(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Do the same without sending: somebody else does, or it is sent later. Of several who wait for one command the
        first is told first."""
        request = Request(command, self._forget)
        request.begin(owner, replies, failed)
        self._waiting[command.command_id] = (*self._waiting.get(command.command_id, ()), request)
        while len(self._waiting) > _KEPT:
            for oldest in next(iter(self._waiting.values())):
                oldest.drop()
        return request

    def deliver(self, updates: Sequence[Update], hearing: Hearing) -> None:
        """Hand a batch over, in order: an outcome to the part that asked once all have heard what came until then."""
        begin = 0
        for at, update in enumerate(updates):
            if isinstance(update, Outcome) and update.command_id in self._waiting:
                hearing.hear(Batch(updates[begin : at + 1]))
                begin = at + 1
                for request in self._waiting.get(update.command_id, ()):
                    request.take(update)
        if begin < len(updates):
            hearing.hear(Batch(updates[begin:] if begin else updates))
        hearing.settle()

    def _forget(self, request: Request) -> None:
        if request.command is None:
            return
        command_id = request.command.command_id
        left = tuple(one for one in self._waiting.pop(command_id, ()) if one is not request)
        if left:
            self._waiting[command_id] = left


def _narrowed(kind: type[Kind], take: Callable[[Kind], object]) -> Callable[[Outcome], None]:
    def taken(outcome: Outcome) -> None:
        if isinstance(outcome, kind):
            take(outcome)

    return taken
