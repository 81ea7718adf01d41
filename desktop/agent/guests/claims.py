"""GuestClaims: what a guest says that its model used, where nobody counts it: told as its word, in no sum, and good for
nothing but to end a turn sooner (guests-A49)."""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.guests.calls.turn_calls import TurnCalls
from desktop.agent.guests.starting.link import GuestLink
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Notice
from desktop.domain.guests.events import GuestClaimed
from desktop.policy.guests.said import context_said, usage_said

Fields = Mapping[str, JsonValue]
RESTS = "limits_rest"
RESTS_ON = (
    "The limit of {limit:,} tokens rests on what {label} claims of its use, which nobody counts. With one of your "
    "services as its model Banksman counts it."
)


class GuestClaims:
    """Of one guest. `tell`: people are told that something else is known of it."""

    def __init__(self, session: Session, link: GuestLink, tell: Callable[[], None]) -> None:
        self._session, self._link, self._tell = session, link, tell

    def context(self, update: Fields, calls: TurnCalls | None) -> None:
        """It says how full its context is."""
        said, known = context_said(update), self._link.known
        if said is None or said == (known.context_used, known.context_size):
            return
        usage = "context" if known.usage == "unknown" else known.usage
        more = {"context_used": said[0], "context_size": said[1], "usage": usage}
        self._link.known = known.model_copy(update=more)
        self._tell()
        if calls is not None:
            calls.claims(said[0])

    def answered(self, answer: Fields) -> None:
        """It says what a prompt used, at its end. Raises StoreError: that was not recorded."""
        usage, known = usage_said(answer), self._link.known
        if usage is None:
            return
        tokens = usage.total_input + (usage.output or 0)
        more = {"claimed_tokens": known.claimed_tokens + tokens, "usage": "claimed"}
        self._session.append(GuestClaimed(usage=usage), lazy=True)
        self._link.known = known.model_copy(update=more)
        self._tell()

    def rests_on(self, label: str, tokens: int | None) -> None:
        """Say once in a chat what a limit in tokens rests on; None: there is none."""
        known = (envelope.event for envelope in self._session.log if envelope.kind == "notice")
        if tokens and not any(_rests(event) for event in known):
            text = RESTS_ON.format(limit=tokens, label=label)
            self._session.append(Notice(kind=RESTS, level="warning", text=text))


def _rests(event: EventBase) -> bool:
    return isinstance(event, Notice) and event.kind == RESTS
