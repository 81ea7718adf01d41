"""Half-typed answers, kept per pending input across chats and restarts until the input is resolved."""

import json

from PySide6.QtCore import QSettings

_GROUP = "card_drafts"


class CardDrafts:
    """Texts and choices a person has not sent yet, by input id and field. Secret answers must never be given to it."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def text(self, input_id: str, field: str) -> str:
        """What was typed, "" if nothing was."""
        value = self._settings.value(f"{_GROUP}/{input_id}/{field}", "")
        return value if isinstance(value, str) else ""

    def keep_text(self, input_id: str, field: str, text: str) -> None:
        """Keep what is typed; "" forgets it."""
        key = f"{_GROUP}/{input_id}/{field}"
        if text:
            self._settings.setValue(key, text)
        else:
            self._settings.remove(key)

    def choices(self, input_id: str, field: str) -> tuple[str, ...]:
        """What was chosen, in order; () if nothing was or the entry cannot be read."""
        try:
            value = json.loads(self.text(input_id, field) or "[]")
        except ValueError:
            return ()
        if not isinstance(value, list):
            return ()
        return tuple(item for item in value if isinstance(item, str))

    def keep_choices(self, input_id: str, field: str, values: tuple[str, ...]) -> None:
        """Keep what is chosen; () forgets it."""
        self.keep_text(input_id, field, json.dumps(list(values)) if values else "")

    def clear(self, input_id: str) -> None:
        """Forget everything of one input."""
        self._settings.remove(f"{_GROUP}/{input_id}")
