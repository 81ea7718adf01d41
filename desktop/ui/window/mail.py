"""Mail: which window of several sent a command, so that its answer goes there; all else goes to every window."""

from collections.abc import Sequence

from desktop.domain.core.command import Command
from desktop.domain.core.update import Answer, Update
from desktop.ui.core.sink import CommandSink

_REMEMBERED = 2000


class Mail:
    """Windows are numbers here. What answers the command of a window that is closed reaches nobody."""

    def __init__(self, sink: CommandSink) -> None:
        self._sink = sink
        self._senders: dict[str, int] = {}

    def sink_of(self, window: int) -> CommandSink:
        """What that window sends its commands through."""
        return _WindowSink(self, window)

    def send(self, window: int, command: Command) -> None:
        """Note whose command it is, and hand it over."""
        if not command.is_answered:
            self._sink.send(command)
            return
        self._senders[command.command_id] = window
        while len(self._senders) > _REMEMBERED:
            del self._senders[next(iter(self._senders))]
        self._sink.send(command)

    def for_window(self, window: int, updates: Sequence[Update]) -> list[Update]:
        """Those of the updates that this window is to take, in order."""
        return [update for update in updates if self._addressee(update) in (None, window)]

    def _addressee(self, update: Update) -> int | None:
        """The window that an update is for, None for all."""
        return self._senders.get(update.command_id) if isinstance(update, Answer) else None


class _WindowSink:
    """The commands of one window."""

    def __init__(self, mail: Mail, window: int) -> None:
        self._mail, self._window = mail, window

    def send(self, command: Command) -> None:
        """Hand the command over and return at once."""
        self._mail.send(self._window, command)


class Standing:
    """What a window that opens later must be told: the newest of each, in an order in which it can be taken."""

    def __init__(self) -> None:
        self._newest: dict[tuple[type[Update], str], Update] = {}

    def note(self, updates: Sequence[Update]) -> None:
        """Keep what stands."""
        for update in updates:
            for key, told in update.standing():
                self._newest[type(update), key] = told

    def updates(self) -> list[Update]:
        """All of it, for one batch."""
        return sorted(self._newest.values(), key=lambda update: update.stands or 0)
