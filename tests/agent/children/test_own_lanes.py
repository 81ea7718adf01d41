"""Children that work in lanes of their own, and what is taken over of their work."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.children.commands import StopChild
from desktop.domain.children.events import ChildBegun, ChildEnded
from desktop.domain.commands import SaveRule, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import SessionStarted, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.rules import Rule, RuleScope
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesChanged
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import child_of, over
from tests.agent.gate_rig import ONCE, REJECT, approval
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.model_turns import Answer, Call, turn

pytestmark = pytest.mark.asyncio

BEGINS = Call("task", {"description": "make it", "prompt": "Child: make it", "agent": "implementer", "lane": "own"})
WRITES: list[Answer] = [
    tool_turn("write_file", file_path="made.txt", content="made\n"),
    tool_turn("commit_changes", message="Make it"),
    tool_turn("write_file", file_path="more.txt", content="more\n"),
    text_turn("made.txt and more.txt are there"),
]
TAKES = tool_turn("take_task_changes", task_id="t1")


def own_lane(rig: Rig) -> Lane:
    """The lane of the newest child."""
    lane = rig.engine.parts.base.ground.lane(rig.engine.sessions.get(child_of(rig)).state.lane_id)
    assert lane.state == "active"
    return lane


async def plays(rig: Rig, model_api: FakeModelApi, parent: list[Answer], child: list[Answer] = WRITES) -> str:
    """A chat that plays these scripts to the end of its turn; its id."""
    model_api.answer_with(Cast(Parent=parent, Child=child))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    return session_id


def said(rig: Rig, session_id: str) -> list[ToolCallFinished]:
    """The results of the chat's own calls."""
    log = rig.engine._store.events.read(session_id)
    return [e.event for e in log if isinstance(e.event, ToolCallFinished)]


@pytest.mark.promise("memory-SU7")
async def test_what_a_child_made_in_its_own_lane_is_taken_with_what_it_left_uncommitted(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), TAKES, text_turn("done")])
    mine, lane = rig.lane(session_id), own_lane(rig)
    parent = rig.engine.sessions.get(session_id)
    assert lane.parent_id == parent.state.lane_id
    assert lane.created_by == session_id
    assert any(lane.id in {one.id for one in told.lanes} for told in rig.updates if isinstance(told, LanesChanged))
    started = rig.engine._store.events.read(child_of(rig))[0].event
    assert isinstance(started, SessionStarted)
    assert (started.lane_id, started.branch) == (lane.id, lane.branch)
    begun, taken = said(rig, session_id)
    assert str(begun.content).splitlines()[1] == (
        "Its work is in a lane of its own; take_task_changes brings it into this one."
    )
    assert str(taken.content).splitlines() == [
        "Took 2 commits of t1: 2 files.",
        "t1 had not committed more.txt; that was done first, in its lane.",
    ]
    assert taken.summary == "2 commits · 2 files"
    assert (mine / "made.txt").read_text() == "made\n"
    assert (mine / "more.txt").read_text() == "more\n"
    assert git(mine, "status", "--porcelain") == ""
    assert git(mine, "log", "-1", "--format=%s").strip() == "Take t1: make it"
    assert len(git(mine, "log", "-1", "--format=%P").split()) == 2
    assert git(Path(lane.worktree_path), "status", "--porcelain") == ""
    assert taken.data["commit"] == git(mine, "rev-parse", "HEAD").strip()
    log = rig.engine._store.events.read(session_id)
    kept = [e.event for e in log if isinstance(e.event, ToolCallStarted) and e.event.tool == "take_task_changes"]
    assert kept[0].checkpoint_id, "the files are kept before"


