"""PastedSecrets: what follows from a secret that a person wrote into a chat. It was taken out before."""

from collections.abc import Callable

from desktop.agent.core.session import Session
from desktop.agent.gate.own_words import told_of
from desktop.domain.events import Event, UserMessage
from desktop.domain.gate.redaction import Redactor
from desktop.domain.history.own_words import own_words


class PastedSecrets:
    """Engine thread only. `redactor`: what took the secret out."""

    def __init__(self, redactor: Callable[[], Redactor]) -> None:
        self._redactor = redactor

    def heard(self, session: Session, events: list[Event]) -> list[Event]:
        """The mark of the chat and a line for people, where a message that is about to be recorded held a secret."""
        said = [one for one in events if isinstance(one, UserMessage) and one.origin in ("person", "queued")]
        marks = [mark for message in said for mark in self._redactor().marks_in(own_words(message))]
        return told_of(session, marks, "message")
