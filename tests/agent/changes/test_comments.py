"""Comments on changes through the real engine: kept over a restart, followed, sent once as one message."""

from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.changes.commands import (
    LoadComments,
    LoadLaneChanges,
    MarkViewed,
    ResolveComment,
    SaveComment,
    SendComments,
)
from desktop.domain.changes.updates import CommentsChanged, LaneChangesLoaded, ViewedChanged
from desktop.domain.changes.values import ChangeScope, ReviewComment
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import UserMessage
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.model_turns import Turn

pytestmark = pytest.mark.asyncio


def draft(number: int, path: str, first: int, last: int = 0, **more: object) -> ReviewComment:
    values = {"comment_id": f"cmt_{number}", "path": path, "first": first, "last": last or first, **more}
    return ReviewComment.model_validate({"text": f"comment {number}", **values})


async def chat(rig: Rig, model_api: FakeModelApi) -> tuple[str, str, Path]:
    """A chat with a changed file: its id, its lane's id and folder."""
    model_api.script(text_turn("hello"))
    session_id = await rig.new("Hello")
    await rig.ended()
    root = rig.lane(session_id)
    (root / "new.py").write_text("one\ntwo\nthree\nfour\n")
    (root / "app.py").write_text("print('bye')\n")
    return session_id, rig.engine.sessions.get(session_id).state.lane_id, root


def shown(rig: Rig) -> list[tuple[str, int, str, bool]]:
    last = [update for update in rig.updates if isinstance(update, CommentsChanged)][-1]
    return [(one.comment_id, one.first, one.state, one.outdated) for one in last.comments]


def said(rig: Rig) -> list[str]:
    return [str(event.parts[0]["text"]) for event in rig.events(UserMessage) if isinstance(event.parts[0], dict)]


async def test_five_comments_survive_a_restart_follow_their_lines_and_go_as_one_message(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rig = await Rig(folders).open(repository)
    session_id, lane_id, root = await chat(rig, model_api)
    for one in (
        draft(1, "new.py", 4), draft(2, "new.py", 2, 3), draft(3, "app.py", 1, side="old"), draft(4, "app.py", 1),
        draft(5, "notes.md", 1), draft(6, "new.py", 1),
    ):  # fmt: skip
        await rig.engine.handle(SaveComment(lane_id=lane_id, comment=one))
    await rig.engine.handle(SaveComment(lane_id=lane_id, comment=draft(6, "new.py", 1, text=" ")))
    await rig.engine.stop()
    (root / "new.py").write_text("zero\none\ntwo\nthree\n4\n")

    rig = await Rig(folders).open(repository)
    await rig.engine.handle(LoadComments(lane_id=lane_id))
    assert shown(rig) == [
        ("cmt_1", 4, "draft", True), ("cmt_2", 3, "draft", False), ("cmt_3", 1, "draft", False),
        ("cmt_4", 1, "draft", False), ("cmt_5", 1, "draft", False),
    ]  # fmt: skip
    model_api.script(text_turn("done"))
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=session_id))
    await rig.ended()
    assert said(rig)[-1] == (
        "Review comments on the changes in lane hello (5):\n"
        "1. app.py:1 (old)\n   > -print('hello')\n   Comment: comment 3\n"
        "2. app.py:1 (new)\n   > +print('bye')\n   Comment: comment 4\n"
        "3. new.py:3-4 (new)\n   > +two\n   > +three\n   Comment: comment 2\n"
        "4. new.py:4 (new, these lines are not there any more)\n   > +four\n   Comment: comment 1\n"
        "5. notes.md:1 (new)\n   >  # Notes\n   Comment: comment 5\n"
        "Address each one. Say for each what you did."
    )
    assert {state for _, _, state, _ in shown(rig)} == {"sent"}
    await rig.engine.handle(ResolveComment(lane_id=lane_id, comment_id="cmt_1"))
    assert shown(rig)[0] == ("cmt_1", 4, "resolved", True)
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=session_id))
    await rig.engine.handle(SaveComment(lane_id=lane_id, comment=draft(2, "new.py", 1)))
    assert [failed.code for failed in rig.failures()] == ["nothing_to_send", "already_sent"]
    await rig.engine.stop()


async def test_comments_sent_while_a_turn_runs_wait_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, lane_id, _ = await chat(rig, model_api)
    await rig.engine.handle(SaveComment(lane_id=lane_id, comment=draft(1, "new.py", 1)))
    model_api.script(Turn(text="slow", fault="stall"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Go on"))
    command = SendComments(lane_id=lane_id, session_id=session_id)
    await rig.engine.handle(command)
    await rig.engine.handle(command.model_copy(update={"command_id": "again"}))
    assert len(rig.events(MessageQueued)) == 1
    assert [failed.code for failed in rig.failures()] == ["nothing_to_send"]
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended(2)


async def test_comments_that_stand_nowhere_are_refused(rig: Rig, model_api: FakeModelApi) -> None:
    _, lane_id, _ = await chat(rig, model_api)
    model_api.script(text_turn("done"), text_turn("other"))
    bad = [
        draft(1, "new.py", 0), draft(2, "new.py", 3, 2), draft(3, "../new.py", 1),
        draft(4, "new.py", 1, text="x" * 5001),
    ]  # fmt: skip
    for one in bad:
        await rig.engine.handle(SaveComment(lane_id=lane_id, comment=one))
    assert [failed.code for failed in rig.failures()] == ["bad_comment"] * 4
    on_a_turn = draft(5, "new.py", 9, side="old", quoted=("was",), scope=ChangeScope(kind="last_turn"))
    await rig.engine.handle(SaveComment(lane_id=lane_id, comment=on_a_turn))
    assert shown(rig) == [("cmt_5", 9, "draft", False)]
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=""))
    assert rig.failures()[-1].code == "no_chat"
    fresh = new_session_id()
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=fresh))
    assert rig.engine.sessions.get(fresh).state.lane_id == lane_id
    assert said(rig)[-1].startswith("Review comments on the changes in lane hello (1):")
    await rig.ended(2)
    other = await rig.new("Other")
    await rig.engine.handle(SendComments(lane_id=lane_id, session_id=other))
    assert rig.failures()[-1].code == "other_lane"


async def test_a_file_is_viewed_until_it_changes(rig: Rig, model_api: FakeModelApi) -> None:
    session_id, lane_id, root = await chat(rig, model_api)

    async def listed() -> LaneChangesLoaded:
        await rig.engine.handle(LoadLaneChanges(lane_id=lane_id, session_id=session_id))
        return [update for update in rig.updates if isinstance(update, LaneChangesLoaded)][-1]

    for file in (await listed()).files:
        await rig.engine.handle(MarkViewed(lane_id=lane_id, path=file.path, sha256=file.sha256))
    assert (await listed()).viewed == ("app.py", "new.py")
    (root / "new.py").write_text("other\n")
    assert (await listed()).viewed == ("app.py",)
    await rig.engine.handle(MarkViewed(lane_id=lane_id, path="app.py", sha256="", viewed=False))
    assert [update.paths for update in rig.updates if isinstance(update, ViewedChanged)][-1] == ()
