"""Notes: what the app itself tells the model, as events that people see too."""

from desktop.domain.events import UserMessage


def note(kind: str, text: str, turn_id: str = "") -> UserMessage:
    """A text of the app for the model; people see it as a quiet row (sessions-SE12)."""
    body = f'<banksman-note kind="{kind}">{text.replace("<", "&lt;")}</banksman-note>'
    return UserMessage(parts=({"type": "text", "text": body},), origin="note", note_kind=kind, turn_id=turn_id)
