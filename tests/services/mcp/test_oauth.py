"""Signing in to a server, with an authority and a server on 127.0.0.1, and a browser that follows redirects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import pytest_asyncio
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import SecretStr

from desktop.policy.mcp.addresses import ServerAddress, check_server
from desktop.services.mcp.http import HttpTransport
from desktop.services.mcp.sign_in.grants import Grant, GrantBook
from desktop.services.mcp.sign_in.oauth import Client, Connection, NeedsClient, SignIn, audience_fault, begin
from desktop.services.mcp.sign_in.place import SignInError
from desktop.services.mcp.sign_in.redirects import return_place
from desktop.services.mcp.sign_in.tokens import Bearer, Tokens
from desktop.services.settings.keyring_entries import KeyringEntries
from tests.fakes.mcp_http import FakeMcpHttp
from tests.fakes.oauth_http import FakeAuthority, SignedInMcpHttp, jwt

pytestmark = pytest.mark.asyncio


class Both:
    """An authority and a server that takes its tokens; `book` holds what was given."""

    def __init__(self, authority: FakeAuthority, server: SignedInMcpHttp) -> None:
        self.authority = authority
        self.server = server
        self.entries = KeyringEntries()
        self.book = GrantBook(self.entries)
        self.now = 0.0
        self.stack = AsyncExitStack()

    @property
    def place(self) -> ServerAddress:
        found = check_server(self.server.url, private=False)
        assert isinstance(found, ServerAddress)
        return found

    async def begun(self, challenge: str = "", client: Client | None = None) -> SignIn:
        connection = await self.stack.enter_async_context(Connection(self.place))
        sign_in = await begin(connection, challenge or self.server.challenge, client)
        self.stack.callback(sign_in.close)
        return sign_in

    async def signed_in(self, client: Client | None = None) -> Grant:
        sign_in = await self.begun(client=client)
        grant, _ = await asyncio.gather(sign_in.grant(), browse(sign_in.address))
        await self.book.keep("tools", self.server.url, grant)
        return grant

    async def fails(self, challenge: str = "") -> str:
        """Why nobody can be signed in."""
        with pytest.raises(SignInError) as caught:
            await self.begun(challenge)
        return str(caught.value)

    async def comes_back_wrong(self, address: str | None = None, **changes: str) -> str:
        """Why nobody was signed in, when the browser brings an answer with these changes."""
        sign_in = await self.begun()
        with pytest.raises(SignInError) as caught:
            await asyncio.gather(sign_in.grant(), browse(address or sign_in.address, **changes))
        return str(caught.value)

    def tokens(self) -> Tokens:
        return Tokens("tools", self.place, self.book, now=lambda: self.now)

    async def call(self) -> tuple[str, str | None]:
        """Why a session with the token could not begin, "", and what the server wants."""
        heard: list[str | None] = [None]
        link = HttpTransport(self.place, auth=Bearer(self.tokens(), self.place), wanted=heard.append)
        async with AsyncExitStack() as stack:
            read, write = await stack.enter_async_context(link)
            session = await stack.enter_async_context(ClientSession(read, write, read_timeout_seconds=20))
            try:
                await session.initialize()
            except MCPError as error:
                return link.why or str(error), heard[-1]
        return link.why, heard[-1]


async def browse(address: str, **changes: str) -> httpx2.Response:
    """What a browser does: it goes where it is sent. `changes`: to the query with which it comes back."""
    async with httpx2.AsyncClient() as client:
        sent = await client.get(address)
        back = httpx2.URL(sent.headers["location"])
        return await client.get(back.copy_merge_params(changes))


@pytest_asyncio.fixture
async def both() -> AsyncIterator[Both]:
    with FakeAuthority() as authority, SignedInMcpHttp(authority) as server:
        made = Both(authority, server)
        async with made.stack:
            yield made


@pytest.mark.promise("guests-M30")
async def test_a_person_signs_in_and_the_token_is_used(both: Both) -> None:
    sign_in = await both.begun()
    asked = {name: values[0] for name, values in parse_qs(urlsplit(sign_in.address).query).items()}
    assert sign_in.address.startswith(f"{both.authority.origin}/authorize?")
    assert asked["code_challenge_method"] == "S256"
    assert asked["resource"] == both.server.url
    assert asked["scope"] == "read write"
    assert urlsplit(asked["redirect_uri"]).hostname == "127.0.0.1"
    grant, page = await asyncio.gather(sign_in.grant(), browse(sign_in.address))
    assert page.status_code == 200
    assert page.headers["referrer-policy"] == "no-referrer"
    await both.book.keep("tools", both.server.url, grant)
    (exchange,) = both.authority.exchanges
    assert exchange["resource"] == both.server.url
    assert await both.call() == ("", None)
    assert {one.token for one in both.server.asked("/mcp")} == {"access-1"}


async def test_a_server_without_a_token_says_where_to_sign_in(both: Both) -> None:
    _, challenge = await both.call()
    assert challenge == both.server.challenge
    assert both.server.asked("/mcp")[0].token == ""


async def test_tokens_are_secrets_of_one_server_at_one_address(both: Both) -> None:
    await both.signed_in()
    assert {"access-1", "refresh-1"} <= set(both.entries.known_values().values())
    assert await both.book.find("tools", "https://elsewhere.example/mcp") is None
    assert await both.book.find("other", both.server.url) is None
    await both.book.forget("tools")
    assert await both.book.find("tools", both.server.url) is None
    assert "access-1" in both.entries.known_values().values()


@pytest.mark.promise("guests-M30")
async def test_a_token_goes_to_no_other_origin(both: Both) -> None:
    await both.signed_in()
    with FakeMcpHttp() as other:
        both.server.habits.redirect = other.url
        said, _ = await both.call()
        assert "not followed" in said
        async with httpx2.AsyncClient(auth=Bearer(both.tokens(), both.place)) as client:
            await client.post(other.url, json={})
        assert [one.token for one in other.seen] == [""]


async def test_a_token_that_ends_is_renewed_in_place(both: Both) -> None:
    grant = await both.signed_in()
    assert grant.terms.expires_at is not None
    both.server.habits.token = "access-2"
    both.now = grant.terms.expires_at
    assert await both.call() == ("", None)
    renewal = both.authority.exchanges[-1]
    assert (renewal["refresh_token"], renewal["resource"]) == ("refresh-1", both.server.url)
    kept = await both.book.find("tools", both.server.url)
    assert kept is not None
    assert kept.access.get_secret_value() == "access-2"
    assert kept.terms.client_id == "made-here"


async def test_a_token_that_is_not_taken_any_more_is_renewed_once(both: Both) -> None:
    await both.signed_in()
    both.server.habits.token = "access-2"
    assert await both.call() == ("", None)
    assert both.authority.given == 2
    tokens = both.tokens()
    both.authority.token = {"access_token": "access-3"}
    assert await asyncio.gather(*(tokens.renewed("access-2") for _ in range(5))) == ["access-3"] * 5
    assert both.authority.given == 3


async def test_two_connections_that_renew_at_once_show_a_refresh_token_once(both: Both) -> None:
    await both.signed_in()
    one, other = both.tokens(), both.tokens()
    assert await asyncio.gather(one.renewed("access-1"), other.renewed("access-1")) == ["access-2", "access-2"]
    assert both.authority.given == 2


async def test_who_signs_out_while_a_token_is_renewed_stays_signed_out(both: Both) -> None:
    await both.signed_in()
    both.authority.held.set()
    before = both.authority.waiting
    renewing = asyncio.create_task(both.tokens().renewed("access-1"))
    async with asyncio.timeout(20):
        while both.authority.waiting == before:
            await asyncio.sleep(0.01)
    await both.book.forget("tools")
    both.authority.held.clear()
    assert await renewing == ""
    assert await both.book.find("tools", both.server.url) is None


async def test_a_refused_renewal_means_signing_in_again(both: Both) -> None:
    await both.signed_in()
    both.server.habits.token = "access-9"
    both.authority.refuses_renewal = True
    assert (await both.call())[1] == both.server.challenge
    assert await both.book.find("tools", both.server.url) is None


async def test_an_authority_that_is_down_keeps_the_grant(both: Both) -> None:
    await both.signed_in()
    both.server.habits.token = "access-9"
    both.authority.down = True
    assert (await both.call())[0]
    assert await both.book.find("tools", both.server.url) is not None


async def test_a_token_without_renewal_is_forgotten_when_it_is_refused(both: Both) -> None:
    both.authority.token = {"refresh_token": None, "expires_in": None}
    grant = await both.signed_in()
    assert grant.terms.expires_at is None
    both.server.habits.token = "access-9"
    assert (await both.call())[1] == both.server.challenge
    assert await both.book.find("tools", both.server.url) is None


@pytest.mark.promise("guests-M30")
async def test_an_answer_with_another_state_signs_nobody_in(both: Both) -> None:
    assert "another sign-in" in await both.comes_back_wrong(state="guessed")
    assert both.authority.exchanges == []


@pytest.mark.promise("guests-M30")
async def test_an_answer_counts_once(both: Both) -> None:
    sign_in = await both.begun()
    async with httpx2.AsyncClient() as client:
        back = (await client.get(sign_in.address)).headers["location"]
        first, second = await asyncio.gather(sign_in.grant(), client.get(back))
        assert (first.access.get_secret_value(), second.status_code) == ("access-1", 200)
        with pytest.raises(httpx2.ConnectError):
            await client.get(back)


async def test_a_code_that_was_used_is_refused_by_its_authority(both: Both) -> None:
    sign_in = await both.begun()
    async with httpx2.AsyncClient() as client:
        back = httpx2.URL((await client.get(sign_in.address)).headers["location"])
    await asyncio.gather(sign_in.grant(), browse_to(back))
    assert "invalid_grant" in await both.comes_back_wrong(code=back.params["code"])


async def browse_to(back: httpx2.URL) -> None:
    async with httpx2.AsyncClient() as client:
        await client.get(back)


async def test_what_does_not_come_from_the_browser_is_not_heard(both: Both) -> None:
    sign_in = await both.begun()
    async with httpx2.AsyncClient() as client:
        back = httpx2.URL((await client.get(sign_in.address)).headers["location"])
        assert (await client.post(back)).status_code == 404
        assert (await client.get(back.copy_with(path="/favicon.ico"))).status_code == 404
        assert (await client.get(back, headers={"Host": "evil.example"})).status_code == 404
    grant, _ = await asyncio.gather(sign_in.grant(), browse_to(back))
    assert grant.access.get_secret_value() == "access-1"


async def test_a_refusal_is_told(both: Both) -> None:
    said = await both.comes_back_wrong(error="access_denied", error_description="Not \u202eyou.")
    assert said == "The sign-in was refused (Not \ufffdyou.)."


async def test_an_answer_without_a_code_signs_nobody_in(both: Both) -> None:
    assert "without an answer" in await both.comes_back_wrong(code="")


@pytest.mark.promise("guests-M30")
async def test_nobody_is_waited_for_longer_than_five_minutes(both: Both) -> None:
    sign_in = await both.begun()
    with pytest.raises(SignInError, match="Nobody signed in"):
        await sign_in.grant(wait_s=0.05)
    with pytest.raises(httpx2.ConnectError):
        await browse(sign_in.address)


async def test_an_answer_of_another_authority_signs_nobody_in(both: Both) -> None:
    both.authority.said_issuer = "https://evil.example"
    assert "another authority" in await both.comes_back_wrong()
    both.authority.said_issuer = ""
    both.authority.metadata = {"authorization_response_iss_parameter_supported": True}
    assert "another authority" in await both.comes_back_wrong()
    both.authority.said_issuer = both.authority.origin
    assert (await both.signed_in()).access.get_secret_value()


@pytest.mark.promise("guests-M30")
async def test_what_a_silent_authority_says_reaches_no_other_one(both: Both) -> None:
    """It tells nobody who it is when it sends people back, and knows Banksman by an id that is no secret."""
    with FakeAuthority() as honest:
        back = urlsplit(return_place(honest.origin))
        honest.known_at = {"banksman": back.path}
        both.authority.honest, both.authority.poses_as = honest.origin, "banksman"
        sign_in = await both.begun()
        async with httpx2.AsyncClient(follow_redirects=True) as browser:
            seen = await browser.get(sign_in.address)
        assert (seen.status_code, seen.url.host, "does not come back there" in seen.text) == (400, "127.0.0.1", True)
        assert [one.path for one in honest.seen] == ["/authorize"]
        assert both.authority.exchanges == []

        both.server.resource = {"authorization_servers": [honest.origin]}
        grant = await both.signed_in(Client("banksman"))
        assert grant.terms.issuer == honest.origin


async def test_where_people_come_back_to_is_another_place_for_each_authority(both: Both) -> None:
    places = {return_place(issuer) for issuer in ("https://a.example", "https://b.example", "https://a.example/b")}
    assert len(places) == 3
    both.authority.metadata = {"registration_endpoint": None}
    with pytest.raises(NeedsClient) as caught:
        await both.begun()
    assert caught.value.returns_to == return_place(both.authority.origin)
    sign_in = await both.begun(client=Client("mine"))
    asked = parse_qs(urlsplit(sign_in.address).query)["redirect_uri"][0]
    assert urlsplit(asked).path == urlsplit(caught.value.returns_to).path
    async with httpx2.AsyncClient() as client:
        back = httpx2.URL((await client.get(sign_in.address)).headers["location"])
        elsewhere = await client.get(back.copy_with(path=urlsplit(return_place("https://b.example")).path))
    assert elsewhere.status_code == 404, "what comes at the place of another is not heard"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"issuer": "https://other.example"}, "says that it is another one: https://other.example"),
        ({"token_endpoint": "http://login.example.org/token"}, "login.example.org would be asked without https"),
        ({"authorization_endpoint": "https://192.168.1.1/a"}, "not an address of the public network"),
        ({"registration_endpoint": "http://login.example.org/r"}, "without https"),
        ({"code_challenge_methods_supported": ["plain"]}, "PKCE, S256"),
        ({"code_challenge_methods_supported": None}, "PKCE, S256"),
        ({"token_endpoint": None}, "does not say how to sign in"),
    ],
)
async def test_an_authority_that_does_not_fit_together_is_refused(
    both: Both, change: dict[str, object], words: str
) -> None:
    both.authority.metadata = change
    assert words in await both.fails()
    assert both.authority.asked("/register") == []


@pytest.mark.parametrize("more", ["#x", "?redirect_uri=http://127.0.0.1:9/", "?a=b&STATE=mine", "?request_uri=u"])
async def test_a_page_that_is_filled_in_already_is_not_used(both: Both, more: str) -> None:
    both.authority.metadata = {"authorization_endpoint": f"{both.authority.origin}/authorize{more}"}
    assert "filled in already" in await both.fails()


async def test_a_code_goes_to_the_authority_alone_wherever_that_sends_it(both: Both) -> None:
    with FakeMcpHttp() as hop, FakeMcpHttp() as other:
        hop.habits.redirect = other.url
        both.authority.metadata = {"token_endpoint": hop.url}
        assert "gave no token" in await both.comes_back_wrong()
        assert [one.path for one in hop.seen] == ["/mcp"]
        assert other.seen == []


async def test_who_gets_what_is_given_is_told_where_it_is_not_the_page(both: Both) -> None:
    async with Connection(both.place) as connection:
        sign_in = await begin(connection, both.server.challenge)
        assert sign_in.authority.sent_to == ""
        sign_in.close()
        apart = replace(sign_in.authority, token_at="https://collects.example/token")
        assert apart.sent_to == "collects.example"


async def test_metadata_of_another_origin_is_not_asked_for(both: Both) -> None:
    with FakeMcpHttp() as other:
        said = await both.fails(f'Bearer resource_metadata="{other.origin}/meta"')
        assert "which is not itself" in said
        assert other.seen == []


async def test_a_resource_of_another_place_is_refused(both: Both) -> None:
    both.server.resource = {"resource": "https://bank.example/"}
    assert "for another place: https://bank.example/" in await both.fails()


async def test_a_server_on_the_network_names_no_authority_on_this_computer() -> None:
    place = check_server("https://tools.example.org/mcp", private=False)
    assert isinstance(place, ServerAddress)
    async with Connection(place) as connection:
        with pytest.raises(SignInError, match="which is not itself"):
            await begin(connection, 'Bearer resource_metadata="http://127.0.0.1:1/meta"')


async def test_a_token_for_another_place_is_not_kept(both: Both) -> None:
    both.authority.token = {"access_token": jwt(aud="https://bank.example/")}
    with pytest.raises(SignInError, match="for another place"):
        await both.signed_in()
    assert await both.book.find("tools", both.server.url) is None


@pytest.mark.parametrize(
    ("token", "is_refused"),
    [
        (jwt(aud="https://a.example/mcp"), False),
        (jwt(aud=["https://a.example", "https://b.example"]), False),
        (jwt(aud="https://b.example/"), True),
        (jwt(aud=["https://b.example/", "https://a.example/other"]), True),
        (jwt(aud="a-name"), False),
        (jwt(aud=["a-name", "https://b.example"]), False),
        (jwt(), False),
        ("opaque", False),
        ("a.!.c", False),
    ],
)
async def test_the_audience_of_a_token_is_looked_at(token: str, is_refused: bool) -> None:
    assert bool(audience_fault(token, "https://a.example/mcp")) is is_refused


async def test_a_program_that_the_person_has_is_used(both: Both) -> None:
    both.authority.metadata = {"registration_endpoint": None}
    with pytest.raises(NeedsClient, match="an id that you get there"):
        await both.signed_in()
    grant = await both.signed_in(Client("mine", SecretStr("hush-hush"), "client_secret_post"))
    assert grant.terms.client_id == "mine"
    assert both.authority.exchanges[-1]["client_secret"] == "hush-hush"
    assert both.authority.asked("/register") == []


async def test_a_registration_that_cannot_be_used_is_refused(both: Both) -> None:
    both.authority.registered = {"token_endpoint_auth_method": "private_key_jwt"}
    assert "in a way that it cannot use" in await both.fails()
    both.authority.registered = {"client_secret": "s3cret-s3cret", "token_endpoint_auth_method": "client_secret_basic"}
    await both.signed_in()
    assert both.authority.asked("/token")[-1].headers["authorization"].startswith("Basic ")
