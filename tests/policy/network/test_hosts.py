"""Spellings of hosts, and which of them a list names (gate-W1, gate-W5)."""

import pytest

from desktop.policy.network.hosts import AllowedHost, Host, Refused, check_allowed, check_host, is_allowed, matches

SAME = [
    ("example.org", "example.org"),
    ("EXAMPLE.Org", "example.org"),
    ("example.org.", "example.org"),
    ("a_b.example.org", "a_b.example.org"),
    ("_dmarc.example.org", "_dmarc.example.org"),
    ("bücher.de", "xn--bcher-kva.de"),
    ("BÜCHER.de", "xn--bcher-kva.de"),
    ("xn--bcher-kva.de", "xn--bcher-kva.de"),
    ("XN--BCHER-KVA.de", "xn--bcher-kva.de"),
    ("ｅｘａｍｐｌｅ.org", "example.org"),
    ("example。org", "example.org"),
    ("straße.de", "xn--strae-oqa.de"),
    ("127.example.org", "127.example.org"),
    ("0x7f.example", "0x7f.example"),
    ("example.0xorg", "example.0xorg"),
    ("localhost", "localhost"),
    ("8.8.8.8", "8.8.8.8"),
    ("8.8.8.8.", "8.8.8.8"),
    ("８.8.8.8", "8.8.8.8"),
    ("[2606:4700::1111]", "2606:4700::1111"),
    ("[2606:4700:0:0::1111]", "2606:4700::1111"),
]
REFUSED = [
    "",
    ".",
    "..",
    "a..b",
    ".example.org",
    "example.org..",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0.0.1",
    "0x",
    "127.0x",
    "017700000001",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.01",
    "127.0.0.256",
    "1.2.3.4.5",
    "example.123",
    "１２７.1",
    "::1",
    "[::1",
    "::1]",
    "[]",
    "[127.0.0.1]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[v1.fe80]",
    "a@b",
    "a:80",
    "a b",
    "a/b",
    "a%2eb",
    "a\x00b",
    "exa\u200bmple!.org",
    "-a.org",
    "a-.org",
    "xn--a.de",
    "xn--\u00fc.de",
    "☃.example",
    "a" * 64 + ".org",
    "a" * 1_001,
    ".".join(["a" * 60] * 5),
    "*.example.org",
]


@pytest.mark.parametrize(("text", "name"), SAME)
def test_a_host_has_one_spelling(text: str, name: str) -> None:
    host = check_host(text)
    assert isinstance(host, Host)
    assert host.name == name


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_surely_a_host_is_refused_with_a_reason(text: str) -> None:
    refused = check_host(text)
    assert isinstance(refused, Refused)
    assert refused.reason.endswith(".")


def test_a_name_is_shown_in_its_own_letters() -> None:
    host = check_host("xn--bcher-kva.de")
    assert host == Host("xn--bcher-kva.de", "bücher.de")


@pytest.mark.parametrize(("text", "address"), [("8.8.8.8", True), ("[::1]", True), ("8.example", False)])
def test_an_address_is_told_from_a_name(text: str, address: bool) -> None:
    host = check_host(text)
    assert isinstance(host, Host)
    assert host.is_address is address


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("ip6-localhost", True),
        ("localhost.localdomain", True),
        ("localhost.org", False),
    ],
)
def test_names_of_this_computer_are_known(text: str, local: bool) -> None:
    host = check_host(text)
    assert isinstance(host, Host)
    assert host.is_local is local


def test_an_address_of_the_longer_kind_stands_in_brackets_in_the_web() -> None:
    assert Host("::1", "::1", is_address=True).in_url == "[::1]"
    assert Host("a.org", "a.org").in_url == "a.org"


ALLOWED = [
    ("example.org", AllowedHost("example.org")),
    (" Example.org. ", AllowedHost("example.org")),
    (".example.org", AllowedHost(".example.org")),
    ("example.org:8080", AllowedHost("example.org", (8080,))),
    ("example.org:443, 80", AllowedHost("example.org", (80, 443))),
    (".bücher.de:80", AllowedHost(".xn--bcher-kva.de", (80,))),
    ("registry", AllowedHost("registry")),
]


@pytest.mark.parametrize(("text", "allowed"), ALLOWED)
def test_hosts_of_a_list_are_typed_with_their_ports(text: str, allowed: AllowedHost) -> None:
    assert check_allowed(text) == allowed


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        ".org",
        "8.8.8.8",
        "[::1]",
        "::1",
        "a.org:",
        "a.org:0",
        "a.org:65536",
        "a.org:http",
        "a.org:80,",
        "*.a.org",
    ],
)
def test_a_line_that_names_no_host_is_refused(text: str) -> None:
    assert isinstance(check_allowed(text), Refused)


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        (AllowedHost("a.org"), "a.org"),
        (AllowedHost("a.org", (80, 443)), "a.org:80,443"),
        (AllowedHost("::1", (80,)), "[::1]:80"),
    ],
)
def test_a_line_of_a_list_reads_as_it_was_typed(allowed: AllowedHost, text: str) -> None:
    assert allowed.text == text


MATCHES = [
    ("example.org", "example.org", True),
    ("a.example.org", ".example.org", True),
    ("a.b.example.org", ".example.org", True),
    ("example.org", ".example.org", False),
    ("badexample.org", ".example.org", False),
    ("badexample.org", "example.org", False),
    ("a.example.org", "example.org", False),
    ("example.org.evil.com", "example.org", False),
    ("example.org.evil.com", ".example.org", False),
    ("example.org", "", False),
    ("", "", False),
    (".", ".", False),
    (".example.org", ".example.org", False),
]


@pytest.mark.parametrize(("host", "pattern", "expected"), MATCHES)
@pytest.mark.promise("gate-W5")
def test_a_pattern_matches_exactly_or_by_whole_labels(host: str, pattern: str, expected: bool) -> None:
    assert matches(host, pattern) is expected


def test_a_list_names_a_host_with_its_ports_alone() -> None:
    allowed = (AllowedHost("a.org"), AllowedHost(".b.org", (80, 8080)))
    assert is_allowed("a.org", 443, allowed)
    assert not is_allowed("a.org", 80, allowed)
    assert is_allowed("x.b.org", 8080, allowed)
    assert not is_allowed("x.b.org", 443, allowed)
    assert not is_allowed("a.org", 443, ())
