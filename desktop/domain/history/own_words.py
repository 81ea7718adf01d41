"""The words that a person wrote in a message, without what was added to it for the model."""

from pydantic import JsonValue

from desktop.domain.chats.mentions import NAMED_HEAD
from desktop.domain.events import UserMessage

ATTACHED = "Attached files, to be read with read_file:\n"
_ATTACHED_HEAD, _PICTURE = "Attached files,", "(picture)"


def own_words(event: UserMessage) -> str:
    """The text of a message without the list of its `attachments`, what its `mentions` brought, and the pictures of
    both, "" when it was files alone; a picture that came otherwise stands as "(picture)". What was typed, where that
    differs, is in `display`."""
    texts = [text for part in event.parts if (text := _text(part))]
    if event.attachments or event.mentions:
        texts = [text for text in texts if text != _PICTURE]
    if event.attachments and texts and texts[-1].startswith(_ATTACHED_HEAD):
        texts.pop()
    if event.mentions and texts and texts[-1].startswith(NAMED_HEAD):
        texts.pop()
    return "\n\n".join(texts)


def _text(part: JsonValue) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else _PICTURE if part.get("type") == "image" else ""