async def test_a_second_taking_finds_nothing_and_what_is_not_committed_here_stays(
    rig: Rig, model_api: FakeModelApi
) -> None:
    edits = [
        tool_turn("read_file", file_path="notes.md"),
        tool_turn("write_file", file_path="notes.md", content="# Mine\n"),
    ]
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), *edits, TAKES, TAKES, text_turn("done")])
    first, second = said(rig, session_id)[-2:]
    assert not first.is_error, first.content
    assert second.content == "There is nothing of t1 to take."
    assert git(rig.lane(session_id), "status", "--porcelain").split() == ["M", "notes.md"]


@pytest.mark.promise("memory-SU7")
async def test_what_does_not_fit_is_named_and_nothing_is_changed(rig: Rig, model_api: FakeModelApi) -> None:
    mine = tool_turn("write_file", file_path="made.txt", content="another\n")
    commit = tool_turn("commit_changes", message="Mine")
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), mine, commit, TAKES, text_turn("done")])
    taken = said(rig, session_id)[-1]
    assert taken.is_error
    assert str(taken.content).startswith(
        "The changes of t1 do not fit: conflict in made.txt. Nothing was changed here."
    )
    lane = rig.lane(session_id)
    assert git(lane, "log", "-1", "--format=%s").strip() == "Mine"
    assert (lane / "made.txt").read_text() == "another\n"
    assert not (lane / "more.txt").exists()
    assert git(lane, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("made.txt", "Files that Git does not keep are in the way: made.txt"),
        ("app.py", "Changed here too and not committed: app.py"),
    ],
)
async def test_files_that_are_not_committed_here_are_never_written_over(
    path: str, words: str, rig: Rig, model_api: FakeModelApi
) -> None:
    mine = tool_turn("write_file", file_path=path, content="mine\n")
    child: list[Answer] = [
        tool_turn("read_file", file_path="app.py"),
        tool_turn("write_file", file_path="app.py", content="theirs\n"),
        *WRITES,
    ]
    reads = tool_turn("read_file", file_path="app.py")
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), reads, mine, TAKES, text_turn("done")], child)
    taken = said(rig, session_id)[-1]
    assert taken.is_error
    assert words in str(taken.content)
    assert (rig.lane(session_id) / path).read_text() == "mine\n"
    assert git(rig.lane(session_id), "log", "--format=%s").split() == ["first"]


async def test_only_what_ended_in_a_lane_of_its_own_is_taken(rig: Rig, model_api: FakeModelApi) -> None:
    looks = Call("task", {"description": "look", "prompt": "Child: look"})
    unknown = tool_turn("take_task_changes", task_id="t7")
    session_id = await plays(
        rig, model_api, [turn(calls=[looks]), TAKES, unknown, text_turn("done")], [text_turn("seen")]
    )
    _, same, unknown_ = said(rig, session_id)
    assert same.content == "t1 works in the lane of this chat, so its changes are here already."
    assert str(unknown_.content).startswith('There is no task "t7". There are: t1.')


