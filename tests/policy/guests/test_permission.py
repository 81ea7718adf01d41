"""What a guest tells of a call, read into what can be judged."""

import pytest

from desktop.domain.guests.values import guest_endpoint, guest_of
from desktop.policy.guests.kinds import as_call, plan_of
from desktop.policy.guests.options import CANCELLED, allowing, can_allow, refusing
from desktop.policy.guests.permission import GuestEdit, GuestPath, guest_call, joined, parent_said

DIFF = {"type": "diff", "path": "/lane/a.py", "oldText": "1", "newText": "2"}


def test_a_chat_says_by_its_endpoint_whose_it_is() -> None:
    assert (guest_of(guest_endpoint("codex")), guest_of("anthropic")) == ("codex", "")


@pytest.mark.promise("guests-A16")
def test_what_is_told_later_is_added_to_what_was_told_before() -> None:
    before = {"toolCallId": "1", "kind": "execute", "rawInput": {"command": "ls"}, "title": "List"}
    known = joined(before, {"toolCallId": "1", "title": None, "content": [], "status": "pending"})
    assert known == {**before, "status": "pending"}
    assert guest_call(known).command == "ls"


@pytest.mark.promise("guests-A18")
@pytest.mark.parametrize(
    ("told", "command_from", "command"),
    [
        ({"rawInput": {"command": "rm -rf ~"}, "title": "ls"}, "rawInput", "rm -rf ~"),
        ({"rawInput": {"command": ["/bin/bash", "-lc", "rm -rf ~"]}}, "rawInput", "rm -rf ~"),
        ({"rawInput": {"command": ["echo", "a b"]}}, "rawInput", "echo 'a b'"),
        ({"rawInput": {"command": ["bash", "-c", "a", "b"]}}, "rawInput", "bash -c a b"),
        ({"rawInput": {"command": ["bash", "x", "y"]}}, "rawInput", "bash x y"),
        ({"rawInput": {"command": ["echo", 1]}, "title": "t"}, "rawInput", None),
        ({"rawInput": {"command": " "}}, "rawInput", None),
        ({"title": "`rm -rf ~`"}, "title", "rm -rf ~"),
        ({"title": "`a` and `b`"}, "title", "`a` and `b`"),
        ({"title": "ls"}, "rawInput", None),
        ({"title": " "}, "title", None),
    ],
)
def test_the_command_is_what_it_runs_and_not_what_it_is_called(told: dict, command_from: str, command: str) -> None:
    call = guest_call({"toolCallId": "1", "kind": "execute", **told}, command_from)
    assert (call.command, call.readable) == (command, command is not None)


@pytest.mark.promise("guests-A17")
@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"kind": "read", "content": [DIFF]}, "edit"),
        ({"kind": "edit", "rawInput": {"command": "ls"}}, "execute"),
        ({"kind": "think", "rawInput": {"cmd": "ls"}}, "execute"),
        ({"kind": "delete", "content": [DIFF]}, "delete"),
        ({"kind": "execute", "content": [DIFF]}, "execute"),
        ({"kind": "levitate"}, "other"),
        ({"kind": 7}, "other"),
        ({}, "other"),
    ],
)
def test_a_kind_that_contradicts_what_it_holds_is_the_stricter_one(told: dict, kind: str) -> None:
    assert guest_call(told).kind == kind


@pytest.mark.parametrize(
    ("told", "paths"),
    [
        ({"kind": "edit", "content": [DIFF, "junk", {"type": "content"}]}, [("/lane/a.py", "write")]),
        (
            {"kind": "read", "locations": [{"path": "a"}, {"path": 1}, 3], "rawInput": {"file_path": "b"}},
            [("a", "read"), ("b", "read")],
        ),
        ({"kind": "delete", "rawInput": {"path": "a"}}, [("a", "delete")]),
        ({"kind": "move", "rawInput": {"source": "a", "destination": "b"}}, [("a", "delete"), ("b", "write")]),
        ({"kind": "search", "locations": "junk"}, []),
        ({"kind": "execute", "locations": [{"path": "a"}]}, []),
    ],
)
def test_the_paths_come_from_wherever_they_are_named(told: dict, paths: list) -> None:
    assert [(one.path, one.op) for one in guest_call(told).paths] == paths


