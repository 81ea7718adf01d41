"""Anchors: what was cut off, rewritten or removed shows by the lines in the log folder."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.audit.anchors import Anchors
from desktop.store.core.verify_audit import Finding, as_json, as_text, read_anchors, verify
from desktop.store.database import SqliteStore, open_store

VERIFIER = Path(__file__).parents[3] / "packaging" / "verify_audit.py"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


class Clock:
    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        return self.at


class Place:
    """A store with an anchors file, as a process of the program has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "logs" / "anchors.jsonl"
        self.clock = Clock()

    def open(self) -> tuple[SqliteStore, Anchors]:
        store = open_store(self.folder / "store", clock=self.clock)
        anchors = Anchors(self.file, store.store_id, store.events.flush)
        store.events.subscribe(anchors.seen)
        return store, anchors

    def run(self, session_id: str, *texts: str) -> None:
        """One process: a chat goes on, the program ends."""
        store, anchors = self.open()
        if session_id not in store.events.session_ids():
            store.events.append(session_id, SessionStarted(project_id="p"))
        for text in texts:
            store.events.append(session_id, said(text))
        anchors.close()
        store.close()

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def named(self) -> list[tuple[object, object]]:
        return [(line["session"], line["seq"]) for line in self.lines()]

    def sql(self, statement: str) -> None:
        raw = sqlite3.connect(self.folder / "store" / "banksman.db", isolation_level=None)
        raw.execute("DROP TRIGGER IF EXISTS event_is_never_changed")
        raw.execute("DROP TRIGGER IF EXISTS event_is_never_removed")
        raw.execute(statement)
        raw.close()

    def findings(self) -> list[tuple[str, int, str]]:
        return [found[:3] for found in verify(self.folder / "store", self.file).findings]

    def status(self, *words: str) -> int:
        command = [sys.executable, "-I", str(VERIFIER), str(self.folder / "store"), *words]
        return subprocess.run(command, capture_output=True, check=False).returncode


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def two_chats(place: Place) -> Place:
    place.run("ses_a", "one", "two", "three")
    place.run("ses_b", "four")
    place.run("ses_a", "five", "six")
    return place


def test_the_first_entry_of_a_run_and_the_last_are_anchored(two_chats):
    assert two_chats.named() == [("ses_a", 0), ("ses_a", 3), ("ses_b", 0), ("ses_b", 1), ("ses_a", 4), ("ses_a", 5)]


def test_the_first_entry_of_a_utc_day_is_anchored(place):
    store, anchors = place.open()
    for day in range(3):
        place.clock.at = NOON + timedelta(days=day)
        store.events.append_many("ses_a", [said("x")] * 3 if day else [SessionStarted(project_id="p"), said("x")])
    assert place.named() == [("ses_a", 0), ("ses_a", 2), ("ses_a", 5)]
    anchors.close()
    anchors.close()
    assert place.named()[3:] == [("ses_a", 7)]
    store.close()


def test_chats_that_end_together_are_anchored_each_and_put_on_the_disk_once(place):
    store = open_store(place.folder / "store", clock=place.clock)
    flushed = []
    anchors = Anchors(place.file, store.store_id, lambda: flushed.append(store.events.flush()))
    store.events.subscribe(anchors.seen)
    for session_id in ("ses_a", "ses_b", "ses_c"):
        store.events.append(session_id, SessionStarted(project_id="p"))
        store.events.append(session_id, said("one"))
    begun = len(flushed)
    anchors.close()
    anchors.close()
    store.close()
    assert place.named()[-3:] == [("ses_a", 1), ("ses_b", 1), ("ses_c", 1)]
    assert len(flushed) == begun + 1
    assert place.findings() == []


def test_every_line_names_the_store_and_follows_the_one_before(two_chats):
    lines = two_chats.lines()
    assert {line["v"] for line in lines} == {1}
    assert len({line["store"] for line in lines}) == 1
    assert lines[0]["prev"] == "0" * 64
    assert two_chats.findings() == []


def test_with_anchors_the_verifier_ends_with_0_and_without_with_3(two_chats):
    assert two_chats.status("--anchors", str(two_chats.file)) == 0
    assert two_chats.status() == 3
    assert two_chats.status("--anchors", str(two_chats.folder / "none.jsonl")) == 2


@pytest.mark.promise("gate-A3")
def test_a_tail_that_was_cut_off_is_found_at_the_anchor(two_chats):
    two_chats.sql("DELETE FROM event WHERE session_id = 'ses_a' AND seq > 2")
    assert two_chats.findings() == [
        ("ses_a", 3, "cut_before_anchor"), ("ses_a", 4, "cut_before_anchor"), ("ses_a", 5, "cut_before_anchor")
    ]  # fmt: skip
    assert two_chats.status("--anchors", str(two_chats.file)) == 1
    assert two_chats.status() == 3


def test_a_chat_that_is_gone_is_found(two_chats):
    two_chats.sql("DELETE FROM event WHERE session_id = 'ses_b'")
    assert two_chats.findings() == [("ses_b", 0, "anchor_without_session")]
    report = verify(two_chats.folder / "store", two_chats.file, "ses_b")
    assert [found.kind for found in report.findings] == ["anchor_without_session"]


