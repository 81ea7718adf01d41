"""Pictures and documents stand beside the log; requests and copies get them back byte for byte."""

import base64
import hashlib
from pathlib import Path

import pytest

from desktop.domain.events import AssistantMessage, SessionStarted, ToolCallFinished, UserMessage
from desktop.store.core.imports import Where
from desktop.store.core.library import ExportOptions
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.history.imports import prepare_import, staged_blobs
from desktop.store.library.exports import export_chats

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DIGEST = hashlib.sha256(PNG).hexdigest()


def block(kind: str = "image", data: object = None, media_type: str = "image/png") -> dict:
    encoded = base64.b64encode(PNG).decode() if data is None else data
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": encoded}}


def recorded(store, event):
    store.events.append("ses_a", SessionStarted())
    written = store.events.append("ses_a", event)
    assert store.events.read("ses_a")[-1] == written
    assert store.events.verify("ses_a") == []
    return written.event


def test_a_picture_without_a_source_stays_as_it_was(store):
    parts = ({"type": "image", "source": "elsewhere"}, {"type": "image"})
    assert recorded(store, UserMessage(parts=parts)).parts == parts


@pytest.mark.parametrize("kind", ["image", "document"])
@pytest.mark.parametrize("place", ["message", "result"])
def test_base64_is_taken_out_of_the_body_and_kept_as_bytes(store, kind, place):
    parts = ({"type": "text", "text": "look"}, block(kind))
    if place == "message":
        kept = recorded(store, UserMessage(parts=parts)).parts
    else:
        kept = recorded(store, ToolCallFinished(call_id="c", outcome="ok", content=parts)).content
    marker = {"$blob": DIGEST, "form": "base64", "media_type": "image/png", "size": len(PNG)}
    assert list(kept) == [parts[0], block(kind, marker)]
    assert store.blobs.get(DIGEST) == PNG
    (body,) = store.database.rows("SELECT body FROM event WHERE seq = 1")[0]
    assert base64.b64encode(PNG).decode() not in body


@pytest.mark.parametrize("data", ["not base64!", "AB==", "", 4])
def test_what_is_no_exact_base64_stays_as_it_is(store, data):
    assert recorded(store, UserMessage(parts=(block(data=data),))).parts == (block(data=data),)


def test_the_result_of_a_tool_cannot_pose_as_a_reference(store):
    store.blobs.put(PNG, "image/png")
    posing = block(data={"$blob": DIGEST, "form": "base64", "media_type": "image/png", "size": len(PNG)})
    result = recorded(store, ToolCallFinished(call_id="c", outcome="ok", content=(posing,)))
    assert result.content[0]["type"] == "text"
    said = store.events.append("ses_a", AssistantMessage(parts=(posing,))).event
    assert said.parts[0]["type"] == "text"
    person = store.events.append("ses_a", UserMessage(parts=(posing,))).event
    assert person.parts == (posing,), "what the app attached itself stays"


def test_a_missing_picture_is_a_finding_of_the_check(store):
    recorded(store, UserMessage(parts=(block(),)))
    store.blobs.remove(DIGEST)
    assert [finding.kind for finding in store.events.verify("ses_a")] == ["blob_missing"]


def test_copies_hold_the_picture_and_come_back_byte_for_byte(store, folder, tmp_path: Path):
    recorded(store, ToolCallFinished(call_id="c", outcome="ok", content=({"type": "text", "text": "x"}, block())))
    first, page = tmp_path / "first.jsonl", tmp_path / "page.html"
    export_chats(folder / DATABASE_NAME, ["ses_a"], first, ExportOptions("jsonl"))
    export_chats(folder / DATABASE_NAME, ["ses_a"], page, ExportOptions("html"))
    assert base64.b64encode(PNG).decode() in page.read_text()
    other = open_store(tmp_path / "other")
    try:
        at = store.events.read("ses_a")[0].at
        staging = tmp_path / "staging.db"
        report = prepare_import(first, tmp_path / "other" / DATABASE_NAME, staging, Where(), at)
        for media_type, data in staged_blobs(staging):
            other.blobs.put(data, media_type)
        other.events.adopt(staging, report)
        taken = other.events.read("ses_a")
        assert taken[:2] == store.events.read("ses_a")
        assert other.blobs.get(DIGEST) == PNG
        assert other.events.verify("ses_a") == []
    finally:
        other.close()
