"""Names of tools of servers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.mcp import names


def test_a_name_holds_server_and_tool_in_letters_that_models_take() -> None:
    assert names.model_name("db", "write.query") == "mcp__db__write_query"
    assert names.shown_name("db", "write.query") == "db › write.query"


def test_a_long_name_is_cut_and_stays_apart_from_one_that_begins_alike() -> None:
    long = [names.model_name("files", "a" * 200 + end) for end in "xy"]
    assert all(len(name) == 64 and re.fullmatch(r"mcp__files__a+_[0-9a-f]{8}", name) for name in long)
    assert long[0] != long[1]


@given(st.from_regex(r"[a-z0-9][a-z0-9-]{0,23}", fullmatch=True), st.text(max_size=300))
def test_every_name_can_be_told_to_a_model(server: str, tool: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", names.model_name(server, tool))


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        ("read_file", ""),
        ("bücher_suchen", ""),
        ("検索する", ""),
        ("re\u200bad", names.HIDDEN),
        ("re\nad", names.HIDDEN),
        ("\u202edaer", names.HIDDEN),
        ("rеad", names.MIXED),  # the second letter is Cyrillic
        ("  ", names.BLANK),
    ],
)
def test_a_name_that_misleads_is_off_by_itself(tool: str, problem: str) -> None:
    assert names.name_problem(tool) == problem


def test_two_tools_of_one_server_with_one_name_are_both_off() -> None:
    off = names.named_off([("a", "read"), ("a", "list"), ("a", "read"), ("b", "read")], ())
    assert off == {0: names.SAME_NAME, 2: names.SAME_NAME}


def test_the_later_of_two_that_are_alike_is_off() -> None:
    off = names.named_off([("a", "read file"), ("a", "read.file"), ("a", "Read File"), ("a", "ｒead file")], ())
    assert set(off) == {1, 2, 3}
    assert off[1] == off[2] == names.LIKE_ANOTHER
    assert off[3] == names.LIKE_ANOTHER


def test_a_name_of_the_program_is_not_for_servers() -> None:
    assert names.named_off([("a", "Bash"), ("a", "bashful")], ("bash",)) == {0: names.TAKEN}


def test_a_tool_that_is_off_keeps_no_other_from_its_place() -> None:
    off = names.named_off([("a", "re\u200bad"), ("a", "re_ad")], ())
    assert off == {0: names.HIDDEN}
