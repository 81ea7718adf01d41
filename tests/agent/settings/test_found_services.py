"""Services that the environment names, prices of the person, and what a test of a service tells."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from desktop.config.prices import ModelPrice
from desktop.config.settings import ANTHROPIC_ENDPOINT, OPENAI_ADDRESS, Endpoint
from desktop.domain.commands import CheckEndpoint, FindAddresses, OpenProject, OpenSample, SaveKey
from desktop.domain.core.errors import CommandError
from desktop.domain.core.usage import Usage
from desktop.domain.updates import AddressesFound, EndpointChecked, KeysChanged, ProjectOpened
from desktop.providers.kinds import request_cost
from tests.agent.rig import Rig, folders_below, make_repository
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
KEY = SecretStr("key-of-the-person-0123")


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi(keys=frozenset({"token-of-the-gateway", KEY.get_secret_value()})) as api:
        yield api


@pytest_asyncio.fixture
async def found(tmp_path: Path, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model_api.url)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-gateway")
    monkeypatch.setenv("OPENAI_API_KEY", "openai-key-of-mine")
    rig = await Rig(folders_below(tmp_path / "home")).open(make_repository(tmp_path / "shop"))
    yield rig
    await rig.engine.stop()


def keys_of(rig: Rig) -> KeysChanged:
    return [one for one in rig.updates if isinstance(one, KeysChanged)][-1]


@pytest.mark.promise("sessions-SV4")
async def test_a_gateway_is_told_and_answers_new_chats_until_a_service_of_its_kind_has_a_key(
    found: Rig, model_api: FakeModelApi
) -> None:
    told = keys_of(found)
    assert [(one.endpoint.id, one.used) for one in told.found] == [("env-anthropic", True), ("env-openai", True)]
    places = {one.endpoint_id: (one.place, one.variable) for one in told.keys}
    assert places["env-anthropic"] == ("environment", "ANTHROPIC_AUTH_TOKEN")
    assert places["anthropic"] == ("none", "")
    model_api.script(text_turn("Hello."))
    chat = await found.new("Say hi")
    await found.ended()
    assert found.engine.sessions.get(chat).state.endpoint_id == "env-anthropic"
    assert [request.key for request in model_api.requests] == ["token-of-the-gateway"]
    await found.engine.handle(SaveKey(endpoint_id="anthropic", key=KEY))
    assert [one.used for one in keys_of(found).found] == [False, True]
    assert found.engine.settings.default_endpoint == "anthropic"
    assert found.engine.settings.find("env-anthropic") is None
    with pytest.raises(CommandError, match="no endpoint 'env-anthropic'"):
        found.engine.settings.model_for("env-anthropic", "")
    with pytest.raises(CommandError, match="Choose a model for OpenAI"):
        found.engine.settings.model_for("env-openai", "")


async def test_the_keys_of_the_environment_are_known_as_secrets(found: Rig) -> None:
    words = found.engine.settings.redactor.redact("token-of-the-gateway and openai-key-of-mine").text
    assert "gateway" not in words
    assert "openai-key" not in words


async def test_a_service_that_is_not_saved_is_tried_with_the_key_that_was_typed(
    found: Rig, model_api: FakeModelApi
) -> None:
    draft = Endpoint(id="draft", label="Draft", kind="compatible", base_url=model_api.url)
    moved = draft.model_copy(update={"base_url": model_api.url.replace("127.0.0.1", "localhost")})
    for command in (
        CheckEndpoint(endpoint=draft, key=KEY),
        CheckEndpoint(endpoint=draft),
        CheckEndpoint(endpoint=moved),
    ):
        await found.engine.handle(command)
    checked = [one for one in found.updates if isinstance(one, EndpointChecked)]
    assert [one.ok for one in checked] == [True, True, False], "a key of the environment went to another address"


async def test_a_service_of_the_other_protocol_is_tried_in_the_same_way(found: Rig, model_api: FakeModelApi) -> None:
    draft = Endpoint(id="draft", label="Draft", kind="openai_compatible", base_url=model_api.url)
    for key in (KEY, SecretStr("wrong"), None):
        await found.engine.handle(CheckEndpoint(endpoint=draft, key=key))
    checked = [one for one in found.updates if isinstance(one, EndpointChecked)]
    assert [one.ok for one in checked] == [True, False, False], "a key of the environment went to another address"
    assert [model.id for model in checked[0].models] == ["claude-sonnet-4-6"]


@pytest.mark.promise("sessions-SV6")
@pytest.mark.parametrize("kind", ["compatible", "openai_compatible"])
async def test_a_test_with_a_model_asks_it_for_a_word_a_tool_and_a_picture(
    found: Rig, model_api: FakeModelApi, kind: str
) -> None:
    draft = Endpoint(id="draft", label="Draft", kind=kind, base_url=model_api.url)

    async def tried(*answers: object) -> list[tuple[str, bool, str]]:
        model_api.script(*answers)
        await found.engine.handle(CheckEndpoint(endpoint=draft, key=KEY, model="small"))
        checked = [one for one in found.updates if isinstance(one, EndpointChecked)][-1]
        assert (checked.ok, checked.text) == (True, "1 models")
        return [(one.part, one.ok, one.said) for one in checked.tried]

    assert await tried(text_turn("ready"), tool_turn("look", what="sky"), text_turn("Red.")) == [
        ("text", True, ""), ("tool", True, ""), ("picture", True, "")
    ]  # fmt: skip
    assert [len(one.body.get("tools", ())) for one in model_api.requests] == [0, 1, 0]
    assert "iVBORw0KGgo" in str(model_api.requests[-1].body)
    poor = [text_turn(""), text_turn("I would look."), http_failure(400, "invalid_request_error", "no images here")]
    assert await tried(*poor) == [
        ("text", False, "The model returned an empty answer."), ("tool", False, "This model does not use tools."),
        ("picture", False, "no images here"),
    ]  # fmt: skip
    assert await tried(text_turn("ready"), http_failure(500), text_turn("A cat.")) == [
        ("text", True, ""), ("tool", False, "no"), ("picture", False, "A cat.")
    ]  # fmt: skip


async def test_a_service_whose_price_is_known_is_asked_for_its_list_alone(found: Rig, model_api: FakeModelApi) -> None:
    price = ModelPrice(model="small", input_microusd=1_000_000, output_microusd=2_000_000)
    for service in (
        ANTHROPIC_ENDPOINT.model_copy(update={"base_url": model_api.url}),
        Endpoint(id="own", label="Own", kind="compatible", base_url=model_api.url, prices=(price,)),
    ):
        await found.engine.handle(CheckEndpoint(endpoint=service, key=KEY, model="small"))
    checked = [one for one in found.updates if isinstance(one, EndpointChecked)]
    assert [(one.ok, one.tried) for one in checked] == [(True, ()), (True, ())]
    assert model_api.requests == []


async def test_addresses_of_other_programs_are_told(
    found: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "person"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text('[model_providers.x]\nbase_url = "https://one.example/v1"\n')
    monkeypatch.setenv("HOME", str(home))
    await found.engine.handle(FindAddresses())
    (told,) = (one for one in found.updates if isinstance(one, AddressesFound))
    assert [one.address for one in told.addresses] == ["https://one.example/v1"]


async def test_a_price_of_the_person_goes_before_the_table() -> None:
    usage = Usage(input=1_000_000, output=500_000, cache_read=1)
    own = ModelPrice(model="claude-sonnet-4-6", input_microusd=1_000_000, output_microusd=2_000_000)
    endpoint = ANTHROPIC_ENDPOINT.model_copy(update={"prices": (own,)})
    assert request_cost(endpoint, "claude-sonnet-4-6", usage) == 2_000_001
    as_listed = request_cost(ANTHROPIC_ENDPOINT, "claude-opus-4-6", usage)
    assert request_cost(endpoint, "claude-opus-4-6", usage) == as_listed
    local = Endpoint(id="l", label="L", kind="openai_compatible", base_url=OPENAI_ADDRESS, prices=(own,))
    assert request_cost(local, "other", usage) is None
    assert request_cost(local, own.model, Usage(input=1)) is None


async def test_the_tour_runs_in_a_repository_of_its_own_that_is_not_remembered(tmp_path: Path) -> None:
    folders = folders_below(tmp_path / "home")
    rig = Rig(folders)
    await rig.engine.start()
    try:
        for _ in range(2):
            await rig.engine.handle(OpenSample())
            opened = [one for one in rig.updates if isinstance(one, ProjectOpened)][-1]
            assert (opened.sample, opened.problem) == (True, "")
        assert Path(opened.project.path) == folders.data / "sample" / "shop"
        assert rig.engine.settings.current.recent_projects == ()
        chat = await rig.new("The cart total is wrong with a discount code.", endpoint_id="demo", model="demo")
        await rig.asked()
        assert rig.engine.sessions.get(chat).lane is not None
        await rig.engine.handle(OpenProject(path=str(make_repository(tmp_path / "shop"))))
        assert not [one for one in rig.updates if isinstance(one, ProjectOpened)][-1].sample
    finally:
        await rig.engine.stop()
