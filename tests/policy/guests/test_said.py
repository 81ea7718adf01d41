"""What a guest says of itself: whatever it is, values come of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desktop.domain.core.usage import Usage
from desktop.domain.guests.values import GuestAbilities, GuestGatewayWay, GuestOption
from desktop.policy.guests.said import (
    abilities_said,
    commands_said,
    context_said,
    gateway_said,
    mode_option,
    modes_said,
    options_said,
    sign_ins_said,
    usage_said,
)

CHOICES = [{"value": "a", "name": "A"}, {"group": "g", "name": "G", "options": [{"value": "b"}, {"name": "none"}]}]
MODEL = {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "a", "options": CHOICES}
SWITCH = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": True}
MODE = {**MODEL, "id": "mode", "category": "mode"}


@pytest.mark.promise("guests-A14")
def test_its_abilities_are_those_that_it_says() -> None:
    can = {
        "loadSession": True,
        "promptCapabilities": {"image": True, "embeddedContext": True},
        "sessionCapabilities": {"resume": {}, "fork": {}},
        "_meta": {"vendor": {"promptQueueing": True}},
    }
    said = abilities_said({"agentInfo": {"version": "1.2"}, "agentCapabilities": can})
    assert said == GuestAbilities(
        version="1.2", load=True, resume=True, fork=True, image=True, embedded=True, steer=True
    )
    assert abilities_said({"agentCapabilities": {"_meta": {"promptQueueing": True}}}).steer
    assert abilities_said({}) == GuestAbilities()


def test_modes_are_told_of_or_are_one_of_its_options() -> None:
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "plan"}, 7]}
    assert modes_said({"modes": modes, "configOptions": [MODE]}) == (("ask", "plan"), "ask")
    assert modes_said({"configOptions": [MODE]}) == (("a", "b"), "a")
    assert modes_said({}) == ((), "")
    assert (mode_option({"configOptions": [MODE]}), mode_option({})) == ("mode", "")


@pytest.mark.promise("guests-A46")
def test_options_are_all_but_the_mode() -> None:
    model, fast = options_said({"configOptions": [MODE, MODEL, SWITCH, {"id": "empty", "name": "Empty"}]})
    assert ([one.value for one in model.choices], model.value, model.sets) == (["a", "b"], "a", "option")
    assert ([one.value for one in fast.choices], fast.value, fast.sets) == (["on", "off"], "on", "switch")
    (off,) = options_said({"configOptions": [{**SWITCH, "currentValue": False}]})
    assert off.value == "off"


@pytest.mark.promise("guests-A46")
def test_models_of_the_older_kind_are_an_option_unless_there_is_one() -> None:
    models = {"currentModelId": "x", "availableModels": [{"modelId": "x", "name": "X"}]}
    (found,) = options_said({"models": models})
    assert (found.id, found.value, found.sets) == ("model", "x", "model")
    assert [one.id for one in options_said({"models": models, "configOptions": [MODEL]})] == ["m"]


@pytest.mark.promise("guests-A47")
def test_commands_say_what_they_change() -> None:
    commands = [{"name": "/clear", "description": "Start over", "input": {"hint": "why"}}, {"description": "nameless"}]
    (clear,) = commands_said({"availableCommands": commands})
    assert (clear.name, clear.about, clear.hint) == ("clear", "Start over", "why")
    assert clear.warning.startswith("The agent forgets")


@pytest.mark.promise("guests-A15")
def test_ways_to_sign_in_are_read() -> None:
    methods = [
        {"id": "t", "name": "T", "type": "terminal", "args": ["login", 7], "env": {"A": "1", "B": 2}},
        {"id": "x"},
        {"id": "k", "name": "K", "type": "env_var", "vars": [{"name": "KEY"}, {"name": 7}, "junk"]},
    ]
    found, key = sign_ins_said({"authMethods": methods})
    assert (found.terminal, found.words, found.env) == (True, ("login",), {"A": "1"})
    assert (found.variables, key.terminal, key.variables) == ((), False, ("KEY",))


def test_a_way_to_sign_in_loads_no_code_and_fits_on_a_button() -> None:
    env = {"LD_PRELOAD": "/home/x.so", "NODE_OPTIONS": "-r /x.js", "PATH": "/x", "A": "1", "B": "$(x)", "N": 1}
    way = {"id": "x", "name": "Sign in\nBanksman: you are", "description": "a\n\nb", "type": "terminal", "env": env}
    found = sign_ins_said({"authMethods": [way] * 50})
    assert len(found) == 20
    assert (found[0].name, found[0].about, found[0].env) == ("Sign in Banksman: you are", "a b", {"A": "1"})


@pytest.mark.promise("guests-A49")
@pytest.mark.parametrize(
    ("answer", "usage"),
    [
        (
            {"usage": {"inputTokens": 3, "outputTokens": 2, "cachedReadTokens": 1}},
            Usage(input=3, output=2, cache_read=1),
        ),
        ({"_meta": {"quota": {"token_count": {"input_tokens": 5, "output_tokens": 0}}}}, Usage(input=5, output=0)),
        ({"usage": {"inputTokens": 10**30, "outputTokens": 1}}, Usage(input=10**12, output=1)),
        ({"usage": {"inputTokens": -3, "outputTokens": 2}}, None),
        ({"usage": {"inputTokens": True, "outputTokens": 2}}, None),
        ({"usage": {"inputTokens": 3}}, None),
        ({"stopReason": "end_turn"}, None),
    ],
)
def test_what_it_says_that_it_used_is_read(answer: dict[str, JsonValue], usage: Usage | None) -> None:
    assert usage_said(answer) == usage


@pytest.mark.promise("guests-A49")
def test_how_full_its_context_is_is_read() -> None:
    assert context_said({"used": 3, "size": 9}) == (3, 9)
    assert context_said({"used": 3}) is None
    assert context_said({"used": "3", "size": 9}) is None


ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*MODEL, "modes"]), inner, max_size=4),
    max_leaves=20,
)


@given(ANY, ANY)
def test_whatever_is_said_values_come_of_it(one: Any, other: Any) -> None:
    answer = {"configOptions": [one], "models": other, "modes": one, "authMethods": other, "availableCommands": [one]}
    assert all(isinstance(found, GuestOption) for found in options_said(answer))
    modes_said(answer)
    sign_ins_said({"authMethods": one})
    commands_said(answer)
    abilities_said({"agentCapabilities": other, "agentInfo": one})


def way(way_id: str, gateway: JsonValue) -> dict[str, JsonValue]:
    return {"id": way_id, "name": way_id, "_meta": {"gateway": gateway}}


@pytest.mark.promise("guests-A36")
def test_the_first_way_to_be_told_of_a_service_of_a_known_protocol_is_taken() -> None:
    ways = [{"id": "login", "name": "Log in"}, way("a", {"protocol": "bedrock"}), way("b", {"protocol": "openai"})]
    told: dict[str, JsonValue] = {"authMethods": [*ways, way("c", {"protocol": "google"})]}
    assert gateway_said(told) == GuestGatewayWay(id="b", dialect="responses")
    assert [one.id for one in sign_ins_said(told)] == ["login"]


@pytest.mark.parametrize("gateway", [None, True, "anthropic", {}, {"protocol": 3}])
def test_a_way_that_names_no_protocol_tells_of_no_service(gateway: JsonValue) -> None:
    assert gateway_said({"authMethods": [way("a", gateway), {"_meta": {"gateway": {"protocol": "google"}}}]}) is None
