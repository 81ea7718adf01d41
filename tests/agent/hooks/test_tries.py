"""A hook tried on a call on record: what it says is told, and nothing follows from it (guests-H8)."""

import pytest

from desktop.config.folders import Folders
from desktop.domain.hooks.commands import TryHook
from desktop.domain.hooks.events import HookRan
from desktop.domain.hooks.updates import HookTried
from desktop.domain.hooks.values import HookMoment
from tests.agent.hooks.hook_files import hook, own_hooks
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("on", "script", "words"),
    [
        ("before_call", """touch tried; echo '{"decision":"deny","reason":"no"}'""", "It denies: no ("),
        ("before_call", """echo '{"decision":"pass","input":{"a":1}}'""", "and proposes other arguments ("),
        ("after_call", """grep -q outcome && echo '{"note":"look"}'""", "It says: look ("),
        ("after_call", "exit 3", "It fails: it ended with status 3 ("),
        ("on_stop", "true", "It says nothing ("),
        ("on_card", "true", "It ended with status 0 ("),
    ],
)
async def test_trying_tells_what_a_hook_says_and_does_nothing(
    rig: Rig, folders: Folders, model_api: FakeModelApi, on: HookMoment, script: str, words: str
) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Done."))
    session_id = await rig.new("go")
    await rig.ended()
    own_hooks(folders, hook(script, on=on))
    await rig.engine.handle(TryHook(scope="person", hook_id="check"))

    assert rig.failures() == []
    (tried,) = (update for update in rig.updates if isinstance(update, HookTried))
    assert words in tried.words
    assert tried.call == ("" if on == "on_stop" else "read_file app.py")
    assert rig.events(HookRan) == []
    assert not (rig.lane(session_id) / "tried").exists()


async def test_what_cannot_be_tried_is_said(rig: Rig, folders: Folders, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Done."))
    own_hooks(folders, hook("true", 'match = [{ tool = "bash" }]'))
    await rig.new("go")
    await rig.ended()
    await rig.engine.handle(TryHook(scope="person", hook_id="check"))
    await rig.engine.handle(TryHook(scope="repository", hook_id="check"))
    assert [failure.code for failure in rig.failures()] == ["no_call", "hooks"]
