"""Which addresses are of the public network (gate-W2)."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.network.addresses import address_of, is_global

PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "192.0.1.1",
    "198.17.255.255",
    "198.20.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::8b",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.9",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:808:808",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_public_network_is_global(address: str) -> None:
    assert is_global(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
@pytest.mark.promise("gate-W2")
def test_every_other_address_is_not(address: str) -> None:
    assert not is_global(address)


@pytest.mark.parametrize("text", ["", "example.org", "127.1", "0x7f000001", "017700000001", "2130706433", "1.2.3.4.5"])
def test_a_text_that_is_no_address_in_its_usual_spelling_is_not_global(text: str) -> None:
    assert address_of(text) is None
    assert not is_global(text)


@given(st.integers(0, 2**32 - 1))
def test_forms_that_carry_an_address_are_never_more_public_than_it(number: int) -> None:
    inner = ip_address(number)
    for text in (f"::ffff:{inner}", f"64:ff9b::{inner}"):
        assert is_global(text) == is_global(inner)
    assert not is_global(ip_address((0x2002 << 112) | (number << 80)))


@given(st.integers(0, 2**32 - 1))
def test_what_python_calls_private_or_multicast_is_not_global(number: int) -> None:
    address = ip_address(number)
    if not address.is_global or address.is_multicast:
        assert not is_global(address)


@given(st.integers(0, 2**128 - 1))
def test_the_same_holds_for_the_longer_addresses(number: int) -> None:
    address = ip_address(number)
    if not address.is_global or address.is_multicast:
        assert not is_global(address)