async def test_what_usually_holds_secrets_stays_in_the_lane_of_the_child(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await plays(
        rig, model_api, [turn(calls=[BEGINS]), text_turn("begun"), TAKES, text_turn("done")], WRITES
    )
    lane = Path(own_lane(rig).worktree_path)
    (lane / ".env").write_text("A=b\n")
    await rig.engine.handle(SendMessage(session_id=session_id, text="take it"))
    await rig.until(lambda _: rig.engine.sessions.get(session_id).state.turns == 2)
    await rig.until(lambda _: not rig.engine.sessions.get(session_id).running)
    taken = said(rig, session_id)[-1]
    assert "Left in its lane: .env, because a file of this name usually holds secrets" in str(taken.content)
    assert not (rig.lane(session_id) / ".env").exists()
    assert (lane / ".env").exists()


async def test_in_plan_mode_no_lane_is_made(rig: Rig, model_api: FakeModelApi) -> None:
    call = Call("task", {"description": "look", "prompt": "Child: look", "lane": "own"})
    model_api.answer_with(Cast(Parent=[turn(calls=[call]), text_turn("done")]))
    session_id = await rig.new("Parent: go", mode=PermissionMode.PLAN)
    ground = rig.engine.parts.base.ground
    before = len(ground.lanes.all_of_project(ground.the_project().id))
    await over(rig, session_id)
    assert [one.outcome for one in said(rig, session_id)] == ["refused"]
    assert not rig.events(ChildEnded)
    assert len(ground.lanes.all_of_project(ground.the_project().id)) == before


@pytest.mark.promise("memory-SU10")
async def test_a_child_that_is_stopped_while_its_lane_is_made_leaves_none(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.answer_with(Cast(Parent=[turn(calls=[BEGINS]), text_turn("done")], Child=WRITES))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await rig.until(lambda _: rig.events(ChildBegun))
    await rig.engine.handle(StopChild(child_id=child_of(rig)))
    await over(rig, session_id)
    assert [one.outcome for one in rig.events(ChildEnded)] == ["not_begun"]
    ground = rig.engine.parts.base.ground
    own = ground.lane(rig.engine.sessions.get(session_id).state.lane_id)
    assert [one.id for one in ground.lanes.known(own.project_id) if one.parent_id == own.id] == []
    assert git(rig.lane(session_id), "worktree", "list").count("make-it") == 0
    assert git(rig.lane(session_id), "branch", "--list", "lane/make-it") == ""


async def test_a_lane_that_cannot_be_made_is_the_result(rig: Rig, model_api: FakeModelApi) -> None:
    await plays(rig, model_api, [text_turn("ready")])
    session_id = next(one.session_id for one in rig.engine.sessions.opened())
    session = rig.engine.sessions.get(session_id)
    ground = rig.engine.parts.base.ground
    own = ground.lane(session.state.lane_id)
    ground.lanes.save(own.model_copy(update={"branch": ""}))
    model_api.answer_with(Cast(Parent=[turn(calls=[BEGINS]), text_turn("done")]))
    await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
    await rig.until(lambda _: session.state.turns == 2 and not session.running)
    told = said(rig, session_id)[-1]
    assert told.is_error
    assert "is on no branch" in str(told.content)


@pytest.mark.promise("memory-SU7")
async def test_what_was_forbidden_after_a_child_changed_it_is_not_taken(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), text_turn("done"), TAKES, text_turn("not taken")])
    before = git(rig.lane(session_id), "rev-parse", "HEAD")
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it. Don't touch more.txt."))
    await rig.until(lambda _: len(said(rig, session_id)) == 2)
    taken = said(rig, session_id)[-1]
    assert "more.txt may not be changed: “Don't touch more.txt”" in str(taken)
    assert git(rig.lane(session_id), "rev-parse", "HEAD") == before
    assert not (rig.lane(session_id) / "more.txt").exists()


@pytest.mark.promise("memory-SU7")
@pytest.mark.parametrize("scope", ["user", "project"])
async def test_what_a_file_of_rules_denies_is_not_taken(scope: RuleScope, rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), text_turn("done"), TAKES, TAKES, text_turn("so")])
    await rig.engine.handle(
        SaveRule(rule=Rule(id="", scope=scope, decision="deny", kind="path", glob="more.*", ops=("write",)))
    )
    before = git(rig.lane(session_id), "rev-parse", "HEAD")
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it."))
    await rig.until(lambda _: len(said(rig, session_id)) == 3)
    assert "Not taken: more.txt may not be changed: “more.*”." in str(said(rig, session_id)[1])
    assert git(rig.lane(session_id), "rev-parse", "HEAD") == before
    assert not (rig.lane(session_id) / "made.txt").exists()


