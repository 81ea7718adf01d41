"""The Changes tab's questions to the real engine: every scope of a lane, and the diff of one file."""

import pytest

from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ChangeScope
from desktop.domain.chats.commands import MakeCheckpoint
from desktop.domain.commands import SendMessage
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.permissions import PermissionMode
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


class Asker:
    """Asks as the window would, and gives the answer to just that question."""

    def __init__(self, rig: Rig, session_id: str) -> None:
        self.rig = rig
        self.session_id = session_id
        lane = rig.engine.sessions.get(session_id).lane
        assert lane is not None
        self.lane_id = lane.id

    async def listing(self, kind: str, reference: str = "", **more: object) -> LaneChangesLoaded:
        command = LoadLaneChanges.model_validate(
            {"lane_id": self.lane_id, "session_id": self.session_id, "scope": scope(kind, reference), **more}
        )
        await self.rig.engine.handle(command)
        return next(
            u for u in self.rig.updates if isinstance(u, LaneChangesLoaded) and u.command_id == command.command_id
        )

    async def diff(self, kind: str, path: str, reference: str = "", old_path: str = "") -> DiffLoaded:
        command = LoadDiff(
            lane_id=self.lane_id, session_id=self.session_id, scope=scope(kind, reference), path=path,
            old_path=old_path,
        )  # fmt: skip
        await self.rig.engine.handle(command)
        return next(u for u in self.rig.updates if isinstance(u, DiffLoaded) and u.command_id == command.command_id)

    async def shown(self, kind: str, reference: str = "") -> list[str]:
        found = await self.listing(kind, reference)
        assert found.problem == ""
        return [f"{file.status} {file.path}" for file in found.files]

    async def lines(self, kind: str, path: str, reference: str = "") -> list[str]:
        found = await self.diff(kind, path, reference)
        assert found.problem == ""
        return [line.kind + line.text for hunk in found.diff.hunks for line in hunk.lines]


def scope(kind: str, reference: str = "") -> ChangeScope:
    return ChangeScope.model_validate({"kind": kind, "reference": reference})


async def two_turns(rig: Rig, model_api: FakeModelApi) -> Asker:
    """Turn 1 writes a.txt, a person changes notes.md and commits, turn 2 writes a.txt and b.txt."""
    model_api.script(
        tool_turn("write_file", file_path="a.txt", content="one\n"), text_turn("done"),
        tool_turn("read_file", file_path="a.txt"), tool_turn("write_file", file_path="a.txt", content="two\n"),
        tool_turn("write_file", file_path="b.txt", content="b\r\n"), text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Write", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    root = rig.lane(session_id)
    (root / "notes.md").write_text("# Other\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "person")
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    await rig.ended(2)
    return Asker(rig, session_id)


async def test_each_scope_shows_its_own_changes(rig: Rig, model_api: FakeModelApi) -> None:
    ask = await two_turns(rig, model_api)
    root = rig.lane(ask.session_id)
    assert await ask.shown("lane") == ["added a.txt", "untracked b.txt", "modified notes.md"]
    assert await ask.shown("uncommitted") == ["modified a.txt", "untracked b.txt"]
    assert await ask.shown("last_turn") == ["modified a.txt", "added b.txt"]
    assert await ask.shown("turn", "1") == ["added a.txt"]
    assert await ask.shown("outside", "2") == ["modified notes.md"]
    assert await ask.shown("outside") == []
    assert await ask.shown("commit", "HEAD") == ["added a.txt", "modified notes.md"]
    assert await ask.lines("last_turn", "a.txt") == ["-one", "+two"]
    assert await ask.lines("turn", "a.txt", "1") == ["+one"]
    assert await ask.lines("commit", "a.txt", "HEAD") == ["+one"]
    first = rig.events(CheckpointMade)[0].checkpoint_id
    (root / "b.txt").unlink()
    (root / "app.py").write_text("print('bye')\n")
    assert await ask.shown("checkpoint", first) == ["added a.txt", "modified app.py", "modified notes.md"]
    assert await ask.lines("checkpoint", "app.py", first) == ["-print('hello')", "+print('bye')"]
    assert await ask.shown("outside") == ["modified app.py", "deleted b.txt"]
    last = await ask.listing("last_turn")
    assert [(file.path, file.after_turn, bool(file.sha256)) for file in last.files] == [
        ("a.txt", False, True), ("b.txt", True, False),
    ]  # fmt: skip
    assert dict(last.counts) == {"lane": 3, "uncommitted": 2, "last_turn": 2, "outside": 2}
    assert last.head == git(root, "rev-parse", "HEAD").strip()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all of it")
    assert await ask.shown("last_turn") == ["modified a.txt", "added b.txt"]
    assert rig.failures() == []


async def test_what_cannot_be_shown_says_why(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("hello"))
    session_id = await rig.new("Hello")
    await rig.ended()
    ask = Asker(rig, session_id)
    assert await ask.shown("last_turn") == []
    assert (await ask.listing("turn", "7")).problem == "There is no turn 7 in this chat."
    assert (await ask.listing("outside", "1")).problem == "Nothing is kept from before the first turn."
    assert (await ask.listing("checkpoint", "ln_none/1")).problem == "This checkpoint is not kept any more."
    assert 'no commit "--output=x"' in (await ask.listing("commit", "--output=x")).problem
    for path in ("../app.py", "/etc/passwd", ".git/config", "a//b", ""):
        assert "is no file of this lane" in (await ask.diff("lane", path)).problem
    assert "there on neither side" in (await ask.diff("lane", "none")).problem
    root = rig.lane(session_id)
    big = root / "big.bin"
    for size in (51 * 1024 * 1024, 52 * 1024 * 1024):
        with big.open("wb") as file:
            file.truncate(size)
        await rig.engine.handle(MakeCheckpoint(session_id=session_id, name="here"))
    made = [event.checkpoint_id for event in rig.events(CheckpointMade) if event.reason == "manual"]
    (large,) = (await ask.listing("checkpoint", made[0])).files
    assert (large.path, large.too_large, large.size_after) == ("big.bin", True, 52 * 1024 * 1024)
    big.unlink()
    (root / ".git").unlink()
    assert "does not point at its own folder" in (await ask.listing("lane")).problem
    assert "does not point at its own folder" in (await ask.diff("lane", "app.py")).problem
