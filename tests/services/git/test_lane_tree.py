"""What differs between two trees of a lane is the same whether their steps are known or all files are compared."""

import random

from desktop.services.git.tree_listing import MAX_STEPS, LaneTree, TreeEntry

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
