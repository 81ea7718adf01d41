"""The id of a lane's files is the one that Git gives their tree; what is too large counts by its content."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import Git
from desktop.services.history.checkpoints import CheckpointLimits, LaneCheckpoints
from desktop.services.history.tree_id import checkpoint_tree_id, commit_tree_id, lane_tree_id
from tests.agent.rig import git, make_repository
from tests.services.git.lane_changes import STEPS, Step, do, new_lane

FILES = {"b.txt": "b\n", "a/z.txt": "z\n", "a.b": "1", "a-": "2", "a0/deep/er/x": "x", ".gitignore": "out/\n"}


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_the_id_is_that_of_git_and_follows_every_change_but_ignored_files(tmp_path: Path, kind: str) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    git(lane, "init", "-q", "-b", "main", f"--object-format={kind}")
    for name, text in FILES.items():
        (lane / name).parent.mkdir(parents=True, exist_ok=True)
        (lane / name).write_text(text)
    (lane / "link").symlink_to("b.txt")
    (lane / "b.txt").chmod(0o755)
    (lane / "ü\udcff").write_text("odd name")
    git(lane, "add", "-A")
    git(lane, "commit", "-q", "-m", "first")
    checkpoints = LaneCheckpoints(LaneFiles(lane, name="x"), "ln_1")
    first = lane_tree_id(checkpoints)
    assert first == git(lane, "rev-parse", "HEAD^{tree}").strip() == commit_tree_id(Git(lane), "HEAD")
    assert checkpoint_tree_id(checkpoints.take("call").ref) == first
    (lane / "out").mkdir()
    (lane / "out" / "built").write_text("ignored")
    assert lane_tree_id(checkpoints) == first
    (lane / "a" / "z.txt").write_text("y\n")
    changed = lane_tree_id(checkpoints)
    assert changed != first
    assert checkpoint_tree_id(checkpoints.take("call").ref) == changed
    (lane / "a" / "z.txt").write_text("z\n")
    assert lane_tree_id(checkpoints) == first
    assert commit_tree_id(Git(lane), "0" * 40) == ""


def test_files_that_are_too_large_to_keep_count_and_a_partial_look_has_no_id(tmp_path: Path) -> None:
    lane = make_repository(tmp_path / "lane", {"a.txt": "1"})
    (lane / "big.bin").write_bytes(b"x" * 2_000)
    small = LaneCheckpoints(LaneFiles(lane, name="x"), "ln_1", CheckpointLimits(file_bytes=1_000))
    first = lane_tree_id(small)
    assert checkpoint_tree_id(small.take("call").ref) == first
    (lane / "big.bin").write_bytes(b"y" * 2_000)
    assert lane_tree_id(small) != first
    few = LaneCheckpoints(LaneFiles(lane, name="x"), "ln_2", CheckpointLimits(files=1))
    assert lane_tree_id(few) == ""
    assert checkpoint_tree_id(few.take("call").ref) == ""


@settings(max_examples=6, deadline=None)
@given(steps=STEPS)
def test_after_any_changes_the_id_is_that_of_a_first_look(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lane = new_lane(Path(folder) / "lane")
        checkpoints = LaneCheckpoints(LaneFiles(lane), "ln_1")
        for step in steps:
            do(lane, step)
            assert lane_tree_id(checkpoints) == lane_tree_id(LaneCheckpoints(LaneFiles(lane), "ln_1"))
