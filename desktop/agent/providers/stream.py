"""StreamGatherer: text of the message being written, gathered so that the window hears of it at most every 50 ms."""

import asyncio

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.domain.updates import StreamDiscarded, TextDelta, ThinkingDelta, ToolInputDelta
from desktop.providers import base as providers

GATHER_S = 0.05
GATHER_MAX_CHARS = 4096
TAIL_CHARS = 400
INPUT_STEP_CHARS = 200


class StreamGatherer:
    """One attempt of one model request. Text is published 50 ms after its first unpublished character, at 4,096
    characters, or at once when anything else of the session is published (sessions-SL16)."""

    def __init__(self, session: Session, message_id: str) -> None:
        self.message_id = message_id
        self._session = session
        self._texts: dict[int, list[str]] = {}
        self._vendor: dict[int, dict[str, JsonValue]] = {}
        self._pending: list[str] = []
        self._pending_part: tuple[int, bool] | None = None
        self._inputs: dict[int, tuple[int, str]] = {}
        self._revision = 0
        self._timer: asyncio.TimerHandle | None = None
        self._pending_chars = 0
        session.streaming(self.flush)

    @property
    def has_text(self) -> bool:
        """Something other than blanks of the answer itself was received."""
        return any("".join(pieces).strip() for pieces in self._texts.values())

    def arrived(self) -> tuple[JsonValue, ...]:
        """What of the answer's text has arrived, and what the service did by itself meanwhile, as content blocks, in
        order; blank texts left out."""
        texts = {index: "".join(pieces) for index, pieces in self._texts.items()}
        said: dict[int, JsonValue] = {at: {"type": "text", "text": text} for at, text in texts.items() if text.strip()}
        blocks = said | self._vendor
        return tuple(blocks[index] for index in sorted(blocks))

    def add(self, delta: providers.Delta) -> None:
        """Take one delta of the provider."""
        if isinstance(delta, providers.ToolInputDelta):
            self._add_input(delta)
        elif isinstance(delta, providers.VendorPart):
            self._vendor[delta.part_index] = delta.part
        elif isinstance(delta, providers.TextDelta | providers.ThinkingDelta):
            thinking = isinstance(delta, providers.ThinkingDelta)
            if not thinking:
                self._texts.setdefault(delta.part_index, []).append(delta.text)
            if self._pending_part not in (None, (delta.part_index, thinking)):
                self.flush()
            self._pending_part = (delta.part_index, thinking)
            self._pending.append(delta.text)
            self._pending_chars += len(delta.text)
            if self._pending_chars >= GATHER_MAX_CHARS:
                self.flush()
            elif self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(GATHER_S, self.flush)

    def flush(self) -> None:
        """Publish what was gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pending_part is None:
            return
        (index, thinking), text = self._pending_part, "".join(self._pending)
        self._pending_part, self._pending, self._pending_chars = None, [], 0
        self._revision += 1
        update = ThinkingDelta if thinking else TextDelta
        self._session.publish(
            update(
                session_id=self._session.session_id,
                message_id=self.message_id,
                part_index=index,
                revision=self._revision,
                text=text,
            )
        )

    def close(self) -> None:
        """The attempt is over; what was gathered is published and nothing more is taken."""
        self.flush()
        self._session.streaming(None)

    def discard(self, reason: str) -> None:
        """What was shown of this attempt does not count."""
        self.close()
        self._session.publish(
            StreamDiscarded(session_id=self._session.session_id, message_id=self.message_id, reason=reason)
        )

    def _add_input(self, delta: providers.ToolInputDelta) -> None:
        self.flush()
        chars, tail = self._inputs.get(delta.part_index, (0, ""))
        total, tail = chars + len(delta.text), (tail + delta.text)[-TAIL_CHARS:]
        self._inputs[delta.part_index] = (total, tail)
        if chars and chars // INPUT_STEP_CHARS == total // INPUT_STEP_CHARS:
            return
        self._session.publish(
            ToolInputDelta(
                session_id=self._session.session_id,
                message_id=self.message_id,
                part_index=delta.part_index,
                tool=delta.tool,
                chars=total,
                tail=tail,
            )
        )
