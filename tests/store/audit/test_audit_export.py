"""An export holds the record, without secrets, and verifies by itself."""

import hashlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.cli.audit import main as audit
from desktop.domain.core.errors import StoreError
from desktop.domain.events import SessionForked, SessionStarted, ToolCallStarted, UserMessage
from desktop.domain.gate.redaction import Redactor
from desktop.store.audit.anchors import Anchors
from desktop.store.audit.export import export_session
from desktop.store.core.verify_audit import verify
from desktop.store.database import open_store

VERIFIER = Path(__file__).parents[3] / "packaging" / "verify_audit.py"
ROBINS = "correct-horse-battery"
KEY = "ghp_" + "a1B2c3D4e5" * 4
REDACTOR = Redactor({"ROBIN": ROBINS})


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


def redact(text: str) -> str:
    return REDACTOR.redact(text).text


class Place:
    def __init__(self, folder: Path) -> None:
        self.store = folder / "store"
        self.database = self.store / "banksman.db"
        self.anchors = folder / "logs" / "anchors.jsonl"
        self.out = folder / "out.jsonl"

    def export(self, session_id: str = "ses_a") -> int:
        return export_session(self.database, session_id, self.out, redact)

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def kinds(self) -> list[tuple[int, str]]:
        return [(found.seq, found.kind) for found in verify(self.out).findings]

    def write(self, lines: list[dict[str, object]]) -> None:
        """The file with these lines; a forger also writes the hash at its end anew."""
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        end = {"type": "banksman.end", "sha256": hashlib.sha256(text.encode()).hexdigest()}
        self.out.write_text(text + json.dumps(end) + "\n")

    def sql(self, statement: str) -> None:
        raw = sqlite3.connect(self.database, isolation_level=None)
        raw.execute("DROP TRIGGER IF EXISTS event_is_never_changed")
        raw.execute(statement)
        raw.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    store = open_store(place.store)
    anchors = Anchors(place.anchors, store.store_id, store.events.flush)
    store.events.subscribe(anchors.seen)
    store.events.append("ses_a", SessionStarted(project_id="p"))
    store.events.append("ses_a", said(f"the key is {KEY} and {ROBINS}"))
    store.events.append(
        "ses_a", ToolCallStarted(call_id="c", tool="t", input={"password": "aB3dE5gH7jK9mN1p", "more": [ROBINS]})
    )
    at = store.events.append("ses_a", said("plain words, “quoted” — ünïcödé"))
    forked = SessionForked(source_session_id="ses_a", source_event_id=at.event_id)
    store.events.append("ses_fork", forked)
    store.events.append("ses_fork", said("on"))
    anchors.close()
    store.close()
    return place


@pytest.mark.promise("gate-A7")
def test_the_entries_stand_in_it_with_their_hashes(place):
    assert place.export() == 4
    header, *entries, end = place.lines()
    assert (header["type"], header["records"], header["redacted"]) == ("banksman.header", 4, True)
    assert end["type"] == "banksman.end"
    assert [entry["seq"] for entry in entries] == [0, 1, 2, 3]
    assert header["head_hash"] == entries[-1]["hash"]
    plain = entries[3]
    assert hashlib.sha256(str(plain["body"]).encode()).hexdigest() == plain["body_sha256"]
    assert json.loads(str(plain["body"]))["parts"][0]["text"] == "plain words, “quoted” — ünïcödé"
    assert "redacted" not in plain


def test_secrets_are_removed_and_the_rest_verifies(place):
    place.export()
    text = place.out.read_text()
    assert KEY not in text
    assert ROBINS not in text
    assert "aB3dE5gH7jK9mN1p" not in text
    assert "[secret ROBIN removed]" in text
    assert [entry.get("redacted") for entry in place.lines()[1:-1]] == [None, True, True, None]
    assert place.kinds() == []


