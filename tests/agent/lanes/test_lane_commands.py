"""Lanes through the engine: creating, importing, editing, switching, several chats in one, one prompt in several."""

from pathlib import Path
from typing import TypeVar

import pytest

from desktop.agent.lanes.endings.recovery import LaneRecovery
from desktop.agent.lanes.launches import LaunchCommands
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.repairs import LaneRepairs
from desktop.config.folders import Folders
from desktop.domain.commands import NewSession, SaveSettings
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_lane_id, new_session_id
from desktop.domain.core.update import Update
from desktop.domain.events import UserMessage
from desktop.domain.lanes.commands import (
    AdoptLane,
    CreateLane,
    CreateLanesForModels,
    EditLane,
    ImportLane,
    LaneSlot,
    LoadLaneBases,
    LoadWorktrees,
    SwitchLaneBranch,
)
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneBasesListed, LaneCreated, LanesLaunched, WorktreesListed
from desktop.domain.updates import ActivityChanged
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.lanes.test_lane_start import refs, state_of

pytestmark = pytest.mark.asyncio
T = TypeVar("T")


def last(updates: list[Update], kind: type[T]) -> T:
    return [update for update in updates if isinstance(update, kind)][-1]


async def refused(rig: Rig, command: Command) -> str:
    """What the engine says against a command; it must say something."""
    before = len(rig.failures())
    await rig.engine.handle(command)  # type: ignore[arg-type]
    assert len(rig.failures()) == before + 1
    return rig.failures()[-1].text


async def created(rig: Rig, name: str, **fields: object) -> Lane:
    command = CreateLane.model_validate({"lane_id": new_lane_id(), "name": name, **fields})
    failed = len(rig.failures())
    await rig.engine.handle(command)
    assert rig.failures()[failed:] == []
    return last(rig.updates, LaneCreated).lane


def operations(rig: Rig) -> list[LaneOperationStarted | LaneOperationFinished]:
    assert rig.engine.project is not None
    rows = rig.engine.sessions._store.events.rows(rig.engine.project.id)
    log = next(row.session_id for row in rows if row.kind == "project")
    events = [envelope.event for envelope in rig.engine.sessions._store.events.read(log)]
    return [event for event in events if isinstance(event, LaneOperationStarted | LaneOperationFinished)]


async def test_a_lane_is_created_recorded_and_the_checkout_stays_as_it_was(rig: Rig, repository: Path) -> None:
    (repository / "notes.md").write_text("changed\n")
    before = state_of(repository)
    lane = await created(rig, "Fix login", description=" why ")
    assert (lane.name, lane.branch, lane.description, lane.created_by) == (
        "Fix login",
        "lane/fix-login",
        "why",
        "person",
    )
    begun, ended = operations(rig)
    assert (begun.operation, begun.lane_id, ended.status) == ("create", lane.id, "done")
    assert isinstance(ended, LaneOperationFinished)
    assert ended.result["branch"] == "lane/fix-login"
    copied = await created(rig, "Copy", start_from="copy_changes")
    assert (Path(copied.worktree_path) / "notes.md").read_text() == "changed\n"
    assert "There is a lane named" in await refused(rig, CreateLane(lane_id=new_lane_id(), name="fix LOGIN"))
    assert "letter or a digit" in await refused(rig, CreateLane(lane_id=new_lane_id(), name="!!"))
    assert operations(rig)[-1].status == "failed"  # type: ignore[union-attr]
    assert state_of(repository) == before


async def test_bases_are_listed_with_what_is_open_and_not_committed(rig: Rig, repository: Path) -> None:
    lane = await created(rig, "x")
    (repository / "new.txt").write_text("x")
    git(repository, "branch", "spare")
    await rig.engine.handle(LoadLaneBases(command_id="cmd_bases"))
    listed = last(rig.updates, LaneBasesListed)
    assert (listed.command_id, listed.prefix, listed.uncommitted) == ("cmd_bases", "lane/", ("new.txt",))
    found = {(base.ref, base.kind): base.open_in for base in listed.bases}
    assert listed.bases[0].kind == "default"
    assert found[("main", "branch")] == "your checkout"
    assert found[(lane.branch, "lane")] == "x"
    assert found[("spare", "branch")] == ""


