import subprocess
import sys

import pytest

from desktop.domain.core.usage import Usage
from desktop.domain.updates import ModelInfo
from desktop.providers.kinds import kind_named
from desktop.providers.prices import context_window, cost_microusd, listed_price, warm_prices

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("usage", "microusd"),
    [
        (Usage(input=MILLION, output=0), 3_000_000),
        (Usage(input=0, output=MILLION), 15_000_000),
        (Usage(input=0, output=0, cache_read=MILLION), 300_000),
        (Usage(input=0, output=0, cache_write_5m=MILLION), 3_750_000),
        (Usage(input=0, output=0, cache_write_1h=MILLION), 6_000_000),
        (Usage(input=MILLION, output=0, cache_read=MILLION, cache_write_5m=0), 3_300_000),
        (Usage(input=0, output=0), 0),
    ],
)
def test_each_kind_of_token_has_its_price(usage: Usage, microusd: int) -> None:
    assert cost_microusd("claude-sonnet-4-6", usage) == microusd


def test_a_fraction_is_rounded_up() -> None:
    assert cost_microusd("claude-sonnet-4-6", Usage(input=0, output=0, cache_read=1)) == 1


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert cost_microusd("claude-haiku-4-5-20251001", Usage(input=MILLION, output=0)) == MILLION


@pytest.mark.parametrize("model", ["llama3", "qwen3:8b", "gpt-5.5", "", "claude-of-the-future"])
def test_an_unknown_model_has_an_unknown_cost(model: str) -> None:
    assert cost_microusd(model, Usage(input=10, output=10)) is None


@pytest.mark.parametrize("usage", [Usage(), Usage(input=5), Usage(output=5)])
def test_unknown_usage_has_an_unknown_cost(usage: Usage) -> None:
    assert cost_microusd("claude-sonnet-4-6", usage) is None


def test_the_demo_costs_nothing() -> None:
    assert cost_microusd("demo", Usage(input=10, output=10)) == 0


def test_the_price_table_can_be_loaded_ahead() -> None:
    warm_prices()
    assert cost_microusd("claude-sonnet-4-6", Usage(input=1, output=1)) == 18


def test_importing_the_module_does_not_load_the_price_table() -> None:
    code = "import sys, desktop.providers.prices; print('genai_prices' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20)
    assert done.stdout.strip() == "False"


def test_the_window_of_a_known_model_is_known_and_no_other() -> None:
    assert context_window("claude-haiku-4-5-20251001") == 200_000
    assert context_window("qwen3:8b") == 0


def test_the_price_of_a_million_tokens_is_that_of_short_requests() -> None:
    assert listed_price("claude-sonnet-4-6") == (3_000_000, 15_000_000)
    assert listed_price("anthropic/claude-sonnet-4.5", "openrouter") == (3_000_000, 15_000_000)
    assert listed_price("llama3") is None


def test_a_listed_model_gets_what_the_table_knows_where_the_service_did_not_say() -> None:
    bare = ModelInfo(id="claude-sonnet-4-6", name="Sonnet")
    known = kind_named("anthropic").described(bare)
    assert (known.window, known.input_microusd, known.output_microusd) == (1_000_000, 3_000_000, 15_000_000)
    said = bare.model_copy(update={"window": 5, "input_microusd": 6, "output_microusd": 7})
    assert kind_named("anthropic").described(said) == said
    assert kind_named("compatible").described(bare) == bare
