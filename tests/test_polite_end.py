"""SIGTERM closes the window as its menu does: properly, and not as a crash."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from desktop.domain.core.ids import new_session_id
from desktop.domain.events import AssistantMessage, ToolCallFinished, TurnEnded
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes
from desktop.store.database import open_store
from tests.agent.rig import folders_below, git, make_repository, write_settings
from tests.cli.running import ROOT, environment
from tests.fakes.fake_model_api import FakeModelApi, Turn, text_turn, tool_turn

WAIT_S = 60
pytestmark = pytest.mark.timeout(150)
AT_WORK = """
import sys
from pathlib import Path
from desktop.app import Start, first_window
from desktop.config.folders import product_folders
from desktop.config.settings_file import load_settings
from desktop.domain.commands import NewSession
from desktop.domain.updates import ProjectOpened
from desktop.program import Program
from desktop.services.processes.signals import let_children_hear
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.front.application import Application

let_children_hear()
app = Application(sys.argv[:1])
app.setQuitOnLastWindowClosed(False)
install_theme(app)
folders, start = product_folders(), Start(Path(sys.argv[1]))
window = first_window(start, folders, load_settings(folders.settings_file))
window.show()
program = Program(app, start, folders, window)
list(program.filling())

def begin(updates):
    if any(isinstance(update, ProjectOpened) for update in updates):
        program.bridge.send(NewSession(session_id=sys.argv[2], text="Go"))

program.bridge.batch.connect(begin)
sys.exit(program.run_to_its_end())
"""
"""The window's program, in which a person begins a chat as soon as the repository is open."""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process catches is told by Linux")
def test_a_polite_kill_ends_the_window_with_its_own_status(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", QT_QPA_PLATFORM="offscreen")
    program = subprocess.Popen([sys.executable, "-m", "desktop"], cwd=ROOT, env=env, stderr=subprocess.PIPE)
    _until(program, lambda: _catches(program.pid, signal.SIGTERM))
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=WAIT_S)
    assert (program.returncode, said.decode()) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="what a process catches is told by Linux")
@pytest.mark.parametrize(
    "answer",
    [text_turn("one two three four", piece=4, fault="hold"), tool_turn("bash", command="sleep 300")],
    ids=["while the model answers", "while a command runs"],
)
def test_a_polite_kill_ends_a_turn_that_is_under_way_as_the_menu_does(tmp_path: Path, answer: Turn) -> None:
    folders, repository = folders_below(tmp_path / "home"), make_repository(tmp_path / "shop")
    session_id, runs = new_session_id(), answer.calls != ()
    env = environment(tmp_path / "home", QT_QPA_PLATFORM="offscreen")
    with FakeModelApi() as api:
        write_settings(folders, api.url)
        api.script(answer)
        words = [sys.executable, "-c", AT_WORK, str(repository), session_id]
        with subprocess.Popen(words, cwd=ROOT, env=env, stderr=subprocess.PIPE) as program:
            try:
                _until(program, lambda: _catches(program.pid, signal.SIGTERM) and len(api.requests) == 1)
                if runs:
                    _until(program, lambda: bool(marked_processes(SESSION_VARIABLE, (session_id,))))
                program.send_signal(signal.SIGTERM)
                _, said = program.communicate(timeout=WAIT_S)
            finally:
                program.kill()
    assert (program.returncode, said.decode()) == (0, "")
    assert not marked_processes(SESSION_VARIABLE, (session_id,))
    with closing(open_store(folders.store)) as store:
        events = [envelope.event for envelope in store.events.read(session_id)]
        assert store.events.verify(session_id) == []
    ended = [event for event in events if isinstance(event, TurnEnded)]
    assert [(one.status, one.reason) for one in ended] == [("interrupted", "quit")]
    assert len([event for event in events if isinstance(event, ToolCallFinished)]) == runs
    assert any(isinstance(event, AssistantMessage) for event in events) or not runs
    (lane,) = folders.lanes.glob("*/*/")
    assert git(lane, "status", "--porcelain") == ""
    assert not list((repository / ".git").rglob("*.lock"))


def _until(program: "subprocess.Popen[bytes]", true: Callable[[], bool]) -> None:
    """Until this is true of the program, which goes on meanwhile."""
    end = time.monotonic() + WAIT_S
    while not true():
        assert program.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


def _catches(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)
