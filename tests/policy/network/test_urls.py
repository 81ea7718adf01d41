"""The static rules for addresses of the web (gate-W1)."""

import pytest

from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import WebAddress, check_url

SPELLED = [
    ("https://example.org", "https://example.org/"),
    ("HTTPS://Example.ORG/A?b#c", "https://example.org/A?b"),
    ("https://example.org./", "https://example.org/"),
    ("https://example.org:443/", "https://example.org/"),
    ("http://example.org:80", "http://example.org/"),
    ("http://example.org:/", "http://example.org/"),
    ("http://example.org:8080/x", "http://example.org:8080/x"),
    ("https://example.org?q=1", "https://example.org/?q=1"),
    ("https://bücher.de/ä", "https://xn--bcher-kva.de/ä"),
    ("https://8.8.8.8/", "https://8.8.8.8/"),
    ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
    ("https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"),
    ("https://example.org/@x", "https://example.org/@x"),
]


@pytest.mark.parametrize(("text", "spelled"), SPELLED)
def test_an_address_has_one_spelling(text: str, spelled: str) -> None:
    address = check_url(text)
    assert isinstance(address, WebAddress)
    assert address.text == spelled


REFUSED = [
    "",
    "example.org",
    "//example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https:example.org",
    "https:///x",
    "https://",
    "http://a@b/",
    "http://a:b@example.org/",
    "http://@example.org/",
    "http://example.org\\@127.0.0.1/",
    "http://example.org /",
    " https://example.org/",
    "https://example.org/\n",
    "https://example.org/\x00",
    "https://example.org/\u200b",
    "https://example.org/\u202e",
    "https://exa\u00admple.org/",
    "https://example.org:0/",
    "https://example.org:65536/",
    "https://example.org:123456/",
    "https://example.org:-1/",
    "https://example.org:٨٠/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1/",
    "http://127.0.0.1.:8080/",
    "http://１２７.0.0.1/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://::1/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://x.localhost/",
    "https://example.org/" + "x" * 4_096,
]


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.promise("gate-W1")
def test_an_address_that_breaks_a_rule_is_refused_with_a_reason(text: str) -> None:
    refused = check_url(text)
    assert isinstance(refused, Refused)
    assert refused.reason.endswith(".")


def test_a_host_that_a_person_named_as_private_passes_and_no_other() -> None:
    named = frozenset({"192.168.1.5", "localhost"})
    assert isinstance(check_url("http://192.168.1.5:8888/search", private=named), WebAddress)
    assert isinstance(check_url("http://localhost:8888/", private=named), WebAddress)
    assert isinstance(check_url("http://192.168.1.6/", private=named), Refused)
