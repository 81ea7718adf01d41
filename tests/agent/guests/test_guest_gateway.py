"""An agent whose variables nobody knows is told of its model by the sign-in `gateway` that it offers (guests-A36)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import SaveKey
from desktop.domain.events import AssistantMessage
from desktop.domain.guests.commands import ListGuests, TestGuest
from desktop.domain.guests.events import GuestCounted, GuestSessionBegan
from desktop.domain.guests.updates import GuestsListed, GuestTested
from desktop.domain.history.state_of import message_text
from tests.agent.credential_rig import file_keyring
from tests.agent.guest_rig import PROGRAM
from tests.agent.guests.test_counted_models import service
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.acp_schema import problems
from tests.guest_ground import written_program

pytestmark = [pytest.mark.asyncio, pytest.mark.promise("guests-A36")]
KEY = "sk-real-0123456789"
WAY = {"id": "gw", "name": "A gateway", "_meta": {"gateway": {"protocol": "anthropic"}}}
OTHER = {"id": "bedrock", "name": "A gateway", "_meta": {"gateway": {"protocol": "bedrock"}}}
PERSON = {"id": "login", "name": "Log in"}
ASK = {"ask_model": {"model": "m"}, "path": "/v1/messages"}


class Place:
    """The agent of a person, and a service that it can be told of."""

    def __init__(self, tmp_path: Path, folders: Folders) -> None:
        self.folders, self.log = folders, tmp_path / "sent.jsonl"
        written_program(tmp_path / "tools" / "bin", "mine-acp", PROGRAM)

    def described(self, ways: list[dict[str, Any]], *prompts: list[dict[str, Any]], **more: Any) -> None:
        """Its table, which knows no variables of it; `ways`: those to sign in that it offers."""
        script = {"init": {"authMethods": ways}, "authenticate": {"result": {}}, "prompts": [*prompts], **more}
        args = json.dumps([json.dumps(script), "sent.jsonl"])
        table = f"[[guest]]\nid = 'mine'\nlabel = 'Mine'\nprograms = ['mine-acp']\nargs = {args}\n"
        self.folders.config.mkdir(parents=True, exist_ok=True)
        (self.folders.config / "guests.toml").write_text(table, encoding="utf-8")

    def chosen(self, url: str, **models: str) -> None:
        """The settings, in which agents have these models."""
        endpoint = Endpoint(id="fake", label="Fake", kind="compatible", base_url=url, auth="api_key", default_model="m")
        settings = Settings(endpoints=(endpoint,), default_endpoint="fake", guest_models=models)
        save_settings(self.folders.settings_file, settings)


@pytest.fixture
def place(tmp_path: Path, folders: Folders, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "tools" / "bin"), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    return Place(tmp_path, folders)


async def takes(rig: Rig) -> str:
    """In what the agent can ask a model, as it is listed."""
    rig.updates.clear()
    await rig.engine.handle(ListGuests())
    found = await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestsListed)])
    return next(one.takes_model for one in found[-1].guests if one.id == "mine")


async def trial(rig: Rig) -> GuestTested:
    rig.updates.clear()
    await rig.engine.handle(TestGuest(guest_id="mine"))
    return (await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestTested)]))[-1]


async def test_a_model_can_be_chosen_once_the_agent_said_that_it_takes_one(place: Place, repository: Path) -> None:
    place.described([PERSON, OTHER, WAY])
    place.chosen("http://127.0.0.1:1")
    rig = await Rig(place.folders).open(repository)
    try:
        assert await takes(rig) == ""
        told = await trial(rig)
        assert (told.ok, [one.id for one in told.sign_ins]) == (True, ["login"])
        assert await takes(rig) == "anthropic"
        place.described([PERSON, OTHER])
        assert (await trial(rig)).ok
        assert await takes(rig) == ""
    finally:
        await rig.engine.stop()


async def test_it_asks_its_model_at_an_address_of_its_sandbox_without_the_key(
    place: Place, repository: Path, tmp_path: Path
) -> None:
    async with service() as (url, heard):
        place.described([WAY], [ASK, {"touch": "made"}])
        place.chosen(url)
        with file_keyring(tmp_path / "keyring.json"):
            rig = await Rig(place.folders).open(repository)
            try:
                await rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
                await trial(rig)
                place.chosen(url, mine="fake")
                await rig.engine.stop()
                rig = await Rig(place.folders).open(repository)
                session_id = await rig.new("Do it", driver="mine")
                ended = await rig.ended()
                assert (ended.status, ended.detail) == ("completed", "")
                said = "".join(message_text(one) for one in rig.events(AssistantMessage))
                assert "[DONE]" in said
                sent = [json.loads(line) for line in (rig.lane(session_id) / "sent.jsonl").read_text().splitlines()]
                (told,) = [one["params"] for one in sent if one.get("method") == "authenticate"]
                assert problems("authenticate", "Request", told) == []
                gateway = told["_meta"]["gateway"]
                assert (told["methodId"], gateway["baseUrl"]) == ("gw", "http://127.0.0.1:3128")
                assert [*gateway["headers"]] == ["x-api-key"]
                assert gateway["headers"]["x-api-key"].startswith("banksman-")
                methods = [one.get("method") for one in sent]
                assert methods.index("authenticate") < methods.index("session/new")
                assert KEY not in json.dumps(sent)
                assert f"x-api-key: {KEY}".encode() in heard[0]
                assert gateway["headers"]["x-api-key"].encode() not in heard[0]
                assert [one.keys for one in rig.events(GuestSessionBegan)] == ["gateway"]
                assert len(rig.events(GuestCounted)) == 1
                whole(rig, session_id)
            finally:
                await rig.engine.stop()


@pytest.mark.parametrize(
    ("now", "detail"),
    [
        ({"ways": [PERSON]}, "Mine does not take the model service that was chosen any more."),
        (
            {"ways": [WAY], "authenticate": {"error": {"code": -32_000, "message": "Not from there."}}},
            "Mine does not take its model service: Not from there.",
        ),
    ],
)
async def test_one_that_does_not_take_its_model_does_not_begin(
    place: Place, repository: Path, now: dict[str, Any], detail: str
) -> None:
    place.described([WAY])
    place.chosen("http://127.0.0.1:1")
    rig = await Rig(place.folders).open(repository)
    try:
        await trial(rig)
        place.described(now.pop("ways"), **now)
        place.chosen("http://127.0.0.1:1", mine="fake")
        await rig.engine.stop()
        rig = await Rig(place.folders).open(repository)
        await rig.new("Do it", driver="mine")
        ended = await rig.ended()
        assert (ended.status, ended.detail) == ("failed", detail)
        assert rig.events(GuestSessionBegan) == []
    finally:
        await rig.engine.stop()
