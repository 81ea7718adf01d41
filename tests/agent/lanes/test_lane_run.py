"""The run command of a lane, its ports, and what frees its disk space: with real processes and real folders."""

import socket
from pathlib import Path

import psutil
import pytest

from desktop.domain.core.ids import new_lane_id
from desktop.domain.core.update import Update
from desktop.domain.lanes.commands import (
    ArchiveLane,
    DeleteLanes,
    ImportLane,
    MeasureLanes,
    PlanDelete,
    ReclaimSpace,
    RestoreLane,
    RunLaneCommand,
    UnarchiveLane,
)
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import DeletePlanned, LaneRunChanged, LanesDeleted, LanesMeasured, SpaceReclaimed
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes
from tests.agent.lanes.test_lane_setup import lane_file, lane_of, trust
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("lane_ports"), pytest.mark.timeout(120)]

SERVER = "import http.server, os; http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), None).serve_forever()"


def runs(updates: list[Update]) -> list[LaneRunChanged]:
    return [update for update in updates if isinstance(update, LaneRunChanged)]


async def lane_with(rig: Rig, repository: Path, model_api: FakeModelApi, text: str) -> Lane:
    lane_file(repository, text)
    await trust(rig)
    model_api.script(text_turn("done"))
    lane = rig.engine.parts.base.ground.lanes.get(lane_of(rig, await rig.new("go")).id)
    await rig.ended()
    assert lane is not None
    return lane


