"""Undo where somebody means it badly: of undos, in forks and rewound chats, twice at once, and beside a turn."""

import asyncio

import pytest

from desktop.domain.chats.commands import ForkSession, RewindSession
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import ToolCallStarted, UserMessage
from desktop.domain.ledger.commands import PlanUndo
from desktop.domain.undo.events import UndoBegun
from tests.agent.ledger.test_undo import UndoRig
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def rig_type() -> type[Rig]:
    return UndoRig


async def written(rig: UndoRig, model_api: FakeModelApi) -> None:
    """A chat that wrote a file twice."""
    model_api.script(
        tool_turn("write_file", path="a.txt", content="one\n"),
        tool_turn("write_file", path="a.txt", content="two\n"),
        text_turn("Done."),
    )
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    await rig.ended()


@pytest.mark.promise("memory-UL2")
async def test_an_undo_of_an_undo_of_an_undo_is_an_undo(rig: UndoRig, model_api: FakeModelApi) -> None:
    await written(rig, model_api)
    path = rig.root / "a.txt"
    assert (await rig.undo((await rig.ledger())[0])).told == "Undone: 1 of 1."
    for text in ("two\n", "one\n", "two\n"):
        undo = next(effect for effect in await rig.ledger() if effect.kind == "undo")
        assert (await rig.undo(undo)).told == "Undone: 1 of 1."
        assert path.read_text() == text
    first = next(effect for effect in reversed(await rig.ledger()) if effect.kind == "files")
    await rig.undo(first, "back")
    assert not path.exists()


async def test_two_undos_at_once_are_one(rig: UndoRig, model_api: FakeModelApi) -> None:
    await written(rig, model_api)
    plan = await rig.plan((await rig.ledger())[0])
    told = await asyncio.gather(rig.run(plan), rig.run(plan), return_exceptions=True)
    assert len([one for one in told if isinstance(one, CommandError)]) == 1
    assert len(rig.events(UndoBegun)) == 1
    assert (rig.root / "a.txt").read_text() == "one\n"


async def test_nothing_is_planned_while_a_call_runs(rig: UndoRig, model_api: FakeModelApi) -> None:
    await written(rig, model_api)
    first, *_ = await rig.ledger()
    model_api.script(tool_turn("bash", command="sleep 300", run_in_background=False), text_turn("Done."))
    session_id, rig.session_id = rig.session_id, await rig.new("Wait", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.until(lambda _: [e for e in rig.events(ToolCallStarted) if e.tool == "bash"])
    with pytest.raises(CommandError, match="is working"):
        await rig.plan(first)
    rig.session_id = session_id
    assert (await rig.plan(first)).entries[0].verdict == "undo"


async def test_a_fork_has_none_of_the_effects_of_its_source(rig: UndoRig, model_api: FakeModelApi) -> None:
    await written(rig, model_api)
    effect, source, fork = (await rig.ledger())[0], rig.session_id, new_session_id()
    await rig.engine.handle(ForkSession(session_id=source, new_session_id=fork))
    await rig.until(lambda _: rig.engine.sessions.get(fork).state.head_seq >= 0)
    rig.session_id = fork
    assert [one for one in await rig.ledger() if one.kind == "files"] == []
    with pytest.raises(CommandError) as refused:
        await rig.plan(effect)
    assert refused.value.code == "unknown_effect"
    await rig.engine.handle(PlanUndo(session_id=source, effect_id=effect.effect_id))
    rig.session_id = source
    assert (await rig.undo(effect)).told == "Undone: 1 of 1."


async def test_what_a_rewind_left_behind_can_be_undone_still(rig: UndoRig, model_api: FakeModelApi) -> None:
    await written(rig, model_api)
    log = rig.engine.sessions.get(rig.session_id).log
    said = next(envelope for envelope in log if isinstance(envelope.event, UserMessage))
    await rig.engine.handle(RewindSession(session_id=rig.session_id, to_event_id=said.event_id))
    effects = [effect for effect in await rig.ledger() if effect.kind == "files"]
    assert [effect.state for effect in effects] == ["standing", "standing"]
    assert (await rig.undo(effects[-1], "back")).told == "Undone: 2 of 2."
    assert not (rig.root / "a.txt").exists()
