"""What was changed behind the store's back is found, at its place, by the product and by the stand-alone verifier."""

import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli.audit import main as audit
from desktop.domain.chats.library_events import PromptChanged
from desktop.domain.context.events import Rewound
from desktop.domain.core.content import Card, ImageBlock, TextBlock, TouchedFile
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    SessionForked,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest, PlanReview
from desktop.store.core.verify_audit import Unreadable, verify
from desktop.store.database import open_store
from desktop.store.history.event_body import event_hash

VERIFIER = Path(__file__).parents[3] / "packaging" / "verify_audit.py"
FORK = "ses_fork"
UNSEEN = "No anchors: an end that was cut off would not show."


def said(text: str) -> UserMessage:
    return UserMessage(parts=({"type": "text", "text": text},))


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """A chat of twelve entries with blobs of every place, a rewind, and a fork."""
    folder = tmp_path_factory.mktemp("original") / "store"
    store = open_store(folder)
    small = [store.blobs.put(f"blob {n} ".encode() * 30, "text/plain") for n in range(4)]
    picture = store.blobs.put(b"\x89PNG" + bytes(20), "image/png")
    large = store.blobs.put(b"y" * 1_200_000, "text/plain")
    card = Card(title="t", blocks=(TextBlock(text="x"), ImageBlock(blob=picture, alt="")))
    approval = ApprovalRequest(
        call_id="c", card=card, category=Category.BASH, reason="", rule="", mode=PermissionMode.EDIT, digest=""
    )
    events = [
        SessionStarted(project_id="p"),
        said("one"),
        PromptChanged(system=small[0], tools=small[1], tool_names=()),
        ToolCallDecided(
            call_id="c", name_called="t", verdict=Verdict.ASK, rule="r", mode=PermissionMode.EDIT, card=card
        ),
        InputRequested(input_id="i", call_id="c", request=approval),
        InputRequested(input_id="j", call_id="d", request=PlanReview(call_id="d", plan="p")),
        ToolCallStarted(call_id="c", tool="t", input={"full": {"sha256": "0" * 64, "media_type": "", "size": 1}}),
        ToolCallFinished(call_id="c", outcome="ok", content="ok", full=large, blocks=card.blocks),
        ToolCallFinished(call_id="d", outcome="ok", content="ok", full=small[2]),
        said("two"),
    ]
    written = store.events.append_many("ses_main", events)
    store.events.append("ses_main", Rewound(to_event_id=written[1].event_id))
    store.events.append("ses_main", said("three"))
    store.events.append(FORK, SessionForked(source_session_id="ses_main", source_event_id=written[5].event_id))
    store.events.append(FORK, said("four"))
    store.close()
    return folder


