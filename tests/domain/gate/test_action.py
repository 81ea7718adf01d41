"""The canonical action and its digest (gate-G22, gate-G23)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from desktop.domain.gate.action import Action, ActionFile, canonical_json, changed_fields, digest

ACTION = Action(
    tool="write_file",
    tool_sha256="ab" * 32,
    args={"file_path": "a.py", "content": "x\n", "n": 1},
    lane="l1",
    lane_root=(1, 2),
    head="c" * 40,
    files=(ActionFile(path="a.py", op="write", base_sha256="0" * 64, dev=1, ino=7),),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_the_spelling_is_fixed() -> None:
    assert canonical_json({"b": 1, "a": [True, None, "é\n"], "A": {}}) == '{"A":{},"a":[true,null,"\\u00e9\\n"],"b":1}'
    assert canonical_json("\ud800") == '"\\ud800"'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_has_no_name_for_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": number})


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        canonical_json({"x": object()})  # type: ignore[dict-item]


@given(JSON)
def test_the_value_survives_and_equal_values_are_spelled_equally(value) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text
    assert text.isascii()


@pytest.mark.promise("gate-G23")
def test_the_digest_is_fixed_for_ever() -> None:
    assert digest(ACTION) == "d641f3aa8b838841175943875cb3e1f8afb9b6c4c86687922534e091ad89306c"


@pytest.mark.promise("gate-G22")
@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"tool": "edit_file"},
        {"tool_sha256": "cd" * 32},
        {"args": {"file_path": "a.py", "content": "x\n", "n": 2}},
        {"args": {"file_path": "a.py", "content": "x\n", "n": "1"}},
        {"lane": "l2"},
        {"lane_root": (1, 3)},
        {"cwd": "src"},
        {"head": None},
        {"command_sha256": "0" * 64},
        {"files": ()},
        {"files": (ACTION.files[0].model_copy(update={"ino": 8}),)},
        {"files": (ACTION.files[0].model_copy(update={"base_sha256": None}),)},
        {"env_profile": "read"},
        {"sandbox_profile": "full"},
        {"network": "off"},
        {"network": ("example.org",)},
        {"target": "to origin"},
    ],
)
def test_every_field_changes_the_digest(change: dict) -> None:
    assert digest(ACTION.model_copy(update=change)) != digest(ACTION)


@pytest.mark.promise("gate-G23")
def test_the_order_of_files_and_arguments_does_not_matter() -> None:
    other = ActionFile(path="b.py", op="delete")
    one = ACTION.model_copy(update={"files": (ACTION.files[0], other)})
    two = ACTION.model_copy(update={"files": (other, ACTION.files[0])})
    assert digest(one) == digest(two)
    turned = dict(reversed(ACTION.args.items()))
    assert digest(ACTION.model_copy(update={"args": turned})) == digest(ACTION)


def test_a_field_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValidationError):
        Action(tool="t", tool_sha256="", args={}, extra=1)  # type: ignore[call-arg]


def test_lone_surrogates_in_arguments_have_a_digest() -> None:
    assert len(digest(ACTION.model_copy(update={"args": {"content": "\ud800"}}))) == 64


def test_what_differs_between_two_actions_is_said_in_words() -> None:
    assert changed_fields(ACTION, ACTION) == ()
    other = ACTION.model_copy(update={"network": "off", "cwd": "src"})
    assert changed_fields(ACTION, other) == ("the folder it runs in", "the network")
