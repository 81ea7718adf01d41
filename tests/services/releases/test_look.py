"""One look for a newer version, against a real server: what is sent, what is believed, what changes nothing."""

import asyncio
import time
from collections.abc import Iterable, Sequence

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop.config.releases import ReleaseSource
from desktop.domain.core.errors import BanksmanError
from desktop.services.egress.connecting import system_addresses
from desktop.services.egress.upstream import no_upstream
from desktop.services.releases.look import ReleaseLook
from desktop.services.releases.manifest import ReleaseError
from desktop.services.releases.seen import Seen
from desktop.services.web.client import Sent
from tests.fakes.web_host import Told, WebHost
from tests.release_list import AT, answered, listed, new_key, public

PATH = "/releases.json"
KEY, NEXT, OTHER = new_key(), new_key(), new_key()


def source(host: WebHost, key: Ed25519PrivateKey = KEY) -> ReleaseSource:
    place = f"http://127.0.0.1:{host.port}"
    return ReleaseSource(address=f"{place}{PATH}", page=f"{place}/page", key=public(key))


def look(
    host: WebHost, seen: Seen | None = None, installed: str = "1.0.0", key: Ed25519PrivateKey = KEY
) -> tuple[Seen, list[Sent]]:
    sent: list[Sent] = []

    async def run() -> Seen:
        asks = ReleaseLook(source(host, key), installed, system_addresses, no_upstream)
        return await asks.look(seen or Seen(), sent.append)

    return asyncio.run(run()), sent


def refused(host: WebHost, words: str, seen: Seen | None = None) -> None:
    with pytest.raises(ReleaseError, match=words):
        look(host, seen)


def test_one_plain_request_tells_of_a_newer_version_and_nothing_of_who_asks() -> None:
    with WebHost({PATH: answered(listed(KEY), '"a1"')}) as host:
        seen, sent = look(host)
    assert seen.newest is not None
    assert (seen.newest.version, seen.etag) == ("9.1.0", '"a1"')
    assert [(one.method, one.path, one.body) for one in host.asked] == [("GET", PATH, b"")]
    assert set(host.asked[0].headers) == {"host", "user-agent", "accept-encoding"}
    assert host.asked[0].headers["user-agent"] == "Banksman"
    assert [(one.host, one.port, one.ip, one.status) for one in sent] == [("127.0.0.1", host.port, "127.0.0.1", 200)]


def test_what_has_not_changed_is_not_sent_again() -> None:
    with WebHost({PATH: answered(listed(KEY), '"a1"')}) as host:
        seen, _ = look(host)
        host.pages[PATH] = answered(b"", status=304)
        again, _ = look(host, seen)
    assert host.asked[1].headers["if-none-match"] == '"a1"'
    assert again == seen


def test_an_answer_that_nothing_has_changed_counts_only_where_something_is_known() -> None:
    with WebHost({PATH: answered(b"", status=304)}) as host:
        refused(host, "answered with 304")


@pytest.mark.parametrize("etag", ["x" * 121, "grün"])
def test_a_long_or_odd_name_of_an_answer_is_never_sent_back(etag: str) -> None:
    with WebHost({PATH: answered(listed(KEY), etag)}) as host:
        seen, _ = look(host)
        look(host, seen)
    assert "if-none-match" not in host.asked[1].headers


def test_an_older_list_is_not_believed_though_it_is_signed() -> None:
    with WebHost({PATH: answered(listed(KEY, "9.2.0", AT))}) as host:
        seen, _ = look(host)
        host.pages[PATH] = answered(listed(KEY, "9.3.0", AT - 1))
        refused(host, "older than one that was seen before", seen)


def test_a_version_below_the_installed_changes_nothing() -> None:
    with WebHost({PATH: answered(listed(KEY, "0.9.0"), '"a1"')}) as host:
        seen, _ = look(host)
    assert (seen.newest, seen.etag) == (None, "")


