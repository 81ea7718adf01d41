"""Taking back parts of a change in a real lane: the exact bytes, or a refusal that changes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.changes.values import FileDiff, Picked
from desktop.services.changes.file_diff import Lines, diff_of
from desktop.services.changes.lane import file_diff
from desktop.services.changes.picked_lines import chosen_lines, every_line, named_lines, with_only, without
from desktop.services.changes.revert import CHANGED, Done, RevertError, carry_out, plan_revert, turned_round
from desktop.services.changes.scope import uncommitted_sides
from desktop.services.changes.sides import FileState, Sides
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.lanes.file_trash import LaneTrash
from tests.agent.rig import git, make_repository

BODY = "".join(f"{number}\n" for number in range(1, 41))
_PIECES = st.sampled_from([b"a\n", b"b\r\n", b"\xe2\x80\xae\n", b" \n", b"c", b"\xff\n"])
_TEXTS = st.lists(_PIECES, max_size=12).map(b"".join)


def diff(old: bytes, new: bytes, context: int = 3) -> FileDiff:
    sides = [FileState("100644", len(data), data) for data in (old, new)]
    return diff_of(sides[0], sides[1], "x", lines=Lines(context, anyway=True))


@settings(max_examples=25, deadline=None)
@given(old=_TEXTS, new=_TEXTS, context=st.integers(0, 3), ticks=st.integers(0, 1 << 24))
def test_taking_back_every_line_gives_the_old_bytes_and_putting_in_every_line_the_new(
    old: bytes, new: bytes, context: int, ticks: int
) -> None:
    hunks = diff(old, new, context).hunks
    every = every_line(hunks)
    some = frozenset(line for at, line in enumerate(sorted(every)) if ticks >> at & 1)
    assert without(old, new, hunks, some) == with_only(old, new, hunks, every - some)
    assert without(old, new, hunks, every_line(hunks)) == old
    assert with_only(old, new, hunks, every_line(hunks)) == new
    assert without(old, new, hunks, frozenset()) == new
    assert with_only(old, new, hunks, frozenset()) == old


def test_single_lines_and_a_line_that_gets_an_end() -> None:
    old, new = b"1\r\n2\r\nlast", b"1\r\n2\r\nlast\r\nmore\r\n"
    hunks = diff(old, new).hunks
    chosen = chosen_lines(hunks, Picked(path="x", lines=((0, 2),)))
    assert chosen is not None
    assert without(old, new, hunks, chosen) == b"1\r\n2\r\nlast\r\nlast\r\nmore\r\n"
    assert with_only(old, new, hunks, frozenset({(0, 4)})) == b"1\r\n2\r\nlast\r\nmore\r\n"
    assert chosen_lines(hunks, Picked(path="x", lines=((0, 0),))) is None
    assert chosen_lines(hunks, Picked(path="x", hunks=(3,))) is None


def test_lines_are_named_as_the_new_file_counts_them() -> None:
    new = BODY.replace("5\n", "five\n", 1).replace("20\n21\n", "").encode()
    hunks = diff(BODY.encode(), new).hunks
    assert named_lines(hunks, every_line(hunks)) == "5, 20"


class Lane:
    """A repository with files that are to be taken back."""

    def __init__(self, folder: Path) -> None:
        self.root = make_repository(folder / "app", {"a.txt": BODY, "run.sh": "true\n", "old.txt": BODY, "gone": "g\n"})
        self.files = LaneFiles(self.root).with_trash(folder / "trash")
        self.trash = LaneTrash(folder / "trash")

    @property
    def sides(self) -> Sides:
        return uncommitted_sides(Git(self.root))

    def diff(self, path: str, old_path: str = "") -> FileDiff:
        return file_diff(self.files, self.sides, path, old_path, Lines())

    def picked(self, path: str, old_path: str = "", **more: object) -> Picked:
        found = self.diff(path, old_path)
        hashes = {"base_sha256": found.base_sha256, "sha256": found.sha256}
        return Picked.model_validate({"path": path, "old_path": old_path, **hashes, **more})

    def revert(self, *picked: Picked) -> Done:
        return carry_out(self.files, plan_revert(self.files, self.sides, picked))

    def state(self) -> dict[str, tuple[int, bytes]]:
        paths = [path for path in sorted(self.root.rglob("*")) if ".git" not in path.parts and not path.is_dir()]
        return {
            str(path.relative_to(self.root)): (
                path.lstat().st_mode, str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            )
            for path in paths
        }  # fmt: skip


@pytest.fixture
def lane(tmp_path: Path) -> Lane:
    return Lane(tmp_path)


def crlf(lane: Lane) -> None:
    data = BODY.replace("\n", "\r\n").encode()
    (lane.root / "a.txt").write_bytes(data)
    git(lane.root, "commit", "-qam", "crlf")
    (lane.root / "a.txt").write_bytes(data.replace(b"5\r\n", b"\xe2\x80\xaefive\r\n", 1)[:-2])


def windows_ends(lane: Lane) -> None:
    (lane.root / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (lane.root / "a.txt").write_bytes(BODY.replace("\n", "\r\n").encode())
    git(lane.root, "add", "-A")
    git(lane.root, "commit", "-qm", "attributes")
    (lane.root / "a.txt").write_bytes(BODY.replace("\n", "\r\n").replace("5\r\n", "", 1).encode())


def removed(lane: Lane) -> None:
    (lane.root / "a.txt").unlink()
    git(lane.root, "add", "-A")


def became_link(lane: Lane) -> None:
    (lane.root / "a.txt").unlink()
    (lane.root / "a.txt").symlink_to("run.sh")


def runs(lane: Lane) -> None:
    (lane.root / "a.txt").chmod(0o755)


@pytest.mark.parametrize("change", [crlf, windows_ends, removed, became_link, runs])
def test_a_whole_file_comes_back_byte_for_byte_and_so_does_the_change(
    lane: Lane, change: Callable[[Lane], None]
) -> None:
    change(lane)
    changed, pick = lane.state(), lane.picked("a.txt")
    done = lane.revert(pick)
    git(lane.root, "add", "-A")
    assert git(lane.root, "status", "--short") == ""
    carry_out(lane.files, turned_round(done))
    assert lane.state() == changed


def test_two_hunks_one_after_the_other_give_the_exact_original(lane: Lane) -> None:
    (lane.root / "a.txt").write_text(BODY.replace("5\n", "five\n", 1).replace("35\n", "") + "end")
    first = lane.picked("a.txt", hunks=(0,))
    done = lane.revert(first)
    assert done.text == "a.txt lines 5"
    with pytest.raises(RevertError, match=CHANGED):
        lane.revert(first)
    lane.revert(lane.picked("a.txt", hunks=(0,)))
    assert (lane.root / "a.txt").read_text() == BODY


def test_new_files_go_to_the_trash_and_renames_come_back_as_a_pair(lane: Lane) -> None:
    (lane.root / "deep/er").mkdir(parents=True)
    (lane.root / "deep/er/ new\n.txt").write_text("mine\n")
    (lane.root / "old.txt").rename(lane.root / "new.txt")
    (lane.root / "new.txt").write_text(BODY + "more\n")
    changed = lane.state()
    done = lane.revert(lane.picked("deep/er/ new\n.txt"), lane.picked("new.txt", "old.txt"))
    assert sorted(lane.state()) == ["a.txt", "gone", "old.txt", "run.sh"]
    assert (lane.root / "old.txt").read_text() == BODY
    assert sorted(entry.path for entry in lane.trash.entries()) == ["deep/er/ new\n.txt", "new.txt"]
    assert not (lane.root / "deep").exists()
    carry_out(lane.files, turned_round(done))
    assert lane.state() == changed


def test_a_copy_goes_to_the_trash_and_its_source_stays(lane: Lane) -> None:
    (lane.root / "copy\n.txt").write_text(BODY + "more\n")
    done = lane.revert(lane.picked("copy\n.txt", "old.txt"))
    assert done.text == "copy\\n.txt (a copy, moved to the trash)"
    assert (lane.root / "old.txt").read_text() == BODY


def test_a_file_that_was_renamed_and_copied_comes_back_once(lane: Lane) -> None:
    text = (lane.root / "old.txt").read_text()
    (lane.root / "old.txt").unlink()
    (lane.root / "one.txt").write_text(text)
    (lane.root / "two.txt").write_text(text + "more\n")
    changed = lane.state()
    copy = lane.picked("two.txt", "old.txt")
    carry_out(lane.files, turned_round(lane.revert(copy)))
    assert lane.state() == changed
    lane.revert(lane.picked("one.txt", "old.txt"), copy)
    assert sorted(lane.state()) == ["a.txt", "gone", "old.txt", "run.sh"]


def test_a_renamed_file_keeps_its_name_when_only_lines_are_taken_back(lane: Lane) -> None:
    (lane.root / "old.txt").rename(lane.root / "new.txt")
    (lane.root / "new.txt").write_text(BODY + "more\n")
    lane.revert(lane.picked("new.txt", "old.txt", hunks=(0,)))
    assert (lane.root / "new.txt").read_text() == BODY
    assert not (lane.root / "old.txt").exists()


def test_what_changed_since_its_diff_is_refused_and_nothing_moves(lane: Lane) -> None:
    (lane.root / "a.txt").write_text("mine\n")
    (lane.root / "run.sh").write_text("false\n")
    picks = lane.picked("run.sh"), lane.picked("a.txt")
    (lane.root / "a.txt").write_text("later\n")
    before = lane.state()
    with pytest.raises(RevertError, match=CHANGED):
        lane.revert(*picks)
    (lane.root / "a.txt").write_text("mine\n")
    planned = plan_revert(lane.files, lane.sides, picks)
    (lane.root / "a.txt").write_text("later\n")
    with pytest.raises(RevertError, match=CHANGED):
        carry_out(lane.files, planned)
    assert lane.state() == before
    for bad in (Picked(path="../x"), Picked(path=".git/HEAD"), Picked(path="none")):
        with pytest.raises(RevertError):
            lane.revert(bad)
    with pytest.raises(RevertError, match="named twice"):
        plan_revert(lane.files, lane.sides, (picks[0], picks[0]))
