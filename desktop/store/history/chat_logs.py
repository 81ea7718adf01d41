"""chat_logs(): the own entries of chats in which something happened, each with its state. Any connection."""

from datetime import datetime

from desktop.domain.handover.values import ChatLog
from desktop.store.history.event_body import format_at
from desktop.store.history.paths import read_path
from desktop.store.history.state_keeper import opened_chat
from desktop.store.sqlite.connection import Database

_ACTIVE = """
    SELECT session.session_id, title, kind FROM session
    JOIN event ON event.session_id = session.session_id AND event.seq = session.head_seq
    WHERE event.at > ? AND (? IS NULL OR project_id = ?) ORDER BY created_at, session.session_id"""


def chat_logs(database: Database, project_id: str | None, since: datetime | None) -> list[ChatLog]:
    """The chats of a project (None: of all), and the project's own log, in which something was recorded after `since`
    (None: all), oldest first. What a fork inherits stands in the log of the chat that it comes from.

    Raises:
        StoreError: they cannot be read.
    """
    after = format_at(since) if since is not None else ""
    found: list[ChatLog] = []
    for session_id, title, kind in database.rows(_ACTIVE, (after, project_id, project_id)):
        chat = opened_chat(database, str(session_id), read_path(database, str(session_id)))
        own = [envelope for envelope in chat.path if envelope.session_id == session_id]
        found.append(ChatLog("(lanes)" if kind == "project" else str(title) or "Untitled", own, chat.state))
    return found
