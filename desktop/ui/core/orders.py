"""Orders: the commands that one part of the window sent and whose outcome it waits for."""

from desktop.domain.core.command import Command
from desktop.ui.core.sink import CommandSink


class Orders:
    """`busy`: what is being done, in words, "" for nothing."""

    def __init__(self, sink: CommandSink) -> None:
        self._sink = sink
        self._sent: dict[str, Command] = {}
        self._busy = ("", "")

    @property
    def busy(self) -> str:
        """The words of the order that was given last with some, while it is under way."""
        return self._busy[1]

    def send(self, command: Command, busy: str = "") -> None:
        """Give an order; `busy` says what is being done meanwhile."""
        self._sent[command.command_id] = command
        if busy:
            self._busy = (command.command_id, busy)
        self._sink.send(command)

    def end(self, command_id: str) -> Command | None:
        """The outcome of a command came: give the command, None if it was not ordered here."""
        if self._busy[0] == command_id:
            self._busy = ("", "")
        return self._sent.pop(command_id, None)
