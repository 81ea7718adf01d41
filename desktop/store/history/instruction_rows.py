"""The chats whose agents left an instruction file with this content, found by an index of its own."""

from collections.abc import Iterable

from desktop.domain.chats.library_events import InstructionFilesChanged
from desktop.store.core.evidence import InstructionOrigin
from desktop.store.history.event_rows import SELECT_EVENT, stored_envelope
from desktop.store.sqlite.connection import Database
from desktop.store.sqlite.migrations import INSTRUCTION_EVENTS

_TITLE = "SELECT title FROM session WHERE session_id = ?"


class SqliteInstructionRows:
    """Reads only. Engine thread. What a deleted chat changed is not known any more."""

    CHANGED = f"{SELECT_EVENT} WHERE {INSTRUCTION_EVENTS} ORDER BY at"

    def __init__(self, database: Database) -> None:
        self._database = database

    def origins(self, contents: Iterable[str], *, but: str) -> dict[str, InstructionOrigin]:
        """For each of these contents (sha256) that an agent left in a file, which chat it was, `but` that one."""
        wanted = frozenset(contents)
        found: dict[str, InstructionOrigin] = {}
        for row in self._database.rows(self.CHANGED, ()) if wanted else ():
            envelope = stored_envelope(row)
            event = envelope.event
            if envelope.session_id == but or not isinstance(event, InstructionFilesChanged):
                continue
            for sha256 in wanted.intersection(file.sha256 for file in event.files):
                title = self._title(envelope.session_id)
                found[sha256] = InstructionOrigin(session_id=envelope.session_id, title=title, at=envelope.at)
        return found

    def _title(self, session_id: str) -> str:
        rows = self._database.rows(_TITLE, (session_id,))
        return str(rows[0][0]) if rows else ""