@pytest.mark.promise("memory-SU7")
async def test_a_rule_that_asks_about_a_file_asks_before_a_childs_change_of_it_is_taken(
    rig: Rig, model_api: FakeModelApi
) -> None:
    takes = [TAKES, text_turn("no"), TAKES, text_turn("so")]
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), text_turn("done"), *takes])
    rule = Rule(id="", scope="project", decision="ask", kind="path", glob="more.*", ops=("write",))
    await rig.engine.handle(SaveRule(rule=rule))
    (Path(own_lane(rig).worktree_path) / "more.cfg").write_text("left\n")
    await rig.engine.handle(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it."))
    asked = await rig.asked(1)
    assert approval(asked).rule == "consent"
    assert "You are to be asked about more.txt: “more.*”." in approval(asked).reason
    assert "You are to be asked about more.cfg: “more.*”." in approval(asked).reason
    await rig.answer(session_id, asked, REJECT)
    await rig.until(lambda _: len(said(rig, session_id)) == 2)
    assert not (rig.lane(session_id) / "more.txt").exists()
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it after all."))
    await rig.answer(session_id, await rig.asked(2), ONCE)
    await rig.until(lambda _: len(said(rig, session_id)) == 3)
    assert not said(rig, session_id)[-1].is_error
    assert (rig.lane(session_id) / "more.txt").exists()
    assert (rig.lane(session_id) / "more.cfg").exists()


@pytest.mark.promise("memory-SU7")
async def test_a_file_that_a_person_was_not_asked_about_is_not_taken_with_a_yes_to_others(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), text_turn("done"), TAKES, text_turn("so")])
    for glob in ("more.*", "late.*"):
        rule = Rule(id="", scope="project", decision="ask", kind="path", glob=glob, ops=("write",))
        await rig.engine.handle(SaveRule(rule=rule))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it."))
    asked = await rig.asked(1)
    (Path(own_lane(rig).worktree_path) / "late.txt").write_text("late\n")
    await rig.answer(session_id, asked, ONCE)
    await rig.until(lambda _: len(said(rig, session_id)) == 2)
    assert "Not taken: You are to be asked about late.txt: “late.*”." in str(said(rig, session_id)[-1])
    assert not (rig.lane(session_id) / "more.txt").exists()


@pytest.mark.parametrize(("words", "stays"), [("Take it. Don't delete anything.", True), ("Take it.", False)])
async def test_what_may_not_be_deleted_is_not_taken_away(
    words: str, stays: bool, rig: Rig, model_api: FakeModelApi
) -> None:
    deletes: list[Answer] = [
        tool_turn("write_file", file_path="made.txt", content="made\n"),
        text_turn("done"),
    ]
    session_id = await plays(
        rig, model_api, [turn(calls=[BEGINS]), text_turn("begun"), TAKES, text_turn("so")], deletes
    )
    (Path(own_lane(rig).worktree_path) / "app.py").unlink()
    await rig.engine.handle(SendMessage(session_id=session_id, text=words))
    await rig.until(lambda _: len(said(rig, session_id)) == 2)
    taken = said(rig, session_id)[-1]
    assert ("Not taken: app.py may not be changed: “Don't delete anything" in str(taken)) == stays
    assert (rig.lane(session_id) / "app.py").exists() == stays
    assert (rig.lane(session_id) / "made.txt").exists() != stays


@pytest.mark.promise("gate-R4")
async def test_while_rules_cannot_be_read_nothing_is_taken_even_with_a_yes(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    session_id = await plays(rig, model_api, [turn(calls=[BEGINS]), text_turn("done"), TAKES, text_turn("not taken")])
    (folders.config / "rules.toml").write_text("[[rule\n")
    before = git(rig.lane(session_id), "rev-parse", "HEAD")
    await rig.engine.handle(SendMessage(session_id=session_id, text="Take it."))
    asked = await rig.asked()
    assert approval(asked).rule == "rules_unreadable"
    await rig.answer(session_id, asked, ONCE)
    await rig.until(lambda _: len(said(rig, session_id)) == 2)
    assert "Not taken: The rules could not be read: " in str(said(rig, session_id)[-1])
    assert git(rig.lane(session_id), "rev-parse", "HEAD") == before
    assert not (rig.lane(session_id) / "made.txt").exists()
