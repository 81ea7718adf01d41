"""Notes: what the app itself tells the model, as events that people see too."""

from desktop.domain.events import UserMessage
from desktop.tools.untrusted import untrusted


def note(kind: str, text: str, turn_id: str = "") -> UserMessage:
    """A text of the app for the model; people see it as a quiet row (sessions-SE12)."""
    return _note(kind, text.replace("<", "&lt;"), turn_id)


def note_of_strangers(kind: str, text: str, source: str, said: str, turn_id: str = "") -> UserMessage:
    """A note that ends with what others said, inside the marker that names its source."""
    escaped, inside = (part.replace("<", "&lt;") for part in (text, said))
    return _note(kind, f"{escaped}\n{untrusted(source, inside)}" if said else escaped, turn_id)


def _note(kind: str, escaped: str, turn_id: str) -> UserMessage:
    body = f'<banksman-note kind="{kind}">{escaped}</banksman-note>'
    return UserMessage(parts=({"type": "text", "text": body},), origin="note", note_kind=kind, turn_id=turn_id)
