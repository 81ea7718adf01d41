"""TokenMeter: how full the model's window is, from running sums. Estimates: four characters or 750 pixels a token."""

import base64
import binascii
import json
from typing import Any

from desktop.agent.core.session import Session
from desktop.domain.chats.library_events import PromptChanged
from desktop.domain.context.events import Compacted, ContextCleared, DeletionUndone, MessageDeleted, Rewound
from desktop.domain.events import AssistantMessage, Envelope, ToolCallFinished, UserMessage
from desktop.domain.web.vendor import is_result
from desktop.providers.aside import aside
from desktop.records import dataclass
from desktop.services.pictures.header import read_header

CHARS_PER_TOKEN = 4
PIXELS_PER_TOKEN = 750
IMAGE_TOKENS = 1_600
"""A picture of unknown size: about what services make of a large one."""

_HEADER_BASE64_CHARS = 64 * 1024
_REWRITES = (Rewound, MessageDeleted, DeletionUndone, ContextCleared, Compacted)
_LONG_LOG = 1_000
_COUNTED_KINDS = frozenset(
    kind.model_fields["type"].default
    for kind in (UserMessage, AssistantMessage, ToolCallFinished, PromptChanged, *_REWRITES)
)


@dataclass(frozen=True)
class Counted:
    """Tokens by what they are spent on."""

    messages: int = 0
    results: int = 0
    images: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.messages + self.results + self.images

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(self.messages + other.messages, self.results + other.results, self.images + other.images)


