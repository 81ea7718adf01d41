"""Slash commands: which files give one, which texts call one, and what is sent for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.chats.slash import BUILT_IN, MOST_CHARS, called_command, expand_body, parse_slash_file


def test_a_file_gives_its_description_and_what_is_sent():
    found = parse_slash_file("review", b'---\ndescription: "Look at the change"\nother\n---\n\nReview $1.\n')
    assert (found.name, found.description, found.body, found.problem) == (
        "review", "Look at the change", "Review $1.", "",
    )  # fmt: skip


def test_without_front_matter_the_first_line_describes_it():
    assert parse_slash_file("review", b"# Review it\r\nNow.").description == "Review it"
    assert parse_slash_file("review", b"---\nnever closed").body == "---\nnever closed"
    assert parse_slash_file("review", b"\xef\xbb\xbfReview").body == "Review"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("Review", b"x", "small letters"),
        ("a b", b"x", "small letters"),
        ("../x", b"x", "small letters"),
        ("compact", b"x", "built in"),
        ("clear", b"x", "built in"),
        ("review", b"\xff", "not UTF-8"),
        ("review", b"---\ndescription: x\n---\n \n", "nothing to send"),
        ("review", b"", "nothing to send"),
        ("review", b"x" * (MOST_CHARS + 1), "longer than"),
    ],
)
def test_a_file_that_gives_none_says_why(name, content, words):
    found = parse_slash_file(name, content)
    assert words in found.problem
    assert found.body == ""


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_no_file_takes_a_built_in_name(name):
    assert parse_slash_file(name, b"do something else").problem


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("/review", ("review", "")),
        (" /review  the login \n", ("review", "the login")),
        ("/review a\nb", ("review", "a\nb")),
        ("/x?", None),
        ("/usr/bin/env", None),
        ("see /review", None),
        ("//review", None),
        ("/Review", None),
        ("", None),
    ],
)
def test_only_a_name_at_the_beginning_calls_a_command(text, called):
    assert called_command(text) == called


@pytest.mark.parametrize(
    ("body", "arguments", "sent"),
    [
        ("Do $ARGUMENTS now", "a b", "Do a b now"),
        ("$1 and $2 and $3", 'one "two words"', "one and two words and "),
        ("Costs $10 or $ARGUMENTSX", "a", "Costs $10 or $ARGUMENTSX\n\na"),
        ("Do it", "in the lane", "Do it\n\nin the lane"),
        ("Do it", "", "Do it"),
        ("$1", "$2 x", "$2"),
        ("$ARGUMENTS", "$1", "$1"),
    ],
)
def test_arguments_stand_where_the_body_names_them(body, arguments, sent):
    assert expand_body(body, arguments) == sent


@given(st.text(), st.binary(max_size=200))
def test_nothing_that_is_typed_or_found_fails(text, content):
    called = called_command(text)
    if called is not None:
        assert expand_body("$ARGUMENTS", called[1]) == called[1]
    assert parse_slash_file(text, content).name == text
