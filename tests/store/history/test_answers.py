"""Requests that were closed since a moment."""

from datetime import timedelta
from pathlib import Path

from desktop.domain.core.clock import utc_now
from desktop.domain.events import InputResolved, SessionStarted
from desktop.domain.gate.pending import Answer
from desktop.store.database import open_store
from desktop.store.readings import readings_at
from tests.domain.inbox.test_answered import asked

CLOSED = InputResolved(input_id="inp_1", answer=Answer(outcome="reject"))


def test_requests_come_with_what_closed_them_and_chats_without_any_are_left_out(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    store.events.append_many("ses_a", [SessionStarted(project_id="p"), asked(1), CLOSED])
    store.events.append_many("ses_b", [SessionStarted(project_id="p"), asked(2)])
    store.close()
    readings, now = readings_at(tmp_path / "store"), utc_now()
    found = readings.answers(now - timedelta(hours=1))
    assert [(one.session_id, one.kind) for one in found] == [("ses_a", "input_requested"), ("ses_a", "input_resolved")]
    assert readings.answers(now + timedelta(hours=1)) == []
