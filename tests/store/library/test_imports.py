"""Foreign logs: taken in whole or not at all, as they are or under new ids, and never as something they are not."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings

from desktop.domain.chats.library_events import Imported
from desktop.domain.context.events import Rewound
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import (
    AssistantMessage,
    ModeChanged,
    SessionForked,
    SessionStarted,
    ToolCallStarted,
    UserMessage,
)
from desktop.domain.history.builder import to_messages
from desktop.domain.history.neutral import dump_neutral, load_neutral
from desktop.store.core.imports import ImportRefused, ImportReport, Where
from desktop.store.core.library import ExportOptions
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.history.imports import prepare_import, staged_blobs
from desktop.store.library.exports import export_chats
from tests.domain.history_words import a, call, numbered, u, use
from tests.domain.product_logs import product_logs

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def text(words):
    return ({"type": "text", "text": words},)


def taken_in(store, folder, file, **where):
    staging = folder / "staging.db"
    staging.unlink(missing_ok=True)
    report = prepare_import(file, folder / DATABASE_NAME, staging, Where(name=file.name, **where), NOW)
    for media_type, data in staged_blobs(staging):
        store.blobs.put(data, media_type)
    store.events.adopt(staging, report)
    return report


def entries_taken_in(store, folder, entries):
    file = folder / "entries"
    file.write_text(json.dumps(entries))
    return taken_in(store, folder, file)


def chat(store):
    session_id = new_session_id()
    marker = {"type": "tool_use", "id": "c", "name": "bash", "input": {"_truncated": True}}
    store.events.append_many(session_id, [
        SessionStarted(project_id="theirs", title="T\ud83d", lane_id="ln_1"),
        ModeChanged(mode=PermissionMode.FULL_AUTO, previous=PermissionMode.EDIT, by="person"),
        UserMessage(parts=text("hi \u2028 \ud83d")),
        AssistantMessage(parts=(marker,)),
        ToolCallStarted(call_id="c", tool="bash", input={"k": 1}),
        UserMessage(parts=text("left")),
    ])  # fmt: skip
    store.events.append(session_id, Rewound(to_event_id=store.events.read(session_id)[3].event_id))
    return session_id


@pytest.fixture
def other(tmp_path):
    """A second, empty store."""
    store = open_store(tmp_path / "other")
    yield store
    store.close()


def test_full_copy_is_an_equal_chat_with_a_whole_record(store, folder, other, tmp_path):
    source = chat(store)
    png = store.blobs.put(b"png", "image/png")
    fork = store.events.fork(source, store.events.read(source)[4].event_id, SessionForked()).session_id
    store.events.append(fork, UserMessage(parts=text("mine"), attachments=(png.sha256,)))
    export_chats(folder / DATABASE_NAME, None, tmp_path / "a.jsonl", ExportOptions())
    report = taken_in(other, tmp_path / "other", tmp_path / "a.jsonl", project_id="ours")
    assert report.chain == "verified"
    assert report.sessions == [source, fork]
    assert (report.restored, report.unrecoverable) == (1, ())
    for session_id in (source, fork):
        *copied, mark = other.events.read(session_id)
        assert copied == store.events.read(session_id)
        assert isinstance(mark.event, Imported)
        assert other.events.verify(session_id) == []
        for envelope in copied:
            at = envelope.event_id
            assert to_messages(other.events.path(session_id), at=at) == to_messages(
                store.events.path(session_id), at=at
            )
    rows = {row.session_id: row for row in other.events.rows("ours")}
    assert set(rows) == {source, fork}
    assert (rows[source].title, rows[source].mode, rows[source].lane_id) == ("T\ufffd", PermissionMode.EDIT, "")


@pytest.mark.promise("sessions-SG4")
def test_copy_of_a_copy_has_the_same_lines(store, folder, other, tmp_path):
    source = chat(store)
    export_chats(folder / DATABASE_NAME, [source], tmp_path / "a.jsonl", ExportOptions())
    taken_in(other, tmp_path / "other", tmp_path / "a.jsonl")
    export_chats(tmp_path / "other" / DATABASE_NAME, [source], tmp_path / "b.jsonl", ExportOptions())
    first, second = ((tmp_path / name).read_bytes().splitlines() for name in ("a.jsonl", "b.jsonl"))
    assert second[1:-1] == first[1:]


def test_second_copy_gets_ids_of_its_own_and_the_same_words(store, folder, tmp_path):
    source = chat(store)
    fork = store.events.fork(source, store.events.read(source)[4].event_id, SessionForked()).session_id
    export_chats(folder / DATABASE_NAME, None, tmp_path / "a.jsonl", ExportOptions())
    before = store.events.read(source)
    report = taken_in(store, folder, tmp_path / "a.jsonl")
    assert report.renamed
    assert not {source, fork} & set(report.sessions)
    assert store.events.read(source) == before
    for old, new in zip((source, fork), report.sessions, strict=True):
        *copied, _ = store.events.read(new)
        assert {e.event_id for e in copied}.isdisjoint(e.event_id for e in store.events.path(old))
        assert [e.kind for e in copied] == [e.kind for e in store.events.read(old)]
        assert to_messages(store.events.path(new), session_id=new) == to_messages(
            store.events.path(old), session_id=old
        )
        assert store.events.verify(new) == []


@pytest.mark.promise("sessions-SG7")
def test_what_a_file_says_of_modes_and_lanes_counts_for_nothing(store, folder, other, tmp_path):
    source = chat(store)
    export_chats(folder / DATABASE_NAME, [source], tmp_path / "a.jsonl", ExportOptions())
    taken_in(other, tmp_path / "other", tmp_path / "a.jsonl", project_id="ours", project_path="/ours")
    _, state = other.events.opened(source)
    assert state.imported
    assert (state.mode, state.lane_id, state.project_id, state.project_path) == ("edit", "", "ours", "/ours")


def test_redacted_copy_comes_in_without_a_record(store, folder, other, tmp_path):
    source = chat(store)
    options = ExportOptions(redact=lambda words: words.replace("left", "[gone]"))
    export_chats(folder / DATABASE_NAME, [source], tmp_path / "a.jsonl", options)
    report = taken_in(other, tmp_path / "other", tmp_path / "a.jsonl")
    assert (report.redacted, report.chain) == (True, "absent")
    assert other.events.verify(source) == []
    assert "[gone]" in repr(other.events.read(source))


@pytest.mark.parametrize("change", [
    lambda line: line.replace("left", "LEFT"),
    lambda line: line.replace('"tool":"bash"', '"tool":"rm"').replace('"name":"bash"', '"name":"rm"'),
])  # fmt: skip
def test_changed_copy_is_marked_for_ever(store, folder, other, tmp_path, change):
    source = chat(store)
    export_chats(folder / DATABASE_NAME, [source], tmp_path / "a.jsonl", ExportOptions())
    (tmp_path / "b.jsonl").write_text(change((tmp_path / "a.jsonl").read_text()))
    assert taken_in(other, tmp_path / "other", tmp_path / "b.jsonl").chain == "broken"
    assert other.events.head(source).event.chain == "broken"
    assert other.events.verify(source) == []


FOREIGN = numbered([
    u("go"), {"type": "stream.delta", "x": [1]}, a(use("c", {"_truncated": True}), use("d", "no json")),
    {"type": "message.user", "content": 4}, u("on", id=77), {"type": "session.rewind", "to": "e0", "seq": 40},
    {"type": "session.fork", "from": 77, "session": "side"}, u("there", session="side"),
])  # fmt: skip


@pytest.mark.parametrize("form", ["list", "lines", "pretty"])
def test_foreign_log_comes_in_as_list_or_lines(store, folder, tmp_path, form):
    file = tmp_path / "log"
    lines = "\n\n".join(json.dumps(event) for event in FOREIGN)
    pretty = "\n" + json.dumps(FOREIGN, indent=2) + "\n"
    file.write_text({"list": json.dumps(FOREIGN), "pretty": pretty, "lines": lines}[form])
    report = taken_in(store, folder, file)
    assert (report.events, report.unknown, report.unrecoverable) == (8, 2, ("c",))
    assert report.chain == "absent"
    log = load_neutral(FOREIGN)
    for session_id in ("main", "side"):
        assert to_messages(store.events.path(session_id), session_id=session_id) == to_messages(
            log, session_id=session_id
        )
        assert store.events.verify(session_id) == []
    assert [e.seq for e in store.events.read("main")] == list(range(7))
    again = taken_in(store, folder, file)
    assert again.renamed
    assert to_messages(store.events.path(again.sessions[1]), session_id=again.sessions[1]) == to_messages(
        log, session_id="side"
    )


@pytest.mark.parametrize(("bad", "says"), [
    ("{", "no JSON|Expecting"),
    ("4", "not an object"),
    ('{"type": "x"}', "integer seq"),
    ('{"seq": 3, "type": "x"}', "taken"),
    ('{"seq": 900, "type": "x", "id": "e2"}', "taken"),
    ('{"seq": NaN, "type": "x"}', "NaN"),
    ("[" * 9000 + "]" * 9000, "deep"),
    ('{"type": "banksman.blob", "sha256": "00", "media_type": "a", "base64": "AA=="}', "not those"),
    ('{"type": "banksman.blob", "sha256": "00", "media_type": "a"}', "no whole blob"),
    ('{"type": "banksman.blob", "sha256": "00", "media_type": "a", "base64": "A"}', "cannot be decoded"),
    ('{"seq": 99999999999999999999, "type": "x"}', "cannot be used"),
])  # fmt: skip
def test_bad_line_57_imports_nothing_and_is_named(store, folder, tmp_path, bad, says):
    lines = [json.dumps({"seq": seq, "type": "message.user", "content": "x"}) for seq in range(80)]
    lines[56] = bad
    (tmp_path / "log").write_text("\n".join(lines))
    with pytest.raises(ImportRefused, match="Line 57") as raised:
        taken_in(store, folder, tmp_path / "log")
    assert says.split("|")[0] in str(raised.value) or says.split("|")[-1] in str(raised.value)
    assert store.events.rows() == []
    assert store.database.rows("SELECT count(*) FROM event") == [(0,)]


@pytest.mark.parametrize(
    "content", ["", "[]", "[1", '[{"seq":0,"type":"x"}', "\ufeff ", b"\xff\xfe", '{"type":"banksman.header"}']
)
def test_file_without_a_chat_is_refused(store, folder, tmp_path, content):
    (tmp_path / "log").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ImportRefused):
        taken_in(store, folder, tmp_path / "log")


def test_circle_is_refused(store, folder, tmp_path):
    events = numbered([{**u("a"), "parent": "e1"}, u("b")])
    (tmp_path / "log").write_text(json.dumps(events))
    with pytest.raises(ImportRefused, match="circle"):
        taken_in(store, folder, tmp_path / "log")


def test_entry_of_one_chat_cannot_continue_another_that_it_was_not_forked_from(store, folder, tmp_path):
    log = {"a": [(None, "a0"), ("a0", "a1"), ("b0", "a2")], "b": [("a1", "b0"), ("a0", "b1"), ("a1", "b2")]}
    rows = [
        {**u(name), "id": name, "session": session, "seq": seq, "parent": parent}
        for session, events in log.items()
        for seq, (parent, name) in enumerate(events)
    ]
    (tmp_path / "log").write_text(json.dumps(rows))
    with pytest.raises(ImportRefused, match="Entry a2 continues entry b0 of a chat that its own does not come from"):
        taken_in(store, folder, tmp_path / "log")
    (tmp_path / "log").write_text(json.dumps([row for row in rows if row["id"] != "a2"]))
    assert taken_in(store, folder, tmp_path / "log").sessions == ["a", "b"]


@pytest.mark.parametrize("form", ["list", "lines"])
def test_a_long_file_is_read_piece_by_piece(store, folder, tmp_path, form, monkeypatch):
    events = numbered([u("x" * 700_000), u("y" * 700_000), u("z")])
    lines = "\n".join(json.dumps(event) for event in events)
    (tmp_path / "log").write_text(json.dumps(events) if form == "list" else lines)
    assert taken_in(store, folder, tmp_path / "log").events == 3
    assert [len(e.event.parts[0]["text"]) for e in store.events.read("main")[:3]] == [700_000, 700_000, 1]
    monkeypatch.setattr("desktop.store.history.import_file.MAX_LINE_CHARS", 100_000)
    with pytest.raises(ImportRefused, match="Line 2 cannot be used"):
        taken_in(store, folder, tmp_path / "log")


def test_file_or_entry_over_the_limits_is_refused(store, folder, tmp_path, monkeypatch):
    nested = []
    for _ in range(210):
        nested = [nested]
    (tmp_path / "log").write_text(json.dumps(numbered([u("a"), {"type": "later.kind", "x": nested}])))
    with pytest.raises(ImportRefused, match="nested over 200 levels"):
        taken_in(store, folder, tmp_path / "log")
    monkeypatch.setattr("desktop.store.history.imports.MAX_BODY_BYTES", 1000)
    with pytest.raises(ImportRefused, match="larger than 64 MiB"):
        entries_taken_in(store, folder, numbered([u("x" * 1000)]))
    with (tmp_path / "log").open("r+b") as file:
        file.truncate(1024 * 1024 * 1024 + 1)
    with pytest.raises(ImportRefused, match="larger than 1 GiB"):
        taken_in(store, folder, tmp_path / "log")
    assert store.events.rows() == []


def test_an_input_that_is_recorded_nowhere_is_lost(store, folder):
    short = a(use("c", {"_truncated": True}), use("d", {"_truncated": True}))
    report = entries_taken_in(store, folder, numbered([u("go"), short, call("c"), call("d", {"k": 1})]))
    assert (report.restored, report.unrecoverable) == (1, ("c",))


@pytest.mark.parametrize("body", [None, "no json", "[1]"])
def test_an_entry_that_is_no_event_is_kept_under_a_name_that_says_so(store, folder, body):
    lost = {"type": "", "x_banksman": {"body": body}}
    assert entries_taken_in(store, folder, numbered([u("go"), lost])).unknown == 1
    assert store.database.rows("SELECT type FROM event WHERE seq = 1") == [("unreadable",)]
    assert store.events.verify("main") == []


def test_the_report_says_what_was_found_for_people():
    assert ImportReport(sessions=["a"], events=1200).sentences() == (
        "1 chat with 1,200 entries.", "It carries no record to check.",
    )  # fmt: skip
    lost = tuple(f"c{number}" for number in range(11))
    all_of_it = ImportReport(
        sessions=["a", "b"], events=3, unknown=2, restored=1, unrecoverable=lost, chain="broken", redacted=True,
        renamed=True,
    )  # fmt: skip
    assert all_of_it.sentences() == (
        "2 chats with 3 entries.",
        "2 entries of kinds that this version does not know are kept without effect.",
        "1 shortened inputs of calls were restored.",
        "The inputs of 11 calls are lost: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, ….",
        "Its record was changed after it was exported.",
        "The copy is redacted: what was removed from it is not here.",
        "These chats are here already, so this is a second copy with ids of its own.",
    )


def test_missing_file_is_said(store, folder, tmp_path):
    with pytest.raises(ImportRefused, match="cannot be read"):
        taken_in(store, folder, tmp_path / "none")


def test_mark_and_rows_survive_a_rebuild_of_the_index(store, folder, tmp_path):
    (tmp_path / "log").write_text(json.dumps(FOREIGN))
    taken_in(store, folder, tmp_path / "log", project_id="ours")
    before = store.events.rows()
    store.events.rebuild_index()
    assert store.events.rows() == before


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(log=product_logs())
def test_any_product_log_comes_back_equal_in_messages(tmp_path_factory, log):
    folder = tmp_path_factory.mktemp("s")
    (folder / "log").write_text("\n".join(json.dumps(event) for event in dump_neutral(log)))
    store = open_store(folder / "store")
    try:
        report = taken_in(store, folder / "store", folder / "log")
        for session_id in report.sessions:
            for envelope in log:
                if envelope.session_id == session_id:
                    at = envelope.event_id
                    assert to_messages(store.events.path(session_id), at=at) == to_messages(log, at=at)
            assert store.events.verify(session_id) == []
        export_chats(folder / "store" / DATABASE_NAME, None, folder / "a", ExportOptions())
        second = open_store(folder / "second")
        try:
            assert taken_in(second, folder / "second", folder / "a").chain == "verified"
            for session_id in report.sessions:
                assert second.events.read(session_id)[:-1] == store.events.read(session_id)
        finally:
            second.close()
    finally:
        store.close()
