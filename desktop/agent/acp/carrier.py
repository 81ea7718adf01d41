"""Carrier: carries out commands of a person at an editor, and tells what came of each."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.update import Update
from desktop.domain.updates import CommandFailed

Told = TypeVar("Told", bound=Update)


class Carrier:
    """`handle` carries out a command as a window's; `saw` must be told all that the engine tells."""

    def __init__(self, handle: Callable[[Command], Awaitable[None]]) -> None:
        self._handle = handle
        self._failed: dict[str, CommandFailed | None] = {}
        self._kept: list[tuple[type[Update], list[Update]]] = []

    def saw(self, update: Update) -> None:
        """Note it, if it is about a command that is being carried out."""
        if isinstance(update, CommandFailed) and update.command_id in self._failed:
            self._failed[update.command_id] = update
        for kind, kept in self._kept:
            if isinstance(update, kind):
                kept.append(update)

    async def run(self, command: Command) -> None:
        """Carry out a command.

        Raises:
            CommandError: it was not carried out.
        """
        self._failed[command.command_id] = None
        try:
            await self._handle(command)
        finally:
            failed = self._failed.pop(command.command_id)
        if failed is not None:
            raise CommandError(failed.code, failed.text)

    async def ask(self, command: Command, kind: type[Told]) -> list[Told]:
        """Carry out a command; what of this kind the engine told meanwhile. Raises as `run`."""
        kept: list[Update] = []
        entry: tuple[type[Update], list[Update]] = (kind, kept)
        self._kept.append(entry)
        try:
            await self.run(command)
        finally:
            self._kept.remove(entry)
        return [update for update in kept if isinstance(update, kind)]
