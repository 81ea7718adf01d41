"""SearchCommands: full text over all chats and within one. The index is filled while nothing else is due."""

import asyncio
import logging
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.domain.chats.commands import FindInSession, SearchChats
from desktop.domain.chats.updates import ChatsFound, FoundInSession, SearchHit
from desktop.domain.core.command import Command
from desktop.domain.core.errors import StoreError
from desktop.domain.event_texts import SEARCHED_KINDS, searched
from desktop.domain.events import Envelope
from desktop.store.core.library import Hit
from desktop.store.core.store import Store

logger = logging.getLogger(__name__)

SLICE_S = 0.004
PAUSE_S = 0.02
IDLE_S = 1.0
CATCH_UP_S = 0.2


class SearchCommands:
    """All on the engine thread; queries run in threads, over connections of their own."""

    def __init__(self, sessions: Sessions, store: Store, publish: Publish) -> None:
        self._sessions = sessions
        self._readings = store.readings
        self._index = store.search
        self._publish = publish
        self._timer: asyncio.TimerHandle | None = None
        self._asked: dict[type, str] = {}
        self._closed = self._renewed = False
        store.events.subscribe(self._recorded)

    def handlers(self) -> dict[type[Command], Handler]:
        """See `Commands`."""
        return {SearchChats: self._search, FindInSession: self._find}

    def start(self) -> None:
        """Take in what an earlier process left, when there is time."""
        self._recorded(None)

    async def close(self) -> None:
        """Nothing more is taken in."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    async def forget(self, session_id: str) -> None:
        """Take a chat out of the index before it is removed, a few entries at a time."""
        left = True
        while left:
            await asyncio.sleep(0)
            left = not self._index.forget(session_id)

    def rebuild(self) -> None:
        """Make the index anew, in the time to come."""
        self._index.rebuild()
        self._recorded(None)

    def _recorded(self, envelope: Envelope | None) -> None:
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(IDLE_S, self._slice)

    def _slice(self) -> None:
        self._timer = None
        try:
            done = self._index.step(SLICE_S)
        except StoreError as error:  # the next entry tries again
            logger.warning("The search index was not filled: %s", error)
            return
        if not done and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(PAUSE_S, self._slice)

    async def _search(self, command: SearchChats) -> None:
        self._asked[SearchChats] = command.request_id
        done = await self._catch_up()
        page = await asyncio.to_thread(self._readings.search, command.query, command.page)
        if page.damaged and not self._renewed:
            self._index.rebuild()
            done = await self._catch_up()
            page = await asyncio.to_thread(self._readings.search, command.query, command.page)
        self._renewed = page.damaged
        if self._asked.get(SearchChats) != command.request_id:
            return
        hits = tuple(_hit(hit) for hit in page.hits if not {hit.session_id, hit.root_id} & self._sessions.hidden)
        self._publish(
            ChatsFound(
                request_id=command.request_id,
                query=command.query,
                page=command.page,
                hits=hits,
                more=page.more,
                indexing=not done,
                problem=page.problem,
            )
        )

    async def _catch_up(self) -> bool:
        """Take in what was recorded for a fifth of a second; whether all is in. The rest is taken in later."""
        end = time.monotonic() + CATCH_UP_S
        done = False
        while not done and time.monotonic() < end:
            done = self._index.step(SLICE_S)
            await asyncio.sleep(0)
        if not done:
            self._recorded(None)
        return done

    async def _find(self, command: FindInSession) -> None:
        self._asked[FindInSession] = command.request_id
        log = [envelope for envelope in self._sessions.get(command.session_id).log if envelope.kind in SEARCHED_KINDS]
        pattern = find_pattern(command.text, case=command.case, whole_word=command.whole_word)
        found = await asyncio.to_thread(find_in, log, pattern) if pattern is not None else {}
        if self._asked.get(FindInSession) == command.request_id:
            self._publish(
                FoundInSession(
                    request_id=command.request_id,
                    session_id=command.session_id,
                    event_ids=tuple(found),
                    counts=tuple(found.values()),
                )
            )


def find_pattern(text: str, *, case: bool, whole_word: bool) -> re.Pattern[str] | None:
    """What to look for; None: nothing was typed. The text is taken as it is, never as a pattern."""
    if not text:
        return None
    literal = re.escape(text)
    return re.compile(rf"(?<!\w){literal}(?!\w)" if whole_word else literal, 0 if case else re.IGNORECASE)


def find_in(log: Sequence[Envelope], pattern: re.Pattern[str]) -> dict[str, int]:
    """The entries that hold the text, oldest first, and how often. Any thread."""
    counts: dict[str, int] = {}
    for envelope in log:
        said = searched(envelope.event)
        shown = said is not None and said.kind != "title"
        matches = sum(1 for _ in pattern.finditer(said.text)) if said is not None and shown else 0
        if matches:
            counts[envelope.event_id] = matches
    return counts


def _hit(hit: Hit) -> SearchHit:
    return SearchHit(
        session_id=hit.session_id,
        event_id=hit.event_id,
        seq=hit.seq,
        title=hit.title,
        kind=hit.kind,
        snippet=hit.snippet,
        at=datetime.fromisoformat(hit.at).astimezone(UTC),
        mark=hit.mark,
    )
