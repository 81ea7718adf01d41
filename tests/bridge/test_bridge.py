"""The engine's thread and its two crossings: order, beginnings that fail, and an end at any moment."""

import gc
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from desktop.bridge.bridge import MOST_IN_BATCH, Bridge
from desktop.config.folders import Folders
from desktop.domain.commands import Interrupt, NewSession, OpenProject, OpenSession, SetMode
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputRequested, TurnEnded
from desktop.domain.updates import CommandFailed, EngineReady, EngineStopped, ProjectOpened, SessionOpened
from desktop.store.database import open_store
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

ROOT = Path(__file__).resolve().parents[2]
WAIT_MS, STOP_S = 25_000, 20


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


@pytest.fixture
def folders(tmp_path: Path, model_api: FakeModelApi) -> Folders:
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    return folders


@pytest.fixture
def bridge(qtbot: QtBot, folders: Folders) -> Iterator[Bridge]:
    made = Bridge(folders)
    yield made
    assert made.stop(STOP_S)


def heard(bridge: Bridge) -> list[Update]:
    """Everything the bridge says from now on."""
    updates: list[Update] = []
    bridge.batch.connect(updates.extend)
    return updates


def of_type(updates: list[Update], kind: type) -> list[object]:
    found = [update.event if isinstance(update, Envelope) else update for update in updates]
    return [one for one in found if isinstance(one, kind)]


def opened(qtbot: QtBot, bridge: Bridge, updates: list[Update], repository: Path) -> None:
    """Start the engine and wait for the repository to be open."""
    bridge.start()
    bridge.send(OpenProject(path=str(repository)))
    qtbot.waitUntil(lambda: bool(of_type(updates, ProjectOpened)), timeout=WAIT_MS)


def test_commands_sent_before_the_start_are_carried_out_in_order(
    qtbot: QtBot, bridge: Bridge, repository: Path, model_api: FakeModelApi
) -> None:
    updates = heard(bridge)
    ids = [f"missing-{number}" for number in range(50)]
    for session_id in ids[:25]:
        bridge.send(OpenSession(session_id=session_id))
    bridge.start()
    for session_id in ids[25:]:
        bridge.send(OpenSession(session_id=session_id))
    qtbot.waitUntil(lambda: len(of_type(updates, CommandFailed)) == 50, timeout=WAIT_MS)
    assert [failed.session_id for failed in of_type(updates, CommandFailed)] == ids


def test_updates_arrive_in_the_order_of_the_log_on_the_ui_thread(
    qtbot: QtBot, bridge: Bridge, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("word " * 400))
    updates = heard(bridge)
    threads: set[int] = set()
    bridge.batch.connect(lambda batch: threads.add(threading.get_ident()))
    opened(qtbot, bridge, updates, repository)
    bridge.send(NewSession(session_id=new_session_id(), text="Read it"))
    qtbot.waitUntil(lambda: bool(of_type(updates, TurnEnded)), timeout=WAIT_MS)
    seqs = [update.seq for update in updates if isinstance(update, Envelope)]
    assert seqs == list(range(len(seqs)))
    assert threads == {threading.get_ident()}


def test_a_store_in_use_is_a_sentence_and_later_commands_do_no_harm(
    qtbot: QtBot, bridge: Bridge, folders: Folders
) -> None:
    store = open_store(folders.store)
    said: list[str] = []
    bridge.failed.connect(said.append)
    try:
        with qtbot.waitSignal(bridge.stopped, timeout=WAIT_MS):
            bridge.start()
        bridge.send(OpenSession(session_id="x"))
    finally:
        store.close()
    assert len(said) == 1
    assert said[0].endswith((".", "?"))


def test_a_stop_before_during_and_right_after_the_start_ends_the_thread(qtbot: QtBot, folders: Folders) -> None:
    never = Bridge(folders)
    assert never.stop()
    for wait_for_ready in (False, True):
        made = Bridge(folders)
        updates = heard(made)
        made.start()
        if wait_for_ready:
            qtbot.waitUntil(lambda updates=updates: bool(of_type(updates, EngineReady)), timeout=WAIT_MS)
        assert made.stop(STOP_S)
        assert not made.alive
        made.send(OpenSession(session_id="late"))
        qtbot.wait(20)
        assert not of_type(updates, EngineStopped)


