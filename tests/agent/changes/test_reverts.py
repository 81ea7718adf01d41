"""A person takes back, brings back, commits and pushes through the real engine: recorded, told, refused while busy."""

from pathlib import Path
from typing import TypeVar

import pytest

from desktop.agent.lanes.project_log import project_log_id
from desktop.domain.changes.commands import (
    CommitChanges,
    LoadCommitState,
    LoadLaneChanges,
    PushLane,
    RevertPicked,
    UndoRevert,
)
from desktop.domain.changes.updates import (
    ChangeReverted,
    ChangesCommitted,
    CommitHeld,
    CommitStateLoaded,
    LaneChangesLoaded,
    LanePushed,
)
from desktop.domain.changes.values import ChangeScope, Picked
from desktop.domain.commands import SendMessage
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.events import UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.lanes.commands import ArchiveLane, UnarchiveLane
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

T = TypeVar("T")
pytestmark = pytest.mark.asyncio


class Reviewer:
    """A chat whose lane has changes, and a person who looks at them."""

    def __init__(self, rig: Rig, session_id: str) -> None:
        self.rig = rig
        self.session_id = session_id
        self.lane_id = rig.engine.sessions.get(session_id).state.lane_id
        self.root = rig.lane(session_id)

    async def picked(self, *paths: str) -> tuple[Picked, ...]:
        command = LoadLaneChanges(lane_id=self.lane_id, scope=ChangeScope(kind="uncommitted"))
        await self.rig.engine.handle(command)
        files = self.last(LaneChangesLoaded).files
        return tuple(Picked(path=one.path, old_path=one.old_path, sha256=one.sha256) for one in files
                     if not paths or one.path in paths)  # fmt: skip

    async def revert(self, *picked: Picked) -> ChangeReverted | None:
        before = self.count(ChangeReverted)
        scope = ChangeScope(kind="uncommitted")
        await self.rig.engine.handle(RevertPicked(lane_id=self.lane_id, scope=scope, picked=picked))
        return self.last(ChangeReverted) if self.count(ChangeReverted) > before else None

    def count(self, kind: type) -> int:
        return sum(isinstance(update, kind) for update in self.rig.updates)

    def last(self, kind: type[T]) -> T:
        return [update for update in self.rig.updates if isinstance(update, kind)][-1]

    def recorded(self) -> list[tuple[str, str]]:
        """What the log of the project holds: operations with how they ended."""
        project = self.rig.engine.project
        assert project is not None
        log = self.rig.engine._store.events.read(project_log_id(project.id))
        return [
            (event.operation, event.status if isinstance(event, LaneOperationFinished) else "begun")
            for event in (envelope.event for envelope in log)
            if isinstance(event, LaneOperationStarted | LaneOperationFinished) and event.lane_id == self.lane_id
        ]


async def reviewer(rig: Rig, model_api: FakeModelApi) -> Reviewer:
    model_api.script(text_turn("hello"), text_turn("I see"))
    session_id = await rig.new("Hello")
    await rig.ended()
    found = Reviewer(rig, session_id)
    (found.root / "app.py").write_text("print('bye')\n")
    (found.root / "new.txt").write_text("new\n")
    return found


async def test_taking_back_is_kept_recorded_told_and_undone(rig: Rig, model_api: FakeModelApi) -> None:
    one = await reviewer(rig, model_api)
    reverted = await one.revert(*await one.picked())
    assert reverted is not None
    assert reverted.text == "app.py (whole file); new.txt (a new file, moved to the trash)"
    assert git(one.root, "status", "--short") == ""
    assert [event.reason for event in rig.events(CheckpointMade)][-1] == "revert"
    await rig.engine.handle(UndoRevert(lane_id=one.lane_id, revert_id=reverted.revert_id))
    assert one.last(ChangeReverted).undone
    assert (one.root / "app.py").read_text() == "print('bye')\n"
    assert (one.root / "new.txt").read_text() == "new\n"
    await rig.engine.handle(UndoRevert(lane_id=one.lane_id, revert_id=reverted.revert_id))
    assert [failed.code for failed in rig.failures()] == ["no_revert"]
    notes = [str(event.parts) for event in rig.events(UserMessage) if event.note_kind == "reverted"]
    assert "The person reverted: app.py (whole file); new.txt (a new file, moved to the trash)." in notes[0]
    assert "brought back what was reverted" in notes[1]
    await rig.engine.handle(SendMessage(session_id=one.session_id, text="Look"))
    await rig.ended(2)
    assert "The person reverted: app.py" in str(model_api.requests[-1].body["messages"])
    assert rig.failures()[1:] == []


