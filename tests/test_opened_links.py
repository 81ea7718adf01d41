"""Links that the system hands to the running application, as macOS does: they lead where those of a command line do."""

import subprocess
import sys
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.links import REFUSED
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.cli.running import ROOT, environment
from tests.fakes.fake_model_api import FakeModelApi, text_turn

WAIT_S = 60
OPENED = """
import sys
from PySide6.QtCore import QCoreApplication, QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent
from desktop.app import Start, first_window
from desktop.config.folders import product_folders
from desktop.config.settings_file import load_settings
from desktop.domain.updates import SessionsChanged
from desktop.program import Program
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.front.application import Application

when, link = sys.argv[1:]
app = Application(sys.argv[:1])
app.setQuitOnLastWindowClosed(False)
install_theme(app)
folders = product_folders()
settings = load_settings(folders.settings_file)
start = Start(None, recent=settings.recent_projects)

def hand_over():
    assert QCoreApplication.sendEvent(app, QFileOpenEvent(QUrl(link)))

def listed(updates):
    if any(isinstance(update, SessionsChanged) for update in updates):
        program.bridge.batch.disconnect(listed)
        QTimer.singleShot(0, hand_over)

if when == "at the start":
    hand_over()
window = first_window(start, folders, settings)
window.show()
program = Program(app, start, folders, window)
list(program.filling())
if when == "later":
    program.bridge.batch.connect(listed)
    window.open_path(str(start.newest))

def look():
    said = [toast.text.text() for toast in window.notes.area.toasts]
    if window.page.session_id or said:
        timer.stop()
        print(window.page.session_id, *said, sep="|", flush=True)
        window.close()

timer = QTimer(interval=20)
timer.timeout.connect(look)
timer.start()
sys.exit(program.run_to_its_end())
"""
"""The window's program, to which a link is handed over before it has a window, or once the repository is open."""


def followed(home: Path, when: str, link: str) -> str:
    """The chat that is shown then, and the notes."""
    done = subprocess.run(
        [sys.executable, "-c", OPENED, when, link], cwd=ROOT, env=environment(home, QT_QPA_PLATFORM="offscreen"),
        capture_output=True, text=True, timeout=WAIT_S,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest_asyncio.fixture
async def chat(tmp_path: Path) -> str:
    """A chat of the repository that was open last."""
    folders, repository = folders_below(tmp_path / "home"), make_repository(tmp_path / "shop")
    with FakeModelApi() as api:
        write_settings(folders, api.url, recent_projects=(str(tmp_path / "gone"), str(repository)))
        api.script(text_turn("Hello."))
        rig = await Rig(folders).open(repository)
        session_id = await rig.new("Say hello")
        await rig.ended()
        await rig.engine.stop()
    return session_id


@pytest.mark.asyncio
@pytest.mark.parametrize("when", ["at the start", "later"])
async def test_a_link_of_ours_shows_its_chat(tmp_path: Path, chat: str, when: str) -> None:
    assert followed(tmp_path / "home", when, f"banksman://chat/{chat}") == chat


@pytest.mark.parametrize("link", ["banksman://run/x", "file:///etc/passwd"])
def test_what_is_no_link_of_ours_is_said_to_lead_nowhere(tmp_path: Path, link: str) -> None:
    assert followed(tmp_path / "home", "at the start", link) == f"|{REFUSED}"
