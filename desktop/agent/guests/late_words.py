"""LateWords: what a guest says between turns, as rows of its own."""

import asyncio

from desktop.agent.core.session import Session
from desktop.domain.events import Notice

LATE_S, LATE_CHARS = 1.0, 4_000


class LateWords:
    """Of the guest of one chat."""

    def __init__(self, session: Session, label: str) -> None:
        self._session, self._label = session, label
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        """It says this; it is a row once it says no more for a moment."""
        self._text = (self._text + text)[:LATE_CHARS]
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(LATE_S, self.tell)

    def tell(self) -> None:
        """What it said so far is a row now."""
        late, self._text = self._text.strip(), ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if late:
            text = f"{self._label} said after its turn: {late}"
            self._session.record(Notice(kind="guest", level="info", text=text))