@pytest.mark.promise("lanes-L23")
async def test_run_listens_on_the_lanes_port_is_listed_and_ends_with_the_lane(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    command = '["python3", "serve.py"]'  # that of this process may stand in /tmp, which is empty in the sandbox
    lane = await lane_with(rig, repository, model_api, f"[run]\ncommand = {command}\n[ports]\ncount = 2\n")
    (Path(lane.worktree_path) / "serve.py").write_text(SERVER)
    await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
    address = f"http://127.0.0.1:{lane.ports}"
    told = await rig.until(lambda updates: next((one for one in runs(updates) if one.addresses), None))
    assert (told.running, told.addresses, told.port_problem) == (True, (address,), "")
    assert told.command.endswith("serve.py")
    await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
    assert rig.failures()[-1].code == "runs_already"
    await rig.engine.handle(PlanDelete(lane_ids=(lane.id,)))
    planned = next(update for update in rig.updates if isinstance(update, DeletePlanned))
    assert [holder.kind for holder in planned.losses[0].holders] == ["run"]

    await rig.engine.handle(RunLaneCommand(lane_id=lane.id, stop=True))
    ended = await rig.until(lambda updates: next((one for one in runs(updates)[-1:] if not one.running), None))
    assert ended.ending == "The command was stopped."
    await rig.until(lambda updates: not runs(updates)[-1].addresses)
    assert not marked_processes(SESSION_VARIABLE, (f"{lane.id}.run",))


async def test_a_port_that_somebody_else_uses_is_told_with_the_program(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    lane = await lane_with(rig, repository, model_api, '[run]\ncommand = "echo hello; sleep 300"\n')
    with socket.socket() as foreign:
        foreign.bind(("127.0.0.1", lane.ports + 1))
        foreign.listen()
        await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
        told = await rig.until(lambda updates: next((one for one in runs(updates) if one.port_problem), None))
        assert told.addresses == ()
        own = psutil.Process()
        assert told.port_problem == f"Port {lane.ports + 1} is used by {own.name()}, pid {own.pid}."
    await rig.until(lambda updates: runs(updates)[-1].text == "hello\n")


async def test_an_archived_lane_gives_its_ports_back_gets_others_and_teardown_runs_before_it_is_deleted(
    rig: Rig, repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    text = '[teardown]\ncommand = "echo torn > torn; exit 4"\n'
    lane = await lane_with(rig, repository, model_api, text)
    await rig.engine.handle(ArchiveLane(lane_id=lane.id))
    archived = rig.engine.parts.base.ground.lanes.get(lane.id)
    assert archived is not None
    assert (archived.state, archived.ports) == ("archived", 0)
    model_api.script(text_turn("done"))
    other = rig.engine.parts.base.ground.lanes.get(lane_of(rig, await rig.new("another")).id)
    assert other is not None
    assert other.ports == lane.ports
    await rig.ended(2)
    await rig.engine.handle(UnarchiveLane(lane_id=lane.id))
    back = rig.engine.parts.base.ground.lanes.get(lane.id)
    assert back is not None
    assert back.ports not in (0, other.ports)

    await rig.engine.handle(PlanDelete(lane_ids=(lane.id,)))
    plan = next(update for update in rig.updates if isinstance(update, DeletePlanned))
    await rig.engine.handle(DeleteLanes(lane_ids=(lane.id,), digest=plan.digest, typed=plan.typed))
    deleted = next(update for update in rig.updates if isinstance(update, LanesDeleted))
    assert deleted.results[0][2] == "The teardown failed with exit code 4."
    await rig.engine.handle(RestoreLane(trash_id=deleted.results[0][1]))
    assert (Path(lane.worktree_path) / "torn").read_text() == "torn\n"
    restored = rig.engine.parts.base.ground.lanes.get(lane.id)
    assert restored is not None
    assert restored.ports not in (0, other.ports)


async def test_an_imported_lane_gets_ports_and_nothing_else(rig: Rig, repository: Path, tmp_path: Path) -> None:
    lane_file(repository, '[setup]\ncommand = "touch ran"\n[copy]\npaths = [".env"]\n')
    (repository / ".git" / "info" / "exclude").write_text(".env\n")
    (repository / ".env").write_text("KEY=1")
    await trust(rig)
    git(repository, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    lane_id = new_lane_id()
    await rig.engine.handle(ImportLane(lane_id=lane_id, path=str(tmp_path / "mine")))
    lane = rig.engine.parts.base.ground.lanes.get(lane_id)
    assert lane is not None
    assert (lane.type, lane.setup, lane.port_count) == ("attached", "skipped", 10)
    assert lane.ports
    assert rig.engine.sessions.variables(lane_id)["PORT"] == str(lane.ports)
    assert {one.name for one in (tmp_path / "mine").iterdir()} == {".git", "app.py", "notes.md"}


async def test_nothing_runs_that_nobody_trusted(rig: Rig, repository: Path, model_api: FakeModelApi) -> None:
    lane = await lane_with(rig, repository, model_api, "[ports]\ncount = 0\n")
    assert lane.ports == 0
    await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
    assert rig.failures()[-1].code == "no_run"
    lane_file(repository, '[run]\ncommand = "touch ran"\n')
    await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
    assert rig.failures()[-1].code == "needs_trust"
    lane_file(repository, "[run]\ncomand = 1\n")
    await rig.engine.handle(RunLaneCommand(lane_id=lane.id))
    assert rig.failures()[-1].code == "lane_file"
    assert not (Path(lane.worktree_path) / "ran").exists()


async def test_ignored_folders_are_measured_and_go_to_the_trash_or_for_good(
    rig: Rig, repository: Path, model_api: FakeModelApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    lane = await lane_with(rig, repository, model_api, "[ports]\ncount = 0\n")
    root = Path(lane.worktree_path)
    (root / ".gitignore").write_text("node_modules\nout\n")
    for name in ("node_modules", "out"):
        (root / name / "deep").mkdir(parents=True)
        (root / name / "deep" / "file").write_bytes(b"x" * 100_000)
        (root / name / "deep").chmod(0o500)
    await rig.engine.handle(MeasureLanes())
    measured = [update for update in rig.updates if isinstance(update, LanesMeasured)][-1]
    assert [(one.lane_id, one.path) for one in measured.folders] == [(lane.id, "node_modules"), (lane.id, "out")]
    kept = rig.engine.parts.base.ground.lanes.get(lane.id)
    assert kept is not None
    assert kept.reclaimable_bytes == sum(one.size_bytes for one in measured.folders) > 200_000
    assert kept.size_bytes > kept.reclaimable_bytes
    assert kept.size_at is not None

    wanted = ((lane.id, "node_modules"), (lane.id, "app.py"), ("ln_none", "x"))
    await rig.engine.handle(ReclaimSpace(folders=wanted))
    freed = [update for update in rig.updates if isinstance(update, SpaceReclaimed)][-1]
    assert freed.gone == ((lane.id, "node_modules"),)
    assert [stays[:2] for stays in freed.stays] == [(lane.id, "app.py"), ("ln_none", "x")]
    assert (tmp_path / "data" / "Trash" / "files" / "node_modules" / "deep" / "file").exists()
    assert (root / "app.py").exists()

    (tmp_path / "no").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "no"))
    await rig.engine.handle(ReclaimSpace(folders=((lane.id, "out"),)))
    freed = [update for update in rig.updates if isinstance(update, SpaceReclaimed)][-1]
    assert freed.no_trash == ((lane.id, "out"),)
    assert (root / "out").is_dir()
    await rig.engine.handle(ReclaimSpace(folders=((lane.id, "out"),), forever=True))
    assert not (root / "out").exists()
    assert [update for update in rig.updates if isinstance(update, LanesMeasured)][-1].folders == ()
