"""LoopGuard: notices when an agent makes the same call over and over with the same result (sessions-SL22)."""

import hashlib
from collections import deque
from collections.abc import Mapping
from dataclasses import field

from pydantic import JsonValue

from desktop.domain.gate.action import canonical_json
from desktop.domain.gate.pending import Answer, Option, Question, QuestionRequest
from desktop.records import dataclass

REPEATED = "This call was made 3 times with the same result."
LOOP_NOTE = "The same call was about to be made again with the same result as before, so the turn was ended."
LINE_AT = 3
IN_A_ROW = 4
AMONG_LAST = 5
LAST_CALLS = 20
UNCOUNTED = frozenset({"set_chat_summary", "report_completion", "ask_user"})
_GO_ON = "go on"
_CARD_TOLD: Mapping[str, str] = {
    "title": "The agent repeats the same call",
    "header": "Repeated call",
    "text": "The agent repeats the same call, each time with the same result: {title}",
    "go_on": "Go on",
    "stop": "Stop",
}


@dataclass
class _Turn:
    """The calls of one turn: digest by id of those that run, and (digest, result) of the last ones."""

    digests: dict[str, str] = field(default_factory=dict)
    pairs: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=LAST_CALLS))


class LoopGuard:
    """For the turns of all sessions; counts calls in the order of their results, within one turn.

    A call is one too many when the last four calls were the same and had the same result, or when five of the last
    twenty were. A result that differs from the last one of the same call starts its count anew.
    """

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    def begin(self, session_id: str) -> None:
        """A turn begins."""
        self._turns[session_id] = _Turn()

    def one_too_many(self, session_id: str, tool: str, raw: JsonValue) -> bool:
        """Whether this call was made so often with the same result that it should not be made again by itself."""
        if tool in UNCOUNTED:
            return False
        pairs = self._turn(session_id).pairs
        digest = _digest(tool, raw)
        return _in_a_row(pairs, digest) >= IN_A_ROW or _equal(pairs, digest) >= AMONG_LAST

    def allow(self, session_id: str) -> None:
        """A person lets the agent go on: counting begins anew."""
        self._turn(session_id).pairs.clear()

    def same(self, tool: str, raw: JsonValue, other_tool: str, other: JsonValue) -> bool:
        """Whether two calls are the same call, so that one has to wait for the result of the other."""
        return tool == other_tool and tool not in UNCOUNTED and _digest(tool, raw) == _digest(other_tool, other)

    def made(self, session_id: str, call_id: str, tool: str, raw: JsonValue) -> None:
        """A call is about to be carried out."""
        if tool not in UNCOUNTED:
            self._turn(session_id).digests[call_id] = _digest(tool, raw)

    def noted(self, session_id: str, call_id: str, text: str) -> str:
        """The result of a call as the model gets it: with a line more when it is the third of its kind in a row."""
        turn = self._turn(session_id)
        digest = turn.digests.pop(call_id, None)
        if digest is None:
            return text
        turn.pairs.append((digest, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()))
        return f"{text}\n{REPEATED}" if _in_a_row(turn.pairs, digest) == LINE_AT else text

    def _turn(self, session_id: str) -> _Turn:
        return self._turns.setdefault(session_id, _Turn())


def question(call_id: str, title: str) -> QuestionRequest:
    """What a person is asked before the same call is made again."""
    again = "Make the call once more; the agent keeps working."
    options = (
        Option(label=_CARD_TOLD["go_on"], value=_GO_ON, description=again),
        Option(label=_CARD_TOLD["stop"], value="stop", description="End this turn."),
    )
    text = _CARD_TOLD["text"].format(title=title)
    asked = Question(id="repeat", text=text, header=_CARD_TOLD["header"], options=options, freeform=False)
    return QuestionRequest(call_id=call_id, title=_CARD_TOLD["title"], questions=(asked,), during=True)


def goes_on(answer: Answer) -> bool:
    """Whether the person lets it go on."""
    return answer.outcome == "answered" and answer.choices.get("repeat") == (_GO_ON,)


def _in_a_row(pairs: deque[tuple[str, str]], digest: str) -> int:
    count = 0
    for pair in reversed(pairs):
        if pair[0] != digest or pair != pairs[-1]:
            break
        count += 1
    return count


def _equal(pairs: deque[tuple[str, str]], digest: str) -> int:
    """How many of the newest calls of this kind had the same result as the newest one."""
    results = [result for kind, result in pairs if kind == digest]
    count = 0
    for result in reversed(results):
        if result != results[-1]:
            break
        count += 1
    return count


def _digest(tool: str, raw: JsonValue) -> str:
    return hashlib.sha256(f"{tool}\0{canonical_json(raw)}".encode("utf-8", "surrogatepass")).hexdigest()
