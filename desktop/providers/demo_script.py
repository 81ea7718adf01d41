"""Scripts of the demo: their form, which one a conversation follows, and where in it the conversation stands.

All of it is a function of the messages of a request, so forks, rewinds, retries and restarts need no care.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue

from desktop.domain.core.base import Frozen
from desktop.records import dataclass

SCRIPT_FOLDER = Path(__file__).parent / "demo_scripts"
FIRST_SCRIPT = "tour"
END_TEXT = "That is the end of this demo."
_APP_TEXTS = ("<banksman-note", "[Banksman] ")
_REMINDER = re.compile(r'<banksman-note kind="(?:reminder|todo|open_todos|todos)')

Message = dict[str, Any]


class DemoCall(Frozen):
    """One call of a scripted turn."""

    name: str
    args: dict[str, JsonValue] = Field(default_factory=dict)


class DemoFault(Frozen):
    """The way in which a turn fails, and at which attempts (from 1): drop_before, drop_in_text, drop_in_input,
    drop_before_stop, status:<n>, error:<type>, stall."""

    kind: str = Field(
        pattern=r"^(drop_before|drop_in_text|drop_in_input|drop_before_stop|stall|status:\d{3}|error:\w+)$"
    )
    attempts: tuple[int, ...] = (1,)


class DemoTurn(Frozen):
    """One scripted answer of the model. `when`: a pattern that the results of turn `of` (default: the one before) must
    contain."""

    text: str = ""
    tool_calls: tuple[DemoCall, ...] = ()
    delay_ms: int = 0
    usage: dict[str, int] = Field(default_factory=dict)
    stop_reason: str = ""
    fault: DemoFault | None = None
    when: str = ""
    of: int | None = None


class DemoPass(Frozen):
    """The turns from a prompt or reminder on. A turn may be a list of variants; the first that fits is taken."""

    turns: tuple[DemoTurn | tuple[DemoTurn, ...], ...]


class DemoScript(Frozen):
    """A script. `match`: words that choose it; `needs`: a tool it needs, without which it says `otherwise`."""

    name: str
    title: str
    match: tuple[str, ...] = ()
    needs: str = ""
    otherwise: str = ""
    passes: tuple[DemoPass, ...]

    def opening(self) -> set[str]:
        """Texts with which this script may begin."""
        first = self.passes[0].turns[0]
        variants = first if isinstance(first, tuple) else (first,)
        return {turn.text for turn in variants} | ({self.otherwise} if self.otherwise else set())


@dataclass(frozen=True)
class Place:
    """The place in a script at which a conversation stands.

    `prompt`: the person's last message, the `number`-th; `first`: it is the only one. `reminders` came after it.
    `answers`: text of each complete answer since then, `results`: what its calls gave. `cut`: text of an answer that
    broke off: no call is in it, and a note follows it.
    """

    prompt: str
    number: int
    reminders: int
    answers: tuple[str, ...]
    results: tuple[str, ...]
    cut: str
    first: bool


@cache
def demo_scripts() -> tuple[DemoScript, ...]:
    """All shipped scripts, by name."""
    return tuple(load_script(path) for path in sorted(SCRIPT_FOLDER.glob("*.json")))


def load_script(path: Path) -> DemoScript:
    """The script in a file. Raises ValueError when it is malformed."""
    return DemoScript.model_validate(json.loads(path.read_text(encoding="utf-8")))


def place_of(messages: list[Message]) -> Place:
    """The place in a script that these messages have reached."""
    prompts = [at for at, message in enumerate(messages) if message["role"] == "user" and _person_text(message)]
    start = prompts[-1] if prompts else 0
    reminders = 0
    answers: list[str] = []
    results: list[str] = []
    cut = ""
    has_calls = False
    for message in messages[start:]:
        texts = texts_of(message)
        if message["role"] == "assistant":
            answers.append("".join(texts))
            results.append("")
            has_calls = any(block.get("type") == "tool_use" for block in _blocks(message))
            cut = ""
        elif any(_REMINDER.match(text) for text in texts):
            reminders += 1
            answers, results = [], []
        elif answers and not has_calls:
            cut = answers.pop()
            results.pop()
        elif answers:
            results[-1] += _results(message)
    prompt = _person_text(messages[start]) if prompts else ""
    return Place(prompt, len(prompts), reminders, tuple(answers), tuple(results), cut, first=len(prompts) <= 1)


def choose_script(scripts: tuple[DemoScript, ...], place: Place, offered: frozenset[str]) -> DemoScript | None:
    """The script this conversation follows; None: no script fits what the person wrote."""
    if place.answers:
        for script in scripts:
            if place.answers[0] in script.opening():
                return script
    words = place.prompt.casefold()
    for script in scripts:
        if any(re.search(rf"\b{re.escape(word.casefold())}\b", words) for word in script.match):
            return script
    for script in scripts:
        if place.first and script.needs and script.needs in offered:
            return script
    return next((script for script in scripts if place.first and script.name == FIRST_SCRIPT), None)


def turn_at(script: DemoScript, place: Place, offered: frozenset[str]) -> DemoTurn:
    """The turn of the script at this place; at its end the closing sentence."""
    at = len(place.answers)
    if at == 0 and place.reminders == 0 and script.needs and script.needs not in offered:
        return DemoTurn(text=script.otherwise)
    if place.reminders >= len(script.passes) or at >= len(script.passes[place.reminders].turns):
        return DemoTurn(text=END_TEXT)
    entry = script.passes[place.reminders].turns[at]
    variants = entry if isinstance(entry, tuple) else (entry,)
    return next((turn for turn in variants if _fits(turn, place.results)), variants[-1])


def script_list(scripts: tuple[DemoScript, ...]) -> str:
    """The answer when no script fits: a list of the demos."""
    rows = [f"- **{script.match[0] if script.match else script.name}**: {script.title}" for script in scripts]
    return "\n".join(["I am a scripted demo and know these conversations. Send one of the words:", "", *rows])


def _fits(turn: DemoTurn, results: tuple[str, ...]) -> bool:
    if not turn.when:
        return True
    at = len(results) - 1 if turn.of is None else turn.of
    return 0 <= at < len(results) and re.search(turn.when, results[at]) is not None


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def texts_of(message: Message) -> list[str]:
    """The texts of a message, in order."""
    return [str(block["text"]) for block in _blocks(message) if block.get("type") == "text"]


def _person_text(message: Message) -> str:
    return "\n".join(text for text in texts_of(message) if not text.lstrip().startswith(_APP_TEXTS)).strip()


def _results(message: Message) -> str:
    found: list[str] = []
    for block in _blocks(message):
        if block.get("type") == "tool_result":
            content = block.get("content", "")
            texts = [content] if isinstance(content, str) else [str(part.get("text", "")) for part in content]
            found += texts
    return "\n".join(found)
