"""A secret in the header of a page's request: to the hosts of its record alone, over https, one card a use."""

import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.config.web import WebSettings
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.credentials.commands import RevokeCredential
from desktop.domain.credentials.events import CredentialStored, CredentialUsed
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import CredentialRequest
from tests.agent.credential_rig import allow, give
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.web_host import Told, WebHost

pytestmark = pytest.mark.asyncio

HOST = "api.shop.example"
VALUE = "tok_R4nd0m-Zx81Lq0Pw77Ys"
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebHost]:
    """A server over TLS, whose certificate is trusted in this test."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
         "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda trust_env: trusted)
    pages = {
        "/me": Told(f"You are Ada. Token {VALUE}.".encode(), TEXT),
        "/moved": Told(b"", {"Location": "/me", **TEXT}, 302),
    }
    with WebHost(pages) as host:
        host.socket = served.wrap_socket(host.socket, server_side=True)
        yield host


@pytest_asyncio.fixture
async def web(folders: Folders, model_api: FakeModelApi, repository: Path) -> AsyncIterator[Rig]:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    write_settings(folders, model_api.url, web=WebSettings(enabled=True, private_hosts=(HOST, "other.example")))
    rig = await Rig(folders, EngineOptions(resolve=resolve)).open(repository)
    yield rig
    await rig.engine.stop()


async def given(rig: Rig, model_api: FakeModelApi, site: WebHost, value: str = VALUE) -> tuple[str, str]:
    """A chat in full auto to which a person gave a secret for this host: the ids of both."""
    place = f"{HOST}:{site.port}"
    ask = tool_turn("request_credential", provider="Shop", names=["KEY"], hosts=[place])
    model_api.script(ask, text_turn("ready"))
    session_id = await rig.new("Look me up", mode=PermissionMode.FULL_AUTO, without_sandbox=True)
    asked = await rig.asked()
    assert isinstance(asked.request, CredentialRequest)
    assert asked.request.hosts == (place,)
    secret_id = await give(rig, session_id, asked, value=value, hosts=(place,), kept="month")
    await rig.ended()
    assert rig.events(CredentialStored)[0].hosts == (place,)
    return session_id, secret_id


def fetch(url: str, secret_id: str, **more: str) -> object:
    return tool_turn("web_fetch", url=url, auth={"secret": f"secret:{secret_id}", "prefix": "Bearer ", **more})


@pytest.mark.promise("memory-CR3")
@pytest.mark.promise("memory-CR5")
async def test_a_page_is_asked_for_with_the_secret_once_a_person_allowed_this_use(
    web: Rig, model_api: FakeModelApi, site: WebHost, tmp_path: Path
) -> None:
    session_id, secret_id = await given(web, model_api, site)
    url = f"https://{HOST}:{site.port}"
    model_api.script(fetch(f"{url}/me", secret_id), fetch(f"{url}/moved", secret_id), text_turn("done"))
    await web.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    card = await allow(web, session_id, await web.asked(2))
    assert f"{HOST} is sent the secret Shop in the header Authorization." in card.reason
    assert (card.rule, card.confirm_word, [one.scope for one in card.grants]) == (
        "credential_use", "Authorization", ["once"]
    )  # fmt: skip
    assert f"Authorization: Bearer [secret:{secret_id}]" in str(card.card)
    await allow(web, session_id, await web.asked(3))
    await web.ended(2)
    _stored, page, moved = web.events(ToolCallFinished)
    assert "You are Ada. Token [secret " in str(page.content)
    assert f"elsewhere, which was not asked: {url}/me" in str(moved.content)
    assert [(one.path, one.headers.get("authorization")) for one in site.asked] == [
        ("/me", f"Bearer {VALUE}"), ("/moved", f"Bearer {VALUE}"),
    ]  # fmt: skip
    used = web.events(CredentialUsed)
    assert [(one.way, one.name, one.host) for one in used] == [("header", "Authorization", HOST)] * 2
    assert "the secret Shop" in [one.source for one in web.events(SessionTainted)]
    assert all(VALUE not in request.raw.decode() for request in model_api.requests)
    await web.engine.stop()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()]
    assert [path.name for path in files] == ["keyring"]


@pytest.mark.promise("memory-CR5")
async def test_a_secret_goes_to_no_other_host_port_or_scheme_and_to_none_after_it_was_removed(
    web: Rig, model_api: FakeModelApi, site: WebHost
) -> None:
    session_id, secret_id = await given(web, model_api, site)
    url = f"https://{HOST}:{site.port}/me"
    model_api.script(
        fetch(f"https://other.example:{site.port}/me", secret_id),
        fetch(f"https://{HOST}/me", secret_id),
        fetch(f"http://{HOST}:{site.port}/me", secret_id),
        fetch(url, secret_id, header="Host"),
        fetch(url, secret_id, prefix="x\r\nHost: y"),
        fetch(url, "sec_000000000000"),
        text_turn("done"),
    )  # type: ignore[arg-type]
    await web.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await web.ended(2)
    results = [str(one.content) for one in web.events(ToolCallFinished)[1:]]
    wanted = (
        "not to other.example at port", f"not to {HOST} at port 443", "over https alone", "never sent as Host",
        "auth.prefix", "There is no",
    )  # fmt: skip
    for result, words in zip(results, wanted, strict=True):
        assert words in result
    model_api.script(fetch(url, secret_id), text_turn("done"))
    await web.engine.handle(RevokeCredential(secret_id=secret_id))
    await web.engine.handle(SendMessage(session_id=session_id, text="And now"))
    await web.ended(3)
    assert "was removed" in str(web.events(ToolCallFinished)[-1].content)
    assert (site.asked, web.events(CredentialUsed)) == ([], [])


@pytest.mark.promise("memory-CR5")
async def test_a_secret_is_not_sent_to_its_host_where_that_leads_into_the_persons_network(
    folders: Folders, repository: Path, model_api: FakeModelApi, site: WebHost
) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    write_settings(folders, model_api.url, web=WebSettings(enabled=True))
    rig = await Rig(folders, EngineOptions(resolve=resolve)).open(repository)
    try:
        session_id, secret_id = await given(rig, model_api, site)
        model_api.script(fetch(f"https://{HOST}:{site.port}/me", secret_id), text_turn("done"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
        await allow(rig, session_id, await rig.asked(2))
        await rig.ended(2)
        assert rig.events(ToolCallFinished)[-1].is_error
        assert "not an address of the public network" in str(rig.events(ToolCallFinished)[-1].content)
        assert site.asked == []
    finally:
        await rig.engine.stop()


@pytest.mark.promise("memory-CR7")
@pytest.mark.promise("memory-CR8")
async def test_a_secret_typed_once_serves_a_command_and_a_header_and_stands_in_the_keyring_alone(
    web: Rig, model_api: FakeModelApi, site: WebHost, tmp_path: Path
) -> None:
    session_id, secret_id = await given(web, model_api, site)
    secrets = [{"secret": f"secret:{secret_id}", "env": "KEY"}]
    call = tool_turn("bash", command='printf "%s" "$KEY"', secrets=secrets)
    page = fetch(f"https://{HOST}:{site.port}/me", secret_id)
    model_api.script(call, page, text_turn("done"), page, text_turn("done"))
    await web.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await allow(web, session_id, await web.asked(2))
    await allow(web, session_id, await web.asked(3))
    await web.ended(2)
    assert [one.way for one in web.events(CredentialUsed)] == ["env", "header"]
    places = [path for path in tmp_path.rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()]
    assert [path.name for path in places] == ["keyring"]
    await web.engine.handle(RevokeCredential(secret_id=secret_id))
    await web.engine.handle(SendMessage(session_id=session_id, text="Once more"))
    await web.ended(3)
    assert f"secret:{secret_id} was removed." in str(web.events(ToolCallFinished)[-1].content)
    places = [path for path in tmp_path.rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()]
    assert places == []


async def test_a_secret_of_several_lines_fits_in_no_header(web: Rig, model_api: FakeModelApi, site: WebHost) -> None:
    session_id, secret_id = await given(web, model_api, site, value="first-line-1234\nInjected: yes-12345")
    model_api.script(fetch(f"https://{HOST}:{site.port}/me", secret_id), text_turn("done"))
    await web.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    await allow(web, session_id, await web.asked(2))
    await web.ended(2)
    assert "no header can hold it" in str(web.events(ToolCallFinished)[-1].content)
    assert (site.asked, web.events(CredentialUsed)) == ([], [])
