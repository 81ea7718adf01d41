"""Copies of chats: nothing in them acts, a redacted one has no secrets, and one that was given up is not there."""

import itertools
import json
import re
import threading
from html.parser import HTMLParser
from pathlib import Path

import pytest

from desktop.domain.context.events import DeletionUndone, MessageDeleted, Rewound
from desktop.domain.core.content import Card, ImageBlock
from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    AssistantMessage,
    InputRequested,
    InputResolved,
    SessionForked,
    SessionStarted,
    TitleChanged,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.gate.redaction import Redactor
from desktop.domain.history.builder import to_messages
from desktop.domain.history.neutral import load_neutral
from desktop.store.core.library import ExportCancelled, ExportOptions
from desktop.store.database import DATABASE_NAME
from desktop.store.library.export_pages import defused
from desktop.store.library.exports import export_chats, pictures_folder

KEY = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 7
NASTY = f'<script>alert(1)</script> ![x](http://evil/x.png) <img src="http://evil/y"> ``````````  "\'& \ud83d {KEY}'


def text(words):
    return ({"type": "text", "text": words},)


def clean(words):
    return Redactor().redact(words).text


@pytest.fixture
def chat(store):
    """A chat with everything that could act, and a stored picture."""
    session_id = new_session_id()
    png = store.blobs.put(b"\x89PNG....", "image/png")
    svg = store.blobs.put(b"<svg onload='x'/>", "image/svg+xml")
    use = {"type": "tool_use", "id": "c", "name": "bash", "input": {"command": NASTY}}
    request = ApprovalRequest(
        call_id="c", card=Card(title=NASTY), reason="r", category="bash", rule="mode", mode="edit", digest="d"
    )
    store.events.append_many(session_id, [
        SessionStarted(project_id="p", model="m"),
        TitleChanged(title=f"Title {NASTY}"),
        TurnStarted(turn_id="t"),
        UserMessage(parts=text(NASTY)),
        AssistantMessage(parts=(*text(f"```\n![in fence](x)\n{NASTY}"), use)),
        ToolCallDecided(
            call_id="c", name_called="bash", tool="bash", verdict=Verdict.ASK, rule="mode", mode=PermissionMode.EDIT
        ),
        InputRequested(input_id="i", call_id="c", request=request),
        InputResolved(input_id="i", answer=Answer(outcome="allow_once", note=NASTY), person="Ada"),
        ToolCallStarted(call_id="c", tool="bash", input={"command": NASTY}),
        ToolCallFinished(call_id="c", outcome="ok", content=NASTY, full=store.blobs.put(KEY.encode(), "text/plain"),
                         blocks=(ImageBlock(blob=png, alt=""), ImageBlock(blob=svg, alt=""))),
        UserMessage(parts=text("removed words")),
    ])  # fmt: skip
    last = store.events.head(session_id)
    store.events.append(session_id, MessageDeleted(target_id=last.event_id))
    store.events.append(session_id, UserMessage(parts=text("rewound words")))
    store.events.append(session_id, Rewound(to_event_id=last.event_id))
    return session_id


