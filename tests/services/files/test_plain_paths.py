"""The real path of a file as the kernel tells it: the same that Python finds, whatever stands on the way."""

import os
import sys
from pathlib import Path

import pytest

from desktop.services.files.plain_paths import real_path

WAYS = [
    *("file", "folder/file", "folder/", "folder/..", "file/..", "folder/../file", ".", "gone", "folder/gone/../x"),
    *("link", "link/file", "link/../file", "dangling", "dangling/x", "loop", "loop/x", "chain", "other/../file"),
    *("gone (deleted)", "nul\0byte", "long" * 200, os.fsdecode(b"raw\xff"), "line\nfeed"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Files, folders and links of every sort, with a folder outside of it to which a link leads."""
    place = tmp_path / "place"
    for folder in ("place/folder/inner", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("file", "folder/file", "gone (deleted)", os.fsdecode(b"raw\xff"), "line\nfeed"):
        (place / name).write_text("x")
    links = {"link": "folder/inner", "dangling": "nowhere/x", "loop": "loop", "chain": "link", "other": "../outside"}
    for name, target in links.items():
        (place / name).symlink_to(target)
    return place


@pytest.mark.skipif(sys.platform == "win32", reason="links and names of Linux")
@pytest.mark.parametrize("way", WAYS)
def test_it_is_what_python_finds(place: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for path in (f"{place}/{way}", way):
        try:
            known = os.path.realpath(path)
        except ValueError:
            with pytest.raises(ValueError, match="null"):
                real_path(path)
        else:
            assert real_path(path) == known


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's names")
def test_a_folder_that_was_removed_under_our_feet_keeps_its_last_name(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "here").mkdir()
    monkeypatch.chdir(place / "here")
    (place / "here").rmdir()
    (place / "here (deleted)").mkdir()
    assert real_path(f"{place}/here") == f"{place}/here"
    with pytest.raises(FileNotFoundError):
        real_path(".")


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors as files")
def test_no_descriptor_stays_open(place: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for way in ("file", "gone", "loop", "other"):
        real_path(f"{place}/{way}")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