@pytest.mark.parametrize("session_id", ["ses_a", "ses_fork"])
def test_the_verifier_reads_it_without_the_program(place, session_id):
    place.export(session_id)
    command = [sys.executable, "-I", str(VERIFIER), str(place.out)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 3
    with_anchors = subprocess.run([*command, "--anchors", str(place.anchors)], capture_output=True, check=False)
    assert with_anchors.returncode == 0


def test_a_cut_end_is_found_by_the_anchors_though_the_file_was_closed_anew(place):
    place.export()
    place.write(place.lines()[:-2])
    assert place.kinds() == []
    assert [found[1:3] for found in verify(place.out, place.anchors).findings] == [(3, "cut_before_anchor")]


CHANGES = {
    "a body": (lambda line: line.update(body=str(line["body"]).replace("plain", "pl4in")), [(3, "hash_mismatch")]),
    "a hash of a body": (lambda line: line.update(body_sha256="0" * 64), [(3, "hash_mismatch"), (3, "hash_mismatch")]),
    "a time": (lambda line: line.update(at="1999"), [(3, "hash_mismatch")]),
    "a number": (lambda line: line.update(seq=7), [(7, "seq_gap"), (7, "hash_mismatch")]),
    "a number that is none": (lambda line: line.update(seq="x"), [(3, "hash_mismatch")]),
    "the number before": (lambda line: line.update(seq=2), [(2, "seq_duplicate"), (2, "hash_mismatch")]),
    "the hash before": (lambda line: line.update(prev_hash="x"), [(3, "prev_mismatch"), (3, "hash_mismatch")]),
    "the content gone": (lambda line: line.pop("body"), [(3, "body_not_json")]),
}  # fmt: skip


@pytest.mark.promise("gate-A7")
@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_entry_is_named(place, change, expected):
    place.export()
    lines = place.lines()[:-1]
    change(lines[4])
    place.write(lines)
    assert place.kinds() == expected


def test_a_file_without_its_end_is_named(place):
    place.export()
    whole = place.out.read_bytes()
    for cut in (1, 30, 400):
        place.out.write_bytes(whole[:-cut])
        assert (-1, "seq_gap") in place.kinds()


def test_what_is_no_export_cannot_be_read(place, capsys):
    place.out.write_text('{"type":"something"}\n')
    assert audit(["verify", str(place.out)]) == 2
    assert "neither a store nor an export" in capsys.readouterr().err
    place.out.unlink()
    place.export()
    assert audit(["verify", str(place.out), "--session", "ses_other"]) == 2
    assert audit(["verify", str(place.out), "--session", "ses_a", "--json"]) == 3


def test_damage_in_the_store_is_exported_as_it_is(place):
    place.sql("UPDATE event SET body = 'no json: ' || body WHERE session_id = 'ses_a' AND seq = 1")
    place.sql("UPDATE event SET body = x'ff00' WHERE session_id = 'ses_a' AND seq = 3")
    place.export()
    assert KEY not in place.out.read_text()
    assert place.kinds() == [(1, "hash_mismatch"), (3, "hash_mismatch")]


def test_nothing_is_written_over_and_nothing_half_is_left(place):
    place.export()
    before = place.out.read_bytes()
    with pytest.raises(StoreError, match="exists already"):
        place.export()
    assert place.out.read_bytes() == before
    place.out.unlink()
    for session_id, out, words in (
        ("ses_none", place.out, "no chat ses_none"), ("ses_a", place.out / "deep" / "x", "does not exist"),
        ("ses_a", Path("/proc/x.jsonl"), "could not be written"),
    ):  # fmt: skip
        with pytest.raises(StoreError, match=words):
            export_session(place.database, session_id, out, redact)
    with pytest.raises(StoreError, match="cannot be read"):
        export_session(place.store / "nothing.db", "ses_a", place.out, redact)

    def broken(text: str) -> str:
        raise ValueError(text)

    with pytest.raises(ValueError, match="id"):
        export_session(place.database, "ses_a", place.out, broken)
    assert not place.out.exists()


def test_the_command_writes_and_verifies(place, capsys, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", ROBINS)
    words = ["export", "--session", "ses_a", "--out", str(place.out), "--store", str(place.store)]
    assert audit(words) == 0
    assert "4 records written" in capsys.readouterr().out
    assert ROBINS not in place.out.read_text()
    assert audit(words) == 2
    assert "exists already" in capsys.readouterr().err
    assert audit(["verify", str(place.out), "--anchors", str(place.anchors)]) == 0
    assert "whole. 2 anchors hold." in capsys.readouterr().out


def test_the_users_own_store_is_held_against_their_own_anchors(place, capsys, monkeypatch, tmp_path):
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    place.store.rename(home / "data" / "store")
    (home / "logs").mkdir()
    place.anchors.rename(home / "logs" / "anchors.jsonl")
    monkeypatch.setenv("BANKSMAN_HOME", str(home))
    assert audit(["verify"]) == 0
    assert audit(["verify", "--session", "ses_fork", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["anchors"] == 2


COLUMNS = ("event_id", "session_id", "seq", "parent_id", "at", "type", "body", "prev_hash", "hash")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    row=st.integers(0, 5), column=st.sampled_from(COLUMNS), at=st.floats(0, 1, exclude_max=True),
    flip=st.integers(1, 255),
)  # fmt: skip
def test_any_changed_byte_of_an_entry_is_found(place, row, column, at, flip):
    copy = place.store.parent / "copy.db"
    for leftover in copy.parent.glob("copy.db*"):
        leftover.unlink(missing_ok=True)
    copy.write_bytes(place.database.read_bytes())
    raw = sqlite3.connect(copy, isolation_level=None)
    raw.execute("DROP TRIGGER event_is_never_changed")
    raw.execute("PRAGMA foreign_keys=OFF")
    kind, value = raw.execute(
        f"SELECT typeof({column}), CAST({column} AS BLOB) FROM event LIMIT 1 OFFSET {row}"
    ).fetchone()
    if value is None:
        return
    data = bytearray(value)
    data[int(at * len(data))] ^= flip
    cast = "INTEGER" if kind == "integer" else "TEXT"
    try:
        raw.execute(
            f"UPDATE event SET {column} = CAST(? AS {cast}) WHERE rowid = {row + 1}",
            (bytes(data),),
        )
    except sqlite3.IntegrityError:
        return
    finally:
        same = raw.execute(f"SELECT CAST({column} AS BLOB) FROM event WHERE rowid = {row + 1}").fetchone()[0] == value
        raw.close()
    assert same or verify(copy).findings


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_any_changed_byte_of_an_export_is_found(place, at, flip):
    if not place.out.exists():
        place.export()
    data = bytearray(place.out.read_bytes())
    data[int(at * len(data))] ^= flip
    changed = place.out.with_name("changed.jsonl")
    changed.write_bytes(data)
    assert audit(["verify", str(changed)]) in (1, 2)


def test_the_program_and_the_stand_alone_verifier_are_one_text():
    program = VERIFIER.parents[1] / "desktop" / "store" / "core" / "verify_audit.py"
    assert VERIFIER.read_bytes() == program.read_bytes()