def test_a_command_sent_in_the_moment_of_the_stop_does_nothing(
    qtbot: QtBot, bridge: Bridge, repository: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    updates = heard(bridge)
    opened(qtbot, bridge, updates, repository)
    bridge.send(NewSession(session_id=new_session_id(), text="Too late"))
    assert bridge.stop(STOP_S)
    assert not model_api.requests
    store = open_store(folders.store)
    try:
        assert all(not row.unfinished_turn_id for row in store.events.rows())
    finally:
        store.close()


def test_a_stop_with_a_card_open_closes_the_card_and_the_turn(
    qtbot: QtBot, bridge: Bridge, repository: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    updates = heard(bridge)
    opened(qtbot, bridge, updates, repository)
    session_id = new_session_id()
    bridge.send(NewSession(session_id=session_id, text="Touch"))
    qtbot.waitUntil(lambda: bool(of_type(updates, InputRequested)), timeout=WAIT_MS)
    assert bridge.stop(STOP_S)
    bridge.send(SetMode(session_id=session_id, mode=PermissionMode.PLAN))
    bridge.send(Interrupt(session_id=session_id))
    store = open_store(folders.store)
    try:
        log = store.events.read(session_id)
        assert isinstance(log[-1].event, TurnEnded)
        assert not store.events.verify(session_id)
    finally:
        store.close()


def test_the_window_may_be_gone_before_the_engine_is(
    qtbot: QtBot, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    made = Bridge(folders)
    made.start()
    made.send(OpenProject(path=str(repository)))
    shiboken6.delete(made)
    assert made.stop(STOP_S)
    del made
    gc.collect()


QUIET = """
    import sys, threading
    from pathlib import Path
    from PySide6.QtCore import QCoreApplication, QTimer
    from desktop.bridge.bridge import Bridge
    from desktop.domain.commands import NewSession, OpenProject, OpenSession
    from desktop.domain.events import Envelope, InputRequested
    from desktop.domain.updates import ProjectOpened
    from tests.agent.rig import folders_below

    app = QCoreApplication([])
    bridge = Bridge(folders_below(Path(sys.argv[1])))

    def look(batch):
        if any(isinstance(u, ProjectOpened) for u in batch):
            bridge.send(NewSession(session_id="ses_quiet", text="Touch"))
        if any(isinstance(u, Envelope) and isinstance(u.event, InputRequested) for u in batch):
            bridge.send(OpenSession(session_id="nobody"))
            ended = bridge.stop(20)
            bridge.send(OpenSession(session_id="nobody"))
            print("ended", ended, flush=True)
            app.quit()

    bridge.batch.connect(look)
    bridge.start()
    bridge.send(OpenProject(path=sys.argv[2]))
    QTimer.singleShot(40_000, app.quit)
    app.exec()
"""


def test_a_stop_with_a_card_open_prints_no_warning_in_development_mode(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch x"))
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", textwrap.dedent(QUIET), str(folders.config.parent), str(repository)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.stdout == "ended True\n", done.stderr
    expected = ("came after the engine had stopped", "Executing <")  # the second: what development mode finds slow
    assert not [line for line in done.stderr.splitlines() if not any(words in line for words in expected)]


def test_what_is_long_to_take_ends_a_batch_and_the_window_has_its_turn(qtbot: QtBot, bridge: Bridge) -> None:
    batches: list[list[Update]] = []
    turns: list[int] = []
    bridge.batch.connect(batches.append)
    bridge.batch.connect(lambda _batch: QTimer.singleShot(0, lambda: turns.append(len(batches))))
    parts = [SessionOpened(session_id="ses_1", envelopes=(), first=False) for _ in range(3)]
    short = [EngineStopped(reason=str(number)) for number in range(3)]
    told = [short[0], parts[0], parts[1], short[1], short[2], parts[2]]
    for update in told:
        bridge.publish(update)
    qtbot.waitUntil(lambda: sum(map(len, batches)) == len(told))
    assert batches == [told[:2], told[2:3], told[3:]]
    qtbot.waitUntil(lambda: len(turns) == 3)
    assert turns == [1, 2, 3]


def test_of_many_updates_the_window_takes_some_at_a_time(qtbot: QtBot, bridge: Bridge) -> None:
    batches: list[list[Update]] = []
    turns: list[int] = []
    bridge.batch.connect(batches.append)
    bridge.batch.connect(lambda _batch: QTimer.singleShot(0, lambda: turns.append(len(batches))))
    told: list[Update] = [EngineStopped(reason=str(number)) for number in range(2 * MOST_IN_BATCH + 1)]
    for update in told:
        bridge.publish(update)
    qtbot.waitUntil(lambda: len(turns) == 3)
    assert [len(batch) for batch in batches] == [MOST_IN_BATCH, MOST_IN_BATCH, 1]
    assert [update for batch in batches for update in batch] == told
    assert turns == [1, 2, 3]
