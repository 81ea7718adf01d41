"""The own entries of chats in which something happened, with their states and what is damaged. Any connection."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from desktop.domain.core.errors import StoreError
from desktop.domain.handover.values import ChatLog
from desktop.domain.history.state import SessionState
from desktop.store.history.event_body import FIRST_PREV_HASH, event_hash, format_at
from desktop.store.history.event_rows import stored_envelope
from desktop.store.history.paths import own_rows, read_inherited
from desktop.store.history.state_keeper import opened_chat
from desktop.store.sqlite.connection import Database, Row

_ACTIVE = """
    SELECT session.session_id, title, kind FROM session
    LEFT JOIN event ON event.session_id = session.session_id AND event.seq = session.head_seq
    WHERE (event.at > ? OR event.at IS NULL AND head_seq > -1) AND (? IS NULL OR project_id = ?)
    ORDER BY created_at, session.session_id"""


def chat_logs(database: Database, project_id: str | None, since: datetime | None) -> list[ChatLog]:
    """The chats of a project (None: of all), and the project's own log, in which something was recorded after `since`
    (None: all), oldest first. What a fork inherits stands in the log of the chat that it comes from.

    Raises:
        StoreError: it cannot be read which chats there are. A chat that cannot be read itself is damaged.
    """
    after = format_at(since) if since is not None else ""
    found: list[ChatLog] = []
    for session_id, title, kind in database.rows(_ACTIVE, (after, project_id, project_id)):
        named = "(lanes)" if kind == "project" else str(title) or "Untitled"
        found.append(chat_log(database, str(session_id), named))
    return found


def family_logs(database: Database, session_id: str) -> Iterator[ChatLog]:
    """One chat, then its sub-agents and those below them, each once; none where there is no such chat."""
    waiting, seen = [session_id], set[str]()
    while waiting:
        if (one := waiting.pop()) in seen:
            continue  # nobody begins themselves but in a log that was changed
        seen.add(one)
        chat = chat_log(database, one)
        if chat.events or chat.damage:
            yield chat._replace(title=chat.state.title or "Untitled")
            waiting += reversed(chat.state.children)


def chat_log(database: Database, session_id: str, title: str = "") -> ChatLog:
    """The own entries of a chat, as far as they can be read."""
    try:
        head = database.rows("SELECT head_seq FROM session WHERE session_id = ?", (session_id,))
        inherited, rows = read_inherited(database, session_id), own_rows(database, session_id)
        damage = _damage(rows, inherited[-1].hash if inherited else FIRST_PREV_HASH)
        own = [stored_envelope(row) for row in rows]
        path = [*inherited, *own]
        if not damage and head and isinstance(head[0][0], int) and head[0][0] > (own[-1].seq if own else -1):
            damage = "its end is missing"
        return ChatLog(title, own, opened_chat(database, session_id, path).state, damage)
    except StoreError:
        return ChatLog(title or "Untitled", (), SessionState.begin(session_id), "nothing of it can be read")


def _damage(own: Sequence[Row], before: str) -> str:
    """How many entries are not as they were written or do not follow the one before, and which is the first; "" for
    none. `before`: the hash that the first one follows."""
    wrong: list[int] = []
    expected = 0
    for _, session_id, seq, _, at, kind, body, prev_hash, digest in own:
        text = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else b""
        fits = digest == event_hash(before, str(session_id), str(seq), str(at), str(kind), text)
        if seq != expected or prev_hash != before or not fits:
            wrong.append(seq if isinstance(seq, int) else -1)
        expected, before = (seq if isinstance(seq, int) else -1) + 1, str(digest)
    if not wrong:
        return ""
    count = f"{len(wrong):,} entries do not fit" if len(wrong) > 1 else "1 entry does not fit"
    return f"{count}, the first is number {wrong[0]:,}"
