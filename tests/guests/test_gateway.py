"""Claude Agent as one whose variables nobody knows: it is told of its model by the sign-in `gateway` that it offers."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.config.settings import Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import SaveKey
from desktop.domain.events import AssistantMessage
from desktop.domain.guests.commands import TestGuest
from desktop.domain.guests.events import GuestCounted, GuestSessionBegan
from desktop.domain.guests.updates import GuestTested
from desktop.domain.history.state_of import message_text
from tests.agent.credential_rig import file_keyring
from tests.agent.rig import Rig, folders_below, make_repository
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import TEXT, ModelDialects
from tests.guests import ground
from tests.guests.ground import KEY, PROGRAMS, Ground

pytestmark = [pytest.mark.asyncio, pytest.mark.guests, pytest.mark.timeout(200)]
TABLE = """[[guest]]
id = "told"
label = "Claude, told"
programs = ["claude-agent-acp"]
asking_mode = "default"
plan_mode = "plan"
writes_unasked = true
env = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1" }
"""


@pytest.mark.promise("guests-A36")
async def test_it_works_with_a_service_that_it_was_told_of_as_it_signed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = tmp_path / "person"
    person.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(PROGRAMS), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.setitem(ground.KINDS, "told", ground.KINDS["claude"])
    folders, repository = folders_below(tmp_path / "home"), make_repository(tmp_path / "shop")
    folders.config.mkdir(parents=True)
    (folders.config / "guests.toml").write_text(TABLE, encoding="utf-8")
    async with ModelDialects() as model:
        with file_keyring(tmp_path / "keyring.json"):
            save_settings(folders.settings_file, Settings())
            rig = await Rig(folders).open(repository)
            await rig.engine.handle(TestGuest(guest_id="told"))
            told = await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestTested)])
            assert not any("gateway" in one.id for one in told[0].sign_ins)
            await rig.engine.stop()
            made = Ground("told", folders, model, person)
            await made.rig.open(repository)
            try:
                await made.rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
                await made.say("Say that you are done.")
                ended = await made.ended()
                assert (ended.status, ended.detail) == ("completed", "")
                assert TEXT in [message_text(one) for one in made.of(AssistantMessage)]
                made.no_key_in_environments()
                assert [one.keys for one in made.of(GuestSessionBegan)] == ["gateway"]
                assert made.of(GuestCounted)
                whole(made.rig, made.session_id)
            finally:
                await made.rig.engine.stop()
            made.nothing_left()
