"""What differs between two trees of a lane is the same whether their steps are known or all files are compared."""

import gc
import random
from pathlib import Path

from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView
from desktop.services.git.trees.listing import MANY, MAX_STEPS, LaneTree, TreeEntry, TreeReader
from desktop.services.git.trees.unignored import UnignoredNames
from desktop.services.history.refs import CheckpointRefs
from tests.services.git.lane_changes import new_lane

PATHS = [f"{folder}/{name}" for folder in ("a", "b") for name in "xyz"]


def test_what_differs_is_told_by_the_steps_between_as_by_all_files() -> None:
    dice = random.Random(5)
    trees = [LaneTree({})]
    for _ in range(4 * MAX_STEPS):
        some = dice.sample(PATHS, dice.randrange(1, 4))
        goals = {path: dice.choice([None, TreeEntry("100644", "1"), TreeEntry("100644", "2")]) for path in some}
        trees.append(dice.choice(trees[-3:]).having(goals))
        for before in trees:
            now = trees[-1]
            expected = {path for path in PATHS if before.entries.get(path) != now.entries.get(path)}
            assert set(now.differing(before)) == set(before.differing(now)) == expected
            assert now.same_as(before) == (not expected)


def test_a_change_that_changes_nothing_gives_the_same_tree() -> None:
    tree = LaneTree({"a": TreeEntry("100644", "1")}, {"big": "2"})
    assert tree.having({"a": TreeEntry("100644", "1"), "b": None}, {"big": "2"}) is tree
    assert tree.having({}, {"big": "3"}).large == {"big": "3"}
    assert tree.having({"a": None}).same_as(LaneTree({}, {"big": "2"}))


def test_many_files_are_read_without_looking_for_cycles_on_the_way(tmp_path: Path) -> None:
    lane = new_lane(tmp_path / "lane")
    for number in range(MANY + 1):
        (lane / f"f{number}").touch()
    files, refs, view = LaneFiles(lane), CheckpointRefs(lane, "ln_1"), LaneView(lane)
    names, reader = UnignoredNames(refs.git, refs.listed, plain=files.has_plain_names), TreeReader(files, "sha1")
    view.look()
    names.follow(view)
    looks: list[int] = []

    def seen(phase: str, told: dict[str, int]) -> None:
        looks.append(told["generation"])

    usual = gc.get_threshold()
    gc.callbacks.append(seen)
    gc.set_threshold(MANY // 10)
    gc.enable()
    try:
        tree = reader.read_seen(view, names)
        assert gc.isenabled()
    finally:
        gc.disable()  # as it is in all tests
        gc.callbacks.remove(seen)
        gc.set_threshold(*usual)
    assert len(tree.entries) > MANY
    assert len(looks) < 10
