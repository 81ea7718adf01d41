"""Undo through the real engine: planned, bound by its digest, newest first, itself an entry that can be undone."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio

from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.domain.boundaries.commands import KeepBoundary
from desktop.domain.commands import SendMessage
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Outcome
from desktop.domain.events import TurnEnded, TurnStarted, UserMessage
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.lanes.commands import ArchiveLane, EditLane, SwitchLaneBranch
from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.updates import LedgerLoaded, UndoPlanned
from desktop.domain.undo.events import UndoBegun, UndoFinished, UndoReach, UndoStepDone
from desktop.domain.updates import CommandFailed
from tests.agent.gate_rig import ONCE
from tests.agent.rig import Rig, events, git, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


Kind = TypeVar("Kind", bound=Outcome)


class UndoRig(Rig):
    """A chat with its ledger."""

    session_id = ""

    @property
    def root(self) -> Path:
        return self.lane(self.session_id)

    async def ledger(self) -> tuple[Effect, ...]:
        command = LoadLedger(session_id=self.session_id)
        await self.engine.handle(command)
        return self._answer(LedgerLoaded, command.command_id).effects

    async def plan(self, effect: Effect, reach: UndoReach = "this") -> UndoPlanned:
        command = PlanUndo(session_id=self.session_id, effect_id=effect.effect_id, reach=reach)
        await self.engine.handle(command)
        return self._answer(UndoPlanned, command.command_id)

    async def run(self, plan: UndoPlanned) -> LedgerLoaded:
        command = RunUndo(session_id=self.session_id, effect_id=plan.effect_id, reach=plan.reach, digest=plan.digest)
        await self.engine.handle(command)
        return self._answer(LedgerLoaded, command.command_id)

    async def undo(self, effect: Effect, reach: UndoReach = "this") -> LedgerLoaded:
        return await self.run(await self.plan(effect, reach))

    def _answer(self, kind: type[Kind], command_id: str) -> Kind:
        """Raises CommandError as the engine told it."""
        mine = [one for one in self.updates if isinstance(one, Outcome) and one.command_id == command_id]
        for failed in (one for one in mine if isinstance(one, CommandFailed)):
            raise CommandError(failed.code, failed.text)
        return next(one for one in mine if isinstance(one, kind))


@pytest.fixture
def rig_type() -> type[Rig]:
    return UndoRig


@pytest_asyncio.fixture
async def chat(rig: UndoRig, model_api: FakeModelApi) -> AsyncIterator[UndoRig]:
    model_api.script(
        tool_turn("write_file", path="a.txt", content="one\n"),
        tool_turn("bash", command="python3 -c \"open('b.txt','w').write('b'); open('app.py','a').write('# x')\""),
        tool_turn("commit_changes", message="Two files"),
        tool_turn("write_file", path="a.txt", content="two\n"),
        text_turn("Done."),
    )
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    asked = await rig.asked(1)
    assert isinstance(asked.request, ApprovalRequest)
    assert (asked.request.undoable, asked.request.undo_until is not None) == ("partly", True)
    await rig.answer(rig.session_id, asked, ONCE)
    await rig.ended()
    yield rig


def state(root: Path) -> tuple[object, ...]:
    files = {p.name: p.read_bytes() for p in root.iterdir() if p.is_file() and p.name != ".git"}
    return files, git(root, "ls-files", "-s"), git(root, "rev-parse", "HEAD")


async def test_back_to_the_start_newest_first_and_forth_again(chat: UndoRig) -> None:
    before = git(chat.root, "rev-parse", "HEAD~1")
    now = state(chat.root)
    effects = await chat.ledger()
    assert [effect.kind for effect in effects] == ["files", "commit", "command", "files"]
    plan = await chat.plan(effects[-1], "back")
    assert [entry.verdict for entry in plan.entries] == ["undo", "undo", "partly", "undo"]
    done = await chat.run(plan)
    assert done.told == "Undone: 4 of 4."
    assert git(chat.root, "rev-parse", "HEAD") == before
    assert git(chat.root, "status", "--porcelain") == ""
    undo, *rest = await chat.ledger()
    assert (undo.kind, undo.state, len(undo.steps)) == ("undo", "standing", 4)
    assert [effect.state for effect in rest] == ["undone", "undone", "partly", "undone"]
    assert "took back" in str(chat.events(UserMessage)[-1].parts)
    assert (await chat.undo(undo)).told == "Undone: 1 of 1."
    assert state(chat.root) == now
    again = await chat.ledger()
    assert [effect.state for effect in again] == ["standing", "undone", *["standing"] * 4]


async def test_nothing_is_run_that_was_not_shown(chat: UndoRig) -> None:
    newest, *_ = await chat.ledger()
    plan = await chat.plan(newest)
    (chat.root / "a.txt").write_text("three\n")
    with pytest.raises(CommandError, match="changed meanwhile"):
        await chat.run(plan)
    shown = next(one for one in reversed(chat.updates) if isinstance(one, UndoPlanned))
    assert (shown.entries[0].verdict, shown.entries[0].paths) == ("blocked", ("a.txt",))
    (sides,) = shown.entries[0].three_way
    assert ("-one\n+two" in sides.did, "-two\n+three" in sides.since) == (True, True)
    with pytest.raises(CommandError, match="Nothing of this"):
        await chat.run(shown)
    assert (chat.root / "a.txt").read_text() == "three\n"
    assert not chat.events(UndoBegun)


async def test_twice_in_two_windows_is_once(chat: UndoRig) -> None:
    newest, *_ = await chat.ledger()
    first, second = await chat.plan(newest), await chat.plan(newest)
    await chat.run(first)
    with pytest.raises(CommandError, match="changed meanwhile"):
        await chat.run(second)
    assert len(chat.events(UndoBegun)) == 1


async def test_a_commit_that_was_pushed_meanwhile_is_turned_round_by_a_new_one(chat: UndoRig, tmp_path: Path) -> None:
    newest, commit, *_ = await chat.ledger()
    await chat.undo(newest)
    plan = await chat.plan(commit)
    assert "goes back" in plan.entries[0].text
    head = git(chat.root, "rev-parse", "HEAD").strip()
    git(chat.root, "update-ref", "refs/remotes/origin/lane", head)
    with pytest.raises(CommandError, match="changed meanwhile"):
        await chat.run(plan)
    plan = await chat.plan(commit)
    assert plan.entries[0].text == f"A new commit turns {head[:7]} round."
    assert set(plan.entries[0].paths) == {"a.txt", "app.py", "b.txt"}
    await chat.run(plan)
    assert git(chat.root, "rev-parse", "HEAD~1").strip() == head
    assert git(chat.root, "diff", "HEAD~2", "HEAD") == git(chat.root, "status", "--porcelain") == ""
    undo, *_ = await chat.ledger()
    assert (await chat.undo(undo)).told == "Undone: 1 of 1."
    assert (chat.root / "b.txt").read_text() == "b"
    assert git(chat.root, "diff", head, "HEAD") == ""


async def test_an_undo_stops_at_the_first_entry_that_fits_no_longer(chat: UndoRig) -> None:
    effects = await chat.ledger()
    (chat.root / "b.txt").write_text("mine")
    plan = await chat.plan(effects[-1], "back")
    assert [entry.verdict for entry in plan.entries] == ["undo", "undo", "blocked", "not_reached"]
    assert (await chat.run(plan)).told == "Undone: 2 of 2."
    assert [effect.state for effect in await chat.ledger()][1:] == ["undone", "undone", "standing", "standing"]


@pytest.mark.promise("memory-UL5")
async def test_an_undo_that_was_cut_off_goes_on_where_it_stood(chat: UndoRig) -> None:
    """As after the end of the program between the change of the files and its record."""
    effects = await chat.ledger()
    newest = effects[0]
    begun = UndoBegun(undo_id="und_x", effect_ids=tuple(effect.effect_id for effect in effects[:2]))
    session = chat.engine.sessions.get(chat.session_id)
    session.append(begun)
    (chat.root / "a.txt").write_text("one\n")
    command = LoadLedger(session_id=chat.session_id)
    await chat.engine.handle(command)
    loaded = next(one for one in chat.updates if isinstance(one, LedgerLoaded) and one.command_id == command.command_id)
    assert loaded.cut_off == "und_x"
    undo = loaded.effects[0]
    plan = await chat.plan(undo, "rest")
    assert [entry.verdict for entry in plan.entries] == ["done", "undo"]
    assert (await chat.run(plan)).told == "Undone: 2 of 2."
    assert newest.effect_id in {event.effect_id for event in chat.events(UndoStepDone)}
    assert [event.status for event in chat.events(UndoFinished)] == ["cut_off", "done"]
    assert [effect.state for effect in await chat.ledger()][2:4] == ["undone", "undone"]


async def test_a_file_that_git_ignores_comes_back_by_the_bytes_of_the_call(
    rig: UndoRig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("write_file", path=".gitignore", content="*.log\n"),
        tool_turn("write_file", path="x.log", content="one"),
        tool_turn("write_file", path="x.log", content="two"),
        text_turn("Done."),
    )
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    await rig.ended()
    effects = await rig.ledger()
    assert (await rig.undo(effects[0])).told == "Undone: 1 of 1."
    assert (rig.root / "x.log").read_text() == "one"
    assert (await rig.undo(effects[2], "back")).told == "Undone: 2 of 2."
    assert not (rig.root / "x.log").exists()
    assert not (rig.root / ".gitignore").exists()


@pytest_asyncio.fixture
async def shop(folders: Folders, model_api: FakeModelApi, repository: Path, tmp_path: Path) -> AsyncIterator[UndoRig]:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as made:
        made.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 1), (2, 2);")
    write_settings(
        folders,
        model_api.url,
        databases=(DatabaseConnection(name="shop", dialect="sqlite", path=str(tmp_path / "shop.db")),),
    )
    rig = UndoRig(folders)
    await rig.open(repository)
    yield rig
    await rig.engine.stop()


@pytest.mark.promise("memory-UL3")
async def test_rows_of_a_database_come_back_newest_first(
    shop: UndoRig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    def rows() -> list[tuple[int, int]]:
        with closing(sqlite3.connect(tmp_path / "shop.db")) as read:
            return read.execute("SELECT id, n FROM t ORDER BY id").fetchall()

    model_api.script(
        tool_turn("sql_query", sql="UPDATE t SET n = n + 1"),
        tool_turn("sql_query", sql="INSERT INTO t VALUES (3, 3)"),
        tool_turn("sql_query", sql="UPDATE t SET n = 9 WHERE id = 3"),
        text_turn("Done."),
    )
    shop.session_id = await shop.new("Work", PermissionMode.EDIT)
    for number in (1, 2, 3):
        requested = await shop.asked(number)
        word = requested.request.confirm_word
        assert (requested.request.undoable, requested.request.undo_until) == ("partly", None)
        await shop.answer(shop.session_id, requested, ONCE.model_copy(update={"confirm": word}))
    await shop.ended()
    after = rows()
    effects = await shop.ledger()
    assert [(effect.kind, effect.undoable) for effect in effects] == [("database", "yes")] * 3
    plan = await shop.plan(effects[-1], "back")
    assert [entry.verdict for entry in plan.entries] == ["undo"] * 3
    assert (await shop.run(plan)).told == "Undone: 3 of 3."
    assert rows() == [(1, 1), (2, 2)]
    undo, *_ = await shop.ledger()
    assert (await shop.undo(undo)).told == "Undone: 1 of 1."
    assert rows() == after
    with closing(sqlite3.connect(tmp_path / "shop.db")) as other:
        other.execute("DELETE FROM t WHERE id = 3")
        other.commit()
    plan = await shop.plan((await shop.ledger())[2])
    assert (plan.entries[0].verdict, plan.entries[0].text) == (
        "blocked", "1 of the rows are not as the write left them any more.",
    )  # fmt: skip


async def test_a_message_beside_an_undo_begins_its_turn_before_it_or_after_it(
    chat: UndoRig, model_api: FakeModelApi
) -> None:
    """Which of the two is first is decided by when the plan was made again; neither is ever within the other."""
    plan = await chat.plan((await chat.ledger())[0])
    model_api.script(text_turn("I see."))
    go_on = SendMessage(session_id=chat.session_id, text="Go on please")
    told = await asyncio.gather(chat.run(plan), chat.engine.handle(go_on), return_exceptions=True)
    await chat.ended(2)
    marks = (TurnStarted, TurnEnded, UndoBegun, UndoFinished)
    order = [type(event) for event in events(chat.updates) if isinstance(event, marks)]
    pairs = list(zip(order[::2], order[1::2], strict=True))
    refused = isinstance(told[0], CommandError)
    undos = [] if refused else [(UndoBegun, UndoFinished)]
    assert sorted(pairs, key=str) == sorted([(TurnStarted, TurnEnded)] * 2 + undos, key=str)
    assert not refused or str(told[0]) == "The agent is working. Stop it first, or wait."


async def test_a_lane_that_was_made_goes_while_it_is_empty_and_comes_back(
    rig: UndoRig, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("create_lane", name="Extra"), text_turn("Done."))
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.undoable == "yes"
    await rig.answer(rig.session_id, asked, ONCE)
    await rig.ended()
    (made,) = await rig.ledger()
    lane_id = made.steps[0].subject
    lanes = rig.engine.parts.base.ground.lanes
    root = Path(lanes.get(lane_id).worktree_path)
    (root / "mine.txt").write_text("mine")
    plan = await rig.plan(made)
    assert (plan.entries[0].verdict, "is not empty" in plan.entries[0].text) == ("blocked", True)
    (root / "mine.txt").unlink()
    done = await rig.undo(made)
    assert (done.told, lanes.get(lane_id).state, root.exists()) == ("Undone: 1 of 1.", "deleted", False)
    assert (await rig.undo(done.effects[0])).told == "Undone: 1 of 1."
    assert lanes.get(lane_id).state == "active"
    assert Path(lanes.get(lane_id).worktree_path).is_dir()


async def test_what_a_person_did_to_the_lane_is_undone_in_its_chat(chat: UndoRig) -> None:
    lane_id = chat.engine.sessions.get(chat.session_id).state.lane_id
    lanes = chat.engine.parts.base.ground.lanes
    name = lanes.get(lane_id).name
    await chat.engine.handle(EditLane(lane_id=lane_id, name="Other"))
    await chat.engine.handle(ArchiveLane(lane_id=lane_id))
    archived, edited, *_ = await chat.ledger()
    assert [archived.steps[0].act, edited.steps[0].act] == ["unarchive_lane", "name_lane"]
    assert (await chat.undo(edited, "back")).told == "Undone: 2 of 2."
    assert (lanes.get(lane_id).state, lanes.get(lane_id).name) == ("active", name)
    undo, *_ = await chat.ledger()
    await chat.undo(undo)
    assert (lanes.get(lane_id).state, lanes.get(lane_id).name) == ("archived", "Other")


async def test_what_an_undo_does_to_a_lane_is_its_own_also_within_one_millisecond(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    """Two logs are merged by time: an undo that begins and ends in the millisecond of its act has it all the same."""
    moments = [datetime(2026, 11, 24, 12, tzinfo=UTC)]
    rig = await UndoRig(folders, clock=lambda: moments[-1]).open(repository)
    try:
        model_api.script(text_turn("Done."))
        rig.session_id = await rig.new("Work", PermissionMode.EDIT)
        await rig.ended()
        lane_id = rig.engine.sessions.get(rig.session_id).state.lane_id
        moments.append(moments[-1] + timedelta(seconds=1))
        await rig.engine.handle(EditLane(lane_id=lane_id, name="Other"))
        (edited,) = await rig.ledger()
        moments.append(moments[-1] + timedelta(seconds=1))
        assert (await rig.undo(edited)).told == "Undone: 1 of 1."
        assert [one.kind for one in await rig.ledger()] == ["undo", edited.kind]
    finally:
        await rig.engine.stop()


async def test_a_lane_that_was_switched_is_on_its_branch_again(rig: UndoRig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    await rig.ended()
    lane_id = rig.engine.sessions.get(rig.session_id).state.lane_id
    lanes = rig.engine.parts.base.ground.lanes
    branch = lanes.get(lane_id).branch
    git(rig.root, "branch", "spare")
    await rig.engine.handle(SwitchLaneBranch(lane_id=lane_id, branch="spare"))
    (switched,) = await rig.ledger()
    assert (switched.undoable, switched.steps[0].text) == ("yes", branch)
    assert (await rig.undo(switched)).told == "Undone: 1 of 1."
    assert (lanes.get(lane_id).branch, git(rig.root, "branch", "--show-current").strip()) == (branch, branch)
    undo, *_ = await rig.ledger()
    await rig.undo(undo)
    assert git(rig.root, "branch", "--show-current").strip() == "spare"
    (rig.root / "app.py").write_text("mine\n")
    plan = await rig.plan((await rig.ledger())[-1])
    stopped = await rig.run(plan)
    assert "Stopped" in stopped.told
    assert (rig.root / "app.py").read_text() == "mine\n"


async def test_what_was_remembered_is_forgotten_and_remembered_again(rig: UndoRig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("memory_search", query="tabs"),
        tool_turn("memory_add", content="This project indents with tabs.", category="convention"),
        text_turn("Done."),
    )
    rig.session_id = await rig.new("Work", PermissionMode.EDIT)
    await rig.ended()
    (added,) = await rig.ledger()
    memory_id = added.steps[0].subject
    store = rig.engine.parts.chats.memory.keeper.book.store
    assert (added.kind, store.get(memory_id) is not None) == ("memory", True)
    done = await rig.undo(added)
    assert (done.told, store.get(memory_id)) == ("Undone: 1 of 1.", None)
    again = await rig.undo(done.effects[0])
    assert again.told == "Undone: 1 of 1."
    assert store.get(memory_id).content == "This project indents with tabs."


async def test_a_boundary_that_was_kept_is_lifted(rig: UndoRig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Fine."))
    rig.session_id = await rig.new("Look around. Never push.", PermissionMode.EDIT)
    await rig.ended()
    session = rig.engine.sessions.get(rig.session_id)
    boundary_id = session.state.boundaries[0].boundary_id
    await rig.engine.handle(KeepBoundary(session_id=rig.session_id, boundary_id=boundary_id))
    (kept,) = await rig.ledger()
    assert kept.what.startswith("Boundary kept")
    assert (await rig.undo(kept)).told == "Undone: 1 of 1."
    assert session.state.boundaries == ()
    assert [effect.state for effect in await rig.ledger()] == ["standing", "undone"]
