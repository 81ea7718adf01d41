"""Seldom: something that is done at once, and then no more often than now and again, whoever asks for it how often."""

import asyncio
from collections.abc import Callable

EVERY_S = 0.2


class Seldom:
    """`act` is called at the first `want`, and once more after a moment for all that came since. It may not raise."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act, self._wanted = act, False
        self._timer: asyncio.TimerHandle | None = None

    def want(self) -> None:
        """Have it done."""
        self._wanted = True
        if self._timer is None:
            self.now()

    def now(self) -> None:
        """Do what was wanted and not done yet; nothing where all is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._wanted:
            self._wanted = False
            self._timer = asyncio.get_running_loop().call_later(EVERY_S, self._passed)
            self._act()

    def end(self) -> None:
        """Do what was wanted, and nothing more after it."""
        self.now()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _passed(self) -> None:
        self._timer = None
        self.now()
