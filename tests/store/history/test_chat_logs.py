"""The logs of which a handover is made: what was damaged behind the store's back is told, and stops nothing else."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.domain.children.events import ChildBegun
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreError
from desktop.domain.events import SessionForked, SessionStarted, UserMessage
from desktop.domain.handover.fold import handover
from desktop.domain.handover.values import ChatLog
from desktop.store.database import open_store
from desktop.store.readings import readings_at

_GUARDS = ("event_is_never_changed", "event_is_never_removed")


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "store"
    store = open_store(folder)
    written = store.events.append_many("ses_a", [SessionStarted(project_id="p"), *map(said, "bcde")])
    store.events.append_many("ses_b", [SessionStarted(project_id="p"), said("b")])
    fork = store.events.fork("ses_a", written[2].event_id, SessionForked(title="Fork"))
    store.events.append(fork.session_id, said("in the fork"))
    store.close()
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "store"))


def change(folder: Path, *statements: str) -> None:
    raw = sqlite3.connect(folder / "banksman.db", isolation_level=None)
    for guard in _GUARDS:
        raw.execute(f"DROP TRIGGER IF EXISTS {guard}")
    for statement in statements:
        raw.execute(statement)
    raw.close()


def logs(folder: Path) -> dict[str, ChatLog]:
    found = readings_at(folder).logs("p", None)
    page = handover(found, None, utc_now())
    assert page.difference == 0
    assert page.damaged.chats == sum(bool(log.damage) for log in found)
    return {log.state.session_id: log for log in found}


def test_a_whole_record_is_whole_also_that_of_a_fork(folder: Path) -> None:
    found = logs(folder)
    assert len(found) == 3
    assert [log.damage for log in found.values()] == ["", "", ""]
    assert [log.state.session_id for log in readings_at(folder).family_logs("ses_a")] == ["ses_a"]
    assert readings_at(folder).family_logs("ses_none") == []


AT = "WHERE session_id = 'ses_a' AND seq ="
DAMAGE = {
    f"UPDATE event SET body = replace(body, '\"c\"', '\"x\"') {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET body = 'no JSON' {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET body = x'FF00' {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET body = CAST(x'7BFF7D' AS TEXT) {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET at = 'yesterday' {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET type = 'turn_started' {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET prev_hash = 'x' {AT} 2": "1 entry does not fit, the first is number 2",
    f"UPDATE event SET hash = 'x' {AT} 2": "2 entries do not fit, the first is number 2",
    f"DELETE FROM event {AT} 2": "1 entry does not fit, the first is number 3",
    f"DELETE FROM event {AT} 0": "1 entry does not fit, the first is number 1",
    f"DELETE FROM event {AT} 4": "its end is missing",
    "DELETE FROM event WHERE session_id = 'ses_a'": "its end is missing",
}


@pytest.mark.parametrize("statement", DAMAGE)
@pytest.mark.promise("memory-HO3")
def test_what_was_changed_is_told_and_the_others_stay_whole(folder: Path, statement: str) -> None:
    change(folder, statement)
    found = logs(folder)
    assert found["ses_a"].damage == DAMAGE[statement]
    assert found["ses_b"].damage == ""


def circle(folder: Path) -> None:
    """The fork follows an entry that follows one of the fork."""
    change(
        folder,
        "UPDATE event SET parent_id = (SELECT event_id FROM event WHERE type = 'session_forked') "
        "WHERE session_id = 'ses_a' AND seq = 0",
    )


def twice(folder: Path) -> None:
    names = "event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash"
    change(
        folder,
        f"CREATE TABLE copy ({names})",
        f"INSERT INTO copy SELECT {names} FROM event ORDER BY rowid",
        "DROP TABLE event",
        "ALTER TABLE copy RENAME TO event",
        f"INSERT INTO event SELECT * FROM event {AT} 3",
    )


@pytest.mark.parametrize(
    ("damage", "broken"),
    [(circle, "nothing of it can be read"), (twice, "1 entry does not fit, the first is number 3")],
)
def test_a_chat_that_cannot_be_read_stops_no_other(folder: Path, damage: Callable[[Path], None], broken: str) -> None:
    damage(folder)
    found = logs(folder)
    assert broken in [log.damage for log in found.values()]
    assert found["ses_b"].damage == ""


def test_where_the_list_itself_is_gone_it_is_said(folder: Path) -> None:
    change(folder, "DROP TABLE session")
    with pytest.raises(StoreError):
        readings_at(folder).logs("p", None)


def test_a_log_that_names_its_own_chat_as_a_sub_agent_is_read_once(folder: Path) -> None:
    store = open_store(folder)
    store.events.append("ses_a", ChildBegun(child_id="ses_b", task_id="t1", call_id="c", agent="explorer"))
    store.events.append("ses_b", ChildBegun(child_id="ses_a", task_id="t1", call_id="c", agent="explorer"))
    store.close()
    assert [log.state.session_id for log in readings_at(folder).family_logs("ses_a")] == ["ses_a", "ses_b"]


def asked_of(folder: Path) -> list[str]:
    found = readings_at(folder).logs("p", None)
    page = handover(found, None, utc_now())
    assert page == handover([log._replace(events=tuple(one.unpacked() for one in log.events)) for log in found], None,
                            page.until)  # fmt: skip
    return [line.text for line in page.sections[0].lines]


@pytest.mark.promise("memory-HO3")
def test_who_wrote_a_stored_message_is_known_without_reading_it_whatever_it_says(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store")
    words = ('"origin":"person"', "\\", '{"origin":"agent"}', "plain")
    told = [said(f"{origin}: {text}").model_copy(update={"origin": origin})
            for origin in ("person", "queued", "agent", "note") for text in words]  # fmt: skip
    nested = UserMessage(parts=({"type": "text", "text": "nested", "origin": "note"},))
    store.events.append_many("ses_a", [SessionStarted(project_id="p"), *told, nested])
    store.close()
    wanted = [f"{origin}: {text}" for origin in ("person", "queued") for text in words]
    assert asked_of(tmp_path / "store") == [*wanted, "nested"]


def test_a_message_that_cannot_be_read_is_a_line_that_says_so(folder: Path) -> None:
    wrong = """replace(body, '"parts":[', '"parts":7,"more":[')"""
    change(folder, f"UPDATE event SET body = {wrong} WHERE session_id = 'ses_b' AND seq = 1")
    assert logs(folder)["ses_b"].damage == "1 entry does not fit, the first is number 1"
    page = handover(readings_at(folder).logs("p", None), None, utc_now())
    lines = [line.text for line in page.sections[0].lines if line.session_id == "ses_b"]
    assert lines == ["(cannot be read)"]


def test_a_row_that_is_no_text_or_has_no_number_is_damage(folder: Path) -> None:
    change(folder, "UPDATE event SET body = x'00ff' WHERE session_id = 'ses_b' AND seq = 1")
    assert logs(folder)["ses_b"].damage == "1 entry does not fit, the first is number 1"