def written(folder, chat, form, out, redact=clean):
    export_chats(folder / DATABASE_NAME, [chat], out, ExportOptions(format=form, redact=redact))
    return out.read_text("utf-8")


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@pytest.mark.promise("sessions-SG6")
def test_page_holds_no_script_and_fetches_nothing(store, folder, chat, tmp_path):
    page = written(folder, chat, "html", tmp_path / "a.html")
    parser = Tags()
    parser.feed(page)
    names = {tag for tag, _ in parser.tags}
    allowed = "html head meta title style body h1 h2 p section b pre span img"
    assert names <= {*allowed.split()}
    images = [attrs["src"] for tag, attrs in parser.tags if tag == "img"]
    assert len(images) == 1
    assert images[0].startswith("data:image/png;base64,")
    assert not any("href" in attrs or any(name.startswith("on") for name in attrs) for _, attrs in parser.tags)
    policy = next(attrs["content"] for _, attrs in parser.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.promise("sessions-SG6")
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_page_says_who_decided_what_and_what_the_model_no_longer_gets(store, folder, chat, tmp_path, form):
    page = written(folder, chat, form, tmp_path / "a")
    assert "Ada" in page
    assert "Allow once" in page
    assert re.search(r"rule\s+mode", page)
    assert re.search(r"Agent.*\n*", page)
    assert "removed from the context" in page
    assert page.index("(rewound)") < page.index("rewound words")


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_page_shows_a_person_their_own_words_and_files(store, folder, tmp_path, form):
    session_id = new_session_id()
    listed = "Attached files, to be read with read_file:\nattachments:a.png (image/png, 13 KB)"
    said = UserMessage(parts=(*text("look"), *text(listed)), attachments=("a.png",))
    command = UserMessage(parts=text("Run the tests and mend what fails."), display="/mend")
    alone = UserMessage(parts=text("Attached files, to be read with read_file:\nb.txt"), attachments=("b.txt",))
    note = UserMessage(parts=text("Told by itself."), origin="note")
    store.events.append_many(session_id, [SessionStarted(project_id="p", model="m"), said, command, alone, note])
    page = written(folder, session_id, form, tmp_path / "a")
    assert "to be read with" not in page
    assert "mend what fails" not in page
    for words in ("look", "/mend", "Attached — a.png", "Attached — b.txt", "Told by itself."):
        assert words in page


@pytest.mark.parametrize("form", ["html", "markdown", "jsonl"])
def test_redacted_copy_has_no_key_and_a_full_one_has(store, folder, chat, tmp_path, form):
    assert KEY not in written(folder, chat, form, tmp_path / "redacted")
    assert KEY in written(folder, chat, form, tmp_path / "full", None)


def test_markdown_shows_no_foreign_picture_and_closes_fences(store, folder, chat, tmp_path):
    out = tmp_path / "a.md"
    page = written(folder, chat, "markdown", out)
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1\s*$", "", page)
    assert "![x]" not in outside
    assert "<script" not in outside
    assert "```````````\n" in page
    names = [file.name for file in pictures_folder(out).iterdir()]
    assert len(names) == 1
    assert f"![](a-pictures/{names[0]})" in page


@pytest.mark.promise("sessions-SG4")
def test_lines_are_the_neutral_form_with_a_header_that_says_what_it_is(store, folder, chat, tmp_path):
    lines = [json.loads(line) for line in written(folder, chat, "jsonl", tmp_path / "a.jsonl", None).splitlines()]
    header, events = lines[0], [line for line in lines if not line["type"].startswith("banksman.blob")][1:]
    assert (header["type"], header["format"], header["redacted"]) == ("banksman.header", 1, False)
    assert header["head_hash"] == store.events.head(chat).hash == events[-1]["hash"]
    assert load_neutral(events) == store.events.read(chat)
    assert to_messages(load_neutral(events)) == to_messages(store.events.read(chat))
    blobs = {line["media_type"] for line in lines if line["type"] == "banksman.blob"}
    assert blobs == {"image/png", "image/svg+xml", "text/plain"}


def test_hashes_of_a_redacted_copy_still_make_a_chain(store, folder, chat, tmp_path):
    lines = [json.loads(line) for line in written(folder, chat, "jsonl", tmp_path / "a.jsonl").splitlines()]
    assert lines[0]["redacted"] is True
    events = [line for line in lines[1:] if line["type"] != "banksman.blob"]
    for before, after in itertools.pairwise(events):
        assert after["prev_hash"] == before["hash"]


def test_copy_of_a_fork_holds_what_it_continues(store, folder, chat, tmp_path):
    at = store.events.read(chat)[6].event_id
    fork = store.events.fork(chat, at, SessionForked()).session_id
    store.events.append(fork, UserMessage(parts=text("mine")))
    lines = [json.loads(line) for line in written(folder, fork, "jsonl", tmp_path / "f.jsonl", None).splitlines()]
    log = load_neutral([line for line in lines[1:] if line["type"] != "banksman.blob"])
    assert len(log) == 7 + 2
    assert to_messages(log, session_id=fork) == to_messages(store.events.path(fork), session_id=fork)


def test_given_up_copy_leaves_nothing(store, folder, chat, tmp_path):
    cancelled = threading.Event()
    seen = []

    def redact(words):
        seen.append(words)
        if len(seen) > 8:
            cancelled.set()
        return words

    for form in ("html", "markdown", "jsonl"):
        out = tmp_path / "out" / f"a.{form}"
        out.parent.mkdir(exist_ok=True)
        cancelled.clear()
        seen.clear()
        with pytest.raises(ExportCancelled):
            export_chats(folder / DATABASE_NAME, [chat], out, ExportOptions(form, redact, cancelled))
        assert list(out.parent.iterdir()) == []


def test_given_up_page_leaves_no_pictures(store, folder, chat, tmp_path):
    cancelled = threading.Event()

    def redact(words):
        if words == "removed words":
            assert pictures_folder(out).exists()
            cancelled.set()
        return words

    out = tmp_path / "out" / "a.md"
    out.parent.mkdir()
    with pytest.raises(ExportCancelled):
        export_chats(folder / DATABASE_NAME, [chat], out, ExportOptions("markdown", redact, cancelled))
    assert list(out.parent.iterdir()) == []


def test_each_picture_stands_once_beside_the_page(store, folder, tmp_path):
    png, gif = store.blobs.put(b"\x89PNG", "image/png"), store.blobs.put(b"GIF89a", "image/gif")
    shown = ToolCallFinished(
        call_id="c", outcome="ok", blocks=tuple(ImageBlock(blob=blob, alt="") for blob in (png, gif))
    )
    session_id = new_session_id()
    store.events.append_many(session_id, [SessionStarted(), shown, shown.model_copy(update={"call_id": "d"})])
    page = written(folder, session_id, "markdown", tmp_path / "a b.md")
    assert page.count("![](a%20b-pictures/") == 4
    assert len(list(pictures_folder(tmp_path / "a b.md").iterdir())) == 2


def test_page_is_titled_by_its_chat_also_where_the_list_is_gone(store, folder, chat, tmp_path):
    store.events.append(new_session_id(), SessionStarted())
    export_chats(folder / DATABASE_NAME, None, tmp_path / "all.md", ExportOptions("markdown"))
    assert (tmp_path / "all.md").read_text().startswith("# Banksman chats\n")
    store.database.connection.execute("DROP TABLE session")
    assert written(folder, chat, "markdown", tmp_path / "a.md").startswith("# Banksman chat\n")


def test_a_message_that_was_put_back_is_not_marked_as_removed(store, folder, tmp_path):
    session_id = new_session_id()
    said = store.events.append_many(session_id, [SessionStarted(), UserMessage(parts=text("here"))])[1]
    for event in (MessageDeleted(target_id=said.event_id), DeletionUndone(target_id=said.event_id)):
        store.events.append(session_id, event)
    assert "(removed" not in written(folder, session_id, "markdown", tmp_path / "a.md")


def test_a_removal_that_cannot_be_read_any_more_marks_nothing(store, folder, chat, tmp_path):
    store.database.connection.execute("DROP TRIGGER event_is_never_changed")
    store.database.connection.execute("UPDATE event SET body = '{}' WHERE type = 'message_deleted'")
    page = written(folder, chat, "markdown", tmp_path / "a.md")
    assert "removed words" in page
    assert "(removed" not in page


def test_a_body_that_was_written_otherwise_is_copied_as_it_is(store, folder, tmp_path):
    session_id = new_session_id()
    store.events.append(session_id, SessionStarted())
    store.database.connection.execute("DROP TRIGGER event_is_never_changed")
    store.database.connection.execute("""UPDATE event SET body = replace(body, '"v":1', '"v": 1')""")
    _, line = written(folder, session_id, "jsonl", tmp_path / "a.jsonl", None).splitlines()
    assert '"v": 1' in json.loads(line)["x_banksman"]["body"]


def test_text_behind_a_closed_fence_is_text_again():
    assert defused("```\n<b>\n```\n<i>") == "```\n<b>\n```\n&lt;i>"


def test_what_cannot_be_written_is_said(store, folder, chat, tmp_path):
    database = folder / DATABASE_NAME
    (tmp_path / "there").write_text("x")
    with pytest.raises(StoreError, match="exists already"):
        export_chats(database, [chat], tmp_path / "there", ExportOptions())
    with pytest.raises(StoreError, match="does not exist"):
        export_chats(database, [chat], tmp_path / "no" / "a", ExportOptions())
    with pytest.raises(StoreError, match="no chat"):
        export_chats(database, ["zz"], tmp_path / "a", ExportOptions())
    with pytest.raises(StoreError, match="could not be written"):
        export_chats(database, [chat], Path("/proc/a"), ExportOptions())
    (tmp_path / "none.db").write_bytes(b"no database " * 99)
    with pytest.raises(StoreError, match="cannot be read"):
        export_chats(tmp_path / "none.db", [chat], tmp_path / "a", ExportOptions())
    assert (tmp_path / "there").read_text() == "x"
    assert not (tmp_path / "a").exists()
