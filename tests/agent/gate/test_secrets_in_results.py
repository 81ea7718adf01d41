"""Secrets are taken out once, where a result enters (gate-K3), and files keep theirs."""

import pytest
from pydantic import SecretStr

from desktop.domain.commands import SaveKey
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.events import SessionTainted
from desktop.domain.gate.pending import Answer
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

KEY = "key-4Zt9QmB7xLw2Vn8R"


@pytest.mark.promise("gate-K3")
async def test_a_key_that_a_command_prints_is_in_no_event_no_blob_and_no_request(
    rig: Rig, model_api: FakeModelApi
) -> None:
    await rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
    model_api.script(
        tool_turn("bash", command=f"for i in $(seq 20000); do echo line $i; done; printf '%s\\n' {KEY[:8]}''{KEY[8:]}"),
        text_turn("done"),
    )
    session_id = await rig.new("Print it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended()
    finished = rig.events(ToolCallFinished)[-1]
    assert "[secret fake removed]" in str(finished.content)
    assert finished.full is not None
    whole = rig.engine._store.blobs.get(finished.full.sha256)
    assert whole is not None
    assert KEY.encode() not in whole
    assert KEY not in str(model_api.requests[-1].messages)
    assert any("the secret fake" in event.source for event in rig.events(SessionTainted))


@pytest.mark.promise("gate-K3")
async def test_a_file_keeps_a_secret_that_the_agent_was_not_shown(rig: Rig, model_api: FakeModelApi) -> None:
    secret = "ghp_" + "a1B2" * 9
    model_api.script(
        tool_turn("write_file", file_path="deploy.sh", content=f"TOKEN={secret}\necho hi\n"),
        tool_turn("read_file", file_path="deploy.sh"),
        tool_turn("write_file", file_path="deploy.sh", content="TOKEN=[secret GitHub token removed]\necho ho\n"),
        tool_turn("edit_file", file_path="deploy.sh", old_string="echo hi", new_string="echo ho"),
        text_turn("done"),
    )
    session_id = await rig.new("Deploy")
    await rig.ended()
    contents = [str(event.content) for event in rig.events(ToolCallFinished)]
    assert "[secret GitHub token removed]" in contents[1]
    assert "stands for a secret" in contents[2]
    assert (rig.lane(session_id) / "deploy.sh").read_text() == f"TOKEN={secret}\necho ho\n"


async def test_keys_behind_escapes_in_what_a_command_prints_are_in_no_event_and_no_request(
    rig: Rig, model_api: FakeModelApi
) -> None:
    rest = "a1B2" * 9
    printed = rf"""k=ghp; printf '%s\n' '{{"log": "a\n'$k'_{rest}"}}' "%20${{k}}_{rest}" "b'\\x0a${{k}}_{rest}'" """
    model_api.script(tool_turn("bash", command=printed), text_turn("done"))
    await rig.new("Print it")
    await rig.ended()
    shown = str(rig.events(ToolCallFinished)[-1].content)
    assert shown.count("[secret GitHub token removed]") == 3
    assert r'{"log": "a\n[secret' in shown
    for held in (str(model_api.requests[-1].messages), *(e.model_dump_json() for e in rig.events(ToolCallFinished))):
        assert f"ghp_{rest}" not in held
