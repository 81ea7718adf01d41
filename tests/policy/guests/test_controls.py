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
    levels, tiers, both = get_args(SandboxLevel), get_args(SandboxTier), (True, False)
    world = itertools.product(levels, tiers, both, both, ((), ("a.org",)))
    for level, tier, asks, through, hosts in world:
        kept = GuestKeeping(level, tier, asks, through, hosts)
        told = itertools.product((0, 2), (None, *both), both, both, get_args(GuestUsage))
        for against, shows, writes, confirmed, usage in told:
            known = GuestAbilities(
                unasked_against_gate=against, shows_output=shows, writes_through_us=writes, mode_confirmed=confirmed,
                modes=("ask",), mode="ask", usage=usage,
            )  # fmt: skip
            lines = dict(line.split(": ", 1) for line in control_lines(known, kept))
            full, bare = level == "full" and tier != "none", "none" in (level, tier)
            assert "enforced" not in "".join(lines.values())
            for words in lines.values():
                assert not ("(its word)" in words and "contained" in words.partition(" · ")[0])
            assert ("asks first (its word)" in lines["Commands"]) is (asks and not against)
            assert ("contained by the sandbox (full)" in lines["Commands"]) is full
            assert lines["Commands"].endswith("not contained") is bare
            assert lines["File changes"].endswith("(its word)") is writes
            assert (lines["Reads"] == "sandbox") is full
            assert (lines["Reads"] == "any file of yours") is bare
            apart = tier == "bwrap" and level != "none"
            assert (lines["Network"] == "can reach any host") is not apart
            assert not apart or lines["Network"].endswith("(limited)") is (level == "limited")
            assert lines["Its mode"] == ("ask (its word)" if confirmed else "ask (mode not confirmed)")


@pytest.mark.promise("guests-A41")
def test_the_lines_of_a_guest_in_the_sandbox() -> None:
    known = GuestAbilities(
        writes_through_us=True, shows_output=True, usage="claimed", claimed_tokens=1_200, modes=("a",),
        mode_confirmed=True,
    )  # fmt: skip
    assert control_lines(known, GuestKeeping("full", "bwrap", True, False, ("a.org", "b.org"))) == (
        "Commands: asks first (its word) · contained by the sandbox (full)",
        "File changes: handed to Banksman, which writes them (its word)",
        "Reads: sandbox",
        "Network: a.org, b.org and no other host",
        "Output of commands: reported",
        "Its mode: unknown (its word)",
        "Use of its model: 1,200 tokens, claimed by the agent; a limit in tokens rests on its word",
    )
    bare = control_lines(GuestAbilities(), GuestKeeping("none", "none", False, False))
    assert bare[0] == "Commands: does not ask · not contained"
    assert "Network: no host" in control_lines(known, GuestKeeping("full", "bwrap", True, False))
    many = GuestKeeping("full", "bwrap", True, False, tuple("abcde"))
    assert "Network: a, b, c, 2 more and no other host" in control_lines(known, many)
    given = GuestKeeping("full", "bwrap", True, True, given=("~/.claude",))
    assert "Your folders: ~/.claude, which it can change" in control_lines(known, given)
    asked = GuestAbilities(modes=("a", "b"), mode="a", mode_wanted="b")
    assert "Its mode: b was asked for (mode not confirmed)" in control_lines(asked, many)
    assert "Network: model host only" in control_lines(known, GuestKeeping("full", "bwrap", True, True))


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


@pytest.mark.promise("guests-A49")
def test_what_its_limits_rest_on_is_said() -> None:
    own, through = GuestKeeping("full", "bwrap", True, False), GuestKeeping("full", "bwrap", True, True)
    said = {
        usage: control_lines(GuestAbilities(usage=usage, context_used=10, context_size=20), own)[-1]
        for usage in get_args(GuestUsage)
    }
    assert said["exact"] == "Use of its model: counted by Banksman, and so are its limits"
    assert said["context"].startswith("Use of its model: 10 of 20 tokens of its context, claimed by the agent;")
    assert "rests on its word" in said["claimed"]
    assert "no limit in tokens or money can be kept" in said["unknown"]
    assert "so far" in control_lines(GuestAbilities(), through)[-1]
