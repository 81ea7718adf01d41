"""A look at a lane tells every entry with a stamp, alike by `find` and in Python, and what changed since another."""

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.services.files import lane_view
from desktop.services.files.lane_view import LaneView, half, last_change_ns, parted, stamp_of

NAMES = ["a", "b", "c d", "line\nfeed", "ünï", os.fsdecode(b"raw\xff"), ".git", "-name", "*", "ends "]


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    root = tmp_path / "lane"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x")
    (root / "src" / "other.py").write_text("y")
    return root


def both(lane: Path) -> tuple[LaneView, ...]:
    """A view that looks in Python, one that asks `find` from its second look on, and one that asks two of them."""
    views = LaneView(lane, small=10**6), LaneView(lane, small=-1), LaneView(lane, small=-1, halved=1)
    for view in views:
        view.look()
        view.look()
    return views


def test_both_ways_to_look_tell_the_same_of_every_kind_of_entry(lane: Path) -> None:
    for name in NAMES:
        (lane / "src" / f"in {name}").mkdir()
        (lane / "src" / f"in {name}" / name).write_text("x")
    (lane / "link").symlink_to("src")
    os.mkfifo(lane / "pipe")
    (lane / "none").write_text("")
    (lane / "none").chmod(0)
    (lane / "all").write_text("")
    (lane / "all").chmod(0o6777)
    (lane / "old").write_text("")
    os.utime(lane / "old", ns=(5, 1_000_000_007))
    (lane / "older").write_text("")
    os.utime(lane / "older", ns=(5, -1_500_000_007))
    python, found, halved = both(lane)
    assert python.stamps == found.stamps == halved.stamps
    assert python.stamps["src/app.py"] == stamp_of((lane / "src" / "app.py").lstat())
    assert len(python.stamps) == 2 * len(NAMES) + 9


def test_what_is_in_a_git_folder_is_not_looked_at_and_no_link_is_followed(lane: Path, tmp_path: Path) -> None:
    (lane / "src" / ".git").mkdir()
    (lane / "src" / ".git" / "config").write_text("")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("")
    (lane / "out").symlink_to(tmp_path / "outside")
    for view in both(lane):
        assert set(view.stamps) == {"src", "src/app.py", "src/other.py", "src/.git", "out"}


def _put_time_back(lane: Path) -> set[str]:
    file = lane / "src" / "app.py"
    times = file.stat()
    file.write_text("z")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    return {"src/app.py"}


def _swap_for_a_link(lane: Path) -> set[str]:
    (lane / "src" / "app.py").unlink()
    (lane / "src" / "app.py").symlink_to("other.py")
    return {"src/app.py"}


def _swap_for_a_folder(lane: Path) -> set[str]:
    (lane / "src" / "app.py").unlink()
    (lane / "src" / "app.py").mkdir()
    (lane / "src" / "app.py" / "in").write_text("")
    return {"src/app.py", "src/app.py/in"}


def _put_a_folder_over_another(lane: Path) -> set[str]:
    (lane / "new").mkdir()
    (lane / "new" / "app.py").write_text("x")
    (lane / "src").rename(lane.parent / "away")
    (lane / "new").rename(lane / "src")
    return {"src", "src/app.py", "src/other.py"}


def _hard_link(lane: Path) -> set[str]:
    (lane / "twin").hardlink_to(lane / "src" / "app.py")
    return {"twin", "src/app.py"}


def _put_another_in_its_place(lane: Path) -> set[str]:
    times = (lane / "src" / "app.py").stat()
    (lane.parent / "other").write_text("z")
    os.utime(lane.parent / "other", ns=(times.st_atime_ns, times.st_mtime_ns))
    (lane.parent / "other").rename(lane / "src" / "app.py")
    return {"src/app.py"}


def _change_rights(lane: Path) -> set[str]:
    (lane / "src" / "app.py").chmod(0o755)
    (lane / "src").chmod(0o700)
    return {"src", "src/app.py"}


@pytest.mark.parametrize(
    "change",
    [
        _put_time_back,
        _swap_for_a_link,
        _swap_for_a_folder,
        _put_a_folder_over_another,
        _hard_link,
        _put_another_in_its_place,
        _change_rights,
    ],
)
def test_no_change_hides_from_the_next_look(lane: Path, change: Callable[[Path], set[str]]) -> None:
    views = both(lane)
    versions = [view.version for view in views]
    paths = change(lane)
    for view, version in zip(views, versions, strict=True):
        view.look()
        changed = view.changes(version)
        assert changed is not None
        assert set(changed) == paths


def test_changes_are_told_from_any_kept_version_with_what_was_there_then(lane: Path) -> None:
    for view in both(lane):
        first, stamp = view.version, view.stamps["src/app.py"]
        (lane / "passing").write_text("")
        view.look()
        second = view.version
        (lane / "passing").unlink()
        (lane / "src" / "app.py").write_text("longer than it was")
        view.look()
        view.look()
        assert view.version == second + 1
        assert view.changes(first) == {"passing": b"", "src/app.py": stamp}
        assert set(view.changes(second) or {}) == {"passing", "src/app.py"}
        assert view.changes(view.version) == {}
        assert view.changes(-1) is None


