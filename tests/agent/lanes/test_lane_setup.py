"""Making lanes ready: trust, copies, ports, setup with real commands, and messages that wait for it."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.lanes.ready.command import LaneCommand
from desktop.config.folders import Folders
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.core.update import Update
from desktop.domain.events import TurnStarted, UserMessage
from desktop.domain.lanes.commands import (
    LoadLaneFile,
    LoadSetupLog,
    PlanDelete,
    RunSetup,
    SkipSetupWait,
    StopSetup,
    TrustLaneFile,
)
from desktop.domain.lanes.events import LaneOperationFinished
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, LaneFileLoaded, LanesChanged, SetupOutput
from desktop.services.processes.around import Place
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes
from desktop.store.database import open_store
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


def lane_file(repository: Path, text: str) -> None:
    (repository / ".banksman").mkdir(exist_ok=True)
    (repository / ".banksman" / "lane.toml").write_text(text)


async def trust(rig: Rig, lane_id: str = "") -> LaneFileLoaded:
    """Trust what the file says now, as a person would."""
    await rig.engine.handle(LoadLaneFile())
    loaded = [update for update in rig.updates if isinstance(update, LaneFileLoaded)][-1]
    await rig.engine.handle(TrustLaneFile(sha256=loaded.sha256, lane_id=lane_id))
    return [update for update in rig.updates if isinstance(update, LaneFileLoaded)][-1]


def lane_of(rig: Rig, session_id: str) -> Lane:
    lane = rig.engine.sessions.get(session_id).lane
    assert lane is not None
    return lane


async def reached(rig: Rig, lane_id: str, *states: str) -> Lane:
    """The lane once its setup is in one of these states and the window was told."""

    def find(updates: list[Update]) -> Lane | None:
        for update in reversed(updates):
            if isinstance(update, LanesChanged):
                return next((one for one in update.lanes if one.id == lane_id and one.setup in states), None)
        return None

    return await rig.until(find)


def outputs(rig: Rig) -> list[SetupOutput]:
    return [update for update in rig.updates if isinstance(update, SetupOutput)]


def left_over(lane_id: str) -> int:
    return len(marked_processes(SESSION_VARIABLE, (f"{lane_id}.setup",)))


@pytest.mark.promise("lanes-L22")
async def test_without_a_file_a_lane_gets_ports_that_its_commands_know_and_no_setup(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("done"), text_turn("done"))
    first, second = await rig.new("one"), await rig.new("two")
    await rig.ended(2)
    lanes = [rig.engine.parts.base.ground.lanes.get(lane_of(rig, one).id) for one in (first, second)]
    ports = [lane.ports for lane in lanes if lane is not None]
    assert len(set(ports)) == 2
    assert all(20_000 <= base < 30_000 and base % 20 == 0 for base in ports)
    assert [lane.setup for lane in lanes if lane is not None] == ["none", "none"]

    lane_file(repository, '[env]\nMINE = "mine"\n')
    await trust(rig)
    processes = rig.engine.sessions.get(first).processes
    assert processes is not None
    printed = []
    for place in (Place(), Place(reading=True)):
        done = await processes.run(
            'echo "$PORT $BANKSMAN_PORT_9 $MINE"', cwd=rig.lane(first), timeout_s=20,
            on_output=lambda tail, size: None, place=place,
        )  # fmt: skip
        printed.append(done.output.head())
    assert printed == [f"{ports[0]} {ports[0] + 9} mine\n", f"{ports[0]} {ports[0] + 9} \n"]


@pytest.mark.promise("lanes-L18")
async def test_a_file_runs_nothing_until_exactly_its_bytes_are_trusted(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    (repository / ".gitignore").write_text(".env\n")
    (repository / ".env").write_text("KEY=1")
    text = '[setup]\ncommand = "touch made; echo ran"\n[copy]\npaths = [".env", "../x"]\n[ports]\ncount = 2\n'
    lane_file(repository, text)
    before = git(repository, "status", "--porcelain")
    model_api.script(*(text_turn("done") for _ in range(3)))
    lane = lane_of(rig, await rig.new("one"))
    await rig.ended()
    root = Path(lane.worktree_path)
    assert (await reached(rig, lane.id, "needs_trust")).port_count == 10
    assert not (root / ".env").exists()

    await rig.engine.handle(RunSetup(lane_id=lane.id))
    assert rig.failures()[-1].code == "needs_trust"
    await rig.engine.handle(TrustLaneFile(sha256="0" * 64))
    assert rig.failures()[-1].code == "lane_file_changed"
    loaded = await trust(rig, lane.id)
    assert (loaded.trusted, loaded.text, loaded.sets_up, loaded.runs) == (True, text, True, False)
    assert any("touch made; echo ran” in each new lane, without the network" in line for line in loaded.says)
    ready = await reached(rig, lane.id, "ready")
    assert (root / "made").exists()
    assert (root / ".env").read_text() == "KEY=1"
    assert ready.port_count == 2
    last = outputs(rig)[-1]
    assert (last.state, last.text, last.exit_code) == ("ready", "ran\n", 0)
    assert (last.copied, last.secrets) == ((".env",), (".env",))
    assert last.skipped == (("../x", "it leads out of the checkout"),)

    lane_file(repository, text + " ")
    changed = lane_of(rig, await rig.new("two"))
    await rig.ended(2)
    await reached(rig, changed.id, "needs_trust")
    assert not (Path(changed.worktree_path) / "made").exists()
    assert not (Path(changed.worktree_path) / ".env").exists()
    lane_file(repository, text)
    await rig.engine.handle(LoadLaneFile())
    await reached(rig, changed.id, "skipped")
    assert git(repository, "status", "--porcelain") == before
    assert left_over(lane.id) == 0


@pytest.mark.promise("lanes-L20")
async def test_a_first_message_waits_for_the_setup_and_the_agent_is_told_when_it_failed(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    line = "echo $BANKSMAN_LANE_ID:$PORT:$MINE; until [ -e go ]; do sleep 0.02; done; echo broken; exit 3"
    lane_file(repository, f'[setup]\ncommand = "{line}"\n[env]\nMINE = "mine"\n')
    await trust(rig)
    model_api.script(text_turn("done"), text_turn("done"))
    session_id = await rig.new("first words")
    lane = lane_of(rig, session_id)
    running = await reached(rig, lane.id, "running")
    await rig.engine.handle(PlanDelete(lane_ids=(lane.id,)))
    planned = next(update for update in rig.updates if isinstance(update, DeletePlanned))
    assert [holder.kind for holder in planned.losses[0].holders] == ["setup"]
    assert len(rig.events(MessageQueued)) == 1
    assert rig.events(TurnStarted) == []
    await rig.until(lambda updates: outputs(rig) and "mine" in outputs(rig)[-1].text)
    assert outputs(rig)[-1].text == f"{lane.id}:{running.ports}:mine\n"

    (Path(lane.worktree_path) / "go").touch()
    await rig.ended()
    failed = await reached(rig, lane.id, "failed")
    assert failed.setup == "failed"
    note, message = rig.events(UserMessage)
    assert "first words" in str(message.parts)
    assert "Setup failed with exit code 3; log: blob:" in str(note.parts)
    assert note.full is not None
    whole = rig.engine._store.blobs.get(note.full.sha256)
    assert whole is not None
    assert whole.endswith(b"broken\n")
    assert note.full.sha256 in rig.engine.sessions.get(session_id).blob_ids
    sent = str(model_api.requests[0].messages)
    assert sent.index("Setup failed with exit code 3") < sent.index("first words")

    (Path(lane.worktree_path) / "go").touch()
    lane_file(repository, '[setup]\ncommand = "true"\n')
    await trust(rig, lane.id)
    await reached(rig, lane.id, "ready")
    from_log = rig.engine._store.events.read(project_log_id(lane.project_id))
    ends = [e.event for e in from_log if isinstance(e.event, LaneOperationFinished) and e.event.operation == "setup"]
    assert [end.status for end in ends] == ["failed", "done"]
    assert left_over(lane.id) == 0


async def test_a_person_starts_without_waiting_and_stops_the_setup(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    lane_file(repository, '[setup]\ncommand = "sleep 300 & setsid sleep 301 & echo up; wait"\n')
    await trust(rig)
    model_api.script(text_turn("done"))
    session_id = await rig.new("now please")
    lane = lane_of(rig, session_id)
    await rig.until(lambda updates: outputs(rig) and outputs(rig)[-1].text == "up\n")
    await rig.engine.handle(SkipSetupWait(session_id=session_id))
    await rig.ended()
    assert "now please" in str(model_api.requests[0].messages)
    assert left_over(lane.id) > 0
    await rig.engine.handle(RunSetup(lane_id=lane.id))
    assert rig.failures()[-1].code == "setup_running"
    await rig.engine.handle(StopSetup(lane_id=lane.id))
    assert (await reached(rig, lane.id, "failed")).setup == "failed"
    assert outputs(rig)[-1].ending == "Setup was stopped."
    assert left_over(lane.id) == 0
    await rig.engine.handle(RunSetup(lane_id=lane.id))
    await reached(rig, lane.id, "running")
    await rig.engine.handle(StopSetup(lane_id=lane.id))


async def test_a_command_that_hangs_is_stopped_at_its_limit_and_nothing_of_it_is_left(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("done"))
    lane = lane_of(rig, await rig.new("go"))
    hangs = "trap : TERM; setsid sleep 300 & echo up; wait; wait"
    for timeout_s in (0.5, 4.0, 16.0):  # a slow machine has not begun it in the first
        command = LaneCommand(rig.engine.sessions, lane, "setup")
        completed = await command.run(hangs, timeout_s=timeout_s, network=False)
        if command.log:
            break
    assert (command.timed_out, completed.ok, command.log, command.whole) == (True, False, "up\n", b"up\n")
    assert left_over(lane.id) == 0
    again = LaneCommand(rig.engine.sessions, lane, "setup")
    assert (await again.run("true", timeout_s=20, network=False)).ok


async def test_a_setup_that_a_crash_cut_off_is_told_and_swept_at_the_next_start(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("done"))
    rig = await Rig(folders).open(repository)
    lane = lane_of(rig, await rig.new("go"))
    await rig.ended()
    await rig.engine.stop()
    store = open_store(folders.store)
    kept = store.lanes.get(lane.id)
    assert kept is not None
    store.lanes.save(kept.model_copy(update={"setup": "running"}))
    store.close()
    left = subprocess.Popen(["sleep", "300"], env={SESSION_VARIABLE: f"{lane.id}.setup", "PATH": "/usr/bin:/bin"})
    again = await Rig(folders).open(repository)
    try:
        await reached(again, lane.id, "failed")
        assert await asyncio.to_thread(left.wait, 20) != 0
        await again.engine.handle(LoadSetupLog(lane_id=lane.id))
        assert "Banksman closed" in outputs(again)[-1].ending
    finally:
        left.kill()
        await again.engine.stop()


async def test_closing_ends_a_setup_and_the_next_start_says_so(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    lane_file(repository, '[setup]\ncommand = "echo before; sleep 300"\n')
    rig = await Rig(folders).open(repository)
    await trust(rig)
    session_id = await rig.new("waits")
    lane = lane_of(rig, session_id)
    await rig.until(lambda updates: outputs(rig) and outputs(rig)[-1].text == "before\n")
    await rig.engine.stop()
    assert left_over(lane.id) == 0
    assert model_api.requests == []

    again = await Rig(folders).open(repository)
    try:
        await reached(again, lane.id, "failed")
        await again.engine.handle(LoadSetupLog(lane_id=lane.id))
        assert "Banksman closed" in outputs(again)[-1].ending
        state = again.engine.sessions.get(session_id).state
        assert (len(state.queue), state.queue_paused) == (1, "restart")
    finally:
        await again.engine.stop()
