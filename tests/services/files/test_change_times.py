"""Whether times tell two changes apart: what may not show is never believed, wherever the file stands."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.services.files import change_times
from desktop.services.files.change_times import RACY_NS, are_precise, moment_ns, settled
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView, Stamp, stamp_of
from desktop.services.git.trees.listing import TreeReader
from desktop.services.git.trees.unignored import UnignoredNames
from desktop.services.history.refs import CheckpointRefs
from tests.services.git.lane_changes import new_lane

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="mounts are read from /proc")
SHARED_MEMORY = Path("/dev/shm")
LINE = "30 1 0:26 / {} rw,relatime shared:1 - {} somewhere rw\n"


@pytest.fixture(params=["disk", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    if request.param == "disk":
        yield tmp_path
        return
    if not os.access(SHARED_MEMORY, os.W_OK):
        pytest.skip("there is no file system in memory")
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as made:
        yield Path(made)


def stamp(path: Path) -> Stamp:
    return stamp_of(path.lstat())


def write(fd: int, text: bytes) -> None:
    """The file holds another text of the same length, and says that it was not changed."""
    times = os.fstat(fd)
    os.pwrite(fd, text, 0)
    os.utime(fd, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_change_straight_after_a_look_shows_or_the_look_is_not_believed(folder: Path) -> None:
    file = folder / "file"
    file.write_text("a")
    precise, believed = are_precise([folder], folder), 0
    fd = os.open(file, os.O_WRONLY)
    for number in range(3000):
        if number % 100 == 0:
            time.sleep(0.011)  # a tick goes by before every hundredth
        before = stamp(file)
        moment = moment_ns()
        believes = settled(before, moment, precise=precise)
        write(fd, b"ab"[number % 2 : number % 2 + 1])
        assert stamp(file) != before or not believes
        believed += believes
    os.close(fd)
    assert not precise or believed


def test_no_change_has_a_time_before_the_moment_it_follows(folder: Path) -> None:
    file = folder / "file"
    for number in range(500):
        moment = moment_ns()
        file.write_bytes(b"%d" % number)
        found = file.stat()
        assert not are_precise([folder]) or min(found.st_mtime_ns, found.st_ctime_ns) >= moment


def test_a_reader_tells_files_that_change_faster_than_their_times(tmp_path: Path) -> None:
    lane = new_lane(tmp_path / "lane")
    files, refs, view = LaneFiles(lane), CheckpointRefs(lane, "ln_1"), LaneView(lane)
    names, reader = UnignoredNames(refs.git, refs.listed, plain=files.has_plain_names), TreeReader(files, "sha1")
    contents: dict[str, str] = {}
    fd = os.open(lane / "a", os.O_WRONLY)
    for number in range(150):
        text = b"xyz"[number % 3 : number % 3 + 1]
        write(fd, text)
        view.look()
        names.follow(view)
        oid = reader.read_seen(view, names).entries["a"].oid
        assert contents.setdefault(text.decode(), oid) == oid
    os.close(fd)
    assert len(set(contents.values())) == 3


def test_times_of_whole_milliseconds_are_believed_two_seconds_later() -> None:
    at = 1_700_000_000 * 10**9
    for changed, fine in ((at, False), (at + 5_000_000, False), (at + 5_000_001, True)):
        text = f"{changed // 10**9}.{changed % 10**9:09}0"
        found = f"f644 17 4 {text} {text}".encode()
        assert settled(found, changed + 4_000_000, precise=True) == fine
        assert not settled(found, changed, precise=True)
        assert not settled(found, changed + 4_000_000, precise=False)
        assert settled(found, changed + RACY_NS + 1, precise=False)
    assert settled(b"", at, precise=True)
    assert settled(b"d755 17", at, precise=True)


def test_a_time_ahead_of_the_clock_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    os.utime(file, ns=(0, time.time_ns() + 60 * 10**9 + 1))
    assert not settled(stamp(file), moment_ns(), precise=True)


@linux_only
def test_only_local_file_systems_without_another_one_inside_are_precise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "mounts"
    monkeypatch.setattr(change_times, "MOUNTS", told)
    lane = tmp_path / "a lane"
    lane.mkdir()
    top = LINE.format("/", "ext4")
    named = str(lane).replace(" ", r"\040")
    for lines, expected in (
        (top, True),
        (LINE.format("/", "nfs4"), False),
        (top + LINE.format(named, "xfs"), True),
        (top + LINE.format(named, "fuse.sshfs"), False),
        (top + LINE.format(named, "fuse.sshfs") + LINE.format(named, "tmpfs"), True),
        (top + LINE.format(f"{named}/inner", "tmpfs"), False),
        (top + LINE.format(f"{named}er", "nfs"), True),
        ("", False),
        ("nothing of the kind\n", False),
    ):
        told.write_text(lines)
        assert are_precise([lane / "not" / "there"], lane) == expected
    told.write_text(top + LINE.format(named, "cifs"))
    assert not are_precise([tmp_path, lane])
    told.unlink()
    assert not are_precise([tmp_path])


@linux_only
def test_a_link_to_another_file_system_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "mounts"
    monkeypatch.setattr(change_times, "MOUNTS", told)
    there, link = tmp_path / "there", tmp_path / "link"
    link.symlink_to(there)
    told.write_text(LINE.format("/", "ext4") + LINE.format(there, "nfs"))
    assert not are_precise([link / "lane"])
