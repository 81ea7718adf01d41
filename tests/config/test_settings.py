"""What settings are valid: addresses a key may be sent to, the lanes folder."""

import pytest
from pydantic import ValidationError

from desktop.config.settings import ANTHROPIC_ENDPOINT, DEMO_ENDPOINT, Endpoint, Settings, address_problem


@pytest.mark.parametrize(
    "address",
    [
        "https://api.anthropic.com",
        "https://models.example.com:8443/anthropic",
        "http://127.0.0.1:11434",
        "http://localhost:8080",
        "http://[::1]:8080",
    ],
)
def test_a_key_may_be_sent_over_https_or_on_this_computer(address):
    assert address_problem(address) == ""
    assert Endpoint(id="x", label="X", kind="compatible", base_url=address).base_url == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "models.example.com",
        "http://models.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost@models.example.com",
        "https://key@models.example.com",
        "https://models.example.com?key=1",
        "https://models.example.com#x",
        "https://models example.com",
        "https://models.example.com:99999",
        "https://[::1",
        "file:///etc/passwd",
    ],
)
def test_a_key_is_sent_to_no_other_address(address):
    assert address_problem(address)
    with pytest.raises(ValidationError):
        Endpoint(id="x", label="X", kind="compatible", base_url=address)


def test_the_demo_needs_no_address():
    assert DEMO_ENDPOINT.base_url == ""


def test_blanks_around_an_address_do_not_count():
    assert (
        Endpoint(id="x", label="X", kind="compatible", base_url=" https://h.example/v1/ ").base_url
        == "https://h.example"
    )


def test_the_lanes_folder_is_a_whole_path_or_nothing(tmp_path):
    assert Settings(lanes_root=f" {tmp_path} ").lanes_root == str(tmp_path)
    assert Settings(lanes_root=" ").lanes_root == ""
    for path in ("lanes", "./lanes", "~/lanes"):
        with pytest.raises(ValidationError, match="whole path"):
            Settings(lanes_root=path)


def test_an_endpoint_of_a_kind_that_comes_with_none_was_added_by_a_person():
    added = Endpoint(id="x", label="X", kind="parrot", base_url="https://h.example/v1")
    assert (added.is_added, added.is_demo) == (True, False)
    assert added.base_url == "https://h.example/v1", "only kinds that speak /v1/messages add it to the address"
    assert [(one.is_added, one.is_demo) for one in (ANTHROPIC_ENDPOINT, DEMO_ENDPOINT)] == [
        (False, False),
        (False, True),
    ]
