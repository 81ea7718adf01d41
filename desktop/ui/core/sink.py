"""CommandSink: the one thing a widget can do to the engine, and the clock it is given."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from desktop.domain.core.command import Command

Clock = Callable[[], datetime]
"""The time now, aware, in UTC."""


class CommandSink(Protocol):
    """Takes commands; the bridge is one. What comes of a command arrives as an Update."""

    def send(self, command: Command) -> None:
        """Hand the command over and return at once. Called on the UI thread."""
