"""The files in which two checkpoints differ, with their bytes."""

from pathlib import Path

import pytest

from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.apart import FileApart, files_apart
from desktop.services.history.checkpoints import CheckpointLimits, LaneCheckpoints
from tests.agent.rig import make_repository


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"app.py": "one\n", "gone.py": "g\n", "run.sh": "r\n"})


def kept(lane: Path) -> LaneCheckpoints:
    return LaneCheckpoints(LaneFiles(lane), "ln_0123456789ab", CheckpointLimits(file_bytes=64))


def apart(lane: Path, checkpoints: LaneCheckpoints, before: object, **limits: int) -> dict[str, FileApart]:
    after = checkpoints.take("call").ref
    found = files_apart(lane, before, after, **{"most_files": 10, "most_bytes": 1_000, **limits})
    assert [one.path for one in found] == sorted(one.path for one in found)
    return {one.path: one for one in found}


def test_each_file_has_its_bytes_on_both_sides(lane: Path) -> None:
    checkpoints = kept(lane)
    before = checkpoints.take("call").ref
    assert apart(lane, checkpoints, before) == {}
    (lane / "app.py").write_text("two\n")
    (lane / "gone.py").unlink()
    (lane / "new ü.py").write_text("")
    assert apart(lane, checkpoints, before) == {
        "app.py": FileApart("app.py", was=True, stands=True, before=b"one\n", after=b"two\n"),
        "gone.py": FileApart("gone.py", was=True, stands=False, before=b"g\n"),
        "new ü.py": FileApart("new ü.py", was=False, stands=True, after=b""),
    }


def test_what_is_no_plain_file_or_too_large_is_named_without_bytes(lane: Path) -> None:
    checkpoints = kept(lane)
    before = checkpoints.take("call").ref
    (lane / "run.sh").chmod(0o755)
    (lane / "link").symlink_to("app.py")
    (lane / "large.bin").write_bytes(b"x" * 65)
    (lane / "app.py").write_text("y" * 65)
    found = apart(lane, checkpoints, before)
    assert {path: (one.was, one.stands, one.whole) for path, one in found.items()} == {
        "app.py": (True, True, False),
        "large.bin": (False, True, False),
        "link": (False, True, False),
        "run.sh": (True, True, False),
    }


def test_only_so_much_is_read(lane: Path) -> None:
    checkpoints = kept(lane)
    before = checkpoints.take("call").ref
    (lane / "app.py").write_text("two\n")
    (lane / "new.py").write_text("n\n")
    assert [one.whole for one in apart(lane, checkpoints, before, most_files=1).values()] == [True, False]
    assert [one.whole for one in apart(lane, checkpoints, before, most_bytes=7).values()] == [False, True]
