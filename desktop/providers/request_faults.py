"""The faults for which a model service refuses a list of messages, said before it is sent (sessions-SH9,
sessions-SP2)."""

import operator
from typing import Any

Message = dict[str, Any]
_THINKING = ("thinking", "redacted_thinking")


class MessageCheck:
    """Looks at the lists of one conversation. Messages that are the same objects as in the last one are not looked at
    again, up to the first that is another."""

    def __init__(self) -> None:
        self._sound: list[Message] = []
        self._asked: list[list[str]] = []
        self._ids: set[str] = set()

    def fault(self, messages: list[Message], *, resumes: bool) -> str:
        """The first thing that is wrong with the list, as the end of a sentence; "" when a service would take it.

        `resumes`: the service paused in its answer, which is the last message, and goes on with it. In any other
        request the last word is not the model's.
        """
        self._forget(messages)
        for message in messages[len(self._sound) :]:
            fault = self._next_fault(message)
            if fault:
                return f"message {len(self._sound) + 1} of {len(messages)} {fault}"
        if not messages:
            return "there is no message"
        if self._asked[-1]:
            return "the last message has calls without results"
        if messages[-1]["role"] == "assistant" and not resumes:
            return "it ends with words of the model, so that nothing asks it to go on"
        return ""

    def unseen(self, messages: list[Message]) -> int:
        """How many of them are to be looked at."""
        return len(messages) - self._shared(messages)

    def _shared(self, messages: list[Message]) -> int:
        """How many at the beginning are the same as in the last list."""
        same = list(map(operator.is_, self._sound, messages))
        return same.index(False) if False in same else len(same)

    def _forget(self, messages: list[Message]) -> None:
        """Keep what is the same at the beginning of the list."""
        shared = self._shared(messages)
        for ids in self._asked[shared:]:
            self._ids.difference_update(ids)
        del self._sound[shared:], self._asked[shared:]

    def _next_fault(self, message: Message) -> str:
        role = self._sound[-1]["role"] if self._sound else "assistant"
        fault = _place_fault(message, role, self._asked[-1] if self._asked else []) or _content_fault(message)
        asked = _ids(message, "tool_use", "id")
        if not fault and (len(set(asked)) < len(asked) or not self._ids.isdisjoint(asked)):
            fault = "repeats the id of a call"
        if not fault:
            self._sound.append(message)
            self._asked.append(asked)
            self._ids.update(asked)
        return fault


def _place_fault(message: Message, before: str, asked: list[str]) -> str:
    """What is wrong with the message at its place: roles alternate, and calls are answered at once and in order."""
    if message["role"] == before:
        return "is of the same role as the one before" if before == "user" else "should be the user's"
    if _ids(message, "tool_result", "tool_use_id") != asked:
        return "does not answer the calls before it"
    if any(block["type"] != "tool_result" for block in _blocks(message)[: len(asked)]):
        return "has words before the results"
    return ""


def _content_fault(message: Message) -> str:
    """What is wrong inside a message."""
    blocks = _blocks(message)
    if not blocks:
        return "is empty"
    if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        return "holds a blank text"
    if any(block["type"] == "tool_use" and not isinstance(block["input"], dict) for block in blocks):
        return "holds a call whose input is no object"
    thinks = [block["type"] in _THINKING for block in blocks]
    if any(thinks) and (thinks[-1] or not thinks[0]):
        return "holds thinking where it may not stand"
    return ""


def _blocks(message: Message) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] | str = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _ids(message: Message, kind: str, key: str) -> list[str]:
    return [block[key] for block in _blocks(message) if block["type"] == kind]
