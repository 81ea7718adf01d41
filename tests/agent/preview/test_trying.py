"""Commands of open cards tried in a copy of the lane, in the real engine, and what they did there applied."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.preview import copies
from desktop.config.folders import Folders
from desktop.domain.commands import SaveRule, SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, InputResolved, Notice, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule
from desktop.domain.preview.commands import TryInCopy
from desktop.domain.preview.events import CommandTried, EffectApplied
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.domain.reports.events import EvidenceRecorded
from tests.agent.gate_rig import ONCE, REJECT, answer_with, approval, codes
from tests.agent.preview.preview_rig import apply, asked_about, shop, state, tried_in
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return shop(tmp_path / "shop")


@pytest.mark.promise("memory-EP6")
async def test_five_files_are_shown_and_made_while_the_command_ran_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "make clean && ./gen.sh")
    assert approval(asked).can_try
    lane = rig.lane(session_id)
    before = state(lane)
    tried = await tried_in(rig, session_id, asked)
    assert state(lane) == before
    assert (tried.problem, tried.exit_code, tried.finished) == ("", 0, True)
    kinds = {file.path: file.kind for file in tried.effect.files}
    assert kinds == {
        "app.py": "modify",
        "made.txt": "create",
        "old.txt": "delete",
        "sub/one.txt": "create",
        "sub/two.txt": "create",
    }
    assert tried.effect.counts == "1 changed · 3 new · 1 deleted"
    assert {block.type for block in tried.blocks} == {"diff"}
    assert [update.tried for update in rig.updates if isinstance(update, TriedInCopy)] == [tried]
    assert [update for update in rig.updates if isinstance(update, TryProgress)]
    await apply(rig, session_id, asked, tried.digest)
    await rig.ended()
    assert codes(rig) == []
    for file in tried.effect.files:
        path = lane / file.path
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
        assert found == file.after_sha256
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "ok"
    assert "Ran in a copy; its 5 file changes were applied." in str(finished.content)
    (applied,) = rig.events(EffectApplied)
    assert (applied.files, applied.digest) == (tried.effect.files, tried.digest)
    assert applied.checkpoint_id
    (evidence,) = rig.events(EvidenceRecorded)
    assert (evidence.in_copy, evidence.tree_after, evidence.exit_code) == (True, tried.effect.tree_after, 0)
    (started,) = rig.events(ToolCallStarted)
    (resolved,) = rig.events(InputResolved)
    assert (started.input_id, resolved.answer.effect) == (asked.input_id, tried.digest)


@pytest.mark.promise("memory-EP7")
async def test_running_it_for_real_after_a_try_is_the_ordinary_approval(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    made = (rig.lane(session_id) / "made.txt").read_bytes()
    shown = {file.path: file.after_sha256 for file in tried.effect.files}
    assert shown["made.txt"] != hashlib.sha256(made).hexdigest()
    assert rig.events(EffectApplied) == []
    await rig.until(lambda _: rig.events(Notice))
    assert rig.events(Notice)[-1].text == "The command did otherwise than in the copy: made.txt."
    assert "Ran in a copy" not in str(rig.events(ToolCallFinished)[0].content)


async def test_a_declined_card_leaves_nothing_of_its_try(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    before = state(rig.lane(session_id))
    tried = await tried_in(rig, session_id, asked)
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()
    assert state(rig.lane(session_id)) == before
    await apply(rig, session_id, asked, tried.digest)
    assert codes(rig) == ["input_closed"]
    assert list((rig.folders.cache / "copies").iterdir()) == []


async def test_an_effect_is_refused_after_the_lane_changed_and_the_card_stays(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    (rig.lane(session_id) / "app.py").write_text("print('other')\n")
    await apply(rig, session_id, asked, tried.digest)
    assert codes(rig) == ["lane_changed"]
    assert "app.py" in rig.failures()[0].text
    assert (rig.lane(session_id) / "app.py").read_text() == "print('other')\n"
    assert rig.events(InputResolved) == []
    again = await tried_in(rig, session_id, asked, 2)
    await apply(rig, session_id, asked, again.digest)
    await rig.ended()
    assert (rig.lane(session_id) / "app.py").read_text() == "print('other')\nchanged\n"


async def test_an_effect_is_refused_once_the_chat_may_only_plan(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    before = state(rig.lane(session_id))
    tried = await tried_in(rig, session_id, asked)
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    await apply(rig, session_id, asked, tried.digest)
    assert codes(rig) == ["input_closed"]
    await rig.ended()
    assert state(rig.lane(session_id)) == before


async def test_only_the_effect_that_was_shown_can_be_applied(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    await apply(rig, session_id, asked, "0" * 64)
    tried = await tried_in(rig, session_id, asked)
    await apply(rig, session_id, asked, "0" * 64)
    await answer_with(rig, session_id, asked, Answer(outcome="allow_once", effect=tried.digest), approval(asked).digest)
    assert codes(rig) == ["no_effect", "no_effect", "wrong_kind"]
    assert rig.events(InputResolved) == []


@pytest.mark.promise("memory-EP1")
@pytest.mark.parametrize(
    "more", [{"network": True}, {"run_in_background": True}, {"outside_sandbox": True, "description": "why"}]
)
async def test_what_would_run_otherwise_than_in_a_copy_cannot_be_tried(
    rig: Rig, model_api: FakeModelApi, more: dict[str, Any]
) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh", **more)
    assert not approval(asked).can_try
    await rig.engine.handle(TryInCopy(session_id=session_id, input_id=asked.input_id, digest=approval(asked).digest))
    assert codes(rig) == ["no_try"]
    assert rig.events(Notice) == []


@pytest.mark.promise("memory-EP1")
async def test_nothing_is_tried_in_plan_or_without_a_card(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="./gen.sh"), text_turn("no"))
    session_id = await rig.new("Plan it", PermissionMode.PLAN)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    assert rig.events(InputRequested) == []
    await rig.engine.handle(TryInCopy(session_id=session_id, input_id="inp_none", digest="0" * 64))
    assert len(codes(rig)) == 1
    assert rig.events(CommandTried) == []


async def test_a_try_that_fails_as_nobody_foresaw_says_so_on_its_card(
    rig: Rig, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "MOST_SECONDS", "a minute")  # which nothing can be compared with
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    assert tried.problem == "No preview: TypeError. Details are in the log."
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()


async def test_a_run_that_did_the_same_as_in_the_copy_says_nothing_more(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "echo same > made.txt")
    await tried_in(rig, session_id, asked)
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert rig.events(Notice) == []


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_risky_command_is_tried_by_itself_only_where_the_person_wants_that(
    folders: Folders, repository: Path, model_api: FakeModelApi, wanted: bool
) -> None:
    write_settings(folders, model_api.url, try_risky=wanted)
    rig = await Rig(folders).open(repository)
    try:
        session_id, asked = await asked_about(rig, model_api, "rm -rf notes.md sub old.txt")
        assert approval(asked).risk in ("high", "irreversible")
        if wanted:
            await rig.until(lambda _: rig.events(CommandTried))
            assert (rig.events(CommandTried)[0].by, rig.events(CommandTried)[0].effect.counts) == (
                "setting",
                "2 deleted",
            )
        await rig.answer(session_id, asked, REJECT)
        await rig.ended()
        assert bool(rig.events(CommandTried)) is wanted
        assert (rig.lane(session_id) / "notes.md").exists()
    finally:
        await rig.engine.stop()


@pytest.mark.promise("memory-EP6")
@pytest.mark.parametrize("said", ["Do it. Don't touch app.py.", "Do it. Only change notes.md."])
async def test_what_a_person_forbade_is_not_applied_from_a_script_that_names_no_file(
    rig: Rig, model_api: FakeModelApi, said: str
) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh", said)
    tried = await tried_in(rig, session_id, asked)
    assert tried.digest == ""
    assert any(stop.startswith("app.py may not be changed: “") for stop in tried.effect.stops)
    await apply(rig, session_id, asked, tried.digest or "0" * 64)
    assert codes(rig) == ["no_effect"]


async def test_what_was_forbidden_after_a_try_is_not_applied(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    rule = Rule(id="", scope="user", decision="deny", kind="path", glob="app.py", ops=("write",))
    await rig.engine.handle(SaveRule(rule=rule))
    before = state(rig.lane(session_id))
    await apply(rig, session_id, asked, tried.digest)
    await rig.ended()
    assert rig.events(EffectApplied) == []
    assert state(rig.lane(session_id)) == before


@pytest.mark.promise("memory-EP6")
async def test_what_a_rule_wants_asked_is_shown_before_it_is_applied(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    assert tried.effect.asks == ()
    rule = Rule(id="", scope="user", decision="ask", kind="path", glob="app.py", ops=("write",))
    await rig.engine.handle(SaveRule(rule=rule))
    before = state(rig.lane(session_id))
    await apply(rig, session_id, asked, tried.digest)
    assert codes(rig) == ["asks_since"]
    assert rig.events(InputResolved) == []
    assert state(rig.lane(session_id)) == before
    again = await tried_in(rig, session_id, asked, 2)
    assert len(again.effect.asks) == 1
    assert again.effect.asks[0].startswith("You are to be asked about app.py")
    assert again.digest != tried.digest
    await apply(rig, session_id, asked, again.digest)
    await rig.ended()
    assert len(rig.events(EffectApplied)) == 1


async def test_an_effect_is_applied_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked)
    await apply(rig, session_id, asked, tried.digest)
    await apply(rig, session_id, asked, tried.digest)
    await rig.ended()
    after = state(rig.lane(session_id))
    await apply(rig, session_id, asked, tried.digest)
    assert set(codes(rig)) <= {"no_effect", "input_closed", "lane_changed"}
    assert len(codes(rig)) == 2
    assert len(rig.events(EffectApplied)) == 1
    assert state(rig.lane(session_id)) == after


@pytest.mark.promise("gate-R4")
@pytest.mark.parametrize("is_tried", [True, False])
async def test_while_rules_cannot_be_read_nothing_is_applied(
    rig: Rig, folders: Folders, model_api: FakeModelApi, is_tried: bool
) -> None:
    session_id, asked = await asked_about(rig, model_api, "./gen.sh")
    tried = await tried_in(rig, session_id, asked) if is_tried else None
    before = state(rig.lane(session_id))
    (folders.config / "rules.toml").write_text("[[rule\n")
    if tried is None:
        tried = await tried_in(rig, session_id, asked)
        assert tried.digest == ""
        assert [stop for stop in tried.effect.stops if stop.startswith("The rules could not be read: ")]
    await apply(rig, session_id, asked, tried.digest or "0" * 64)
    if is_tried:
        assert approval(await rig.asked(2)).rule == "rules_unreadable"
    else:
        assert codes(rig) == ["no_effect"]
    assert rig.events(EffectApplied) == []
    assert state(rig.lane(session_id)) == before
