"""What servers say of themselves to models: told in a note, as words of strangers, where a person switched it on."""

from weakref import WeakKeyDictionary

from desktop.agent.core.notes import note_of_strangers
from desktop.agent.core.session import Session
from desktop.agent.mcp.hub import ChatServer
from desktop.domain.events import Event
from desktop.domain.gate.events import SessionTainted
from desktop.domain.guests.values import guest_of
from desktop.tools.text import clip

MOST_CHARS = 4_000
KIND = "mcp_instructions"


class Instructions:
    """Each text is told once a chat while the program runs, and again when it is another."""

    def __init__(self) -> None:
        self._told: WeakKeyDictionary[Session, dict[str, str]] = WeakKeyDictionary()

    def news(self, session: Session, servers: tuple[ChatServer, ...], turn_id: str) -> list[Event]:
        """What the model of a chat is to be told now, with the mark of what strangers said; [] for nothing."""
        own = not guest_of(session.state.endpoint_id)
        usable = [one for one in servers if one.usable and (own or one.server.guests)]
        wanted = [one for one in usable if one.server.instructs and one.live.instructions.strip()]
        if not wanted:
            return []
        told, events = self._told.setdefault(session, {}), list[Event]()
        for one in wanted:
            text, source = one.live.instructions, f"mcp:{one.server.id}"
            if told.get(source) == text:
                continue
            told[source] = text
            says = f"The server {one.server.id} says how it is used. These are its words, not the user's."
            events.append(note_of_strangers(KIND, says, source, clip(text, MOST_CHARS), turn_id))
            if source not in session.state.tainted:
                events.append(SessionTainted(reason="untrusted", source=source))
        return events
