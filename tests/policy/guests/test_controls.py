"""The lines that say what keeps a guest: none promises more than is held."""

import itertools
from typing import get_args

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.sandbox import SandboxLevel, SandboxTier
from desktop.domain.guests.values import GuestAbilities, GuestUsage
from desktop.policy.guests.controls import GuestKeeping, control_lines, may_not_work

PLAN, EDIT, AUTO = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO


@pytest.mark.promise("guests-A41")
def test_no_combination_promises_what_only_the_agent_says() -> None:
    levels, tiers = get_args(SandboxLevel), get_args(SandboxTier)
    combined = itertools.product(levels, tiers, (True, False), (True, False), (0, 2), (None, True, False))
    for level, tier, asks, through, against, shows in combined:
        known = GuestAbilities(unasked_against_gate=against, shows_output=shows, modes=("ask",), mode="ask")
        lines = control_lines(known, GuestKeeping(level, tier, asks, through))
        text = "\n".join(lines)
        assert "enforced" not in text
        assert ("asks first (its word)" in text) is (asks and not against)
        assert ("model host only" in text) is (through and tier == "bwrap")
        assert ("not contained" in text) is (tier == "none")
        assert "mode not confirmed" in text


@pytest.mark.promise("guests-A41")
def test_the_lines_of_a_guest_in_the_sandbox() -> None:
    known = GuestAbilities(
        writes_through_us=True, shows_output=True, usage="claimed", modes=("a",), mode_confirmed=True
    )
    assert control_lines(known, GuestKeeping("full", "bwrap", True, False, ("a.org", "b.org"))) == (
        "Commands: asks first (its word) · contained by the sandbox (full)",
        "File changes: written by Banksman",
        "Reads: sandbox",
        "Network: 2 hosts for its own sign-in",
        "Output of commands: reported",
        "Its mode: unknown",
        "Use of its model: as the agent says",
    )
    bare = control_lines(GuestAbilities(), GuestKeeping("none", "none", False, False))
    assert bare[0] == "Commands: does not ask · not contained"
    assert "Network: can reach any host" in bare
    assert "Network: no host" in control_lines(known, GuestKeeping("full", "bwrap", True, False))
    assert set(get_args(GuestUsage)) == {"exact", "claimed", "context", "unknown"}


@pytest.mark.promise("guests-A42")
def test_where_hosts_cannot_be_kept_apart_the_line_says_so() -> None:
    lines = control_lines(GuestAbilities(), GuestKeeping("limited", "landlock", True, False, ("a.org",)))
    assert "Network: can reach any host" in lines


@pytest.mark.promise("guests-A27")
def test_a_guest_that_does_not_ask_needs_full_auto_in_a_full_sandbox() -> None:
    silent = GuestKeeping("full", "bwrap", False, False)
    assert may_not_work("X", silent, AUTO) == ""
    assert may_not_work("X", silent, EDIT) == (
        "X does not ask before it acts, so Edit cannot keep its promise. Choose Full auto."
    )
    assert "full sandbox only" in may_not_work("X", GuestKeeping("limited", "landlock", False, False), AUTO)
    assert may_not_work("X", GuestKeeping("none", "none", True, False), PLAN) == ""
    capped = GuestKeeping("full", "bwrap", True, False, most_mode=EDIT)
    assert (may_not_work("X", capped, EDIT), "Edit at most" in may_not_work("X", capped, AUTO)) == ("", True)
