"""LedgerCommands: shows what a chat changed, and whether that can be taken back."""

import asyncio

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.core.command import Command
from desktop.domain.ledger.commands import LoadLedger
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import effects
from desktop.domain.ledger.updates import LedgerLoaded
from desktop.store.core.readings import Readings

MOST = 1_000


class LedgerCommands:
    """On the engine thread; logs are read on a worker thread."""

    def __init__(self, publish: Publish, readings: Readings) -> None:
        self._publish = publish
        self._readings = readings

    def handlers(self) -> dict[type[Command], Handler]:
        """Showing the ledger."""
        return {LoadLedger: self._load}

    async def _load(self, command: LoadLedger) -> None:
        """Raises StoreError: the log cannot be read."""
        found = await asyncio.to_thread(self._effects, command.session_id)
        self._publish(
            LedgerLoaded(
                command_id=command.command_id,
                session_id=command.session_id,
                effects=found[:MOST],
                more=max(0, len(found) - MOST),
            )
        )

    def _effects(self, session_id: str) -> tuple[Effect, ...]:
        return effects(e for e in self._readings.chat(session_id).path if e.session_id == session_id)
