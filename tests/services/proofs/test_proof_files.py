"""Files become proofs by what they hold, copied whole through one handle, or not at all."""

import os
from pathlib import Path

import pytest

from desktop.services.files.lane_files import LaneFiles
from desktop.services.proofs.files import copy_from, copy_of_lane, copy_of_person
from desktop.services.proofs.type import ProofRefused, largest, proof_type

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (64).to_bytes(4, "big") + (48).to_bytes(4, "big") + b"\x08\x02\0\0\0"
HUGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (10_000).to_bytes(4, "big") + (6_000).to_bytes(4, "big") + b"\x08\x02\0\0\0"


@pytest.mark.parametrize(
    ("data", "name", "kind", "stored"),
    [
        (PNG, "a.png", "screenshot", "image/png"),
        (b"\0\0\0\x18ftypmp42" + b"\0" * 20, "a.mov", "video_recording", "video/mp4"),
        (b"\x1a\x45\xdf\xa3" + b"\0" * 20, "a", "video_recording", "video/webm"),
        (b"PK\x03\x04" + b"\0" * 20, "trace.zip", "browser_trace", "application/zip"),
        (b"PK\x03\x04" + b"\0" * 20, "other.zip", "file", "application/zip"),
        (b'<?xml version="1.0"?><testsuites/>', "r.xml", "test_results", "application/xml"),
        (b"<svg xmlns='x'><script/></svg>", "a.svg", "file", "text/plain"),
        (b"<!doctype html><script>x()</script>", "a.html", "file", "text/plain"),
        (b'{"ok": true}', "r.json", "file", "application/json"),
        (b"line\n", "run.log", "console_logs", "text/plain"),
        (b"\x7fELF\0\0", "tool", "file", "application/octet-stream"),
    ],
)
def test_the_content_says_what_a_proof_is(data: bytes, name: str, kind: str, stored: str) -> None:
    found = proof_type(data, name)
    assert (found.kind, found.stored) == (kind, stored)


@pytest.mark.parametrize(
    ("data", "kind", "why"),
    [
        (b"", None, "is empty"),
        (HUGE, None, "limit is 50 megapixels"),
        (b'<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "b">]><testsuite/>', "test_results", "document type"),
        (b"text", "screenshot", "must be a PNG"),
        (PNG, "test_results", "must be JUnit XML"),
        (PNG + b"\0" * (20 * 1024 * 1024), None, "limit for Screenshot is 20 MB"),
    ],
)
def test_what_is_none_is_refused_with_the_reason(data: bytes, kind: str | None, why: str) -> None:
    with pytest.raises(ProofRefused, match=why):
        proof_type(data, "x", kind)  # type: ignore[arg-type]


def test_a_name_that_says_otherwise_is_noted() -> None:
    assert proof_type(PNG, "a.txt").notice == "The name ends in .txt, the content is a PNG picture."
    assert proof_type(b"plain", "a.txt").notice == proof_type(PNG, "shot").notice == ""


def test_a_file_that_changes_while_it_is_copied_is_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "growing.log"
    file.write_bytes(b"x" * (3 * 1024 * 1024))

    def grow() -> None:
        with file.open("ab") as more:
            more.write(b"more")

    with file.open("rb") as opened, pytest.raises(ProofRefused, match="changed while it was copied"):
        copy_from(opened, file.name, largest(), chunk_done=grow)
    with file.open("rb") as opened, pytest.raises(ProofRefused, match="larger than any proof"):
        copy_from(opened, file.name, 1024)


def test_only_regular_files_of_the_lane_are_taken(tmp_path: Path) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (lane / "inside.txt").write_text("fine")
    (lane / "link.txt").symlink_to(tmp_path / "outside.txt")
    (lane / "near.txt").symlink_to("inside.txt")
    os.mkfifo(lane / "pipe")
    files = LaneFiles(lane)
    assert copy_of_lane(files, "inside.txt", 100).data == b"fine"
    assert copy_of_lane(files, "near.txt", 100).name == "inside.txt"
    for name, why in (("link.txt", "cannot be attached"), ("../outside.txt", "cannot be attached"),
                      ("pipe", "not a regular file"), ("none.txt", "does not exist")):  # fmt: skip
        with pytest.raises(ProofRefused, match=why):
            copy_of_lane(files, name, 100)


def test_a_person_chooses_any_file_but_links_and_the_products_own(tmp_path: Path) -> None:
    own = tmp_path / "store"
    own.mkdir()
    (own / "banksman.db").write_text("x")
    (tmp_path / "mine.txt").write_text("fine")
    (tmp_path / "link").symlink_to("mine.txt")
    assert copy_of_person(tmp_path / "mine.txt", (own,), 100).data == b"fine"
    for path, why in ((own / "banksman.db", "own data"), (tmp_path / "link", "is a link"), (tmp_path, "cannot be read"),
                      (tmp_path / "none", "cannot be read")):  # fmt: skip
        with pytest.raises(ProofRefused, match=why):
            copy_of_person(path, (own,), 100)
