"""The state of a session after its events, kept beside the log, so that a long chat opens without folding all of it.

Derived and never the truth: a row counts only if it was made by this very program and the entry it stands at has the
hash it names. Everything here is best effort; a row less costs time and nothing else.
"""

import hashlib
import logging
import sqlite3

import desktop
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Envelope
from desktop.domain.history.fold_state import STATE_VERSION, dump_state, fold_log, load_state
from desktop.domain.history.state_of import FOLDED_KINDS, SessionState
from desktop.store.core.events import OpenedChat
from desktop.store.sqlite.connection import Database

logger = logging.getLogger(__name__)

SAVE_EVERY = 2000
_CREATE = """CREATE TABLE IF NOT EXISTS session_state (
    session_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, version TEXT NOT NULL, body TEXT NOT NULL)"""
_LOAD = """SELECT state.seq, state.body FROM session_state AS state JOIN event
    ON event.session_id = state.session_id AND event.seq = state.seq AND event.hash = state.hash
    WHERE state.session_id = ? AND state.version = ?"""
_MADE_OF = " ".join([*sorted(SessionState.model_fields), *sorted(FOLDED_KINDS)])
VERSION = f"{desktop.__version__}-{STATE_VERSION}-{hashlib.sha256(_MADE_OF.encode()).hexdigest()[:16]}"


class StateKeeper:
    """Loads and saves the states of sessions. Engine thread only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._saved: dict[str, int] = {}
        with database.transaction() as connection:
            connection.execute(_CREATE)

    def opened(self, chat: OpenedChat) -> SessionState:
        """The state of a session that was opened, from here on to be kept."""
        self._saved[chat.path[-1].session_id] = chat.kept_seq
        self.keep(chat.state, chat.path[-1].hash)
        return chat.state

    def keep(self, state: SessionState, digest: str) -> None:
        """Save the state after the event of this hash, if much was recorded since it was saved last."""
        if state.head_seq - self._saved.get(state.session_id, -1) < SAVE_EVERY:
            return
        self._saved[state.session_id] = state.head_seq
        body = dump_state(state)
        if body is None:
            return
        values = (state.session_id, state.head_seq, digest, VERSION, body)
        try:
            with self._database.transaction(synced=False) as connection:
                connection.execute("DELETE FROM session_state WHERE session_id = ?", (state.session_id,))
                connection.execute("INSERT INTO session_state VALUES (?, ?, ?, ?, ?)", values)
        except (StoreError, sqlite3.Error) as error:
            logger.warning("The state of %s was not kept: %s", state.session_id, error)

    def forget(self, session_id: str) -> None:
        """The session is gone."""
        self._saved.pop(session_id, None)


def opened_chat(database: Database, session_id: str, path: list[Envelope]) -> OpenedChat:
    """A session of this path; events that the kept state counts already are not folded again. On any thread that may
    use the database."""
    seq, state = _kept(database, session_id)
    own = (n for n, envelope in enumerate(path) if envelope.session_id == session_id and envelope.seq > seq)
    start = next(own, len(path)) if seq >= 0 else 0
    return OpenedChat(path, fold_log(state, path[start:]), seq)


def _kept(database: Database, session_id: str) -> tuple[int, SessionState]:
    try:
        found = database.rows(_LOAD, (session_id, VERSION))
    except StoreError:
        logger.warning("The kept state of %s cannot be read", session_id)
        found = []
    state = load_state(str(found[0][1])) if found else None
    if state is None or state.head_seq != found[0][0]:
        return -1, SessionState.begin(session_id)
    return state.head_seq, state
