"""What the stored text of an event tells of the message list without being read: an event of a long chat whose context
was left behind takes a twentieth of the time so. A text that could mean anything else is read."""

import re

from desktop.domain.events import Envelope

SPEAKING = frozenset(
    {
        "user_message",
        "assistant_message",
        "tool_call_started",
        "tool_call_finished",
        "message_deleted",
        "deletion_undone",
        "context_cleared",
        "compacted",
    }
)
"""The kinds of events that say something of messages."""

_CALLS = frozenset({"tool_call_started", "tool_call_finished"})
_HEAD = r'\{"id":"[A-Za-z0-9_.-]+","parent":(?:null|"[A-Za-z0-9_.-]+"),"v":\d+,"type":"'
_KIND = re.compile(rf'{_HEAD}([a-z_]+)"')
_CALL = re.compile(rf'{_HEAD}[a-z_]+","call_id":"([^"\\]+)"')
_QUOTED = {kind: tuple(f'"{other}"' for other in sorted(SPEAKING - {kind})) for kind in SPEAKING}
_ESCAPED_LETTER = "\\u00"


def call_of(envelope: Envelope) -> str | None:
    """The call that an unread event of a call's begin or result is about; None: it has to be read.

    The text names one call alone, in letters that are not escaped.
    """
    text = envelope.unread
    if text is None or envelope.kind not in _CALLS:
        return None
    named = _CALL.match(text)
    if named is None or text.find('"call_id"', named.end()) >= 0 or not _is_plain(text, envelope.kind):
        return None
    return named[1]


def is_mute(envelope: Envelope) -> bool:
    """Whether an unread message holds no result of a call: it counts for nothing once the context is left behind."""
    kind, text = envelope.kind, envelope.unread
    if kind not in SPEAKING:
        return True
    if text is None or kind not in ("user_message", "assistant_message"):
        return False
    return _is_plain(text, kind) and (kind == "assistant_message" or '"tool_result"' not in text)


def _is_plain(text: str, kind: str) -> bool:
    """Whether the text is an event of this kind, if it is one at all: nothing in it names another."""
    said = _KIND.match(text)
    if said is None or said[1] != kind or _ESCAPED_LETTER in text:
        return False
    return not any(other in text for other in _QUOTED[kind])
