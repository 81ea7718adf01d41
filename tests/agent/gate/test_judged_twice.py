"""A call is judged twice: what is kept between the two judgements is what nothing can change, all else is looked at."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.action import canonical_json, changed_fields
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

CASES = Path(__file__).parents[2] / "cases" / "shell_cases.json"
LINES = [case["command"] for case in json.loads(CASES.read_text())][::9]


async def chat(rig: Rig, api: FakeModelApi) -> str:
    """A chat in full auto that has done nothing yet."""
    api.script(text_turn("done"))
    session_id = await rig.new("Begin", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    return session_id


def judged(rig: Rig, session_id: str, command: str) -> Prepared:
    """The judgement of a command as things are now."""
    return rig.engine.parts.chats.gate.judge.judge(
        rig.engine.sessions.get(session_id), "call", "bash", {"command": command}
    )


@pytest.mark.asyncio
async def test_nothing_that_was_kept_makes_a_second_judgement_another(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await chat(rig, model_api)
    first = [judged(rig, session_id, line) for line in LINES]
    for before, line in zip(first, LINES, strict=True):
        again = judged(rig, session_id, line)
        assert (again, again.action_digest) == (before, before.action_digest), line


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["script", "head", "folder"])
async def test_what_changed_between_the_two_is_seen(rig: Rig, model_api: FakeModelApi, what: str) -> None:
    session_id = await chat(rig, model_api)
    lane = rig.lane(session_id)
    before = judged(rig, session_id, "python app.py")
    if what == "script":
        (lane / "app.py").write_text("print('other')\n")
    elif what == "head":
        git(lane, "commit", "-q", "--allow-empty", "-m", "later")
    else:
        shutil.copytree(lane, lane.with_name("copy"), symlinks=True)
        shutil.rmtree(lane)
        lane.with_name("copy").rename(lane)
    after = judged(rig, session_id, "python app.py")
    if what == "folder":
        assert after.session is not None
        assert after.session.lane_moved
        return
    assert before.action is not None
    assert after.action is not None
    words = {"script": "a script it runs", "head": "the lane's commit"}[what]
    assert changed_fields(before.action, after.action) == (words,)
    assert before.action_digest != after.action_digest


def test_the_hash_of_a_tool_is_of_what_the_model_is_told_of_it() -> None:
    for tool in builtin_tools().tools:
        told = canonical_json({"schema": tool.args.model_json_schema(), "description": tool.description})
        assert tool.sha256 == tool.sha256
        other = replace(tool, description=tool.description + " Now otherwise.")
        assert other.sha256 != tool.sha256
        bare = {name: part for name, part in json.loads(told)["schema"].items() if name not in ("title", "description")}
        expected = canonical_json({"schema": bare, "description": tool.description})
        assert tool.sha256 == hashlib.sha256(expected.encode()).hexdigest()
