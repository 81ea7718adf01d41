"""Which addresses belong to the public network: everything that is not proven to is not (gate-W2)."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network, the unspecified address
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade translation
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
)
_PUBLIC_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: leads to the IPv4 address in it
        "3fff::/20",  # documentation
    )
)
_TRANSLATED = IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


def address_of(text: str) -> Address | None:
    """The address that a text spells, without the zone of a link-local one; None if it spells none. Only the usual
    spelling of an IPv4 address counts: four decimal numbers."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def is_global(address: Address | str) -> bool:
    """Whether a connection to this address goes to the public network.

    A mapped address and one that a translator makes (NAT64) are judged as the IPv4 address in them; tunnelled forms
    (6to4, Teredo, ISATAP) never count as public. A text that is no address does not either.
    """
    found = address_of(address) if isinstance(address, str) else address
    if isinstance(found, IPv6Address):
        inner = _inner(found)
        if inner is None:
            return _is_public_6(found)
        found = inner
    return found is not None and not any(found in network for network in _NOT_PUBLIC_4)


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _TRANSLATED else None


def _is_public_6(address: IPv6Address) -> bool:
    if address not in _PUBLIC_6 or any(address in network for network in _NOT_PUBLIC_6):
        return False
    return (int(address) >> 32) & 0xFFFFFFFF not in _ISATAP
