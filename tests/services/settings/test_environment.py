"""What the environment names of model services, and where each key of it may go."""

import pytest

from desktop.config.found import FoundService, default_endpoint, judged
from desktop.config.settings import (
    ANTHROPIC_ADDRESS,
    ANTHROPIC_ENDPOINT,
    DEMO_ENDPOINT,
    OPENAI_ADDRESS,
    Endpoint,
    Settings,
)
from desktop.services.settings.environment import Environment, keys_in

GATEWAY = "https://gateway.example.com"
OWN = Endpoint(id="own", label="Own", kind="openai_compatible", base_url="http://127.0.0.1:11434/v1", auth="none")


def found(**variables: str) -> tuple[Environment, tuple[FoundService, ...]]:
    environment = Environment(variables)
    assert variables == {}, "a variable is left for the children"
    return environment, environment.services


def test_a_key_alone_is_one_of_the_vendors_address() -> None:
    for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        environment, services = found(**{variable: " key-of-the-vendor "})
        assert services == ()
        assert environment.key(ANTHROPIC_ENDPOINT) == ("key-of-the-vendor", variable)
    both, _ = found(ANTHROPIC_API_KEY="the-key", ANTHROPIC_AUTH_TOKEN="the-token", ANTHROPIC_BASE_URL=ANTHROPIC_ADDRESS)
    assert both.key(ANTHROPIC_ENDPOINT) == ("the-key", "ANTHROPIC_API_KEY")
    assert both.known_values() == {"ANTHROPIC_API_KEY": "the-key", "ANTHROPIC_AUTH_TOKEN": "the-token"}


@pytest.mark.promise("sessions-SV4")
@pytest.mark.parametrize(
    ("variables", "auth", "key_from"),
    [
        ({"ANTHROPIC_AUTH_TOKEN": "token", "ANTHROPIC_API_KEY": "key"}, "api_key", "ANTHROPIC_AUTH_TOKEN"),
        ({"ANTHROPIC_API_KEY": "key"}, "x-api-key", "ANTHROPIC_API_KEY"),
        ({}, "none", ""),
    ],
)
def test_a_key_beside_another_address_goes_there_and_never_to_the_vendor(
    variables: dict[str, str], auth: str, key_from: str
) -> None:
    environment, (service,) = found(ANTHROPIC_BASE_URL=f"{GATEWAY}/v1/", **variables)
    endpoint = service.endpoint
    assert (endpoint.kind, endpoint.base_url, endpoint.auth) == ("compatible", GATEWAY, auth)
    assert (endpoint.label, endpoint.default_model) == ("gateway.example.com", ANTHROPIC_ENDPOINT.default_model)
    assert (service.address_from, service.key_from) == ("ANTHROPIC_BASE_URL", key_from)
    assert environment.key(endpoint)[1] == key_from
    assert environment.key(ANTHROPIC_ENDPOINT) == ("", "")


def test_of_openai_the_vendors_service_or_another_address_is_found() -> None:
    environment, (service,) = found(OPENAI_API_KEY="openai-key")
    assert (service.endpoint.kind, service.endpoint.base_url) == ("openai", OPENAI_ADDRESS)
    assert service.variables == "OPENAI_API_KEY"
    assert environment.key(service.endpoint) == ("openai-key", "OPENAI_API_KEY")
    environment, (service,) = found(OPENAI_API_KEY="openai-key", OPENAI_BASE_URL=GATEWAY)
    assert (service.endpoint.kind, service.endpoint.base_url) == ("openai_compatible", f"{GATEWAY}/v1")
    assert service.variables == "OPENAI_BASE_URL and OPENAI_API_KEY"
    vendor = Endpoint(id="vendor", label="OpenAI", kind="openai", base_url=OPENAI_ADDRESS)
    assert environment.key(vendor) == ("", "")
    _, (service,) = found(OPENAI_BASE_URL="http://127.0.0.1:8000/v1")
    assert (service.endpoint.auth, service.endpoint.label) == ("none", "127.0.0.1:8000")
    assert found(OPENAI_BASE_URL=OPENAI_ADDRESS)[1] == ()
    assert found()[1] == ()


@pytest.mark.parametrize("address", ["http://gateway.example.com", "gateway", "https://me:pw@gateway.example.com"])
def test_an_address_to_which_no_key_may_go_takes_its_key_along(address: str) -> None:
    environment, services = found(
        ANTHROPIC_BASE_URL=address, ANTHROPIC_API_KEY="key", OPENAI_BASE_URL=address, OPENAI_API_KEY="other"
    )
    assert services == ()
    assert environment.key(ANTHROPIC_ENDPOINT) == ("", "")
    assert [words.split()[0] for words in environment.problems] == ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]
    assert all("nor the key beside it" in words for words in environment.problems)


@pytest.mark.promise("sessions-SV4")
def test_it_is_used_only_while_no_service_of_its_kind_is_set_up() -> None:
    _, services = found(ANTHROPIC_BASE_URL=GATEWAY, ANTHROPIC_AUTH_TOKEN="token", OPENAI_API_KEY="key")

    def used(settings: Settings, *keyed: str) -> list[bool]:
        return [one.used for one in judged(services, settings, lambda endpoint_id: endpoint_id in keyed)]

    assert used(Settings()) == [True, True]
    assert used(Settings(), "anthropic") == [False, True]
    assert used(Settings(endpoints=(ANTHROPIC_ENDPOINT, OWN))) == [True, False]


def test_new_chats_have_it_only_while_their_own_service_has_no_key() -> None:
    _, services = found(ANTHROPIC_BASE_URL=GATEWAY, OPENAI_API_KEY="key")
    settings = Settings()
    used = judged(services, settings, lambda _: False)
    assert default_endpoint(settings, used, lambda _: False) == "env-anthropic"
    assert default_endpoint(settings, used, lambda _: True) == "anthropic"
    assert default_endpoint(settings, used[1:], lambda _: False) == "anthropic", "no model is chosen for it yet"
    demo = settings.model_copy(update={"default_endpoint": DEMO_ENDPOINT.id})
    assert default_endpoint(demo, used, lambda _: False) == "demo"


def test_keys_are_known_by_their_names_without_taking_them_out() -> None:
    variables = {"OPENAI_API_KEY": " one ", "ANTHROPIC_AUTH_TOKEN": "", "OTHER": "x"}
    assert keys_in(variables) == {"OPENAI_API_KEY": "one"}
    assert len(variables) == 3
