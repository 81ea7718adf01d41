"""What the values of lanes, rules, modes, sandboxes and terminals say of themselves."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.core.permissions import PermissionMode, mode_label
from desktop.domain.gate.rules import Rule
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import LaneLoss
from desktop.domain.terminals.updates import WRAPPED, is_wrapped, row_text

AT = datetime(2026, 1, 5, tzinfo=UTC)
STATUS = LaneStatus(lane_id="ln_a", read_at=AT)


@pytest.mark.parametrize("count", ["staged", "unstaged", "untracked", "conflicted"])
def test_a_lane_is_dirty_while_something_is_not_committed(count: str) -> None:
    assert not STATUS.dirty
    assert STATUS.model_copy(update={count: 1}).dirty


def test_two_readings_say_the_same_whenever_they_were_made() -> None:
    later = STATUS.model_copy(update={"read_at": AT + timedelta(hours=1), "predicted_at": AT})
    assert later.says_as(STATUS)
    assert not later.model_copy(update={"ahead": 1}).says_as(STATUS)


def test_nothing_is_lost_with_an_empty_lane_or_with_a_record_alone() -> None:
    lane = Lane(id="ln_a", project_id="p", name="a", branch="b", worktree_path="/w", device=1, inode=2, created_at=AT)
    assert LaneLoss(lane=lane).nothing
    assert not LaneLoss(lane=lane, stashes=1).nothing
    assert LaneLoss(lane=lane, stashes=1, unlink=True).nothing


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"kind": "command", "tokens": ("npm", "run", "test")}, "npm run test"),
        ({"kind": "path", "glob": "docs/**"}, "docs/**"),
        ({"kind": "network", "host": "example.org"}, "example.org"),
        ({"kind": "mcp", "server": "s", "tool": "t"}, "s › t"),
        ({"kind": "tool", "name": "create_lane"}, "create_lane"),
        ({"kind": "sql", "connection": "shop"}, "shop"),
    ],
)
def test_a_rule_says_in_one_line_what_it_is_about(fields: dict[str, object], text: str) -> None:
    assert Rule.model_validate({"id": "r", "decision": "allow", **fields}).text == text


def test_each_mode_has_a_word_for_people() -> None:
    assert [mode_label(mode) for mode in PermissionMode] == ["Plan", "Edit", "Full auto"]


def test_what_a_sandbox_was_not_seen_to_stop_is_a_gap() -> None:
    probes = [
        {"name": name, "outcome": outcome, "gap": gap}
        for name, outcome, gap in (("a", "passed", "A."), ("b", "failed", "B."), ("c", "failed", ""))
    ]
    assert SandboxReport.model_validate({"id": "sbx", "at": AT, "probes": probes}).gaps == ("B.",)


def test_a_row_of_a_terminal_is_read_without_its_looks() -> None:
    row = (("to", -1, -1, 0), ("gether", 1, -1, WRAPPED))
    assert row_text(row) == "together"
    assert is_wrapped(row)
    assert not is_wrapped(row[:1])
    assert not is_wrapped(())
