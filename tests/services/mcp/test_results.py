"""Answers of servers as parts."""

import base64
from typing import Any

import pytest

from desktop.services.mcp.results import BytesPart, LinkPart, TextPart, read_answer


def answer(*content: Any, **more: Any) -> dict[str, Any]:
    return {"content": list(content), **more}


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def test_parts_keep_their_order() -> None:
    found = read_answer(
        answer(
            {"type": "text", "text": "one"},
            {"type": "image", "data": encoded(b"\x89PNG"), "mimeType": "image/png"},
            {"type": "audio", "data": encoded(b"RIFF"), "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "The A"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "two"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": encoded(b"\x00"), "mimeType": "x/y"}},
        )
    )
    assert found.parts == (
        TextPart("one"),
        BytesPart(b"\x89PNG", "image/png"),
        BytesPart(b"RIFF", "audio/wav"),
        LinkPart("file:///a", "The A"),
        TextPart("two", "file:///b"),
        BytesPart(b"\x00", "x/y", "file:///c"),
    )
    assert found.text == "one\ntwo"
    assert not found.is_error
    assert found.notes == ()


def test_text_is_taken_up_to_128_kib_and_counted_beyond() -> None:
    found = read_answer(answer({"type": "text", "text": "ü" * 65_530}, {"type": "text", "text": "ü" * 100}))
    assert len(found.text.encode()) <= 128 * 1024 + 1
    assert found.left_out == 200 - 12


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        ({}, "no list of contents"),
        ({"content": "text"}, "no list of contents"),
        ({"content": ["text"]}, "no object"),
        ({"content": [{"type": "video"}]}, "'video' is not known"),
        ({"content": [{"type": "image", "data": "***", "mimeType": "image/png"}]}, "bytes cannot be read"),
        ({"content": [{"type": "resource", "resource": 3}]}, "no object"),
    ],
)
def test_what_cannot_be_read_is_named(raw: dict[str, Any], note: str) -> None:
    assert note in read_answer(raw).notes[0]


def test_an_answer_has_so_many_parts_and_no_more() -> None:
    found = read_answer(answer(*({"type": "text", "text": str(n)} for n in range(1_000))))
    assert len(found.parts) == 200
    assert "rest was left out" in found.notes[0]


def test_structured_content_is_told_once() -> None:
    value = {"rows": [1, 2], "name": "ü"}
    told = read_answer(answer({"type": "text", "text": '{"name": "ü", "rows": [1, 2]}'}, structuredContent=value))
    assert told.structured == value
    assert told.structured_text == ""
    assert (
        '"name": "ü"' in read_answer(answer({"type": "text", "text": "{no"}, structuredContent=value)).structured_text
    )
    assert read_answer(answer({"type": "text", "text": "{"})).structured_text == ""
    assert read_answer(answer(structuredContent=[1])).structured is None


def test_an_error_says_so_itself() -> None:
    assert read_answer(answer({"type": "text", "text": "no"}, isError=True)).is_error
    assert not read_answer(answer(isError="yes")).is_error
