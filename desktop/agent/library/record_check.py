"""A look at the record of a chat that is opened: its newest 1,000 entries, in a thread, once per process
(sessions-ST15)."""

import asyncio
import logging

from desktop.agent.core.session import Publish
from desktop.domain.core.errors import StoreError
from desktop.domain.updates import CHANGED_RECORD, CommandFailed
from desktop.store.core.readings import Readings

logger = logging.getLogger(__name__)

NEWEST = 1000


class RecordCheck:
    """Says so when a chat was changed outside of this program; nothing is mended, and reading goes on."""

    def __init__(self, readings: Readings, publish: Publish) -> None:
        self._readings = readings
        self._publish = publish
        self._seen: set[str] = set()
        self.changed: set[str] = set()

    async def look(self, session_id: str) -> None:
        """Check the chat, if it was not checked yet. A finding is told as a failure of code `chain`."""
        if session_id in self._seen:
            return
        self._seen.add(session_id)
        try:
            findings = await asyncio.to_thread(self._readings.newest_findings, session_id, NEWEST)
        except (StoreError, OSError) as error:
            logger.warning("The record of %s could not be checked: %s", session_id, error)
            return
        if findings:
            self.changed.add(session_id)
            text = f"The record of this chat was changed outside Banksman (entry {findings[0].seq})."
            self._publish(CommandFailed(command_id="", code=CHANGED_RECORD, text=text, session_id=session_id))
