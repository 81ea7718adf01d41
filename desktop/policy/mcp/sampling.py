"""What a server may have a model asked for: texts alone, in bounds, and no more than so much an hour (guests-M28)."""

from collections import deque
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from desktop.policy.network.hosts import Refused
from desktop.records import dataclass

MOST_TOKENS = 2_000
MOST_TOKENS_AN_HOUR = 20_000
MOST_MESSAGES = 50
MOST_CHARS = 20_000
HOUR_S = 3_600.0
TOOLS = "It wants the model to use tools, which is never done for a server."
NO_TEXT = "It sends something that is no text."
TOO_LONG = f"It sends more than {MOST_CHARS:,} characters or {MOST_MESSAGES} messages."
NOTHING = "It sends no message of a user."
USED_UP = f"This server used up its {MOST_TOKENS_AN_HOUR:,} tokens of this hour."
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class Wanted:
    """What a server wants of a model. `messages`: role and text of each, as they came; `most`: tokens of the answer."""

    messages: tuple[tuple[str, str], ...]
    system: str
    most: int

    @property
    def size(self) -> int:
        """About how many tokens it takes, the longest answer included."""
        said = len(self.system) + sum(len(text) for _, text in self.messages)
        return self.most + said // _CHARS_PER_TOKEN


def wanted_of(params: Mapping[str, JsonValue]) -> Wanted | Refused:
    """What the parameters of a request ask for, or why it is refused."""
    if params.get("tools") or params.get("toolChoice"):
        return Refused(TOOLS)
    messages: list[tuple[str, str]] = []
    said = params.get("messages")
    for message in said if isinstance(said, list) else ():
        texts = _texts(message.get("content")) if isinstance(message, dict) else None
        if texts is None or not isinstance(message, dict):
            return Refused(NO_TEXT)
        messages.append((str(message.get("role")), "\n".join(texts)))
    system, most = params.get("systemPrompt"), params.get("maxTokens")
    system = system if isinstance(system, str) else ""
    if len(messages) > MOST_MESSAGES or len(system) + sum(len(text) for _, text in messages) > MOST_CHARS:
        return Refused(TOO_LONG)
    if not messages or messages[-1][0] != "user" or not all(text.strip() for _, text in messages):
        return Refused(NOTHING)
    limit = most if isinstance(most, int) and 0 < most < MOST_TOKENS else MOST_TOKENS
    return Wanted(tuple(messages), system, limit)


def _texts(content: JsonValue) -> Sequence[str] | None:
    """The texts of a message, None where something else is among them."""
    blocks = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for block in blocks:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if not isinstance(text, str):
            return None
        texts.append(text)
    return texts


class HourlyTokens:
    """The tokens that one server took within the last hour. Times in seconds of any clock that only goes on."""

    def __init__(self) -> None:
        self._took: deque[tuple[float, int]] = deque()

    def has_room(self, tokens: int, now_s: float) -> bool:
        """Whether so many more may be taken."""
        while self._took and now_s - self._took[0][0] >= HOUR_S:
            self._took.popleft()
        return sum(taken for _, taken in self._took) + tokens <= MOST_TOKENS_AN_HOUR

    def take(self, tokens: int, now_s: float) -> None:
        """Count these."""
        self._took.append((now_s, tokens))
