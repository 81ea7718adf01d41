"""Endpoints of a kind that there is not are neither kept nor asked."""

import pytest

from desktop.config.settings import Endpoint
from desktop.domain.commands import CheckEndpoint, SaveSettings
from desktop.domain.updates import EngineReady
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio
BIRD = Endpoint(id="bird", label="Bird", kind="parrot", base_url="https://cage.example", auth="none")


async def test_settings_with_a_kind_that_there_is_not_are_not_saved(rig: Rig) -> None:
    before = rig.engine.settings.current
    await rig.engine.handle(SaveSettings(settings=before.model_copy(update={"endpoints": (*before.endpoints, BIRD)})))
    assert [failure.code for failure in rig.failures()] == ["no_kind"]
    assert "no kind 'parrot' of model service" in rig.failures()[0].text
    assert rig.engine.settings.current == before


async def test_a_service_of_a_kind_that_there_is_not_is_not_asked(rig: Rig) -> None:
    await rig.engine.handle(CheckEndpoint(endpoint=BIRD))
    assert [failure.code for failure in rig.failures()] == ["no_kind"]


async def test_the_window_is_told_what_kinds_there_are_and_what_each_asks(rig: Rig) -> None:
    (ready,) = (update for update in rig.updates if isinstance(update, EngineReady))
    assert [(kind.name, kind.label, len(kind.fields)) for kind in ready.service_kinds] == [
        ("anthropic", "Anthropic", 0),
        ("compatible", "Anthropic-compatible", 4),
        ("demo", "Demo", 0),
        ("gemini", "Google Gemini", 2),
        ("openai", "OpenAI", 2),
        ("openai_compatible", "OpenAI-compatible", 4),
        ("openrouter", "OpenRouter", 2),
    ]
