"""Replay: what a guest tells while it reopens a session, compared with our log and never recorded (guests-A44)."""

from collections.abc import Mapping

from pydantic import JsonValue

from desktop.agent.guests.looking_back import LastSession


class Replay:
    """Of one session."""

    def __init__(self) -> None:
        self._prompts = 0
        self._in_prompt = False
        self._calls: set[str] = set()

    def heard(self, update: Mapping[str, JsonValue]) -> None:
        """One update of it."""
        kind = update.get("sessionUpdate")
        if kind == "tool_call" and isinstance(key := update.get("toolCallId"), str):
            self._calls.add(key)
        is_prompt = kind == "user_message_chunk"
        self._prompts += is_prompt and not self._in_prompt
        self._in_prompt = is_prompt

    def is_whole(self, last: LastSession) -> bool:
        """Whether it holds all that was said, and no call of which nothing is known here."""
        return self._prompts >= last.prompts and len(self._calls) <= last.calls
