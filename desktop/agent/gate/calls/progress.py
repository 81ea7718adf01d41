"""Progress: the output of a running call as people see it while it runs, without secrets."""

import time
from collections.abc import Callable

from desktop.agent.core.session import Session
from desktop.domain.gate.redaction import Redactor
from desktop.domain.updates import ToolProgress

MAX_CHARS = 4000
EVERY_S = 0.25


class Progress:
    """Shows the output of a running call, at most four times a second. `redactor` is asked each time: a call may
    be given a secret that was not known before."""

    def __init__(self, session: Session, call_id: str, redactor: Callable[[], Redactor]) -> None:
        self._tail = ""
        self._redactor = redactor
        self._session = session
        self._call_id = call_id
        self._began = time.monotonic()
        self._shown = 0.0

    @property
    def tail(self) -> str:
        """The last characters that were shown."""
        return self._redactor().redact(self._tail).text

    def show(self, tail: str, output_bytes: int) -> None:
        """The last characters of the output so far, and its size."""
        self._tail = tail
        if len(tail) >= MAX_CHARS:  # its first line may begin within a secret, which nothing would know by its end
            self._tail = tail[-MAX_CHARS:].partition("\n")[2] or tail[-MAX_CHARS:]
        now = time.monotonic()
        if now - self._shown < EVERY_S:
            return
        self._shown = now
        update = ToolProgress(
            session_id=self._session.session_id,
            call_id=self._call_id,
            tail=self.tail,
            output_bytes=output_bytes,
            elapsed_ms=round((time.monotonic() - self._began) * 1000),
        )
        self._session.publish(update)