async def test_what_changed_or_is_busy_is_refused(rig: Rig, model_api: FakeModelApi) -> None:
    one = await reviewer(rig, model_api)
    picks = await one.picked()
    (one.root / "app.py").write_text("print('later')\n")
    assert await one.revert(*picks) is None
    async with rig.engine.sessions.lane_lock(one.lane_id):
        assert await one.revert(*await one.picked()) is None
        command = CommitChanges(lane_id=one.lane_id, message="x", picked=await one.picked(), head="")
        await rig.engine.handle(command)
    await one.revert()
    assert [failed.code for failed in rig.failures()] == ["not_reverted", "lane_busy", "lane_busy", "nothing_picked"]
    assert rig.failures()[0].text == "This file changed since the diff was made. Refresh and try again."
    assert (one.root / "app.py").read_text() == "print('later')\n"
    assert (one.root / "new.txt").exists()
    (one.root / ".git").unlink()
    assert await one.revert(*picks) is None
    assert rig.failures()[-1].code == "lane_broken"


async def test_taking_back_while_a_card_is_open_is_told_after_the_answer_to_it(
    rig: Rig, model_api: FakeModelApi
) -> None:
    one = await reviewer(rig, model_api)
    model_api.script(tool_turn("bash", command="python app.py"), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=one.session_id, text="Run it"))
    asked = await rig.asked()
    assert await one.revert(*await one.picked("app.py")) is not None
    await rig.answer(one.session_id, asked, Answer(outcome="reject"))
    await rig.ended(2)
    last = model_api.requests[-1].body["messages"]
    assert [part["type"] for part in last[-1]["content"]] == ["tool_result", "text"]
    assert "The person reverted: app.py (whole file)." in str(last[-1]["content"])
    assert rig.failures() == []


async def test_a_lane_that_stands_on_another_folder_now_is_kept_and_changed_as_before(
    rig: Rig, model_api: FakeModelApi
) -> None:
    one = await reviewer(rig, model_api)
    assert await one.revert(*await one.picked("app.py")) is not None
    await rig.engine.handle(ArchiveLane(lane_id=one.lane_id, free_disk=True))
    assert not one.root.exists()
    await rig.engine.handle(UnarchiveLane(lane_id=one.lane_id))
    assert (one.root / "new.txt").read_text() == "new\n"
    assert await one.revert(*await one.picked()) is not None
    assert git(one.root, "status", "--short") == ""
    assert rig.failures() == []


async def test_a_person_commits_and_pushes(
    rig: Rig, model_api: FakeModelApi, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname=Ann\nemail=ann@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    git(tmp_path, "clone", "-q", "--bare", str(repository), "remote.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    one = await reviewer(rig, model_api)
    await rig.engine.handle(LoadCommitState(lane_id=one.lane_id))
    state = one.last(CommitStateLoaded)
    assert (state.author, state.remote, state.ahead, state.blocked) == ("Ann <ann@example.org>", "origin", None, "")
    (one.root / ".env").write_text("KEY=1\n")

    async def commit(message: str = "Change app", **more: object) -> None:
        values = {"lane_id": one.lane_id, "message": message, "head": state.head, "picked": await one.picked(), **more}
        await rig.engine.handle(CommitChanges.model_validate(values))

    await commit(" \n")
    await commit()
    assert one.last(CommitHeld).secret == (".env",)
    await commit(allowed=(".env",))
    made = one.last(ChangesCommitted)
    assert (made.subject, made.files) == ("Change app", 3)
    assert git(one.root, "status", "--short") == ""
    (one.root / "app.py").write_text("print(3)\n")
    await commit()
    await rig.engine.handle(PushLane(lane_id=one.lane_id))
    assert one.last(LanePushed).branch == "lane/hello"
    assert git(tmp_path / "remote.git", "rev-parse", "lane/hello").strip() == made.oid
    assert [failed.code for failed in rig.failures()] == ["no_message", "not_committed"]
    assert [entry for entry in one.recorded() if entry[0] in ("commit", "push")] == [
        ("commit", "begun"), ("commit", "failed"), ("commit", "begun"), ("commit", "done"),
        ("commit", "begun"), ("commit", "failed"), ("push", "begun"), ("push", "done"),
    ]  # fmt: skip
