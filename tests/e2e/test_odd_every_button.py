"""Nothing that lanes, review and terminals offer to press goes without a scenario on a repository as real ones are."""

from tests.e2e import (
    test_odd_beginnings,
    test_odd_ends,
    test_odd_review,
    test_odd_terminals,
    test_odd_timeline,
    test_odd_work,
)
from tests.e2e.offered import offered

DRIVEN = (
    test_odd_beginnings.DRIVES | test_odd_ends.DRIVES | test_odd_ends.REPAIRS | test_odd_review.DRIVES
    | test_odd_terminals.CARE | test_odd_terminals.DRIVES | test_odd_timeline.DRIVES | test_odd_work.DRIVES
)  # fmt: skip
_SLOW = "there after five seconds of a slow git only; tests/ui/changes/test_changes_panel.py shows what follows"
_HUSHED = "each hides the strip for its time; tests/ui/lanes/test_behind_strip.py chooses them all"
EXCUSED = {
    **dict.fromkeys(("changes_cancel", "changes_try_again", "changes_diff_cancel", "changes_diff_again"), _SLOW),
    **dict.fromkeys(("behind_strip_minutes", "behind_strip_hour", "behind_strip_day", "behind_strip_week"), _HUSHED),
}
"""Names without a scenario, each with the reason and where else it is pressed."""


def test_every_button_of_lanes_review_and_terminals_is_driven_on_odd_repositories() -> None:
    names = offered()
    assert not (forgotten := names - DRIVEN - EXCUSED.keys()), f"no scenario presses {sorted(forgotten)}"
    assert not (unknown := EXCUSED.keys() - names), f"there is no {sorted(unknown)} any more"
    assert not (both := EXCUSED.keys() & DRIVEN), f"{sorted(both)} needs no excuse"