def test_a_list_of_another_key_or_cut_off_is_not_believed() -> None:
    whole = listed(KEY)
    with WebHost({PATH: answered(listed(OTHER))}) as host:
        refused(host, "not signed as it should be")
        host.pages[PATH] = answered(whole[: len(whole) // 2])
        refused(host, "not signed as it should be")


def test_an_answer_that_ends_before_its_length_is_none() -> None:
    headers = {"Content-Type": "application/json", "Content-Length": "5000"}
    with WebHost({PATH: Told(lambda: [listed(KEY)], headers)}) as host, pytest.raises(BanksmanError):
        look(host)


def huge() -> Iterable[bytes]:
    for _ in range(1_000):
        yield b" " * 65_536


def test_a_huge_answer_is_not_read_to_its_end() -> None:
    with WebHost({PATH: Told(huge, {"Content-Type": "application/json"})}) as host:
        sent: list[Sent] = []

        async def run() -> None:
            asks = ReleaseLook(source(host), "1.0.0", system_addresses, no_upstream)
            await asks.look(Seen(), sent.append)

        with pytest.raises(BanksmanError, match="larger than"):
            asyncio.run(run())
    assert sent[0].received_bytes < 2_000_000


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with WebHost() as there, WebHost() as host:
        there.pages[PATH] = answered(listed(KEY))
        host.pages[PATH] = Told(b"", {"Location": f"http://127.0.0.1:{there.port}{PATH}"}, status)
        refused(host, "leads to another address")
        host.pages[PATH] = Told(b"", {"Location": "/elsewhere"}, status)
        refused(host, "leads to another address")
    assert there.asked == []
    assert host.paths == [PATH, PATH]


def test_another_answer_is_told_with_its_number() -> None:
    with WebHost() as host:
        refused(host, "answered with 404. Nothing was done")


def test_an_address_that_leads_into_the_own_network_is_not_asked() -> None:
    async def inside(_host: str, _port: int) -> Sequence[str]:
        return ["10.0.0.7"]

    place = ReleaseSource(address="https://releases.example.org/a", page="https://example.org", key=public(KEY))
    asks = ReleaseLook(place, "1.0.0", inside, no_upstream)
    with pytest.raises(BanksmanError, match="was not asked"):
        asyncio.run(asks.look(Seen(), lambda sent: None))
    odd = place.model_copy(update={"address": "https://10.0.0.7/a"})
    with pytest.raises(ReleaseError, match="cannot be asked"):
        asyncio.run(ReleaseLook(odd, "1.0.0", inside, no_upstream).look(Seen(), lambda sent: None))


def test_nobody_there_is_an_error_within_its_time() -> None:
    with WebHost() as host:
        gone = host
    began = time.monotonic()
    with pytest.raises(BanksmanError, match="could not be read"):
        look(gone)
    assert time.monotonic() - began < 20


def test_an_announced_key_takes_over_with_its_first_list() -> None:
    with WebHost({PATH: answered(listed(NEXT))}) as host:
        refused(host, "not signed")
        host.pages[PATH] = answered(listed(KEY, next_key=public(NEXT)))
        seen, _ = look(host)
        assert seen.keys == (public(KEY), public(NEXT))
        host.pages[PATH] = answered(listed(NEXT, "9.2.0", AT + 1))
        seen, _ = look(host, seen)
        assert seen.keys == (public(NEXT),)
        host.pages[PATH] = answered(listed(KEY, "9.3.0", AT + 2))
        refused(host, "not signed", seen)


def test_an_announcement_ends_with_a_list_that_makes_none() -> None:
    with WebHost({PATH: answered(listed(KEY, next_key=public(NEXT)))}) as host:
        seen, _ = look(host)
        host.pages[PATH] = answered(listed(KEY, "9.2.0", AT + 1))
        seen, _ = look(host, seen)
        assert seen.keys == (public(KEY),)


def test_a_build_with_another_key_believes_that_one_alone() -> None:
    with WebHost({PATH: answered(listed(KEY, next_key=public(NEXT)))}) as host:
        seen, _ = look(host)
        host.pages[PATH] = answered(listed(OTHER, "9.2.0", AT + 1))
        seen, _ = look(host, seen, key=OTHER)
        assert seen.keys == (public(OTHER),)
        host.pages[PATH] = answered(listed(OTHER, "9.3.0", AT))
        with pytest.raises(ReleaseError, match="older"):
            look(host, seen, key=OTHER)
