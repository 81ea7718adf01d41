"""What a model was given of the memory, turn by turn, from the log of its chat."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from desktop.domain.events import Envelope, TurnStarted, UserMessage
from desktop.domain.history.state_of import message_text
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.updates import GivenTurn
from desktop.records import dataclass

MOST_TURNS = 50
SAID_CHARS = 200


@dataclass(frozen=True)
class TurnSearches:
    """A turn with what was looked up in it, in order. `said`: what was asked of it first."""

    started: TurnStarted
    at: datetime
    said: str
    searches: tuple[MemorySearched, ...]

    @property
    def as_choice(self) -> GivenTurn:
        """The turn as a person chooses it."""
        given = sum(len(search.used) for search in self.searches)
        return GivenTurn(turn_id=self.started.turn_id, at=self.at, said=self.said, given=given)


def searched_turns(log: Sequence[Envelope], turn_id: str) -> tuple[TurnSearches | None, tuple[GivenTurn, ...]]:
    """The turn of this id, "" for the last one, None where there is none; and what can be chosen, newest first: the
    last turn and those in which something was looked up. Blocking: it reads the log."""
    chosen: TurnSearches | None = None
    choices: list[GivenTurn] = []
    for place, turn in enumerate(_turns(log)):
        if turn.started.turn_id == turn_id or (place == 0 and not turn_id):
            chosen = turn
        if place == 0 or turn.searches:
            choices.append(turn.as_choice)
        if chosen is not None and len(choices) >= MOST_TURNS:
            break
    return chosen, tuple(choices[:MOST_TURNS])


def _turns(log: Sequence[Envelope]) -> Iterator[TurnSearches]:
    """The turns of a log, newest first."""
    searches: list[MemorySearched] = []
    said = ""
    for envelope in reversed(log):
        if envelope.kind == "memory_searched" and isinstance(envelope.event, MemorySearched):
            searches += [envelope.event] if envelope.event.ran else []
        elif envelope.kind == "user_message" and isinstance(envelope.event, UserMessage):
            said = said if envelope.event.origin == "note" else message_text(envelope.event)
        elif envelope.kind == "turn_started" and isinstance(envelope.event, TurnStarted):
            yield TurnSearches(envelope.event, envelope.at, said[:SAID_CHARS], tuple(reversed(searches)))
            searches, said = [], ""
