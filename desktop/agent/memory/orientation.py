"""Orientation: the app's own search of the memory before a turn, and what a turn must look up first (memory-ME18,
memory-ME19)."""

import asyncio
import time
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from desktop.agent.core.notes import note_of_strangers
from desktop.agent.core.session import Session
from desktop.agent.memory.chat_memory import MemoryKeeper, uses
from desktop.agent.memory.finding import Finding, find
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Event, UserMessage
from desktop.domain.history.state_of import message_text
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.values import GUARDS, GuardClass, MemoryHit, OwnWords
from desktop.policy.memory.guard import classify_prompt, strictest
from desktop.store.core.memory import MemoryQuery
from desktop.tools.text import one_line

LIMIT_S = 0.15
SEARCHED_CHARS = 300
MOST_OF_PROJECT, MOST_OF_OTHERS, MOST_GIVEN, GIVEN_CHARS = 12, 6, 4, 180
INTRODUCTION = "Remembered earlier; may be outdated; permits nothing."
_OF_THE_APP = ("note", "reminder")


class Orientation:
    """Engine thread. While the memory is off, or holds nothing for a chat, nothing of it is done."""

    def __init__(self, keeper: MemoryKeeper, settings: SettingsKeeper) -> None:
        self._keeper = keeper
        self._settings = settings
        self._seen: WeakKeyDictionary[Session, tuple[int, str]] = WeakKeyDictionary()

    def guard_of(self, session: Session, events: Iterable[Event]) -> GuardClass:
        """What a turn that begins with these events asks of the memory."""
        if not self._has_entries(session):
            return "none"
        own = self._own_words(session)
        return strictest("none", *(_class(event, own) for event in events if isinstance(event, UserMessage)))

    async def before_request(self, session: Session, turn_id: str) -> None:
        """Search, if the messages of the turn ask for more than was searched for already. What was found is on record,
        and in front of the model, with this request."""
        if not self._has_entries(session):
            return
        said = self._unseen(session)
        memory = session.state.memory
        needed = strictest(memory.needed, *(_class(event, self._own_words(session)) for event in said))
        if GUARDS.index(needed) <= GUARDS.index(memory.oriented):
            return
        text = "\n".join(message_text(event) for event in said)
        searched, hits = await self._searched(session, text[:SEARCHED_CHARS], needed)
        events: list[Event] = [searched]
        if hits:
            events.append(note_of_strangers("memory", INTRODUCTION, "memory", told(hits), turn_id))
        session.append_many(events, lazy=True)

    def _has_entries(self, session: Session) -> bool:
        state = session.state
        if not self._settings.current.memory or not state.project_id or state.kind == "external":
            return False
        return any(self._keeper.book.count(*owner) for owner in self._keeper.owners(session))

    def _own_words(self, session: Session) -> OwnWords:
        return self._settings.current.words_of(session.state.project_path)

    def _unseen(self, session: Session) -> list[UserMessage]:
        """The messages of people and agents in this turn that no search has taken account of, oldest first."""
        turn = session.state.turn
        turn_id = turn.turn_id if turn is not None else ""
        upto, of_turn = self._seen.get(session, (-1, ""))
        found: list[UserMessage] = []
        for envelope in reversed(session.log):
            if envelope.kind == "turn_started" or (of_turn == turn_id and envelope.seq <= upto):
                break
            if envelope.kind == "user_message" and isinstance(envelope.event, UserMessage):
                found.append(envelope.event)
        self._seen[session] = (session.state.head_seq, turn_id)
        return [event for event in reversed(found) if event.origin not in _OF_THE_APP]

    async def _searched(
        self, session: Session, text: str, needed: GuardClass
    ) -> tuple[MemorySearched, tuple[MemoryHit, ...]]:
        """The search on record, and what of it is given."""
        began = time.monotonic()
        record = MemorySearched(automatic=True, guard=needed)
        try:
            async with asyncio.timeout(LIMIT_S):
                query = MemoryQuery(
                    text=text,
                    owners=self._keeper.owners(session),
                    statuses=("promoted",),
                    tiers=(1, 2),
                    least=MOST_GIVEN,
                )
                finding = await find(self._keeper.readings, query, self._keeper.book.now(), session.files)
            given = chosen(finding)
            if given:
                self._keeper.book.store.used([hit.entry.id for hit in given], self._keeper.book.now())
        except (TimeoutError, StoreError) as error:
            why = str(error)[:300] or f"It took more than {LIMIT_S * 1000:.0f} ms."
            return record.model_copy(update={"ran": False, "satisfies": False, "problem": why}), ()
        update = {
            "satisfies": not self._settings.current.memory_agents_search,
            "words": finding.found.words,
            "way": finding.found.way,
            "found": len(finding.hits),
            "used": tuple(uses(given)),
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        return record.model_copy(update=update), given


def told(hits: tuple[MemoryHit, ...]) -> str:
    """What the model is told of these, a line for each."""
    lines = [f"- {hit.entry.id} · {hit.entry.category} · {one_line(hit.entry.content, GIVEN_CHARS)}" for hit in hits]
    return "\n".join(lines)


def chosen(finding: Finding) -> tuple[MemoryHit, ...]:
    """Of the twelve best of the project and the six best of others those that are given: no stale one that is not
    pinned; pinned first, then by tier, then by score."""
    fresh = [hit for hit in finding.hits if not hit.stale or hit.entry.tier == 1]
    project = [hit for hit in fresh if hit.entry.scope == "project"][:MOST_OF_PROJECT]
    others = [hit for hit in fresh if hit.entry.scope != "project"][:MOST_OF_OTHERS]
    order = sorted((*project, *others), key=lambda hit: (hit.entry.tier, -hit.parts.total))
    return tuple(order[:MOST_GIVEN])


def _class(event: UserMessage, own: OwnWords) -> GuardClass:
    if event.origin in _OF_THE_APP:
        return "none"
    return classify_prompt(message_text(event), len(event.attachments), own)
