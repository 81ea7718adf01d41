"""Where a server may be, and what it may name."""

import pytest

from desktop.policy.mcp.addresses import ServerAddress, check_named, check_server, same_origin
from desktop.policy.network.hosts import Refused


@pytest.mark.parametrize(
    "url",
    [
        "https://tools.example.org/mcp",
        "http://127.0.0.1:3000/mcp",
        "http://localhost:3000/mcp",
        "http://[::1]:3000/mcp",
        "https://localhost/mcp",
    ],
)
def test_https_and_this_computer_are_accepted(url: str) -> None:
    found = check_server(url, private=False)
    assert isinstance(found, ServerAddress)
    assert found.text == url


@pytest.mark.promise("guests-M5")
@pytest.mark.parametrize(
    "url",
    [
        "http://tools.example.org/mcp",
        "ftp://tools.example.org/",
        "https://192.168.1.5/mcp",
        "https://169.254.169.254/latest",
        "https://0x7f.1/mcp",
        "https://[::ffff:7f00:1]/",
        "https://me:word@tools.example.org/",
        "https://tools.example.org/\u200b",
        "https:///mcp",
    ],
)
def test_everything_else_is_refused(url: str) -> None:
    assert isinstance(check_server(url, private=False), Refused)


@pytest.mark.parametrize("url", ["https://192.168.1.5:8443/mcp", "https://tools.home.arpa/mcp", "https://[fd00::1]/m"])
def test_a_host_that_a_person_named_as_private_is_reachable(url: str) -> None:
    found = check_server(url, private=True)
    assert isinstance(found, ServerAddress)
    assert found.reachable == {found.address.host.name}


def test_a_private_host_still_needs_https() -> None:
    assert isinstance(check_server("http://192.168.1.5/mcp", private=True), Refused)
    assert isinstance(check_server("https://0x7f.1/mcp", private=True), Refused)


def test_this_computer_alone_is_reached_by_a_server_on_it() -> None:
    local = check_server("http://127.0.0.1:3000/mcp", private=False)
    public = check_server("https://tools.example.org/mcp", private=False)
    own = check_server("https://192.168.1.5/mcp", private=True)
    assert isinstance(local, ServerAddress)
    assert isinstance(public, ServerAddress)
    assert isinstance(own, ServerAddress)
    for url, servers in {
        "http://127.0.0.1:9/token": [local],
        "https://127.0.0.1:9/token": [local],
        "https://login.example.org/token": [local, public, own],
        "http://login.example.org/token": [],
        "https://192.168.1.5/token": [own],
        "http://192.168.1.5/token": [],
        "https://192.168.1.6/token": [],
    }.items():
        taken = [one for one in (local, public, own) if not isinstance(check_named(url, one), Refused)]
        assert taken == servers, url


def test_origins_are_scheme_host_and_port() -> None:
    assert same_origin("https://a.example/x", "https://A.example:443/y?z")
    assert same_origin("http://192.168.1.5/", "http://192.168.1.5:80/")
    assert not same_origin("https://a.example/", "http://a.example/")
    assert not same_origin("https://a.example/", "https://a.example:444/")
    assert not same_origin("https://a.example/", "https://b.example/")
    assert not same_origin("nonsense", "nonsense")
