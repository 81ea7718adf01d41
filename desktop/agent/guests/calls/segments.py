"""Segments: what a guest says, shown while it comes, and one message each time it makes a call or ends."""

from collections.abc import Callable

from pydantic import JsonValue

from desktop.agent.core.foreign_input import recordable_parts
from desktop.agent.core.session import Session
from desktop.agent.providers.stream import StreamGatherer
from desktop.domain.core.ids import new_id
from desktop.domain.core.work import Activity
from desktop.domain.events import AssistantMessage
from desktop.providers.base import TextDelta, ThinkingDelta
from desktop.records import dataclass

LONGEST_SEGMENT = 20_000
"""A text that is longer becomes several messages, so that what is held of it stays small."""


@dataclass
class _Part:
    thinking: bool
    texts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.texts)


class Segments:
    """Of one turn (guests-A3). `cost_microusd`: of each message, None: nobody knows. `model`: the guest's own at the
    end of each, "" for not said (guests-A4)."""

    def __init__(
        self, session: Session, turn_id: str, cost_microusd: int | None = None, model: Callable[[], str] = str
    ) -> None:
        self._session = session
        self._turn_id = turn_id
        self._cost_microusd, self._model = cost_microusd, model
        self._gatherer: StreamGatherer | None = None
        self._parts: list[_Part] = []
        self._chars = 0

    def say(self, text: str, *, thinking: bool) -> None:
        """A piece of text, or of a thought."""
        if self._gatherer is None:
            self._gatherer = StreamGatherer(self._session, new_id("msg_"))
            self._session.set_activity(Activity.STREAMING)
        if not self._parts or self._parts[-1].thinking != thinking:
            self._parts.append(_Part(thinking, []))
        self._parts[-1].texts.append(text)
        at = len(self._parts) - 1
        self._gatherer.add((ThinkingDelta if thinking else TextDelta)(part_index=at, text=text))
        self._chars += len(text)
        if self._chars > LONGEST_SEGMENT:
            self.close()

    def call(self, call_id: str, name: str, given: dict[str, JsonValue]) -> None:
        """It makes a call: recorded, with what it said before, before anything is judged of it.

        Raises:
            StoreError: it was not recorded.
        """
        self._end({"type": "tool_use", "id": call_id, "name": name, "input": given})

    def close(self, *, interrupted: bool = False) -> None:
        """What it said so far is a message of its own."""
        self._end(None, interrupted=interrupted)

    def _end(self, call: JsonValue, *, interrupted: bool = False) -> None:
        gatherer, parts = self._gatherer, [part for part in self._parts if part.text.strip()]
        self._gatherer, self._parts, self._chars = None, [], 0
        message_id = gatherer.message_id if gatherer is not None else new_id("msg_")
        if gatherer is not None and (parts or call is not None):
            gatherer.close()
        elif gatherer is not None:
            gatherer.discard("empty")
        if not parts and call is None:
            return
        message = AssistantMessage(
            message_id=message_id,
            parts=recordable_parts((*map(_block, parts), *((call,) if call is not None else ()))),
            endpoint_id=self._session.state.endpoint_id,
            model=self._model() or self._session.state.model,
            stop_reason="tool_use" if call is not None else None,
            interrupted=interrupted,
            cost_microusd=self._cost_microusd,
            turn_id=self._turn_id,
        )
        self._session.append(message, lazy=True)


def _block(part: _Part) -> JsonValue:
    if part.thinking:
        return {"type": "thinking", "thinking": part.text, "signature": ""}
    return {"type": "text", "text": part.text}
