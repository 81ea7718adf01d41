"""Reports and evidence in the log of a session, found by an index of their own, however long the chat is."""

from desktop.domain.events import Envelope
from desktop.store.history.event_rows import SELECT_EVENT, stored_envelope
from desktop.store.sqlite.connection import Database
from desktop.store.sqlite.migrations import EVIDENCE_EVENTS

_REPORTING = f"SELECT DISTINCT session_id FROM event WHERE {EVIDENCE_EVENTS} AND type = 'completion_reported'"  # noqa: S608

_IN_LANE = "SELECT session_id FROM session WHERE lane_id = ?"


class SqliteEvidenceRows:
    """Reads only. Engine thread. `ON_PATH`: the query for the entries of a session."""

    ON_PATH = f"{SELECT_EVENT} WHERE session_id = ? AND {EVIDENCE_EVENTS} ORDER BY seq"

    def __init__(self, database: Database) -> None:
        self._database = database

    def on_path(self, session_id: str) -> list[Envelope]:
        """The reports, runs and checks that this session recorded itself, in order: what stands before it came from a
        file is left out, and so are reports that the conversation went back from. Runs count wherever it went."""
        found = [stored_envelope(row) for row in self._database.rows(self.ON_PATH, (session_id,))]
        marks = [place for place, envelope in enumerate(found) if envelope.kind == "imported"]
        found = found[marks[-1] + 1 :] if marks else found
        spans = self._path(found)
        return [
            one
            for one in found
            if one.kind in ("evidence_recorded", "claim_checked")
            or (one.kind == "completion_reported" and any(first <= one.seq <= last for first, last in spans))
        ]

    def reporting(self) -> frozenset[str]:
        """The ids of all sessions in which something was reported."""
        return frozenset(str(row[0]) for row in self._database.rows(_REPORTING, ()))

    def in_lane(self, lane_id: str) -> list[str]:
        """The ids of the chats that work in a lane, in no order."""
        return [str(row[0]) for row in self._database.rows(_IN_LANE, (lane_id,))]

    def _path(self, found: list[Envelope]) -> list[tuple[int, int]]:
        """First and last place of each stretch of the session that its newest entry follows from, newest first."""
        rewinds = [envelope for envelope in found if envelope.kind == "rewound"]
        spans: list[tuple[int, int]] = []
        last = found[-1].seq if found else -1
        while last >= 0:
            turned = next((one for one in reversed(rewinds) if one.seq <= last), None)
            if turned is None:
                return [*spans, (0, last)]
            spans.append((turned.seq, last))
            rewinds = rewinds[: rewinds.index(turned)]
            last = self._place_of(turned)
        return spans

    def _place_of(self, turned: Envelope) -> int:
        """Where the entry stands that the conversation went back to; -1 where that is in the chat it came from."""
        wanted = "SELECT seq FROM event WHERE event_id = ? AND session_id = ?"
        rows = self._database.rows(wanted, (turned.parent_id or "", turned.session_id))
        return int(str(rows[0][0])) if rows else -1
