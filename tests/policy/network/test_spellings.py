"""Forty hosts, each written as people and programs write it to be let through: compared one by one (gate-W2)."""

from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest

from desktop.domain.core.permissions import Assessment, Category, PermissionMode, Verdict
from desktop.policy.call_facts import CallFacts, SessionGateFacts
from desktop.policy.gate import decide
from desktop.policy.network.urls import WebAddress, check_url
from desktop.policy.web import web_facts

DENIED = "DENY"
# What is written, and what becomes of it: DENIED, or the one spelling under which it is judged, asked about and shown.
FORTY = [
    ("http://0x7f.1/", DENIED),
    ("http://[::ffff:7f00:1]/", DENIED),
    ("http://a@b/", DENIED),
    ("https://example.org.", "https://example.org/"),
    ("http://2130706433/", DENIED),
    ("http://0x7f000001/", DENIED),
    ("http://017700000001/", DENIED),
    ("http://0177.0.0.1/", DENIED),
    ("http://0x7f.0x0.0x0.0x1/", DENIED),
    ("http://127.1/", DENIED),
    ("http://127.0.1/", DENIED),
    ("http://0/", DENIED),
    ("http://127.0.0.1./", DENIED),
    ("http://127.0.0.1:8080/", DENIED),
    ("http://１２７.０.０.１/", DENIED),
    ("http://127。0。0。1/", DENIED),
    ("http://127.0.0.1%2f/", DENIED),
    ("http://%31%32%37.0.0.1/", DENIED),
    ("http://0000000127.0.0.1/", DENIED),
    ("http://127.0.0.1@example.org/", DENIED),
    ("http://example.org@127.0.0.1/", DENIED),
    ("http://example.org\\@127.0.0.1/", DENIED),
    ("http://[::1]/", DENIED),
    ("http://[0:0:0:0:0:0:0:1]/", DENIED),
    ("http://[::127.0.0.1]/", DENIED),
    ("http://[::ffff:127.0.0.1]/", DENIED),
    ("http://[::FFFF:A9FE:A9FE]/", DENIED),
    ("http://[2002:7f00:1::]/", DENIED),
    ("http://[64:ff9b::7f00:1]/", DENIED),
    ("http://[64:ff9b:1::a00:1]/", DENIED),
    ("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", DENIED),
    ("http://[fe80::1%25eth0]/", DENIED),
    ("http://169.254.169.254/latest/meta-data", DENIED),
    ("http://2852039166/", DENIED),
    ("http://10.1.2.3/", DENIED),
    ("http://100.64.0.1/", DENIED),
    ("http://localhost/", DENIED),
    ("http://LOCALHOST.:80/", DENIED),
    ("https://EXAMPLE.org:443/a", "https://example.org/a"),
    ("https://Bücher.DE/", "https://xn--bcher-kva.de/"),
]


def judged(url: str, mode: PermissionMode) -> tuple[Verdict, str]:
    web = web_facts(url, private=frozenset(), secrets=lambda text: (), read=frozenset())
    call = CallFacts(
        tool="web_fetch", category=Category.READ, assessment=Assessment(category=Category.READ), network=True, web=web
    )
    decision = decide(call, SessionGateFacts(mode=mode))
    return decision.verdict, decision.rule


def test_they_are_forty() -> None:
    assert len({url for url, _ in FORTY}) == 40


@pytest.mark.promise("gate-W1")
@pytest.mark.parametrize(("url", "expected"), FORTY, ids=[url for url, _ in FORTY])
@pytest.mark.parametrize("mode", list(PermissionMode))
def test_each_has_its_verdict_in_every_mode(mode: PermissionMode, url: str, expected: str) -> None:
    if expected is DENIED:
        assert judged(url, mode) == (Verdict.DENY, "net_address")
    else:
        assert judged(url, mode) == (Verdict.ASK, "net_host")
        found = check_url(url)
        assert isinstance(found, WebAddress)
        assert found.text == expected


INNER = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.2.1", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
]  # fmt: skip


def spellings(inner: str) -> Iterator[str]:
    """An address as `inet_aton`, resolvers and browsers take it, and within longer ones."""
    number = int(IPv4Address(inner))
    one, two, three, four = inner.split(".")
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    yield from (inner, f"{inner}.", str(number), hex(number), f"0{number:o}", hex(number).upper())
    yield from (
        ".".join(f"0x{int(part):x}" for part in inner.split(".")),
        ".".join(f"0{int(p):o}" for p in inner.split(".")),
    )
    yield from (
        f"{one}.{number & 0xFFFFFF}",
        f"{one}.{two}.{number & 0xFFFF}",
        f"0x{int(one):x}.{two}.0{int(three):o}.{four}",
    )
    yield from (inner.replace(".", "。"), "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in inner))
    yield from (f"[::ffff:{inner}]", f"[::ffff:{high}:{low}]", f"[0:0:0:0:0:FFFF:{high.upper()}:{low}]", f"[::{inner}]")
    yield from (
        f"[2002:{high}:{low}::]",
        f"[2002:{high}:{low}::1]",
        f"[64:ff9b::{inner}]",
        f"[64:ff9b:1::{high}:{low}]",
    )
    yield from (f"[2606:4700::5efe:{high}:{low}]", f"[2606:4700::200:5efe:{high}:{low}]", f"[::ffff:{inner}%25eth0]")


@pytest.mark.promise("gate-W2")
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("tail", ["/", ":8443/x?y=1", ""])
def test_an_address_that_is_not_public_is_refused_in_every_spelling(inner: str, scheme: str, tail: str) -> None:
    passed = [
        host
        for host in spellings(inner)
        if judged(f"{scheme}://{host}{tail}", PermissionMode.FULL_AUTO)[0] is not Verdict.DENY
    ]
    assert passed == []
