"""Past commands and the use of rules, read from a real log beside the store that writes it."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import SessionStarted, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.store.database import DATABASE_NAME
from desktop.store.history.call_history import past_commands, rule_uses

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def begun(store, project="prj_1"):
    session_id = new_session_id()
    store.events.append(
        session_id,
        SessionStarted(project_id=project, kind="interactive", mode=PermissionMode.EDIT, app_version="1", title=""),
    )
    return session_id


def decided(call_id, command, verdict=Verdict.ASK, tool="bash", **fields):
    return ToolCallDecided(
        call_id=call_id, name_called=tool, tool=tool, input={"command": command}, verdict=verdict, rule="mode",
        mode=PermissionMode.EDIT, **fields,
    )  # fmt: skip


def started(call_id):
    return ToolCallStarted(call_id=call_id, tool="bash")


def finished(call_id, outcome):
    return ToolCallFinished(call_id=call_id, outcome=outcome)


@pytest.fixture
def store(opened):
    return opened(clock=lambda: NOW)


def read(folder, project="prj_1", now=NOW, **options):
    return past_commands(folder / DATABASE_NAME, project, now, **options)


def test_a_call_that_waits_for_a_person_is_not_of_the_past(store, folder):
    session_id = begun(store)
    store.events.append_many(session_id, [decided("c1", "npm test"), finished("c1", "cancelled")])
    store.events.append_many(session_id, [decided("c2", "npm test"), decided("c2", "npm test")])
    assert [call.call_id for call in read(folder)] == ["c1"]
    store.events.append_many(session_id, [started("c2")])
    assert [call.call_id for call in read(folder)] == ["c2", "c1"]


def test_each_command_comes_with_what_became_of_it(store, folder):
    session_id = begun(store)
    store.events.append_many(
        session_id,
        [
            decided("c1", "ls", Verdict.ALLOW), started("c1"), finished("c1", "ok"),
            decided("c2", "npm test"), started("c2"), finished("c2", "error"),
            decided("c3", "npm ci"), finished("c3", "declined"),
            decided("c4", "make"), finished("c4", "cancelled"),
            decided("c5", "rm -rf /", Verdict.DENY), finished("c5", "refused"),
            decided("c6", "mkdir x"), finished("c6", "refused"),
            decided("c7", "open"),
            decided("c8", "x", tool="read_file"),
        ],
    )  # fmt: skip
    assert [(call.text, call.outcome) for call in read(folder)] == [
        ("mkdir x", "refused"), ("rm -rf /", "refused"), ("make", "cancelled"),
        ("npm ci", "declined"), ("npm test", "approved"), ("ls", "allowed"),
    ]  # fmt: skip
    assert {call.at for call in read(folder)} == {NOW}
    assert {call.session_id for call in read(folder)} == {session_id}


def test_a_call_that_was_judged_twice_counts_once_as_judged_last(store, folder):
    session_id = begun(store)
    store.events.append_many(session_id, [decided("c1", "ls", Verdict.ALLOW), decided("c1", "ls"), started("c1")])
    assert [call.outcome for call in read(folder)] == ["approved"]


def test_calls_are_those_of_the_project_or_of_all(store, folder):
    for project, command in (("prj_1", "a"), ("prj_2", "b")):
        store.events.append(begun(store, project), decided("c1", command, Verdict.ALLOW))
    assert [call.text for call in read(folder)] == ["a"]
    assert [call.text for call in read(folder, None)] == ["b", "a"]


def test_only_the_newest_calls_of_ninety_days_are_read(store, folder):
    session_id = begun(store)
    store.events.append_many(session_id, [decided(f"c{number}", f"n{number}", Verdict.ALLOW) for number in range(5)])
    assert [call.text for call in read(folder, limit=2)] == ["n4", "n3"]
    assert read(folder, now=NOW + timedelta(days=91)) == ()


def test_a_record_without_a_command_has_no_text(store, folder):
    session_id = begun(store)
    for value in (None, {"command": 3}, {"command": {"a": 1}}, "x", ["a"]):
        event = decided(f"c{value}", "", Verdict.ALLOW).model_copy(update={"input": value})
        store.events.append(session_id, event)
    assert {call.text for call in read(folder)} == {""}
    assert len(read(folder)) == 5


def test_lone_surrogates_in_a_command_do_not_stop_the_reading(store, folder):
    store.events.append(begun(store), decided("c1", "echo \ud800", Verdict.ALLOW))
    assert len(read(folder)) == 1


def test_without_a_store_there_is_no_past(tmp_path):
    assert read(tmp_path) == ()
    assert rule_uses(tmp_path / "no.db", None) == {}


def test_a_file_that_is_no_store_is_an_error_with_a_sentence(tmp_path):
    (tmp_path / DATABASE_NAME).write_text("x" * 5000)
    with pytest.raises(StoreError, match="past calls cannot be read"):
        read(tmp_path)
    (tmp_path / DATABASE_NAME).unlink()
    (tmp_path / DATABASE_NAME).mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        read(tmp_path)


def test_the_use_of_rules_is_counted_from_the_decisions(store, folder):
    session_id = begun(store)
    for ids in (("r-1",), ("r-1", "r-2"), ()):
        facts = {"call": {"rules": {"allow": [{"rule_id": rule_id} for rule_id in ids]}}}
        store.events.append(session_id, decided("c", "x", Verdict.ALLOW, facts=facts))
    uses = rule_uses(folder / DATABASE_NAME, "prj_1")
    assert {rule_id: use.hits for rule_id, use in uses.items()} == {"r-1": 2, "r-2": 1}
    assert uses["r-1"].last_used == NOW
    assert rule_uses(folder / DATABASE_NAME, "prj_2") == {}
