"""What a command may leave in a lane that people should know of (gate-P10)."""

import os
from pathlib import Path

import pytest

from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import MAX_ENTRIES, LaneView
from desktop.services.gate.lane_scan import LaneScan, LaneScanner, OddEntry


def scan_lane(files: LaneFiles, max_entries: int = MAX_ENTRIES) -> LaneScan:
    """What is odd in a lane by a first look."""
    view = LaneView(files.root, most=max_entries)
    view.look()
    return LaneScanner(files, view).now()


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    root = tmp_path / "lane"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x")
    (tmp_path / "other").mkdir()
    return root


def test_an_ordinary_lane_has_nothing_odd(lane: Path) -> None:
    (lane / "in").symlink_to("src/app.py")
    (lane / "gone").symlink_to("src/none")
    scan = scan_lane(LaneFiles(lane))
    assert scan.complete
    assert scan.odd == frozenset()


@pytest.mark.promise("gate-P10")
def test_what_appeared_since_is_named_once(lane: Path) -> None:
    (lane / "before").symlink_to("../other")
    files = LaneFiles(lane)
    before = scan_lane(files)
    (lane / "src" / "out").symlink_to("../../other")
    (lane / "sys").symlink_to("/proc/self")
    os.mkfifo(lane / "src" / "pipe")
    (lane / "tool").write_text("x")
    (lane / "tool").chmod(0o4755)
    new = scan_lane(files).new_since(before)
    assert [entry.path for entry in new] == ["src/out", "src/pipe", "sys", "tool"]
    assert new[0] == OddEntry(path="src/out", what=f"a link out of the lane, to {lane.parent / 'other'}")
    assert [entry.what for entry in new[1:2]] == ["a pipe, socket or device"]


def test_links_are_not_entered_and_git_is_left_out(lane: Path) -> None:
    (lane / "around").symlink_to(".")
    (lane / ".git").mkdir()
    os.mkfifo(lane / ".git" / "pipe")
    assert scan_lane(LaneFiles(lane)).odd == frozenset()


def test_a_lane_that_is_too_large_says_so(lane: Path) -> None:
    for n in range(20):
        (lane / f"f{n}").write_text("")
    assert not scan_lane(LaneFiles(lane), max_entries=10).complete


def test_a_folder_that_vanished_is_passed_over(lane: Path) -> None:
    files = LaneFiles(lane)
    lane.rename(lane.with_name("away"))
    assert scan_lane(files).odd == frozenset()
