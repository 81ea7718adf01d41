"""Tool arguments, decoded key by key."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.display.json_text import (
    argument_runs,
    argument_sentences,
    argument_texts,
    is_command_key,
    is_sql_key,
    read_arguments,
    speaks_for_gate,
)
from desktop.domain.display.text import joined

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"command":"git push","approved":true}', "command: git push\nthe agent says approved: true"),
        ('{"a":{"b":[1,"2",{"c":"x\\ny"},[]],"e":1e999}}',
         'a:\n  b:\n    - 1\n    - "2"\n    -\n      c:\n        │ x\n        │ y\n    - []\n  e: 1e999'),
        ('{"a":"\\u202et","b":"","c":null,"d":false,"e":{}}', 'a: ⟦U+202E⟧t\nb: ""\nc: null\nd: false\ne: {}'),
        ('{"a\\nb":1,"c: d":"{x","e":" y"}', '"a⟦U+000A⟧b": 1\n"c: d": {x\ne: " y"'),
        ('{"a":1,"a":2}', "a: 1\na: 2"),
        ('"x\\ny"', "│ x\n│ y"),
        ('"\\n\\n\\nx"', "│ ⟦3 blank lines⟧\n│ x"),
        ("null", "null"), ("[]", "[]"), ("{}", "{}"), ('"hi"', "hi"),
        ("{a}\u202e", "{a}⟦U+202E⟧"), ('{"a":NaN}', '{"a":NaN}'),
        ('{"a":"https://g\u03bfogle.com"}', "a: https://g\u03bfogle.com⟦xn--gogle-rce.com⟧"),
    ],
)  # fmt: skip
def test_arguments_are_drawn(text, shown):
    assert joined(argument_runs(text)) == shown


def test_what_is_nested_too_deeply_is_drawn_as_it_is_and_said():
    for depth in (100, 100_000):
        text = "[" * depth + "]" * depth
        assert joined(argument_runs(text)) == text
        assert argument_sentences(text) == ("These arguments are nested too deeply to be drawn key by key.",)
    assert read_arguments("[" * 10 + "]" * 10).is_json


def test_keys_given_twice_and_keys_that_speak_for_the_gate_are_said():
    assert argument_sentences('{"a":1,"a":2,"b":{"c":1,"c":1}}') == (
        "The key c is given twice.", "The key a is given twice.",
    )  # fmt: skip
    assert argument_sentences('{"risk":1,"n":{"is_approved":1}}') == (
        "The agent's own words, which decide nothing: risk, is_approved.",
    )
    assert argument_sentences('{"path":"a"}') == argument_sentences("words") == ()


@pytest.mark.parametrize("key", ["description", "Reason", "approved", "is_approved", "RISK-level", "rule"])
def test_keys_that_speak_for_the_gate(key):
    assert speaks_for_gate(key)


@pytest.mark.parametrize("key", ["path", "command", "content", "title", "body", "limit", "mode", "ruler", "timeout"])
def test_ordinary_keys_do_not(key):
    assert not speaks_for_gate(key)


def test_texts_are_found_at_any_depth_with_their_key():
    text = '{"cmd":["bash","-c","x"],"n":[{"sql":"y"}],"m":[1],"e":[]}'
    assert argument_texts(text) == (("cmd", "bash -c x"), ("cmd", "bash"), ("cmd", "-c"), ("cmd", "x"), ("sql", "y"))
    assert argument_texts("plain") == (("", "plain"),)
    started = argument_texts('{"steps":[{"program":"bash","args":["-c","rm x"]}]}')
    assert ("args", "bash -c 'rm x'") in started
    assert is_command_key("Command_Line")
    assert is_sql_key("SQL")


@pytest.mark.promise("gate-V10")
@given(VALUES)
def test_any_arguments_are_drawn_in_lines_that_no_text_can_forge(value):
    text = json.dumps({"key": value})
    lines = joined(argument_runs(text)).split("\n")
    assert lines[0].startswith("key:")
    assert all(line.startswith(" ") for line in lines[1:])