def test_a_chain_written_anew_to_its_end_is_found_at_the_anchors(two_chats):
    kept = two_chats.file.read_bytes()
    store_id = two_chats.lines()[0]["store"]
    shutil.rmtree(two_chats.folder / "store")
    two_chats.run("ses_a", "another", "two", "three", "five", "six")
    two_chats.sql(f"UPDATE meta SET value = '{store_id}' WHERE key = 'store_id'")
    two_chats.file.write_bytes(kept)
    kinds = [found[2] for found in two_chats.findings()]
    assert kinds == ["hash_mismatch"] * 4 + ["anchor_without_session"]


def test_a_deleted_chat_leaves_a_closing_anchor_and_is_no_finding(two_chats):
    store, anchors = two_chats.open()
    head = store.events.head("ses_b")
    assert head is not None
    anchors.removed(head)
    store.close()
    two_chats.sql("DELETE FROM event WHERE session_id = 'ses_b'")
    assert two_chats.lines()[-1]["closing"] is True
    assert two_chats.findings() == []


def test_anchors_of_another_store_are_none_of_this_one(two_chats, tmp_path):
    other = Place(tmp_path / "other")
    other.run("ses_z", "one")
    report = verify(other.folder / "store", two_chats.file)
    assert (report.anchors, report.findings) == (0, [])
    assert other.status("--anchors", str(two_chats.file)) == 3


def test_a_store_that_lies_no_longer_where_it_was_is_named_by_its_anchors(two_chats):
    gone = json.loads(two_chats.file.read_text().splitlines()[0])["store"]
    entries = sum(len(rows) for rows in (range(3), range(2)))
    shutil.rmtree(two_chats.folder / "store")
    two_chats.run("ses_new", "again")
    report = verify(two_chats.folder / "store", two_chats.file)
    ((store, size),) = report.others
    assert (store, size >= entries, report.findings) == (gone, True, [])
    assert f"Anchors of another store ({gone[:12]}, {size} entries) lie here." in as_text(report)
    assert json.loads(as_json(report))["other_stores"] == [{"store": gone, "entries": size}]
    assert verify(two_chats.folder / "store", two_chats.file, "ses_new").others == ()


@pytest.mark.parametrize("number", range(6))
def test_an_edited_line_is_found_with_its_number(two_chats, number):
    lines = two_chats.file.read_bytes().split(b"\n")
    lines[number] = lines[number].replace(b"2026", b"2025")
    two_chats.file.write_bytes(b"\n".join(lines))
    found = two_chats.findings()
    assert ("anchors", number + 1, "anchor_chain") in found
    assert {kind for _, _, kind in found} == {"anchor_chain"}


def test_a_removed_line_and_a_foreign_line_are_found(two_chats):
    lines = two_chats.file.read_bytes().splitlines(keepends=True)
    two_chats.file.write_bytes(b"".join(lines[:2] + lines[3:]))
    assert two_chats.findings() == [("anchors", 3, "anchor_chain")]
    two_chats.file.write_bytes(b"".join([*lines, b"[1]\n"]))
    assert two_chats.findings() == [("anchors", 7, "anchor_chain")]


def test_lines_as_the_format_has_them_need_no_sum(two_chats):
    bare, prev = [], "0" * 64
    for line in two_chats.lines():
        text = json.dumps({**{key: value for key, value in line.items() if key != "sum"}, "prev": prev, "mac": None})
        prev = hashlib.sha256(text.encode()).hexdigest()
        bare.append(f"{text}\n")
    two_chats.file.write_text("".join(bare))
    assert two_chats.findings() == []


def test_a_line_that_was_not_written_to_its_end_is_found_and_taken_away_by_the_next(two_chats, caplog):
    whole = two_chats.file.read_bytes()
    two_chats.file.write_bytes(whole + b'{"v":1,"at"')
    assert ("anchors", 7, "anchor_chain") in two_chats.findings()
    two_chats.run("ses_a", "more")
    assert two_chats.file.read_bytes().startswith(whole)
    assert two_chats.findings() == []
    assert "not written to its end" in caplog.text


def test_where_no_anchor_can_be_written_the_record_goes_on(place, caplog):
    place.folder.joinpath("logs").write_text("a file where a folder should be")
    place.run("ses_a", "one")
    assert "No anchor could be written" in caplog.text
    assert verify(place.folder / "store").findings == []


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_any_changed_byte_of_the_anchors_is_found(two_chats, at, flip):
    data = bytearray(two_chats.file.read_bytes())
    data[int(at * len(data))] ^= flip
    changed = two_chats.folder / "changed.jsonl"
    changed.write_bytes(data)
    assert verify(two_chats.folder / "store", changed).findings


def test_an_anchors_file_is_for_its_owner_alone(two_chats):
    assert two_chats.file.stat().st_mode & 0o777 == 0o600
    assert two_chats.file.parent.stat().st_mode & 0o777 == 0o700


def test_an_empty_file_holds_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert read_anchors(tmp_path / "a") == ([], [])
    assert Finding("s", 1, "seq_gap", "", "").seq == 1


def test_a_child_is_anchored_at_the_end_because_its_chat_names_it(tmp_path):
    place = Place(tmp_path)
    store, anchors = place.open()
    store.events.append("chat", SessionStarted(project_id="p"))
    store.events.append("child", SessionStarted(project_id="p", kind="subagent", parent_session_id="chat"))
    store.events.append("child", said("look"))
    known, _ = read_anchors(place.file)
    assert [one.session_id for one in known] == ["chat"]
    anchors.close()
    store.close()
    known, _ = read_anchors(place.file)
    assert [(one.session_id, one.seq) for one in known] == [("chat", 0), ("child", 1)]