class Copy:
    """A copy of the store that may be changed, and what three ways of verifying say of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def sql(self, *statements: str, parameters: tuple = ()) -> None:
        raw = sqlite3.connect(self.folder / "banksman.db", isolation_level=None)
        raw.execute("DROP TRIGGER IF EXISTS event_is_never_changed")
        raw.execute("DROP TRIGGER IF EXISTS event_is_never_removed")
        for statement in statements:
            raw.execute(statement, parameters)
        raw.close()

    def one(self, sql: str) -> object:
        raw = sqlite3.connect(self.folder / "banksman.db")
        (value,) = raw.execute(sql).fetchone()
        raw.close()
        return value

    def findings(self, capsys) -> list[tuple[str, int, str, str]]:
        alone = subprocess.run(
            [sys.executable, "-I", str(VERIFIER), str(self.folder), "--json"], capture_output=True, check=False
        )
        status = audit(["verify", str(self.folder), "--json"])
        product = json.loads(capsys.readouterr().out)
        assert json.loads(alone.stdout) == product
        assert (alone.returncode, status) == ((1, 1) if product["findings"] else (3, 3))
        store = open_store(self.folder)
        ids = sorted({str(row[0]) for row in store.database.rows("SELECT session_id FROM event")})
        inside = [found._asdict() for session_id in ids for found in store.events.verify(session_id)]
        store.close()
        assert inside == product["findings"]
        return [(f["session_id"], f["seq"], f["kind"], f["type"]) for f in product["findings"]]


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Copy:
    shutil.copytree(original, tmp_path / "store")
    return Copy(tmp_path / "store")


def test_an_untouched_store_is_whole(copy, capsys):
    assert copy.findings(capsys) == []


def change_byte(copy: Copy) -> None:
    """In the file itself, below SQLite: the first letter of "two"."""
    file = copy.folder / "banksman.db"
    data = bytearray(file.read_bytes())
    place = data.index(b'"text":"two"') + 8
    data[place] ^= 0x81
    file.write_bytes(data)


def rehash(copy: Copy) -> None:
    """A forger who also computes the hash of the entry that was changed."""
    forge(copy, 9, "replace(body, 'two', 'too')")


def rehash_a_list(copy: Copy) -> None:
    forge(copy, 11, "'[]'")


def forge(copy: Copy, seq: int, words: str) -> None:
    copy.sql(f"UPDATE event SET body = {words} {at_main(seq)}")
    raw = sqlite3.connect(copy.folder / "banksman.db", isolation_level=None)
    prev, at, kind, body = raw.execute(f"SELECT prev_hash, at, type, body FROM event {at_main(seq)}").fetchone()
    digest = event_hash(prev, "ses_main", seq, at, kind, body.encode())
    raw.execute(f"UPDATE event SET hash = ? {at_main(seq)}", (digest,))
    raw.close()


def double_seq(copy: Copy) -> None:
    copy.sql(
        "CREATE TABLE copy (event_id, session_id, seq, parent_id, at, type, body, prev_hash, hash)",
        "INSERT INTO copy SELECT * FROM event ORDER BY rowid",
        "DROP TABLE event",
        "ALTER TABLE copy RENAME TO event",
        "INSERT INTO event SELECT * FROM event WHERE session_id = 'ses_main' AND seq = 3",
    )


def sql(*statements: str) -> Callable[[Copy], None]:
    return lambda copy: copy.sql(*statements)


def at_main(seq: int) -> str:
    return f"WHERE session_id = 'ses_main' AND seq = {seq}"


CHANGES = {
    "a byte of a body": (change_byte, [("ses_main", 9, "body_not_json"), ("ses_main", 9, "hash_mismatch")]),
    "a word of a body": (
        sql(f"UPDATE event SET body = replace(body, 'two', 'too') {at_main(9)}"),
        [("ses_main", 9, "hash_mismatch")],
    ),
    "a body that is no JSON": (
        sql(f"UPDATE event SET body = 'nonsense' {at_main(9)}"),
        [("ses_main", 9, "body_not_json"), ("ses_main", 9, "hash_mismatch")],
    ),
    "a body that is a list": (
        sql(f"UPDATE event SET body = '[]' {at_main(9)}"),
        [("ses_main", 9, "body_not_json"), ("ses_main", 9, "hash_mismatch")],
    ),
    "a body that is a list, and its hash": (rehash_a_list, [("ses_main", 11, "body_not_json")]),
    "a body of bytes": (
        sql(f"UPDATE event SET body = x'ff00' {at_main(9)}"),
        [("ses_main", 9, "body_not_json"), ("ses_main", 9, "hash_mismatch")],
    ),
    "body and hash": (rehash, [("ses_main", 10, "prev_mismatch")]),
    "one row removed": (sql(f"DELETE FROM event {at_main(6)}"), [("ses_main", 7, "seq_gap")]),
    "the first row removed": (sql(f"DELETE FROM event {at_main(0)}"), [("ses_main", 1, "seq_gap")]),
    "two rows swapped": (
        sql(
            f"UPDATE event SET seq = 99 {at_main(3)}",
            f"UPDATE event SET seq = 3 {at_main(4)}",
            f"UPDATE event SET seq = 4 {at_main(99)}",
        ),
        [
            ("ses_main", 3, "prev_mismatch"),
            ("ses_main", 3, "hash_mismatch"),
            ("ses_main", 4, "prev_mismatch"),
            ("ses_main", 4, "hash_mismatch"),
            ("ses_main", 5, "prev_mismatch"),
        ],
    ),
    "a parent column": (sql(f"UPDATE event SET parent_id = NULL {at_main(5)}"), [("ses_main", 5, "hash_mismatch")]),
    "an id column": (sql(f"UPDATE event SET event_id = 'evt_x' {at_main(8)}"), [("ses_main", 8, "hash_mismatch")]),
    "a type column": (sql(f"UPDATE event SET type = 'notice' {at_main(9)}"), [("ses_main", 9, "hash_mismatch")]),
    "a time column": (sql(f"UPDATE event SET at = '1999' {at_main(9)}"), [("ses_main", 9, "hash_mismatch")]),
    "a session column": (
        sql(f"UPDATE event SET session_id = 'ses_x' {at_main(11)}"),
        [("ses_x", 11, "seq_gap"), ("ses_x", 11, "hash_mismatch")],
    ),
    "a seq that is no number": (
        sql(f"UPDATE event SET seq = 'eleven' {at_main(11)}"),
        [("ses_main", 11, "hash_mismatch")],
    ),
    "a prev_hash column": (
        sql(f"UPDATE event SET prev_hash = 'x' {at_main(9)}"),
        [("ses_main", 9, "prev_mismatch"), ("ses_main", 9, "hash_mismatch")],
    ),
    "a hash column": (
        sql(f"UPDATE event SET hash = 'x' {at_main(9)}"),
        [("ses_main", 9, "hash_mismatch"), ("ses_main", 10, "prev_mismatch")],
    ),
    "two rows with one number": (double_seq, [("ses_main", 3, "seq_duplicate")]),
    "the event a fork stands on": (
        sql(f"DELETE FROM event {at_main(5)}"),
        [(FORK, 0, "prev_mismatch"), ("ses_main", 6, "seq_gap")],
    ),
    "a fork moved elsewhere": (
        sql("UPDATE event SET parent_id = (SELECT event_id FROM event WHERE session_id = 'ses_main' AND seq = 2) "
            f"WHERE session_id = '{FORK}' AND seq = 0"),
        [(FORK, 0, "prev_mismatch"), (FORK, 0, "hash_mismatch")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_is_named_with_session_entry_and_kind(copy, capsys, change, expected):
    change(copy)
    found = copy.findings(capsys)
    assert [finding[:3] for finding in found] == expected


PICTURE = "WHERE media_type = 'image/png'"
BLOB_CHANGES = {
    "a picture changed": (sql(f"UPDATE blob SET content = x'00' {PICTURE}"), "blob_mismatch", [3, 4, 7]),
    "a picture of no bytes": (sql(f"UPDATE blob SET content = 'text' {PICTURE}"), "blob_mismatch", [3, 4, 7]),
    "a picture gone": (sql(f"DELETE FROM blob {PICTURE}"), "blob_missing", [3, 4, 7]),
    "a picture erased": (sql(f"UPDATE blob SET stored = 'erased' {PICTURE}"), "blob_missing", [3, 4, 7]),
    "no zlib text": (sql("UPDATE blob SET content = x'00' WHERE encoding = 'zlib'"), "blob_mismatch", [2, 2, 8]),
    "the file changed": (lambda copy: large_file(copy).write_bytes(b"z"), "blob_mismatch", [7]),
    "the file gone": (lambda copy: large_file(copy).unlink(), "blob_missing", [7]),
}  # fmt: skip


def large_file(copy: Copy) -> Path:
    digest = copy.one("SELECT sha256 FROM blob WHERE stored = 'file'")
    return copy.folder / "blobs" / str(digest)[:2] / str(digest)


@pytest.mark.parametrize(("change", "kind", "seqs"), BLOB_CHANGES.values(), ids=BLOB_CHANGES.keys())
def test_a_changed_or_missing_blob_is_named_at_each_entry_that_names_it(copy, capsys, change, kind, seqs):
    change(copy)
    assert [finding[:3] for finding in copy.findings(capsys)] == [("ses_main", seq, kind) for seq in seqs]


def test_only_the_newest_entries_are_checked_when_asked_so(copy):
    copy.sql(f"UPDATE event SET hash = 'x' {at_main(4)}")
    store = open_store(copy.folder)
    assert store.events.verify("ses_main", last=6) == []
    assert [finding.seq for finding in store.events.verify("ses_main", last=7)] == [5]
    assert [finding.seq for finding in store.events.verify("ses_main", last=1000)] == [4, 5]
    assert store.events.verify(FORK, last=2) == []
    assert store.events.verify(FORK, last=1) == []
    store.close()


def test_a_changed_chat_can_still_be_read_and_continued(copy):
    change_byte(copy)
    store = open_store(copy.folder)
    assert len(store.events.read("ses_main")) == 12
    added = store.events.append("ses_main", said("after the damage"))
    assert added.seq == 12
    assert {finding.seq for finding in store.events.verify("ses_main")} == {9}
    store.close()


def both(*words: str) -> list[tuple[int, str, str]]:
    """Exit status, output and complaint of the stand-alone verifier and of the command."""
    results = []
    for command in ([str(VERIFIER)], ["-m", "tests.store.run_audit", "verify"]):
        done = subprocess.run(
            [sys.executable, *command, *words], capture_output=True, text=True, check=False, cwd=VERIFIER.parents[1]
        )
        results.append((done.returncode, done.stdout, done.stderr))
    return results


def test_people_read_one_line_a_finding_and_a_sentence(copy):
    alone, product = both(str(copy.folder))
    assert alone == product == (3, f"14 entries checked: whole. {UNSEEN}\n", "")
    copy.sql(f"UPDATE event SET type = 'x\x1b[2Jy' {at_main(9)}")
    for status, out, _ in both(str(copy.folder / "banksman.db"), "--session", "ses_main"):
        first, second, end = out.split("\n")
        assert status == 1
        assert first.startswith("ses_main entry 9 (x")
        assert first.endswith("): hash_mismatch: its content, time, type or number was changed")
        assert "\x1b" not in first
        assert (second, end) == ("12 entries checked, 1 findings.", "")


@pytest.mark.parametrize("words", [["nowhere"], ["{folder}", "--session", "ses_none"], ["{folder}/store.lock"]])
def test_what_cannot_be_read_ends_with_status_2_and_a_sentence(copy, words):
    for status, out, complaint in both(*(word.format(folder=copy.folder) for word in words)):
        assert (status, out) == (2, "")
        assert re.fullmatch(r"Cannot verify .+\.\n", complaint)


def test_a_running_writer_is_no_obstacle(copy, capsys):
    store = open_store(copy.folder)
    store.events.append("ses_main", said("while it is open"))
    assert audit(["verify", str(copy.folder), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["events"] == 15
    store.close()


def test_reading_leaves_the_database_as_it_is(copy):
    before = hashlib.sha256((copy.folder / "banksman.db").read_bytes()).hexdigest()
    both(str(copy.folder))
    assert hashlib.sha256((copy.folder / "banksman.db").read_bytes()).hexdigest() == before


def test_without_a_folder_the_command_takes_the_users_own(copy, monkeypatch, capsys):
    monkeypatch.setenv("BANKSMAN_HOME", str(copy.folder.parent / "home"))
    shutil.copytree(copy.folder, copy.folder.parent / "home" / "data" / "store")
    assert audit(["verify"]) == 3
    assert capsys.readouterr().out == f"14 entries checked: whole. {UNSEEN}\n"


def test_wrong_words_end_with_status_2_and_help_with_0(capsys):
    assert audit([]) == 2
    assert audit(["verify", "--what"]) == 2
    assert audit(["--help"]) == 0
    assert "verify" in capsys.readouterr().out


def test_the_text_that_was_shown_and_what_a_write_replaced_must_be_there(tmp_path, capsys):
    store = open_store(tmp_path / "store")
    shown = store.blobs.put(b"what was on screen " * 9, "text/plain")
    before = store.blobs.put(b"x = 1\n", "application/octet-stream")
    touched = TouchedFile(path="a.py", kind="modify", before_sha256=before.sha256, before=before)
    store.events.append_many(
        "ses_main",
        [
            SessionStarted(project_id="p"),
            InputResolved(input_id="i", answer=Answer(outcome="allow_once"), shown_sha256=shown.sha256),
            InputResolved(input_id="j", answer=Answer(outcome="cancelled"), reason="restart"),
            ToolCallFinished(call_id="c", outcome="ok", touched=(touched,)),
            InputResolved(input_id="k", answer=Answer(outcome="allow_once"), shown_sha256="no digest at all"),
        ],
    )
    store.close()
    copy = Copy(tmp_path / "store")
    assert [finding[1:3] for finding in copy.findings(capsys)] == [(4, "blob_missing")]
    copy.sql("DELETE FROM blob")
    assert [finding[1:3] for finding in copy.findings(capsys)] == [
        (1, "blob_missing"), (3, "blob_missing"), (4, "blob_missing")
    ]  # fmt: skip


def test_an_id_that_is_no_text_and_an_unknown_session_are_told(copy, capsys):
    copy.sql(f"UPDATE event SET event_id = NULL {at_main(8)}", f"UPDATE event SET event_id = NULL {at_main(9)}")
    found = copy.findings(capsys)
    assert ("ses_main", 8, "hash_mismatch", "tool_call_finished") in found
    assert ("ses_main", 9, "hash_mismatch", "user_message") in found
    with pytest.raises(Unreadable, match="no session ses_none"):
        verify(copy.folder, None, "ses_none")


def test_half_a_character_in_an_export_is_no_reason_to_fail(tmp_path):
    header = {"type": "banksman.header", "format": 1, "session": "ses_a", "store": "s"}
    line = {"session": "ses_a", "seq": 0, "event": "notice", "body": "\ud800", "at": "\ud800"}
    (tmp_path / "out.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(line)}\n")
    assert {found.kind for found in verify(tmp_path / "out.jsonl").findings} >= {"hash_mismatch", "seq_gap"}
