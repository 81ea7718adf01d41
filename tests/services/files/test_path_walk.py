"""The walk ends where the kernel's own walk ends."""

import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.services.files.lane_files import LaneFiles

NAMES = ["a", "b", "c"]
COMPONENTS = st.sampled_from([*NAMES, *NAMES, "..", ".", ""])
RELATIVE = st.lists(COMPONENTS, min_size=1, max_size=6).map("/".join)
SPOTS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
ENTRIES = st.lists(
    st.tuples(SPOTS, st.sampled_from(["dir", "file", "link", "absolute"]), RELATIVE), min_size=1, max_size=9
)


def plant(top: Path, entries: list[tuple[str, str, str]]) -> None:
    """Whatever of these entries can be made, in order."""
    for spot, kind, target in entries:
        path = top / spot
        if not path.parent.is_dir() or os.path.lexists(path) or not str(path.resolve().parent).startswith(str(top)):
            continue
        if kind == "dir":
            path.mkdir()
        elif kind == "file":
            path.write_text("x")
        elif target:
            path.symlink_to(f"{top}/{target}" if kind == "absolute" else target)


def kernel(root: Path, path: str) -> os.stat_result | int:
    """What the kernel finds when it starts in the lane, or the error it gives."""
    folder = os.open(root, os.O_RDONLY)
    try:
        return os.stat(path, dir_fd=folder)
    except OSError as e:
        return e.errno or -1
    finally:
        os.close(folder)


@pytest.mark.promise("gate-P3")
@pytest.mark.promise("gate-P4")
@settings(max_examples=250, deadline=None)
@given(ENTRIES, RELATIVE.filter(lambda path: path.strip() and not path.startswith("/")))
def test_existing_paths_end_at_the_kernels_object(entries: list[tuple[str, str, str]], path: str) -> None:
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        root = top / "a"
        root.mkdir()
        plant(top, entries)
        facts = LaneFiles(root).resolve(path, "read")
        found = kernel(root, path)
        if isinstance(found, int):
            assert not facts.exists, (facts, os.strerror(found))
            return
        assert facts.exists, facts
        assert (facts.device, facts.inode) == (found.st_dev, found.st_ino)
        real = os.path.realpath(root / path)
        inside = real == str(root) or real.startswith(f"{root}/")
        assert (facts.verdict == "inside") == inside
        expected = os.path.relpath(real, root) if inside else real
        assert facts.rel == expected
        assert facts.kind == ("dir" if stat.S_ISDIR(found.st_mode) else "file")


@pytest.mark.promise("gate-P3")
@settings(max_examples=250, deadline=None)
@given(ENTRIES, RELATIVE.filter(lambda path: path.strip() and not path.startswith("/")))
def test_a_file_that_would_be_created_is_created_where_the_walk_says(
    entries: list[tuple[str, str, str]], path: str
) -> None:
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        root = top / "a"
        root.mkdir()
        plant(top, entries)
        facts = LaneFiles(root).resolve(path, "write")
        handle = os.open(root, os.O_RDONLY)
        try:
            fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=handle)
        except OSError:
            return
        finally:
            os.close(handle)
        made = os.fstat(fd)
        os.close(fd)
        assert facts.verdict in {"inside", "outside"}, facts
        end = root / facts.rel
        assert (end.stat().st_dev, end.stat().st_ino) == (made.st_dev, made.st_ino)
        assert not end.is_symlink()
        assert (facts.verdict == "inside") == end.is_relative_to(root)


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    root = tmp_path / "lane"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.txt").write_text("s")
    return root


def test_forty_links_are_followed_and_no_more(lane: Path) -> None:
    (lane / "l0").symlink_to("src/app.py")
    for n in range(1, 41):
        (lane / f"l{n}").symlink_to(f"l{n - 1}")
    files = LaneFiles(lane)
    assert files.resolve("l39", "read").rel == "src/app.py"
    assert files.resolve("l40", "read").verdict == "invalid"
    (lane / "loop").symlink_to("loop")
    assert "40 links" in files.resolve("loop", "read").reason