async def test_a_folder_for_lanes_inside_a_repository_is_refused_as_a_setting(rig: Rig, repository: Path) -> None:
    settings = rig.engine.settings.current
    inside = settings.model_copy(update={"lanes_root": str(repository / "lanes")})
    assert "must not stand inside a git repository" in await refused(rig, SaveSettings(settings=inside))
    assert rig.engine.settings.current.lanes_root == ""
    await rig.engine.handle(SaveSettings(settings=settings.model_copy(update={"lane_prefix": "work/"})))
    assert (await created(rig, "x")).branch == "work/x"


async def test_a_remote_is_fetched_before_a_lane_begins_and_being_offline_is_a_notice(
    rig: Rig, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "origin.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(repository, "fetch", "-q")
    git(repository, "branch", "-u", "origin/main")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), "other")
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "later")
    git(tmp_path / "other", "push", "-q")
    newest = git(tmp_path / "other", "rev-parse", "HEAD").strip()
    lane = await created(rig, "x")
    assert (lane.base_ref, lane.base_oid) == ("origin/main", newest)
    before = refs(repository)
    text = await refused(rig, CreateLane(lane_id=new_lane_id(), name="y", base="main"))
    assert text == "main is 1 commit behind origin/main. Base the lane on origin/main, update main, or allow it."
    assert (rig.failures()[-1].code, refs(repository)) == ("behind", before)
    git(repository, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    await rig.engine.handle(LoadLaneBases())
    offline = last(rig.updates, LaneBasesListed)
    assert not offline.fetched
    assert "origin could not be fetched" in offline.notice


@pytest.mark.promise("lanes-L34")
async def test_a_worktree_that_was_there_becomes_a_lane(rig: Rig, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "theirs", str(tmp_path / "theirs"))
    lane = await created(rig, "own")
    await rig.engine.handle(LoadWorktrees())
    listed = last(rig.updates, WorktreesListed).worktrees
    assert [(one.branch, one.problem) for one in listed] == [("theirs", "")]
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", "other")
    (tmp_path / "theirs/sub").mkdir()
    for path, words in (
        (other, "not a worktree of"), (tmp_path / "theirs/sub", "inside the worktree"), (repository, "your own"),
        (Path(lane.worktree_path), "is the lane 'own' already"), (tmp_path / "none", "not a folder"),
    ):  # fmt: skip
        assert words in await refused(rig, ImportLane(lane_id=new_lane_id(), path=str(path)))
    lane_id = new_lane_id()
    await rig.engine.handle(ImportLane(lane_id=lane_id, path=str(tmp_path / "theirs")))
    assert last(rig.updates, LaneCreated).lane.type == "attached"
    await rig.engine.handle(AdoptLane(lane_id=lane_id))
    adopted = rig.engine.parts.base.ground.lanes.get(lane_id)
    assert adopted is not None
    assert (adopted.type, adopted.name, adopted.base_ref) == ("worktree", "theirs", "main")
    rig.engine.parts.base.ground.lanes.save(adopted.model_copy(update={"state": "archived"}))
    assert "Unarchive it instead" in await refused(
        rig, ImportLane(lane_id=new_lane_id(), path=str(tmp_path / "theirs"))
    )


@pytest.mark.promise("lanes-L24")
async def test_a_lane_gets_other_words_a_colour_and_a_branch_named_after_it(rig: Rig, repository: Path) -> None:
    first, second = await created(rig, "a"), await created(rig, "b")
    child = await created(rig, "c", parent_id=first.id)

    async def edit(**fields: object) -> Lane:
        await rig.engine.handle(EditLane.model_validate({"lane_id": first.id, **fields}))
        found = rig.engine.parts.base.ground.lanes.get(first.id)
        assert found is not None
        return found

    assert (await edit(tags=(" x ", "x", ""), icon="bolt", description=" d ")).tags == ("x",)
    count = len(operations(rig))
    assert (await edit(color=first.color.upper())).color == first.color
    assert len(operations(rig)) == count, "the same colour is no change"
    assert "colour" in await refused(rig, EditLane(lane_id=first.id, color=second.color))
    assert "tags" in await refused(rig, EditLane(lane_id=first.id, tags=("t" * 31,)))
    assert "icon" in await refused(rig, EditLane(lane_id=first.id, icon="heart"))
    assert 'named "B" already' in await refused(rig, EditLane(lane_id=first.id, name="B"))
    renamed = await edit(name="New words", rename_branch=True)
    assert (renamed.branch, renamed.worktree_path) == ("lane/new-words", first.worktree_path)
    assert git(Path(first.worktree_path), "branch", "--show-current").strip() == "lane/new-words"
    found = rig.engine.parts.base.ground.lanes.get(child.id)
    assert found is not None
    assert found.base_ref == "lane/new-words"
    git(repository, "update-ref", "refs/remotes/origin/lane/new-words", "HEAD")
    assert "was pushed" in await refused(rig, EditLane(lane_id=first.id, name="again", rename_branch=True))


@pytest.mark.promise("lanes-L25")
async def test_a_lane_changes_its_branch_when_nothing_can_be_lost(rig: Rig, repository: Path) -> None:
    lane, other = await created(rig, "a"), await created(rig, "b")
    git(repository, "branch", "spare")
    git(repository, "update-ref", "refs/remotes/origin/far", "HEAD")
    folder = Path(lane.worktree_path)
    (folder / "x").write_text("x")
    assert "1 file in this lane is not committed" in await refused(
        rig, SwitchLaneBranch(lane_id=lane.id, branch="spare")
    )
    (folder / "x").unlink()
    assert 'open in lane "b"' in await refused(rig, SwitchLaneBranch(lane_id=lane.id, branch=other.branch))
    git(repository, "config", "remote.origin.url", "nowhere")
    git(repository, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    for branch, local in (("spare", "spare"), ("origin/far", "far")):
        await rig.engine.handle(SwitchLaneBranch(lane_id=lane.id, branch=branch))
        assert git(folder, "branch", "--show-current").strip() == local
    rig.engine.parts.base.ground.lanes.save(lane.model_copy(update={"state": "archived"}))
    assert "is archived" in await refused(rig, SwitchLaneBranch(lane_id=lane.id, branch="spare"))


async def test_several_chats_share_a_lane_and_wait_for_one_another(rig: Rig, model_api: FakeModelApi) -> None:
    lane = await created(rig, "shared")
    model_api.script(text_turn("one"), tool_turn("write_file", file_path="a.txt", content="a"), text_turn("two"))
    first = await rig.new("First chat", lane_id=lane.id)
    await rig.ended()
    sessions = rig.engine.sessions
    async with sessions.lane_lock(lane.id).held_by("First chat"):
        second = await rig.new("Second chat", lane_id=lane.id)
        waits = await rig.until(
            lambda updates: next(
                (u for u in updates if isinstance(u, ActivityChanged) and "Waiting for" in u.detail), None
            )
        )
        assert (waits.session_id, waits.detail) == (second, "Waiting for “First chat” in the same lane")
    await rig.ended(2)
    assert rig.lane(first) == rig.lane(second) == Path(lane.worktree_path)
    assert (Path(lane.worktree_path) / "a.txt").read_text() == "a"
    assert len(sessions.in_lane(lane.id)) == 2
    gone = NewSession(session_id=new_session_id(), text="x", lane_id="ln_none")
    assert "does not exist" in await refused(rig, gone)
    assert not sessions.knows(gone.session_id)
    rig.engine.parts.base.ground.lanes.save(lane.model_copy(update={"state": "archived"}))
    assert "is archived" in await refused(rig, gone.model_copy(update={"lane_id": lane.id}))


def slots(*names: str, model: str = "fake-model") -> tuple[LaneSlot, ...]:
    return tuple(
        LaneSlot(lane_id=new_lane_id(), session_id=new_session_id(), name=name, endpoint_id="fake", model=model)
        for name in names
    )


@pytest.mark.promise("lanes-L16")
async def test_one_prompt_goes_to_several_models_in_lanes_of_their_own(
    rig: Rig, model_api: FakeModelApi, repository: Path
) -> None:
    model_api.script(text_turn("one"), text_turn("two"))
    chosen = slots("try a", "try b")
    await rig.engine.handle(CreateLanesForModels(slots=chosen, text="Do it"))
    await rig.ended(2)
    launched = last(rig.updates, LanesLaunched)
    assert (launched.session_ids, launched.failed) == (tuple(slot.session_id for slot in chosen), ())
    texts = [event.parts for event in rig.events(UserMessage) if event.origin == "person"]
    assert texts[0] == texts[1]
    lanes = [rig.engine.parts.base.ground.lanes.get(slot.lane_id) for slot in chosen]
    assert {lane.base_oid for lane in lanes if lane is not None} == {git(repository, "rev-parse", "HEAD").strip()}
    before = refs(repository)
    taken = slots("fresh", "TRY A")
    text = await refused(rig, CreateLanesForModels(slots=taken, text="Do it"))
    assert text.startswith("Nothing was sent. There is a lane named")
    assert "a name of its own" in await refused(rig, CreateLanesForModels(slots=slots("x", "X"), text="Do it"))
    assert "2 to 12" in await refused(rig, CreateLanesForModels(slots=slots("x"), text="Do it"))
    assert "nothing to send" in await refused(rig, CreateLanesForModels(slots=slots("x", "y"), text=" "))
    assert refs(repository) == before


@pytest.mark.promise("lanes-L16")
async def test_a_launch_that_a_crash_cut_off_is_cleared_up(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    model_api.script(text_turn("one"))
    chosen = slots("begun", "made", "never")
    for slot in chosen[:2]:
        await rig.engine.handle(CreateLane(lane_id=slot.lane_id, name=slot.name))
    await rig.engine.handle(
        NewSession(session_id=chosen[0].session_id, lane_id=chosen[0].lane_id, text="Do it", endpoint_id="fake")
    )
    await rig.ended()
    begun = [slot.model_dump(mode="json") for slot in chosen]
    started = LaneOperationStarted(operation_id="op_1", operation="launch", arguments={"slots": begun})
    cut_off = LaneOperationStarted(operation_id="op_2", operation="create", lane_id="ln_1")
    ProjectLog(rig.engine._store.events, lambda: rig.engine.project).append(started, cut_off)
    await rig.engine.stop()
    rig = await Rig(folders).open(repository)
    log = ProjectLog(rig.engine._store.events, lambda: rig.engine.project)
    launched = await rig.until(lambda updates: next((u for u in updates if isinstance(u, LanesLaunched)), None))
    assert (launched.command_id, launched.session_ids) == ("", (chosen[0].session_id,))
    assert [name for name, _ in launched.failed] == ["made", "never"]
    await rig.until(lambda _updates: log.unfinished() == ())
    assert git(repository, "branch", "--list", "lane/*").split() == ["+", "lane/begun"]
    assert [event.status for event in operations(rig)[-2:] if isinstance(event, LaneOperationFinished)] == [
        "interrupted", "interrupted",
    ]  # fmt: skip
    await rig.engine.stop()


async def test_what_begins_as_soon_as_a_repository_is_open_is_not_taken_for_cut_off(rig: Rig) -> None:
    project = rig.engine.project
    launches = next(one for one in rig.engine.parts.themes.attendants if isinstance(one, LaunchCommands))
    repairs = next(one for one in rig.engine.parts.themes.attendants if isinstance(one, LaneRepairs))
    log, ground, telling = launches._log, launches._ground, launches._telling
    log.append(LaneOperationStarted(operation_id="op_cut_off", operation="create", lane_id="ln_1"))
    again = LaunchCommands(  # as in the next process
        ground, telling, log, launches._sessions, launches._starter, launches._maker
    )
    recovery = LaneRecovery(
        ground,
        telling.listed,
        repairs._acts,
        repairs._recovery._contents,
        repairs._recovery._remover,
        repairs._recovery._snapshots,
    )
    again.project_opened()
    left = recovery.left(project)
    for operation in ("create", "delete"):
        log.append(LaneOperationStarted(operation_id=f"op_{operation}", operation=operation, lane_id="ln_2"))
    await recovery.go_on(project, left)
    await rig.until(lambda _updates: "op_cut_off" not in {one.operation_id for one in log.unfinished()})
    assert [one.operation_id for one in log.unfinished()] == ["op_create", "op_delete"]
