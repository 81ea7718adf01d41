"""LimitWatch: how much a host still answers, and until when it must not be asked at all (lanes-G21)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from desktop.domain.github.values import RateState

FIRST_WAIT_S, LONGEST_WAIT_S = 60.0, 900.0
WRITE_WAIT_S = 30.0
LONGEST_RESUMED = timedelta(days=1)
"""A kept wait that lies further ahead was written by a clock that was wrong."""
_SECONDARY = ("secondary rate limit", "abuse detection")


class LimitWatch:
    """Of one host, whoever asks. `changed` is called when what others should know has changed."""

    def __init__(
        self, host: str, clock: Callable[[], datetime], changed: Callable[[RateState], None] = lambda state: None
    ) -> None:
        self._host = host
        self.now = clock
        self._changed = changed
        self._shares: dict[str, tuple[float, datetime]] = {}
        self._wait: tuple[datetime, str] | None = None
        self._strikes = 0
        self._told = RateState(host=host)

    @property
    def state(self) -> RateState:
        """The rate limit as it stands now."""
        now = self.now()
        counted = [(share, reset) for share, reset in self._shares.values() if reset > now]
        share, reset = min(counted, default=(1.0, None))
        wait = self._wait if self._wait is not None and self._wait[0] > now else None
        if wait is None and share == 0 and reset is not None:
            wait = reset, "the quota is used up"
        return RateState(
            host=self._host,
            share=share,
            reset_at=reset,
            wait_until=wait[0] if wait else None,
            reason=wait[1] if wait else "",
        )

    def resume(self, until: datetime) -> None:
        """Go on with a wait that began before this start of the program, and tell people of it."""
        if self._wait is None and self.now() < until <= self.now() + LONGEST_RESUMED:
            self._wait = until, "it wants a pause"
            self._tell()

    def until(self, resource: str) -> datetime | None:
        """The time before which no request of this kind may be sent, None: it may be sent now."""
        now = self.now()
        if self._wait is not None and self._wait[0] > now:
            return self._wait[0]
        share, reset = self._shares.get(resource, (1.0, now))
        return reset if share == 0 and reset > now else None

    def seen(self, status: int, headers: Mapping[str, str], said: str) -> datetime | None:
        """Take in an answer. When it was refused because of a limit: when to ask again; None: it was not."""
        self._count(headers)
        until = self._refusal(status, headers, said)
        if until is None and status < 400:
            self._strikes = 0
        self._tell()
        return until

    def _count(self, headers: Mapping[str, str]) -> None:
        limit, remaining, reset = (
            _number(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset")
        )
        if limit and remaining is not None and reset is not None:
            resource = headers.get("x-ratelimit-resource", "core")
            self._shares[resource] = remaining / limit, self._local(datetime.fromtimestamp(reset, UTC), headers)

    def _refusal(self, status: int, headers: Mapping[str, str], said: str) -> datetime | None:
        if status not in (403, 429):
            return None
        now = self.now()
        after = headers.get("retry-after", "")
        low = said.lower()
        if after:
            until, reason = now + timedelta(seconds=self._seconds(after)), "it wants a pause"
        elif headers.get("x-ratelimit-remaining") == "0":
            reset = _number(headers.get("x-ratelimit-reset")) or 0
            until, reason = self._local(datetime.fromtimestamp(reset, UTC), headers), "the quota is used up"
        elif status == 429 or any(words in low for words in _SECONDARY):
            until, reason = now + timedelta(seconds=self._next_wait()), "it wants a pause"
        else:
            return None
        until = max(until, now + timedelta(seconds=1))
        if self._wait is None or until > self._wait[0]:
            self._wait = until, reason
        return until

    def _seconds(self, after: str) -> float:
        """What `retry-after` asks for: seconds or a date."""
        if (seconds := _number(after)) is not None:
            return float(seconds)
        try:
            return (parsedate_to_datetime(after) - self.now()).total_seconds()
        except (ValueError, TypeError):
            return self._next_wait()

    def _next_wait(self) -> float:
        wait = min(FIRST_WAIT_S * 2.0**self._strikes, LONGEST_WAIT_S)
        self._strikes += 1
        return wait

    def _local(self, moment: datetime, headers: Mapping[str, str]) -> datetime:
        """A moment of the host's clock as this computer's clock will show it."""
        try:
            return moment + (self.now() - parsedate_to_datetime(headers["date"]))
        except (KeyError, ValueError, TypeError):
            return moment

    def _tell(self) -> None:
        state = self.state
        if (state.wait_until, state.slow) != (self._told.wait_until, self._told.slow):
            self._told = state
            self._changed(state)


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.strip().isdecimal() else None