@pytest.mark.promise("guests-A17")
@pytest.mark.parametrize(
    ("told", "name", "given"),
    [
        (
            {"kind": "execute", "title": "t", "rawInput": {"command": "ls"}},
            "bash",
            {"command": "ls", "description": "t"},
        ),
        (
            {"kind": "execute", "rawInput": {"command": "ls", "cwd": "/x"}},
            "bash",
            {"command": "ls", "description": "", "cwd": "/x"},
        ),
        (
            {"kind": "edit", "content": [DIFF]},
            "edit_file",
            {
                "title": "",
                "changes": [{"path": "/lane/a.py", "old": "1", "new": "2"}],
                "paths": [{"path": "/lane/a.py", "op": "write"}],
            },
        ),
        ({"kind": "read", "locations": [{"path": "a"}]}, "read_file", {"title": "", "paths": ["a"]}),
        ({"kind": "search"}, "read_file", {"title": "", "paths": []}),
        ({"kind": "fetch", "rawInput": {"url": "https://a.example"}}, "web_fetch", {"url": "https://a.example"}),
        ({"kind": "think", "title": "hm"}, "think", {"title": "hm"}),
        ({"kind": "switch_mode"}, "switch_mode", {"title": ""}),
        ({"kind": "other", "rawInput": [1]}, "guest_call", {"title": "", "input": [1]}),
    ],
)
def test_each_kind_is_judged_as_the_tool_that_does_the_same(told: dict, name: str, given: dict) -> None:
    assert as_call(guest_call(told)) == (name, given)


@pytest.mark.promise("guests-A18")
@pytest.mark.parametrize("kind", ["execute", "edit", "delete", "move", "read", "fetch"])
def test_what_says_too_little_is_a_call_of_which_nothing_is_known(kind: str) -> None:
    given = {"title": "t", "input": None, "readable": False}
    assert as_call(guest_call({"kind": kind, "title": "t"})) == ("guest_call", given)


def test_more_paths_than_anybody_reads_say_too_little() -> None:
    call = guest_call({"kind": "read", "locations": [{"path": f"{n}"} for n in range(201)]})
    assert (len(call.paths), call.readable) == (200, False)
    assert call.paths[0] == GuestPath(path="0", op="read")


@pytest.mark.promise("guests-A22")
@pytest.mark.parametrize(
    ("old", "before", "after", "gives"),
    [
        (None, None, "2", True),
        (None, None, "3", False),
        ("1", None, "2", True),
        ("1", "1", "2", True),
        ("1", "1", "22", False),
        ("1", "a1b", "a2b", True),
        ("1", "a1b1", "a2b2", True),
        ("1", "a1b1", "a2b1", True),
        ("1", "a1b", "a2c", False),
        ("1", "ab", "ab", False),
    ],
)
def test_a_shown_change_gives_exactly_what_it_shows(old: str, before: str, after: str, gives: bool) -> None:
    assert GuestEdit(path="a", old=old, new="2").gives(before, after) is gives


ONCE = {"optionId": "7", "kind": "allow_once", "name": "No"}
ALWAYS = {"optionId": "1", "kind": "allow_always", "name": "Yes"}
REJECT = {"optionId": "7", "kind": "reject_once", "name": "Yes"}


def chosen(option: str) -> dict:
    return {"outcome": {"outcome": "selected", "optionId": option}}


@pytest.mark.promise("guests-A20")
@pytest.mark.promise("guests-A61")
@pytest.mark.parametrize(
    ("options", "allow", "refuse"),
    [
        ([ALWAYS, ONCE, REJECT], chosen("7"), chosen("7")),
        ([ALWAYS, REJECT], CANCELLED, chosen("7")),
        ([{"optionId": "x", "kind": "new_kind"}], CANCELLED, CANCELLED),
        ([], CANCELLED, CANCELLED),
        (None, CANCELLED, CANCELLED),
        (["junk", {"kind": "allow_once"}, ONCE, {**ONCE, "optionId": "8"}], chosen("7"), CANCELLED),
    ],
)
def test_kinds_decide_which_answer_is_given(options: object, allow: dict, refuse: dict) -> None:
    assert (allowing(options), refusing(options)) == (allow, refuse)
    assert can_allow(options) is (allow != CANCELLED)


@pytest.mark.promise("guests-A29")
@pytest.mark.parametrize(
    ("told", "plan"),
    [
        ({"rawInput": {"plan": "All of it"}, "content": [{"content": {"text": "other"}}]}, "All of it"),
        ({"rawInput": {"plan": " "}, "content": [{"content": {"text": "a"}}, 7, {"content": {"text": "b"}}]}, "a\n\nb"),
        ({"rawInput": "text", "content": "text"}, ""),
        ({}, ""),
    ],
)
def test_the_plan_is_what_it_gives_as_one_or_shows(told: dict, plan: str) -> None:
    assert plan_of(told) == plan


@pytest.mark.promise("guests-A33")
@pytest.mark.parametrize(
    ("meta", "parent"),
    [
        ({"claudeCode": {"parentToolUseId": "t1"}}, "t1"),
        ({"parentToolCallId": "t2", "x": {"parent_tool_call_id": "t3"}}, "t2"),
        ({"claudeCode": {"parentToolUseId": 7}, "x": "t1"}, ""),
        ("t1", ""),
        (None, ""),
    ],
)
def test_the_call_above_is_the_one_that_its_meta_names(meta: object, parent: str) -> None:
    assert parent_said({"_meta": meta}) == parent
