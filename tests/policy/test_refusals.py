"""The exact texts for the agent (tools 4.1, gate 22)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.permissions import Assessment, Category, Decision, PermissionMode, Verdict
from desktop.policy import refusals
from desktop.policy.edit_distance import edit_distance
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from desktop.policy.paths import WalkFacts, assess_path, screen_path


def test_an_unknown_tool_is_named_with_what_there_is() -> None:
    assert refusals.unknown_tool("read_fil", ["write_file", "read_file"]) == (
        'There is no tool "read_fil". Offered tools: read_file, write_file. Did you mean read_file?'
    )
    assert refusals.unknown_tool("teleport", ["bash"]) == 'There is no tool "teleport". Offered tools: bash.'
    assert refusals.unknown_tool("x", []) == 'There is no tool "x". Offered tools: none.'
    assert refusals.unknown_tool("bash ", ["bash"]).endswith("Did you mean bash?")
    assert refusals.unknown_tool("a\x1b[31m\u202e", []).startswith('There is no tool "a\\u001b[31m\\u202e".')
    assert refusals.unknown_tool("\U000e0041", []).startswith('There is no tool "\\U000e0041".')


def test_a_tool_that_is_not_offered_says_why() -> None:
    assert refusals.not_offered("bash", PermissionMode.PLAN) == (
        "bash is not available in plan mode. Present the plan with exit_plan_mode."
    )
    assert (
        refusals.not_offered("exit_plan_mode", PermissionMode.EDIT) == "exit_plan_mode is not available in edit mode."
    )
    assert refusals.not_offered("bash", PermissionMode.EDIT, ["Shell"]) == (
        "bash is not available: no bash was found on this computer. A person can install bash."
    )
    assert refusals.not_offered("x", PermissionMode.EDIT, ["Wings"]) == (
        "x is not available: Wings is missing. A person can change this."
    )
    assert refusals.not_on_surface("publish_proofs") == "publish_proofs is not available in this chat."


def test_a_decline_gives_the_persons_reason() -> None:
    assert refusals.declined() == "The person declined this call."
    assert refusals.declined(" use tabs ") == "The person declined this call. Reason: use tabs"
    assert refusals.declined(stopped=True) == "The person declined this call. The turn was stopped."
    assert refusals.declined("no", stopped=True) == "The person declined this call. The turn was stopped. Reason: no"


def test_fixed_texts_are_those_of_the_catalogue() -> None:
    assert refusals.NO_PERSON == "This call needs a person's approval and nobody can answer here."
    assert refusals.DIGEST == "The action changed after it was approved, so it was not run."
    assert refusals.STOPPED_BEFORE == "Not run: the turn was stopped first."
    assert refusals.TAKEN_BACK == "Not run: the agent withdrew its request."
    assert refusals.STOPPED_WHILE == (
        "Interrupted before it finished. It may have had effects; check before you repeat it."
    )
    assert refusals.STOPPED_UNANSWERED == "The turn ended before the user answered."
    assert refusals.withdrawn(PermissionMode.PLAN) == "Not run: the mode changed to plan."


def refused(rule: str, paths=(), reason: str = "why.") -> str:
    decision = Decision(verdict=Verdict.DENY, rule=rule, reason=reason)
    return refusals.refusal_text(decision, tool="t", mode=PermissionMode.PLAN, lane="fix-login", paths=paths)


def test_the_rule_chooses_the_text() -> None:
    assert refused("lane_moved") == "Not run: the lane folder is not the one this chat was opened on."
    assert refused("primary_lane") == "The user's own checkout is read-only for agents."
    assert refused("gate_error") == "Not run: internal error gate_error. The person has been told."
    assert refused("mode") == "Not run: why. Present the plan with exit_plan_mode."
    assert refused("something") == "Not run: why."
    assert refused("path") == "Not run: why."


def judged(op="write", raw="a", **facts):
    return assess_path(raw, op, WalkFacts(**{"rel": raw, "names": ((raw,),), "kind": "file", "nlink": 1, **facts}))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (
            judged(raw="../x", place="outside"),
            "../x is outside this lane (fix-login). Work inside the lane; a person can add a reference folder for "
            "reading.",
        ),
        (
            screen_path("~/x", "read", windows=False),
            "~/x is outside this lane (fix-login). Work inside the lane; a person can add a reference folder for "
            "reading.",
        ),
        (
            judged(raw=".git"),
            ".git is protected: it belongs to Git's own files. No mode or rule can allow it.",
        ),
        (
            judged("read", "/data/x", place="outside", product_folder=True),
            "/data/x is protected: it belongs to Banksman. No mode or rule can allow it.",
        ),
        (
            judged("read", "/proc/1", place="outside", system=True),
            "/proc/1 is protected: it belongs to the system's own folders. No mode or rule can allow it.",
        ),
        (
            screen_path("a\u200bb", "read", windows=False),
            "a\\u200bb is not a usable path: it contains the character U+200B.",
        ),
        (screen_path("", "read", windows=False), '"" is not a usable path: it is empty.'),
        (judged(kind="dir"), "a is not a usable path: it is a folder."),
        (judged(other_device=True), "a is not a usable path: it lies on another device than the lane."),
    ],
)
def test_each_refused_path_has_its_text(facts, text: str) -> None:
    assert refused("path", (facts,)) == text


def test_the_first_row_of_the_table_chooses_the_path_that_is_named() -> None:
    paths = (
        judged(raw="d", kind="dir"),
        judged(raw=".git"),
        judged(raw="o", place="outside"),
        judged(raw="f", fault="no"),
    )
    assert refused("path", paths).startswith("f is not a usable path")
    assert refused("path", paths[:3]).startswith("o is outside")
    assert refused("path", paths[:2]).startswith(".git is protected")


def test_a_long_path_is_cut() -> None:
    assert len(refusals.path_outside("x" * 5000, "l")) < 500


def test_a_decision_of_the_gate_fits_its_text() -> None:
    paths = (judged(raw="../x", place="outside"),)
    call = CallFacts(tool="t", category=Category.WRITE, assessment=Assessment(category=Category.WRITE), paths=paths)
    decision = decide(call, SessionGateFacts(mode=PermissionMode.EDIT))
    text = refusals.refusal_text(decision, tool="t", mode=PermissionMode.EDIT, lane="l", paths=paths)
    assert text.startswith("../x is outside this lane (l).")


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("ab", "ba", 2), ("kitten", "sitting", 3)],
)
def test_the_distance_counts_letters(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b, limit=3) == distance


def test_more_than_the_limit_is_not_counted() -> None:
    assert edit_distance("aaaa", "bbbb", limit=3) == 4
    assert edit_distance("a", "aaaaaaaa", limit=3) == 4


@given(st.text(max_size=8), st.text(max_size=8))
def test_the_distance_is_the_same_both_ways(a: str, b: str) -> None:
    assert edit_distance(a, b, limit=20) == edit_distance(b, a, limit=20)
    assert (edit_distance(a, b, limit=20) == 0) == (a == b)


def test_a_built_in_protection_and_a_rule_of_a_person_say_so() -> None:
    assert refused("deny") == "Refused by a built-in protection: why. No mode or rule can allow it."
    assert refused("rule") == "why."


def test_the_mark_of_a_removed_secret_cannot_be_written() -> None:
    text = refusals.holds_marks("write_file", ["[secret KEY removed]"])
    assert text.startswith("Invalid arguments for write_file: [secret KEY removed] stands for a secret")


def test_a_change_whose_files_could_not_be_kept_says_who_can_help() -> None:
    assert refusals.not_kept("the disk is full.") == (
        "Not run: no complete checkpoint of the lane's files could be made first (the disk is full), and the settings "
        "require one before changes. A person can change this in Settings."
    )
