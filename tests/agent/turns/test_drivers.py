"""Turns that another driver carries out: started, stopped, queued, interrupted, forked and continued as the loop's."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio

from desktop.agent.core.session import Session
from desktop.agent.options import EngineOptions
from desktop.agent.turns.driver import DriverAbilities, TurnDriver
from desktop.agent.turns.frame import LoopParts
from desktop.agent.turns.turn import Turn, TurnKind, stopped
from desktop.config.folders import Folders
from desktop.domain.chats.commands import Compact, ForkSession, RewindSession
from desktop.domain.chats.queue_events import QueuePaused
from desktop.domain.commands import ContinueTurn, Interrupt, SendMessage
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.work import Activity
from desktop.domain.events import AssistantMessage, Event, TurnEnded, TurnStarted, UserMessage
from desktop.domain.history.state_of import message_text
from desktop.domain.updates import TextDelta
from tests.agent.guest_rig import ScriptedGuests
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


class Stage(Protocol):
    """A kind of driver, whose answers the test decides."""

    @property
    def options(self) -> EngineOptions:
        """For an engine with this driver."""

    def answers(self, *texts: str) -> None:
        """What is said to the next messages."""

    def holds(self, text: str) -> None:
        """An answer that is under way until `go_on`."""

    def go_on(self) -> None:
        """Let the answer that is held come to its end."""

    async def held(self, rig: Rig) -> None:
        """Once an answer is under way."""


class LoopStage:
    """The loop that asks a model service."""

    options = EngineOptions()

    def __init__(self, model_api: FakeModelApi) -> None:
        self._api = model_api

    def answers(self, *texts: str) -> None:
        self._api.more(*(text_turn(text) for text in texts))

    def holds(self, text: str) -> None:
        self._api.more(text_turn(f"{text} " * 20, fault="hold"))

    def go_on(self) -> None:
        self._api.go_on()

    async def held(self, rig: Rig) -> None:
        await rig.until(lambda updates: any(isinstance(update, TextDelta) for update in updates))


class PlayStage:
    """A driver that says what the test gave it."""

    def __init__(self) -> None:
        self.options = EngineOptions(driver=self._driver)
        self.texts: list[str] = []
        self.gate = asyncio.Event()
        self.under_way = False

    def _driver(self, parts: LoopParts) -> TurnDriver:
        return PlayDriver(self, parts)

    def answers(self, *texts: str) -> None:
        self.texts += texts

    def holds(self, text: str) -> None:
        self.texts.append(f"{text} …")

    def go_on(self) -> None:
        self.gate.set()

    async def held(self, rig: Rig) -> None:
        await rig.until(lambda updates: self.under_way)

    async def answer(self) -> str:
        """The next text; one that is held comes when it may."""
        text = self.texts.pop(0)
        if text.endswith("…"):
            self.under_way = True
            await self.gate.wait()
        return text


class GuestStage:
    """A guest that plays a script."""

    def __init__(self, folder: Path) -> None:
        self._guests = ScriptedGuests(folder)
        self._queue, self._gate = folder / "queue.jsonl", folder / "gate"
        self._guests.more = {"queue": str(self._queue)}
        self.options = self._guests.options

    def answers(self, *texts: str) -> None:
        self._play(*([{"say": text}] for text in texts))

    def holds(self, text: str) -> None:
        self._play([{"say": f"{text} "}, {"hold": str(self._gate)}])

    def go_on(self) -> None:
        self._gate.touch()

    async def held(self, rig: Rig) -> None:
        await rig.until(lambda updates: any(isinstance(update, TextDelta) for update in updates))

    def _play(self, *prompts: list[dict[str, str]]) -> None:
        with self._queue.open("a", encoding="utf-8") as queue:
            queue.writelines(f"{json.dumps(prompt)}\n" for prompt in prompts)


class PlayDriver:
    """Says one text a turn, asks no model, and keeps its conversation itself."""

    def __init__(self, stage: PlayStage, parts: LoopParts) -> None:
        self._stage = stage
        self._queue = parts.frame.queue

    def begin(self, session: Session, events: list[Event], *, kind: TurnKind = "prompt", continues: str = "") -> Turn:
        turn = Turn(kind=kind)
        started = TurnStarted(turn_id=turn.turn_id, kind=kind, continues_turn_id=continues, mode=session.state.mode)
        session.append_many([started, *events])
        return turn

    async def run(self, session: Session, turn: Turn) -> None:
        try:
            while turn.status is None:
                await self._answered(session, turn)
        except asyncio.CancelledError:
            stopped(session, turn)
            raise
        finally:
            self._end(session, turn)

    async def _answered(self, session: Session, turn: Turn) -> None:
        turn.in_step = True
        task = asyncio.current_task()
        assert task is not None
        try:
            text = await self._stage.answer()
        except asyncio.CancelledError:
            if not turn.send_now or turn.stop_asked:
                raise
            task.uncancel()
            queue_id, turn.send_now = turn.send_now, ""
            session.append_many(self._queue.delivery(session, queue_id))
            return
        finally:
            turn.in_step = False
        session.append(AssistantMessage(parts=({"type": "text", "text": text},), turn_id=turn.turn_id))
        turn.status = "completed"

    async def stop(self, session: Session, turn: Turn) -> None:
        assert session.task is not None
        session.task.cancel()

    def retry_now(self, session_id: str) -> None:
        """Nothing is tried twice."""

    def end_unrun(self, session: Session, turn: Turn) -> None:
        if not turn.ended:
            stopped(session, turn)
            self._end(session, turn)

    def _end(self, session: Session, turn: Turn) -> None:
        turn.ended = True
        assert turn.status is not None
        ended = TurnEnded(turn_id=turn.turn_id, status=turn.status, reason=turn.reason, detail=turn.detail)
        pause = turn.pause
        session.record(ended, *([QueuePaused(reason=pause)] if pause and session.state.queue else []))
        session.set_activity(Activity.IDLE)

    def abilities(self, session: Session) -> DriverAbilities:
        return DriverAbilities(rewinds=False, compacts=False)


@pytest_asyncio.fixture(params=["loop", "play", "guest"])
async def stage(request: pytest.FixtureRequest, model_api: FakeModelApi, tmp_path: Path) -> Stage:
    if request.param == "guest":
        return GuestStage(tmp_path)
    return LoopStage(model_api) if request.param == "loop" else PlayStage()


@pytest.fixture
def driver(stage: Stage) -> str:
    """Who carries out the turns of chats."""
    return "fake" if isinstance(stage, GuestStage) else "own"


@pytest_asyncio.fixture
async def rig(stage: Stage, folders: Folders, repository: Path) -> AsyncIterator[Rig]:
    rig = await Rig(folders, stage.options).open(repository)
    yield rig
    await rig.engine.stop()


def said(rig: Rig) -> list[tuple[str, str]]:
    """What people and the agent said, in order."""
    spoken = ((e.origin, message_text(e)) for e in rig.events(UserMessage) if e.origin in ("person", "queued"))
    return [*spoken, *(("agent", message_text(e)) for e in rig.events(AssistantMessage))]


def kinds(rig: Rig) -> list[str]:
    """How the turns began, in order."""
    return [event.kind for event in rig.events(TurnStarted)]


async def test_a_turn_is_started_answered_and_ended(rig: Rig, stage: Stage, driver: str) -> None:
    stage.answers("well", "again")
    session_id = await rig.new("Talk", driver=driver)
    assert (await rig.ended()).status == "completed"
    await rig.engine.handle(SendMessage(session_id=session_id, text="more"))
    await rig.ended(2)
    assert said(rig) == [("person", "Talk"), ("person", "more"), ("agent", "well"), ("agent", "again")]
    assert kinds(rig) == ["prompt", "prompt"]
    whole(rig, session_id)


async def test_a_turn_is_stopped_once_however_often_somebody_asks(rig: Rig, stage: Stage, driver: str) -> None:
    stage.holds("a slow answer")
    session_id = await rig.new("Talk", driver=driver)
    await stage.held(rig)
    for _ in range(3):
        await rig.engine.handle(Interrupt(session_id=session_id))
    assert ((await rig.ended()).status, rig.events(TurnEnded)[0].reason) == ("interrupted", "stop")
    await rig.until(lambda updates: not rig.engine.sessions.running())
    assert len(rig.events(TurnEnded)) == 1
    whole(rig, session_id)


async def test_a_turn_that_is_stopped_before_it_runs_has_one_end(rig: Rig, stage: Stage, driver: str) -> None:
    stage.holds("a slow answer")
    session_id = await rig.new("Talk", driver=driver)
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    whole(rig, session_id)


async def test_what_waits_begins_the_next_turn(rig: Rig, stage: Stage, driver: str) -> None:
    stage.holds("a slow answer")
    stage.answers("and the other")
    session_id = await rig.new("Talk", driver=driver)
    await stage.held(rig)
    await rig.engine.handle(SendMessage(session_id=session_id, text="next"))
    stage.go_on()
    await rig.ended(2)
    assert kinds(rig) == ["prompt", "queued"]
    assert ("queued", "next") in said(rig)
    whole(rig, session_id)


async def test_a_stop_leaves_what_waits_until_it_is_sent(rig: Rig, stage: Stage, driver: str) -> None:
    stage.holds("a slow answer")
    session_id = await rig.new("Talk", driver=driver)
    await stage.held(rig)
    await rig.engine.handle(SendMessage(session_id=session_id, text="next"))
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [event.reason for event in rig.events(QueuePaused)] == ["stop"]
    assert len(rig.engine.sessions.get(session_id).state.queue) == 1
    whole(rig, session_id)


@pytest.mark.promise("guests-A1")
async def test_a_message_that_is_sent_now_is_handed_over_in_the_same_turn(rig: Rig, stage: Stage, driver: str) -> None:
    stage.holds("a slow answer")
    stage.answers("as you wish")
    session_id = await rig.new("Talk", driver=driver)
    await stage.held(rig)
    await rig.engine.handle(SendMessage(session_id=session_id, text="now", interrupt=True))
    assert (await rig.ended()).status == "completed"
    assert kinds(rig) == ["prompt"]
    assert ("queued", "now") in said(rig)
    assert said(rig)[-1] == ("agent", "as you wish")
    whole(rig, session_id)


@pytest.mark.promise("guests-A1")
async def test_a_fork_goes_on_by_itself(rig: Rig, stage: Stage, driver: str) -> None:
    stage.answers("well", "elsewhere")
    session_id = await rig.new("Talk", driver=driver)
    ended = await rig.ended()
    source = rig.engine.sessions.get(session_id)
    at = next(envelope.event_id for envelope in source.log if envelope.event == ended)
    fork_id, before = new_session_id(), len(source.log)
    await rig.engine.handle(
        ForkSession(session_id=session_id, at_event_id=at, new_session_id=fork_id, lane_from="head", text="other")
    )
    await rig.ended(2)
    assert not rig.failures()
    assert len(source.log) == before
    assert said(rig)[-1] == ("agent", "elsewhere")
    whole(rig, fork_id)


@pytest.mark.promise("guests-A1")
async def test_a_turn_that_the_app_closed_is_continued_after_a_restart(
    stage: Stage, driver: str, folders: Folders, repository: Path
) -> None:
    stage.holds("a slow answer")
    first = await Rig(folders, stage.options).open(repository)
    session_id = await first.new("Talk", driver=driver)
    await stage.held(first)
    await first.engine.stop()
    assert [(event.status, event.reason) for event in first.events(TurnEnded)] == [("interrupted", "quit")]
    rig = await Rig(folders, stage.options).open(repository)
    try:
        stage.answers("here I am")
        stage.go_on()
        await rig.engine.handle(ContinueTurn(session_id=session_id))
        assert (await rig.ended()).status == "completed"
        assert kinds(rig) == ["continue"]
        assert said(rig)[-1] == ("agent", "here I am")
        whole(rig, session_id)
    finally:
        await rig.engine.stop()


@pytest.mark.parametrize("stage", ["play"], indirect=True)
async def test_a_rewind_that_a_driver_cannot_do_is_refused_with_the_reason(rig: Rig, stage: Stage, driver: str) -> None:
    stage.answers("well")
    session_id = await rig.new("Talk", driver=driver)
    await rig.ended()
    log = rig.engine.sessions.get(session_id).log
    before = len(log)
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=log[0].event_id))
    assert [(failed.code, failed.text) for failed in rig.failures()] == [
        ("no_rewind", "The agent of this chat cannot go back in its conversation.")
    ]
    assert len(rig.engine.sessions.get(session_id).log) == before


@pytest.mark.parametrize("stage", ["play", "guest"], indirect=True)
async def test_a_conversation_that_an_agent_keeps_itself_is_not_compacted(rig: Rig, stage: Stage, driver: str) -> None:
    stage.answers("well")
    session_id = await rig.new("Talk", driver=driver)
    await rig.ended()
    before = len(rig.engine.sessions.get(session_id).log)
    await rig.engine.handle(Compact(session_id=session_id))
    assert [(failed.code, failed.text) for failed in rig.failures()] == [
        ("not_compacted", "The agent of this chat keeps its conversation itself.")
    ]
    assert len(rig.engine.sessions.get(session_id).log) == before
