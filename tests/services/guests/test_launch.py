"""A guest in the real sandbox: what it sees, what it reaches, and how it ends."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from pydantic import JsonValue

from desktop.domain.guests.registry import GuestGateway
from desktop.services.acp.wire import WireClosed
from desktop.services.guests.launch import ModelChoice, secret_files
from desktop.services.peers.launching import PeerStartError
from tests.guest_ground import ROW, GuestGround, said
from tests.mcp_ground import until

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def ground(tmp_path: Path) -> AsyncIterator[GuestGround]:
    made = GuestGround(tmp_path)
    yield made
    await made.close()


@pytest.mark.promise("guests-A34")
async def test_a_guest_writes_the_lane_and_its_home_and_sees_nothing_else(ground: GuestGround) -> None:
    (ground.lane / ".git").mkdir()
    (ground.lane / ".env").write_text("KEY=1")
    process = await ground.start()
    assert await said(process, "look", path=str(ground.lane)) == ".env,.git,app.py"
    assert await said(process, "write", path=str(ground.lane / "new.py")) == "written"
    assert "KEY" not in str(await said(process, "look", path=str(ground.lane / ".env")))
    assert str(await said(process, "write", path=str(ground.lane / ".git" / "config"))).startswith("no: ")
    assert str(await said(process, "look", path=str(ground.person / "key"))).startswith("no: ")
    home = ground.data / "guests" / "peer" / "home"
    assert await said(process, "write", path=str(home / "session")) == "written"
    assert home.stat().st_mode & 0o777 == 0o700
    assert str(await said(process, "look", path=str(ground.data))) == "guests"
    assert (ground.lane / "new.py").read_text() == "written"


@pytest.mark.promise("guests-A37")
async def test_a_guest_gets_its_environment_and_no_other(ground: GuestGround) -> None:
    row = ROW.model_copy(update={"env": {"PEER_TRUST": "true"}})
    env = await said(await ground.start(ground.place(row, env={"BRIDGE": "1"})), "env")
    assert isinstance(env, dict)
    assert env["HOME"] == str((ground.data / "guests" / "peer" / "home").resolve())
    assert (env["PEER_TRUST"], env["BRIDGE"], env["NO_PROXY"]) == ("true", "1", "127.0.0.1,localhost")
    assert {env[name] for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY")} == {"http://127.0.0.1:3128"}
    assert "MODEL_KEY" not in env


@pytest.mark.promise("guests-A38")
async def test_a_guests_own_sandbox_is_off_inside_a_full_one(ground: GuestGround) -> None:
    process = await ground.start(ground.place(args=("--more",)))
    report = ground.sandbox.report
    assert report is not None
    own = ["--bare"] if report.level == "full" else []
    assert await said(process, "words") == ["--acp", *own, "--more"]


@pytest.mark.promise("guests-A34")
async def test_a_guest_reaches_its_hosts_and_no_others(ground: GuestGround) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        writer.close()

    service = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = service.sockets[0].getsockname()[1]
    row = ROW.model_copy(update={"env": {"NO_PROXY": "none"}})
    process = await ground.start(ground.place(row, hosts=(f"localhost:{port}",)))
    assert str(await said(process, "fetch", url=f"http://127.0.0.1:{port}/")).startswith("no: ")
    assert str(await said(process, "fetch", url="http://example.org/")).startswith("403")
    traffic = ground.egress.take("ses_1")
    assert {(one.kind, one.client, one.host) for one in traffic} == {("guest", "peer", "example.org")}
    service.close()


@pytest.mark.promise("guests-A34")
async def test_a_guest_asks_no_name_server(ground: GuestGround) -> None:
    process = await ground.start(ground.place(hosts=("example.org",)))
    report = ground.sandbox.report
    assert report is not None
    if report.level != "full":
        pytest.skip("Without a network of its own nothing keeps it from name servers.")
    found = await said(process, "resolve", name="example.org")
    assert isinstance(found, dict)
    assert len(found) == 7
    assert set(found.values()) == {"no"}


async def test_a_host_that_cannot_be_on_a_list_starts_nothing(ground: GuestGround) -> None:
    with pytest.raises(PeerStartError, match="not by address"):
        await ground.start(ground.place(hosts=("10.0.0.1",)))


MODEL_ROW = ROW.model_copy(
    update={"gateway": GuestGateway(dialect="anthropic", env={"BASE": "{url}", "KEY": "{key}"}, args=("--at={url}",))}
)


@pytest.mark.promise("guests-A36")
async def test_a_guest_asks_its_model_without_the_key(ground: GuestGround) -> None:
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        heard.append(head + await reader.readexactly(int(re.findall(rb"(?i)content-length: (\d+)", head)[0])))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        writer.close()

    service = await asyncio.start_server(answer, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{service.sockets[0].getsockname()[1]}"
    process = await ground.start(ground.place(MODEL_ROW, model=ModelChoice(base, lambda: "sk-real")))
    env, words = await said(process, "env"), await said(process, "words")
    assert isinstance(env, dict)
    assert words[-1] == "--at=http://127.0.0.1:3128"
    told: dict[str, JsonValue] = {"x-api-key": env["KEY"]}
    asked = await said(process, "fetch", url=f"{env['BASE']}/v1/messages", body={"n": 1}, headers=told)
    assert asked == "200 hi"
    assert b"x-api-key: sk-real\r\n" in heard[0]
    assert str(env["KEY"]).encode() not in heard[0]
    assert heard[0].endswith(b'{"n": 1}')
    assert "sk-real" not in json.dumps([env, words, await said(process, "look", path="/proc/1/environ")])
    for path in ("/v1/files", "/v1/messages/../files"):
        assert str(await said(process, "fetch", url=f"{env['BASE']}{path}", body={})).startswith("403")
    assert str(await said(process, "fetch", url=f"{base}/v1/messages", body={})).startswith("no: ")
    assert len(heard) == 1
    service.close()


async def test_a_guest_that_cannot_be_told_of_a_model_does_not_start_with_one(ground: GuestGround) -> None:
    with pytest.raises(PeerStartError, match="let it sign in"):
        await ground.start(ground.place(model=ModelChoice("https://x.org", lambda: "k")))
    with pytest.raises(PeerStartError, match="address of the model service"):
        await ground.start(ground.place(MODEL_ROW, model=ModelChoice("x.org", lambda: "k")))


@pytest.mark.promise("guests-A39")
async def test_closing_ends_a_guest_that_was_asked_first(ground: GuestGround) -> None:
    process = await ground.start()
    assert await said(process, "echo", n=1) == {"n": 1}
    await process.close()
    ended = await process.ended()
    assert (ended.status, process.gone) == (0, True)
    with pytest.raises(WireClosed):
        await said(process, "echo")


@pytest.mark.promise("guests-A39")
async def test_the_end_of_the_program_ends_what_keeps_its_pipes(ground: GuestGround) -> None:
    process = await ground.start()
    await said(process, "echo")
    mine = psutil.Process(process.pid)
    inner = mine.children(recursive=True)
    with pytest.raises(WireClosed):
        await said(process, "leave")
    ended = await process.ended()
    assert (ended.status, ended.last) == (7, ("last words",))
    assert "last words" in ended.why
    await until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in inner))
    assert not ground.ear.bad


@pytest.mark.promise("guests-A7")
async def test_a_guest_that_cannot_be_read_is_ended(ground: GuestGround) -> None:
    process = await ground.start()
    with pytest.raises(WireClosed):
        await said(process, "raw", text="log\n", times=100)
    assert (await process.ended()).why == "It sent 100 lines in a row that are no messages."


@pytest.mark.promise("guests-A30")
async def test_what_a_guest_left_running_that_did_not_run_before_is_ended(ground: GuestGround) -> None:
    process = await ground.start()
    await said(process, "echo")
    await said(process, "spawn", words=["sleep", "1001"])
    before = await process.running()
    for words in (["sleep", "1002"], ["setsid", "sleep", "1003"], ["true"]):
        await said(process, "spawn", words=words)
    while not {"sleep 1002", "sleep 1003"} <= {one.command for one in await process.running()}:
        await asyncio.sleep(0.01)  # each begins as a copy of what started it
    left = await process.end_others(before)
    assert sorted(one.command for one in left) == ["sleep 1002", "sleep 1003"]
    commands = [one.command for one in await process.running()]
    assert "sleep 1001" in commands
    assert not {"sleep 1002", "sleep 1003"} & set(commands)
    assert await process.end_others(before) == ()
    assert await said(process, "echo", n=2) == {"n": 2}


async def test_an_end_that_the_loop_tells_of_after_all_was_closed_is_an_end(ground: GuestGround) -> None:
    process = await ground.start()
    await said(process, "echo")
    child = process._child
    assert child.launch.ends is not None
    child.launch.ends.close()
    psutil.Process(child.pid).kill()
    async with asyncio.timeout(60):
        await child.gone.wait()


async def test_a_guest_that_is_not_there_any_more_says_so(ground: GuestGround) -> None:
    place = ground.place()
    Path(place.found.program).unlink()
    process = await ground.start(place)
    ended = await process.ended()
    assert ended.status in (126, 127)
    assert "No such file" in ended.why


async def test_files_that_look_like_keys_are_found_and_too_many_start_nothing(tmp_path: Path) -> None:
    for name in (".env", "app.py", "keys/id_rsa", ".ssh/x", "config.json", ".git/id_rsa", ".env.example"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(name))
    (tmp_path / "link.pem").symlink_to("app.py")
    found = {str(path.relative_to(tmp_path)) for path in secret_files(tmp_path)}
    assert found == {".env", "keys/id_rsa", ".ssh/x"}
    for number in range(500):
        (tmp_path / f"{number}.pem").write_text("")
    with pytest.raises(PeerStartError, match="look like keys"):
        secret_files(tmp_path)
