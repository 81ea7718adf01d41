"""Agents that people use, each in the sandbox and over our wire, with a scripted model service on this computer.

`python3 packaging/guests.py FOLDER` installs them; `BANKSMAN_TEST_GUESTS=FOLDER` has them driven.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from pydantic import JsonValue

from desktop.config.folders import resource_folder
from desktop.services.acp.wire import UNKNOWN_METHOD, WireError
from desktop.services.egress.egress import Egress
from desktop.services.guests.home import guest_home
from desktop.services.guests.launch import GuestLauncher, GuestPlace, GuestProcess, ModelChoice
from desktop.services.guests.locate import find_guest
from desktop.services.guests.registry import read_registry
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.found_sandbox import found_sandbox
from tests.fakes.acp_schema import problems
from tests.fakes.model_dialects import TEXT, ModelDialects

INSTALLED = os.environ.get("BANKSMAN_TEST_GUESTS", "")
GUESTS = ("claude", "codex", "gemini")
KEY = "sk-the-real-key"
LIMIT_S = 120.0
pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.guests,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not INSTALLED, reason="BANKSMAN_TEST_GUESTS names no folder of agents"),
]


class Client:
    """Allows what is asked once, and keeps what is told."""

    def __init__(self) -> None:
        self.asked: list[dict[str, JsonValue]] = []
        self.text = ""
        self.faults: list[str] = []
        self.bad: list[str] = []

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        if method != "session/request_permission" or not isinstance(params, dict):
            raise WireError(UNKNOWN_METHOD, "No such method.")
        self.faults += problems(method, "Request", params)
        self.asked.append(params)
        options = params["options"]
        assert isinstance(options, list)
        once = next(one["optionId"] for one in options if isinstance(one, dict) and one["kind"] == "allow_once")
        return {"outcome": {"outcome": "selected", "optionId": once}}

    def on_notification(self, method: str, params: JsonValue) -> None:
        if method != "session/update" or not isinstance(params, dict):
            return
        update = params["update"]
        if isinstance(update, dict) and update["sessionUpdate"] == "agent_message_chunk":
            content = update["content"]
            self.text += str(content["text"]) if isinstance(content, dict) else ""

    def on_bad(self, line: str) -> None:
        self.bad.append(line)


class RealGuest:
    """One agent, signed in to the scripted service, with a session."""

    def __init__(self, guest_id: str, folder: Path, model: ModelDialects) -> None:
        self.lane, self.person = folder / "lane", folder / "person"
        self.lane.mkdir()
        self.person.mkdir()
        (self.lane / "app.py").write_text("print('hello')\n")
        path = os.pathsep.join((str(Path(INSTALLED) / "node_modules" / ".bin"), os.environ["PATH"]))
        self.env = {**os.environ, "HOME": str(self.person), "PATH": path}
        options = SandboxOptions(hidden=(folder / "data",), scratch=folder, found=found_sandbox())
        self.sandbox, self.egress = Sandbox(self.env, options), Egress()
        self.client, self.log = Client(), LogRing()
        row = read_registry(resource_folder() / "guests.toml", folder / "none").row(guest_id)
        assert row is not None
        found = find_guest(row, path, (self.lane,))
        assert found is not None, f"{guest_id} is not in {INSTALLED}"
        choice = ModelChoice(model.base, lambda: KEY)
        self.place = GuestPlace(
            row, found, self.lane, guest_home(folder / "data", guest_id), model=choice, owner="ses_1"
        )
        self.process: GuestProcess | None = None
        self.session = ""

    async def begin(self) -> None:
        """Start it and open a session."""
        launcher = GuestLauncher(self.sandbox, self.env, self.egress)
        self.process = await launcher.start(self.place, self.client, self.log)
        said = {"protocolVersion": 1, "clientInfo": {"name": "Banksman", "version": "0"}, "clientCapabilities": {}}
        assert problems("initialize", "Request", said) == []
        hello = await self.ask("initialize", said)
        assert hello["protocolVersion"] == 1
        opened = {"cwd": str(self.lane.resolve()), "mcpServers": []}
        try:
            made = await self.ask("session/new", opened)
        except WireError:
            methods = hello["authMethods"]
            assert isinstance(methods, list)
            ids = [one["id"] for one in methods if isinstance(one, dict)]
            await self.ask("authenticate", {"methodId": next(one for one in ids if "api-key" in str(one))})
            made = await self.ask("session/new", opened)
        self.session = str(made["sessionId"])
        if mode := self.place.row.asking_mode:
            await self.ask("session/set_mode", {"sessionId": self.session, "modeId": mode})

    async def prompt(self, text: str) -> JsonValue:
        """Have it do a turn; why that ended."""
        self.client.text = ""
        said = {"sessionId": self.session, "prompt": [{"type": "text", "text": text}]}
        return (await self.ask("session/prompt", said))["stopReason"]

    async def ask(self, method: str, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """What it answers, which must be as the protocol says."""
        assert self.process is not None
        asking = asyncio.create_task(self.process.wire.request(method, params, limit_s=LIMIT_S))
        try:
            answer = await asking
        except (TimeoutError, WireError) as error:
            error.add_note("\n".join(self.log.lines()[-40:]))
            raise
        assert isinstance(answer, dict)
        assert problems(method, "Response", answer) == []
        return answer

    async def close(self) -> None:
        """End it."""
        if self.process is not None:
            await self.process.close()
        await self.egress.close()
        await self.sandbox.close()


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ModelDialects]:
    async with ModelDialects() as made:
        yield made


@pytest_asyncio.fixture(params=GUESTS)
async def guest(request: pytest.FixtureRequest, tmp_path: Path, model: ModelDialects) -> AsyncIterator[RealGuest]:
    made = RealGuest(request.param, tmp_path, model)
    try:
        await made.begin()
        yield made
    finally:
        await made.close()


async def test_it_answers_a_prompt_with_the_key_that_it_does_not_have(guest: RealGuest, model: ModelDialects) -> None:
    assert await guest.prompt("Say that you are done.") == "end_turn"
    assert TEXT in guest.client.text
    assert model.keys == {KEY}
    assert model.strange == []


async def test_it_asks_for_commands_and_is_kept_in_its_lane(guest: RealGuest, model: ModelDialects) -> None:
    await guest.prompt(f"run-this: touch made; env > env.txt; touch {guest.person}/outside; cat {guest.person}/key")
    (asked,) = guest.client.asked
    assert asked["sessionId"] == guest.session
    assert (guest.lane / "made").exists()
    assert KEY not in (guest.lane / "env.txt").read_text()
    assert list(guest.person.iterdir()) == []
    assert {one.host for one in guest.egress.take("ses_1") if one.connections} == {"127.0.0.1"}
    assert guest.client.faults == []
    assert model.keys == {KEY}


async def test_a_command_that_runs_is_over_once_it_was_stopped(guest: RealGuest) -> None:
    assert guest.process is not None
    before = await guest.process.running()
    turn = asyncio.create_task(guest.prompt("run-this: touch begun; sleep 1234"))
    while not (guest.lane / "begun").exists():
        await asyncio.sleep(0.1)
        assert not turn.done()
    guest.process.wire.notify("session/cancel", {"sessionId": guest.session})
    assert await turn in ("cancelled", "end_turn")
    await guest.process.end_others(before)
    assert not [one for one in await guest.process.running() if "sleep 1234" in one.command]
    assert await guest.prompt("Say that you are done.") == "end_turn"


async def test_its_end_leaves_nothing(guest: RealGuest) -> None:
    assert guest.process is not None
    before = await guest.process.running()
    assert before
    await guest.process.close()
    ended = await guest.process.ended()
    assert await guest.process.running() == frozenset()
    assert not any(
        psutil.pid_exists(one.pid) and psutil.Process(one.pid).create_time() == one.started for one in before
    )
    assert ended.why
