"""Attachments: names, reuse, the manifest, pruning, and two at once."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted
from desktop.store.core.library import Attachment
from desktop.store.database import DATABASE_NAME, open_store
from desktop.store.library.attachments import AttachmentStore, NewFile, recorded_attachments, safe_name

PROJECT = "prj_0123456789ab"


class Clock:
    """A clock that a test sets forward."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def recorded():
    return []


@pytest.fixture
def store(tmp_path, clock, recorded):
    return AttachmentStore(tmp_path / "attachments", clock, lambda: recorded)


def text(name: str) -> NewFile:
    return NewFile(name=name, mime_type="text/plain", extension=".txt")


def of(entry: Attachment) -> AttachmentAdded:
    return AttachmentAdded(
        logical_name=entry.logical_name, stored_file_name=entry.stored_file_name, sha256=entry.sha256,
        mime_type=entry.mime_type, size_bytes=entry.size_bytes,
    )  # fmt: skip


@pytest.mark.promise("sessions-SA3")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../x", "x.txt"),
        ("a:b", "a_b.txt"),
        ("", "attachment.txt"),
        ("...", "attachment.txt"),
        ("C:\\notes\\todo.md", "todo.md"),
        (".env", "env.txt"),
        ("bad\x07name`[x](y)`.txt", "bad_name__x_(y)_.txt"),
        ("\u202etxt.exe", "_txt.exe"),
        ("notes.txt", "notes.txt"),
    ],
)
def test_a_name_is_one_harmless_path_component(given, kept):
    assert safe_name(given, ".txt") == kept


def test_a_long_name_keeps_its_extension():
    name = safe_name("n" * 300 + ".markdown")
    assert len(name) == 160
    assert name.endswith(".markdown")


@pytest.mark.promise("sessions-SA4")
def test_the_same_bytes_are_kept_once_under_the_first_name(store, tmp_path):
    first = store.add(PROJECT, b"same", text("notes.txt"))
    again = store.add(PROJECT, b"same", text("other.txt"))
    assert again == first
    assert len(list((tmp_path / "attachments" / PROJECT).glob("*.txt"))) == 1


def test_another_content_of_the_same_name_is_numbered_whatever_its_case(store):
    names = [
        store.add(PROJECT, bytes([n]), text(name)).logical_name for n, name in enumerate(["n.txt", "N.txt", "n.txt"])
    ]
    assert names == ["n.txt", "N-2.txt", "n-3.txt"]
    assert store.find(PROJECT, "N-2.TXT").size_bytes == 1


def test_two_at_once_are_both_there(store):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: store.add(PROJECT, f"{n}".encode(), text("n.txt")), range(20)))
    entries = store.entries(PROJECT)
    assert len({entry.logical_name for entry in entries}) == 20
    assert {store.data(PROJECT, entry) for entry in entries} == {f"{n}".encode() for n in range(20)}


@pytest.mark.promise("sessions-SA8")
def test_what_no_event_names_goes_after_thirty_days_and_its_name_is_free(store, clock, recorded, tmp_path):
    gone = store.add(PROJECT, b"gone", text("notes.txt"))
    stays = store.add(PROJECT, b"stays", text("kept.txt"))
    recorded.append(stays)
    clock.at += timedelta(days=29)
    assert store.prune(PROJECT) == 0
    clock.at += timedelta(days=2)
    assert store.prune(PROJECT) == 1
    assert store.find(PROJECT, "notes.txt") is None
    assert not (tmp_path / "attachments" / PROJECT / gone.stored_file_name).exists()
    assert store.data(PROJECT, stays) == b"stays"
    assert store.add(PROJECT, b"new", text("notes.txt")).logical_name == "notes.txt"


def test_a_file_without_an_entry_goes_after_a_day_and_anything_else_stays(store, clock, tmp_path):
    store.add(PROJECT, b"a", text("a.txt"))
    folder = tmp_path / "attachments" / PROJECT
    orphan = folder / ("0" * 64 + ".txt")
    orphan.write_bytes(b"orphan")
    (folder / "readme").write_text("mine")
    (folder / ("1" * 64)).symlink_to(tmp_path)
    assert store.prune(PROJECT) == 0
    clock.at += timedelta(days=2)
    assert store.prune(PROJECT) == 1
    assert not orphan.exists()
    assert (folder / "readme").exists()
    assert (folder / ("1" * 64)).is_symlink()
    assert (folder / "manifest.json").exists()


