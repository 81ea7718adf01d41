"""Named: what the `@` mentions of a message bring to the model, as somebody reads them who knows files and chats."""

from collections.abc import Awaitable

from desktop.agent.core.session import Session
from desktop.domain.chats.mentions import MentionGiven
from desktop.domain.core.event_base import Parts
from desktop.domain.core.listeners import Voices
from desktop.records import dataclass


@dataclass(frozen=True)
class Named:
    """`parts` stand behind the words of the message; `given` says what became of each mention, in their order."""

    parts: Parts = ()
    given: tuple[MentionGiven, ...] = ()


NOTHING = Named()
Readers = Voices[[Session, str], Awaitable[Named]]


async def read_named(readers: Readers, session: Session, text: str) -> Named:
    """What the first that finds something says of the mentions in a text."""
    for reading in readers(session, text) if "@" in text else ():
        named = await reading
        if named.given:
            return named
    return NOTHING