def test_dotdot_goes_up_from_where_a_link_leads(lane: Path) -> None:
    (lane / "deep" / "er").mkdir(parents=True)
    (lane / "link").symlink_to("deep/er")
    assert LaneFiles(lane).resolve("link/../x", "write").rel == "deep/x"
    (lane / "out").symlink_to("../other")
    assert LaneFiles(lane).resolve("out/../lane/src/app.py", "read").rel == "src/app.py"


@pytest.mark.parametrize("path", ["none/../src/app.py", "src/app.py/..", "src/app.py/.", "src/app.py/", "src/app.py/x"])
def test_walks_that_the_kernel_refuses_are_invalid(lane: Path, path: str) -> None:
    facts = LaneFiles(lane).resolve(path, "read")
    assert (facts.verdict, facts.deny) == ("invalid", True)


def test_a_link_that_leads_nowhere_is_judged_by_where_it_would_create(lane: Path) -> None:
    (lane / "new").symlink_to("src/made.py")
    (lane / "gone").symlink_to("../other/made.py")
    (lane / "env").symlink_to("src/.env")
    files = LaneFiles(lane)
    inside = files.resolve("new", "write")
    assert (inside.verdict, inside.rel, inside.via_symlink) == ("inside", "src/made.py", "new → src/made.py")
    outside = files.resolve("gone", "write")
    assert (outside.verdict, outside.deny) == ("outside", True)
    assert files.resolve("env", "write").class_ == "secret"


@pytest.mark.parametrize(
    "path",
    ["/proc/self/cwd/x", "/proc/self/environ", "/dev/null", "/sys/kernel", "/proc", "/dev/fd/0", "//proc/1/../1"],
)
def test_the_systems_folders_are_refused_for_reads_too(lane: Path, path: str) -> None:
    for op in ("read", "list", "write"):
        facts = LaneFiles(lane).resolve(path, op)
        assert (facts.verdict, facts.deny) == ("outside", True), facts


def test_the_systems_folders_are_refused_by_any_way(lane: Path) -> None:
    (lane / "p").symlink_to("/proc")
    (lane / "cwd").symlink_to("/proc/self/cwd")
    files = LaneFiles(lane)
    up = "../" * len(lane.parts)
    for path in ("p/self/environ", "cwd/src/app.py", f"{up}proc/self/cwd/src/app.py", f"{up}dev/null"):
        facts = files.resolve(path, "read")
        assert (facts.verdict, facts.deny) == ("outside", True), facts


def test_the_lane_may_be_given_as_a_link_and_named_by_it(lane: Path, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(lane)
    files = LaneFiles(alias)
    assert files.root == lane.resolve()
    assert files.resolve(f"{alias}/src/app.py", "read").rel == "src/app.py"
    assert files.resolve("../alias/src/app.py", "read").rel == "src/app.py"


def test_a_name_that_is_no_text_is_not_usable(lane: Path) -> None:
    (lane / "l").symlink_to(os.fsdecode(b"bad\xff"))
    facts = LaneFiles(lane).resolve("l", "write")
    assert facts.verdict == "invalid"


def test_a_target_that_no_file_system_takes_is_not_usable(lane: Path) -> None:
    (lane / "l").symlink_to("x" * 300)
    facts = LaneFiles(lane).resolve("l", "write")
    assert (facts.verdict, facts.deny) == ("invalid", True)


def test_a_path_longer_than_the_system_takes_is_not_usable(lane: Path) -> None:
    (lane / "d").mkdir()
    facts = LaneFiles(lane).resolve("d/../" * 800 + "x", "write")
    assert facts.rel == "x"
    long = LaneFiles(lane).resolve("/".join(["y" * 250] * 16), "read")
    assert long.verdict in {"inside", "invalid"}
