"""Names of lanes: what a person may call one, and what its branch, folder and colour are then."""

from datetime import UTC, datetime

import pytest

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import LANE_COLORS, Lane
from desktop.domain.lanes.names import (
    checked_name,
    free_color,
    free_name,
    lane_name,
    lane_slug,
    prefix_problem,
    require_free_color,
    require_free_name,
)

AT = datetime(2026, 1, 5, tzinfo=UTC)


def lane(name: str, **fields: object) -> Lane:
    given = {"id": f"ln_{name}", "project_id": "p", "name": name, "branch": "b", "worktree_path": "/w", "device": 1}
    return Lane.model_validate({**given, "inode": 2, "created_at": AT, **fields})


def test_a_name_is_kept_without_needless_blanks() -> None:
    assert checked_name("  fix \n login ") == "fix login"


@pytest.mark.parametrize(
    ("name", "why"), [(" -… ", "a letter or a digit"), ("x" * 61, "this one has 61"), ("a\x00b", "control characters")]
)
def test_a_name_that_nobody_could_read_is_refused(name: str, why: str) -> None:
    with pytest.raises(LaneError, match=why):
        checked_name(name)


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Fix Lögin!", "fix-login"), ("漢字", "lane-abcdef"), ("Con", "lane-con"), ("x" * 50, "x" * 40)],
)
def test_branch_and_folder_are_named_in_plain_letters_and_never_as_a_device(name: str, slug: str) -> None:
    assert lane_slug(name, "ln_123456abcdef") == slug


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Mend the login", "mend-the-login"), ("Add a page for the people of the team", "add-a-page-for-the-people"),
        ("the", "the"), ("…", ""), ("x" * 80, "x" * 60),
    ],
)  # fmt: skip
def test_a_task_gives_a_short_name_that_does_not_end_in_the_middle(task: str, name: str) -> None:
    assert lane_name(task) == name


@pytest.mark.parametrize(
    ("prefix", "fits"),
    [("", True), ("lane/", True), ("a/b-", True), ("a..b/", False), ("a b", False), ("x" * 41, False)],
)
def test_branches_may_begin_with_what_git_takes(prefix: str, fits: bool) -> None:
    assert (prefix_problem(prefix) == "") is fits


def test_a_name_is_given_once_whatever_its_case() -> None:
    require_free_name("new", [lane("Login")])
    with pytest.raises(LaneError, match='a lane named "login" already'):
        require_free_name("login", [lane("Login")])
    assert free_name("Login  page", "login-page", [lane("Login")]) == "Login page"
    assert free_name("Login", "login-1", [lane("login")]) == "login-1"
    assert free_name("Login", "login", [lane("login"), lane("login-2")]) == "login-3"
    assert free_name(" ", "slug", []) == "slug"


def test_a_colour_is_free_once_no_lane_in_use_has_it() -> None:
    first, second = LANE_COLORS[:2]
    assert free_color([lane("a", color=first), lane("b", color=second, state="archived")]) == second
    assert free_color([lane(color, color=color) for color in LANE_COLORS]) == ""
    with pytest.raises(LaneError, match="There is no colour 'mauve'"):
        require_free_color("mauve", "ln_a", [])
    with pytest.raises(LaneError, match=f'The lane "a" is {first} already'):
        require_free_color(first, "ln_b", [lane("a", color=first)])
    for color, lane_id in (("", "ln_b"), (first, "ln_a"), (second, "ln_b")):
        require_free_color(color, lane_id, [lane("a", color=first)])