def test_a_folder_that_leads_outside_is_neither_written_nor_pruned(store, clock, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / ("2" * 64)
    victim.write_bytes(b"theirs")
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments" / PROJECT).symlink_to(outside)
    clock.at += timedelta(days=400)
    assert store.prune(PROJECT) == 0
    assert victim.exists()
    with pytest.raises(StoreError, match="leads outside"):
        store.add(PROJECT, b"x", text("x.txt"))
    assert sorted(path.name for path in outside.iterdir()) == [victim.name]


@pytest.mark.parametrize("broken", ["{ not json", "{}"])
def test_a_broken_manifest_is_put_aside_and_made_anew_from_the_log(store, recorded, tmp_path, broken):
    kept = store.add(PROJECT, b"kept", text("kept.txt"))
    recorded.append(kept)
    manifest = tmp_path / "attachments" / PROJECT / "manifest.json"
    manifest.write_text(broken)
    assert store.find(PROJECT, "kept.txt").sha256 == kept.sha256
    assert list(manifest.parent.glob("manifest.json.bad-*"))
    assert json.loads(manifest.read_text())[0]["logical_name"] == "kept.txt"


def test_single_bad_entries_are_dropped(store, tmp_path):
    kept = store.add(PROJECT, b"kept", text("kept.txt"))
    manifest = tmp_path / "attachments" / PROJECT / "manifest.json"
    entries = [
        *json.loads(manifest.read_text()),
        {"logical_name": 3},
        {**json.loads(manifest.read_text())[0], "stored_file_name": "../../etc/passwd"},
    ]
    manifest.write_text(json.dumps(entries))
    assert store.entries(PROJECT) == [kept]


def test_bytes_that_changed_are_not_given(store, tmp_path):
    entry = store.add(PROJECT, b"true", text("a.txt"))
    (tmp_path / "attachments" / PROJECT / entry.stored_file_name).write_bytes(b"false")
    assert store.data(PROJECT, entry) is None
    (tmp_path / "attachments" / PROJECT / entry.stored_file_name).unlink()
    assert store.data(PROJECT, entry) is None


def test_a_manifest_that_can_be_neither_read_nor_put_aside_is_told(store, clock, tmp_path):
    store.add(PROJECT, b"a", text("a.txt"))
    folder = tmp_path / "attachments" / PROJECT
    (folder / "manifest.json").write_text("{}")
    (folder / f"manifest.json.bad-{clock():%Y%m%dT%H%M%S%f}" / "taken").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be read"):
        store.entries(PROJECT)
    assert (folder / "manifest.json").read_text() == "{}"


def test_bytes_that_do_not_reach_the_disk_are_not_listed(store, tmp_path):
    store.add(PROJECT, b"a", text("a.txt"))
    stored = hashlib.sha256(b"b").hexdigest() + ".txt"
    (tmp_path / "attachments" / PROJECT / stored / "taken").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"b\.txt could not be kept"):
        store.add(PROJECT, b"b", text("b.txt"))
    assert [entry.logical_name for entry in store.entries(PROJECT)] == ["a.txt"]


def test_a_folder_that_cannot_be_made_is_told(store, tmp_path):
    (tmp_path / "attachments").write_text("a file")
    with pytest.raises(StoreError, match="Attachments cannot be kept in"):
        store.add(PROJECT, b"a", text("a.txt"))


def test_the_projects_are_those_with_a_folder(store, tmp_path):
    assert store.projects() == []
    picture = NewFile(name="a.png", mime_type="image/png", extension=".png", width_px=1, height_px=1)
    assert store.add(PROJECT, b"a", picture).is_image
    assert not store.add(PROJECT, b"b", text("b.txt")).is_image
    (tmp_path / "attachments" / "file").touch()
    assert store.projects() == [PROJECT]


@pytest.mark.parametrize("project", ["../x", "", "a/b", "a\0b"])
def test_a_project_is_named_by_plain_letters(store, project):
    with pytest.raises(StoreError, match="names no project"):
        store.add(project, b"x", text("x.txt"))


def test_what_events_say_was_attached_is_read_back(tmp_path, clock):
    entry = AttachmentStore(tmp_path / "attachments", clock, list).add(PROJECT, b"x", text("x.txt"))
    store = open_store(tmp_path / "store", clock=clock)
    session_id = new_session_id()
    outside = of(entry).model_copy(update={"stored_file_name": "../x"})
    store.events.append_many(session_id, [SessionStarted(project_id=PROJECT), of(entry), of(entry), outside])
    found = recorded_attachments(tmp_path / "store" / DATABASE_NAME)
    store.close()
    assert [(one.logical_name, one.stored_file_name) for one in found] == [("x.txt", entry.stored_file_name)]
    assert recorded_attachments(tmp_path / "none.db") == []
    (tmp_path / "none.db").write_bytes(b"no database " * 99)
    with pytest.raises(StoreError, match="cannot be read"):
        recorded_attachments(tmp_path / "none.db")


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_attachments_are_their_owners_alone(store, tmp_path):
    entry = store.add(PROJECT, b"x", text("x.txt"))
    folder = tmp_path / "attachments" / PROJECT
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / entry.stored_file_name).stat().st_mode & 0o777 == 0o600