def test_a_lane_that_is_too_large_is_known_in_part_and_tells_no_changes(lane: Path) -> None:
    for small in (-1, 10**6):
        view = LaneView(lane, most=5, small=small, halved=1)
        view.look()
        seen = view.version
        assert view.whole
        for number in range(9):
            (lane / f"file{number}").write_text("")
        view.look()
        assert not view.whole
        assert len(view.stamps) == 5
        assert view.changes(seen) is None
        for number in range(9):
            (lane / f"file{number}").unlink()
        view.look()
        assert view.whole
        assert view.changes(view.version) is not None
        assert view.changes(view.version - 1) is None


def test_a_folder_that_cannot_be_listed_has_nothing_in_it(lane: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything can be listed")
    for view in both(lane):
        (lane / "src").chmod(0)
        view.look()
        assert set(view.stamps) == {"src"}
        (lane / "src").chmod(0o755)
        view.look()
        assert set(view.stamps) == {"src", "src/app.py", "src/other.py"}


def test_a_look_that_is_late_enough_is_not_made_again(lane: Path) -> None:
    view = LaneView(lane)
    view.since(time.monotonic())
    began = time.monotonic()
    (lane / "new").write_text("")
    view.since(began)
    assert "new" in view.stamps
    (lane / "newer").write_text("")
    view.since(began)
    assert "newer" not in view.stamps


def test_the_last_change_is_the_later_of_both_times(lane: Path) -> None:
    found = (lane / "src" / "app.py").lstat()
    assert last_change_ns(stamp_of(found)) == max(found.st_mtime_ns, found.st_ctime_ns)
    assert last_change_ns(stamp_of(lane.lstat())) == last_change_ns(b"") == 0


def test_after_any_changes_both_ways_tell_the_same_and_each_change(lane: Path) -> None:
    dice = random.Random(7)
    views = both(lane)
    for _ in range(60):
        before = dict(views[0].stamps)
        versions = [view.version for view in views]
        for _ in range(dice.randrange(6)):
            _do_something(lane, dice)
        for view, version in zip(views, versions, strict=True):
            view.look()
            changed = view.changes(version)
            paths = {*before, *view.stamps}
            expected = {path for path in paths if before.get(path) != view.stamps.get(path)}
            assert changed is None or set(changed) == expected
        assert views[0].stamps == views[1].stamps == views[2].stamps


def _do_something(lane: Path, dice: random.Random) -> None:
    folders = [lane, *(path for path in lane.rglob("*") if path.is_dir() and not path.is_symlink())]
    place = dice.choice(folders) / dice.choice([name for name in NAMES if name != ".git"])
    try:
        match dice.randrange(5):
            case 0:
                place.write_text("x" * dice.randrange(3))
            case 1:
                place.mkdir()
            case 2:
                place.unlink()
            case 3:
                place.rename(dice.choice(folders) / dice.choice(NAMES))
            case _:
                place.symlink_to(dice.choice(NAMES))
    except OSError:
        return


def test_a_lane_is_halved_by_few_folders_wherever_its_files_are() -> None:
    flat = [f"top{folder}/file{number}" for folder in range(40) for number in range(20)]
    folders = half(flat)
    assert 0.3 < sum(path.startswith(tuple(f"{folder}/" for folder in folders)) for path in flat) / len(flat) < 0.5
    deep = ["all", "all/in", "all/in/one", *(f"all/in/one/{folder}" for folder in "abc")]
    deep += [f"all/in/one/{folder}/file{number}" for folder in "abc" for number in range(20)]
    assert half(deep) == ("all/in/one/a",)
    assert half(["all/in/one", "file"]) == half([]) == ()
    assert half([f"o[d]d/{number}" for number in range(20)] + ["file"] * 20) == ()


def test_a_folder_that_one_of_two_looks_at_can_go_or_become_something_else(lane: Path) -> None:
    for folder in ("one", "two"):
        (lane / folder).mkdir()
        for number in range(8):
            (lane / folder / f"file{number}").write_text("")
    view = LaneView(lane, small=-1, halved=1)
    view.look()
    folder = half(view.stamps)[0]
    for change in (
        lambda: (lane / folder).rename(lane / "away"),
        lambda: (lane / folder).symlink_to("away"),
        lambda: (lane / folder).unlink(),
        lambda: (lane / folder).write_text("a file"),
    ):
        view.look()
        change()
        view.look()
        first = LaneView(lane)
        first.look()
        assert view.stamps == first.stamps


@pytest.mark.skipif(sys.platform != "linux", reason="only there it is printed by child processes")
def test_what_one_process_printed_is_parted_as_two_print_it(lane: Path) -> None:
    for folder in ("a", "a/in", "a/in/er", "ab", "b", "b/a", "c"):
        (lane / folder).mkdir(exist_ok=True)
        for name in ("f", "b-c", "x\ny", ".z"):
            (lane / folder / name).write_text(name)
    program, root = lane_view._find(), str(lane)
    one = lane_view._printed(program, root, (), 1000)
    assert one is not None
    for parts in (("a",), ("b", "a/in"), ("c", "ab", "b/a"), ("a", "ab", "b", "c"), ("not there",)):
        two = lane_view._printed(program, root, parts, 1000)
        assert (two is None) == (parts == ("not there",))
        assert two is None or parted(one[0], parts) == two