def text_tokens(chars: int) -> int:
    """Tokens of a text of so many characters, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


def count_parts(parts: Any) -> Counted:
    """The content blocks of one message, or a text."""
    if isinstance(parts, str):
        return Counted(messages=text_tokens(len(parts)))
    found = Counted()
    for part in parts if isinstance(parts, list | tuple) else ():
        if isinstance(part, dict):
            found += _count_part(part)
    return found


def count_messages(messages: list[dict[str, Any]]) -> Counted:
    """A whole message list."""
    found = Counted()
    for message in messages:
        found += count_parts(message["content"])
    return found


def _count_part(part: dict[str, Any]) -> Counted:
    match part.get("type"):
        case "tool_result":
            inner = count_parts(part.get("content"))
            return Counted(results=inner.messages + inner.results, images=inner.images)
        case "tool_use":
            raw = part.get("input")
            chars = len(raw) if isinstance(raw, str) else len(json.dumps(raw, ensure_ascii=False))
            return Counted(messages=text_tokens(len(str(part.get("name"))) + chars))
        case "image":
            return Counted(images=_image_tokens(part.get("source")))
    if is_result(part):
        return Counted(results=text_tokens(len(json.dumps(part.get("content"), ensure_ascii=False))))
    chars = sum(len(value) for key in ("text", "thinking", "data") if isinstance(value := part.get(key), str))
    return Counted(messages=text_tokens(chars))


def _image_tokens(source: Any) -> int:
    data = source.get("data") if isinstance(source, dict) else None
    width = height = 0
    if isinstance(data, dict):
        width, height = data.get("width_px") or 0, data.get("height_px") or 0
    elif isinstance(data, str):
        try:
            header = read_header(base64.b64decode(data[:_HEADER_BASE64_CHARS]))
        except (binascii.Error, ValueError):
            header = None
        width, height = (header.width_px, header.height_px) if header is not None else (0, 0)
    if not (isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0):
        return IMAGE_TOKENS
    return -(-width * height // PIXELS_PER_TOKEN)


class TokenMeter:
    """The size of a session's next request. `catch_up` takes in what was appended since; the log is never read again.

    After a rewind, a clear, a compaction or a removal the message list as it is then is counted once. Of a long chat
    that was opened only its end is read, until the parts are needed (`whole`).
    """

    def __init__(self) -> None:
        self._at = 0
        self._counted = Counted()
        self._system = 0
        self._tools = 0
        self._base: int | None = None
        self._since = 0
        self._scale = (1, 1)
        self._rough = self._outdated = False

    @property
    def used(self) -> int:
        """Tokens of the next request: what the service counted last and an estimate of what came since; after the list
        was rewritten an estimate by what the service had made of it before."""
        if self._base is not None:
            return self._base + self._since
        counted, estimated = self._scale
        return self.estimate * counted // estimated

    @property
    def estimate(self) -> int:
        """The same from lengths alone."""
        return self._system + self._tools + self._counted.total

    @property
    def fixed(self) -> int:
        """Tokens of the system prompt and the tools, estimated."""
        return self._system + self._tools

    @property
    def estimated(self) -> bool:
        """Whether any of it is an estimate."""
        return self._base is None or self._since != 0

    def parts(self) -> dict[str, int]:
        """`used` by system, tools, messages, results and images, in proportion to their estimates."""
        raw = {
            "system": self._system,
            "tools": self._tools,
            "messages": self._counted.messages,
            "results": self._counted.results,
            "images": self._counted.images,
        }
        if self._rough or not self.estimate:
            return {**raw, "messages": max(0, self.used - self.fixed), "results": 0, "images": 0}
        scaled = {name: count * self.used // self.estimate for name, count in raw.items()}
        return {**scaled, "messages": scaled["messages"] + self.used - sum(scaled.values())}

    def catch_up(self, session: Session, *, whole: bool = False) -> None:
        """Take in what the session's log has grown by. `whole`: also what was skipped when a long chat was opened."""
        start = self._at
        if start == 0 and not whole and len(session.log) > _LONG_LOG:
            start = self._last_count(session.log)
        new = [one for one in session.log[start:] if one.kind in _COUNTED_KINDS]
        self._at = len(session.log)
        rewritten = False
        for envelope in new:
            rewritten = self._take(envelope) or rewritten
        if rewritten or (whole and self._rough):
            self._counted = count_messages(session.history.messages())
            self._rough = self._outdated = False

    async def catch_up_aside(self, session: Session) -> None:
        """As `catch_up` of the whole; the list of a long chat is counted on a worker thread."""
        self.catch_up(session)
        at = self._at
        if self._rough:
            messages = session.history.messages()
            counted = await aside(len(messages), lambda: count_messages(messages))
            if at == len(session.log):
                self._counted, self._rough = counted, False
        self.catch_up(session, whole=True)

    def _last_count(self, log: list[Envelope]) -> int:
        """Where the last answer stands whose request the service counted; 0, and everything is read, if the list was
        rewritten since."""
        rewrites = {kind.model_fields["type"].default for kind in _REWRITES}
        for at in range(len(log) - 1, 0, -1):
            if log[at].kind in rewrites:
                return 0
            if log[at].kind == "assistant_message":
                event = log[at].event
                if isinstance(event, AssistantMessage) and event.usage.input is not None:
                    prompt = next((one for one in reversed(log[:at]) if one.kind == "prompt_changed"), None)
                    if prompt is not None:
                        self._take(prompt)
                    self._rough = True
                    return at
        return 0

    def _take(self, envelope: Envelope) -> bool:
        """True: earlier messages changed, so that the list must be counted anew."""
        event = envelope.event
        if isinstance(event, UserMessage):
            self._add(count_parts(event.parts))
        elif isinstance(event, ToolCallFinished):
            inner = count_parts(event.content)
            self._add(Counted(results=inner.messages + inner.results, images=inner.images))
        elif isinstance(event, AssistantMessage):
            self._add(count_parts(event.parts))
            usage = event.usage
            if usage.input is not None and usage.output is not None:
                self._base, self._since = usage.total_input + usage.output, 0
        elif isinstance(event, PromptChanged):
            before = self.fixed
            self._system = text_tokens(event.system.size)
            self._tools = text_tokens(event.tools.size)
            self._since += self.fixed - before
        elif isinstance(event, _REWRITES):
            if self._base and self.estimate and not (self._rough or self._outdated):
                self._scale = (self.used, self.estimate)
            self._base, self._since, self._outdated = None, 0, True
            return True
        return False

    def _add(self, counted: Counted) -> None:
        self._counted += counted
        self._since += counted.total
