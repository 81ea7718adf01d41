"""Scenes of a lane that is made ready: setup, trust, run command, addresses, and what can be freed."""

from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget

from desktop.domain.commands import NewSession
from desktop.domain.core.ids import new_session_id
from desktop.domain.lanes.commands import LoadLaneFile, TrustLaneFile
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneFileLoaded, LaneRunChanged, LanesMeasured, SetupOutput
from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import Stage

_FILE = """# How new lanes of this shop are made ready.
env = {SHOP_STAGE = "lane"}

[setup]
command = "echo 'added 212 packages, audited 213 packages in 3s'; echo 'Ready to wait'; until [ -e go ]; do sleep 0.05; done; exit 3"
network = true

[run]
command = "echo 'Serving the shop'; exec python3 -m http.server $PORT --bind 127.0.0.1"

[copy]
paths = [".env", "../keys"]

[ports]
count = 2
"""  # noqa: E501 - a line of a file


def _write(stage: Stage, text: str = _FILE) -> Path:
    project = stage.window.engine.project
    assert project is not None
    root = Path(project.path)
    (root / ".banksman").mkdir(exist_ok=True)
    (root / ".banksman" / "lane.toml").write_text(text, encoding="utf-8")
    ignored = root / ".git" / "info" / "exclude"
    ignored.write_text(".env\n.banksman/\nnode_modules/\ndist/\n", encoding="utf-8")
    (root / ".env").write_text("KEY=1\n", encoding="utf-8")
    (root / ".worktreeinclude").write_text("*.local\n", encoding="utf-8")
    return root


async def _trust(stage: Stage) -> None:
    stage.send(LoadLaneFile())
    loaded = await stage.until(lambda: [u for u in stage.updates if isinstance(u, LaneFileLoaded)], "the lane file")
    stage.send(TrustLaneFile(sha256=loaded[-1].sha256))
    await stage.until(lambda: [u for u in stage.updates if isinstance(u, LaneFileLoaded)][-1].trusted, "trust")


def _lane(stage: Stage, session_id: str) -> Lane:
    lane = stage.window.book.lane_book.lane(stage.window.book.facts(session_id).lane_id)
    assert lane is not None
    return lane


async def _setup_reached(stage: Stage, session_id: str, state: str) -> Lane:
    await stage.until(lambda: stage.window.book.facts(session_id).setup == state, f"setup {state}")
    await stage.rest(0.3)
    return _lane(stage, session_id)


async def lane_setup(stage: Stage) -> AsyncIterator[str]:
    """51, a first message waits while setup runs; its log; it failed"""
    _write(stage)
    await _trust(stage)
    session_id = new_session_id()
    stage.script("Fix the login page", text_turn("The page redirects twice; I mend that."))
    stage.send(NewSession(session_id=session_id, text="Fix the login page"))
    await stage.until(lambda: stage.window.book.summary(session_id), "the chat")
    stage.window.open_chat(session_id)
    lane = await _setup_reached(stage, session_id, "running")
    yield "51-setup-running"
    await stage.click("setup_strip_show")
    await stage.until(lambda: any("wait" in u.text for u in stage.updates if isinstance(u, SetupOutput)), "the log")
    await stage.rest(0.3)
    yield "51-setup-log"
    await stage.click("queue_resume")
    await stage.ended(session_id)
    (Path(lane.worktree_path) / "go").touch()
    await _setup_reached(stage, session_id, "failed")
    yield "51-setup-failed-log"
    await stage.click("lane_setup_close")
    yield "51-setup-failed"


async def lane_trust(stage: Stage) -> AsyncIterator[str]:
    """52, the lane file was not reviewed; the file; no file"""
    root = _write(stage)
    session_id = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(session_id)
    lane = await _setup_reached(stage, session_id, "needs_trust")
    yield "52-setup-needs-trust"
    await stage.click("setup_strip_review")
    await stage.find("lane_file_trust")
    yield "52-lane-file"
    await stage.click("lane_file_later")
    stage.window.lane_host.act("setup", lane.id)
    await stage.find("lane_setup_review")
    yield "52-setup-untrusted"
    await stage.click("lane_setup_close")
    (root / ".banksman" / "lane.toml").write_text("[setup]\ncomand = 'npm ci'\n", encoding="utf-8")
    stage.window.lane_host.act("review_lane_file", lane.id)
    await stage.find("lane_file_problem")
    yield "52-lane-file-fault"
    await stage.click("lane_file_later")
    (root / ".banksman" / "lane.toml").unlink()
    (root / ".worktreeinclude").unlink()
    stage.window.lane_host.act("review_lane_file", lane.id)
    await stage.find("lane_file_copy")
    yield "52-lane-file-none"
    await stage.click("lane_file_later")


async def lane_run(stage: Stage) -> AsyncIterator[str]:
    """53, the run command with its address, and a port that is taken"""
    _write(stage, _FILE.replace("until [ -e go ]; do sleep 0.05; done; exit 3", "true"))
    await _trust(stage)
    session_id = await stage.chat("Describe the cart", text_turn("It holds products."))
    await stage.ended(session_id)
    lane = await _setup_reached(stage, session_id, "ready")
    stage.window.lane_host.act("run", lane.id)
    await stage.find("lane_run_address")
    await stage.rest(0.3)
    yield "53-run"
    await stage.click("lane_run_close")
    run = stage.window.book.lane_book.runs[lane.id]
    taken = f"Port {lane.ports + 1} is used by node, pid 4211."
    stage.window.apply_updates([run.model_copy(update={"port_problem": taken})])
    await stage.rest()
    yield "53-run-addresses"
    stage.window.apply_updates([LaneRunChanged(lane_id=lane.id, running=False)])


async def lane_free_space(stage: Stage) -> AsyncIterator[str]:
    """54, what can be freed"""
    _write(stage)
    for text in ("Describe the cart", "Write a test"):
        chat = await stage.chat(text, text_turn("Done."))
        await stage.ended(chat)
        root = Path(_lane(stage, chat).worktree_path)
        for number, folder in enumerate(("node_modules", "dist", "web/node_modules"), 1):
            (root / folder).mkdir(parents=True)
            (root / folder / "package.bin").write_bytes(b"x" * 700_000 * number)
    stage.window.lane_host.act("free_space", "")
    await stage.until(lambda: any(u.done for u in stage.updates if isinstance(u, LanesMeasured)), "sizes")
    rows = await stage.find("lane_free_space_list")
    assert isinstance(rows, QListWidget)
    await stage.until(lambda: rows.count() >= 6, "folders")
    for row in (0, 2):
        rows.item(row).setCheckState(Qt.CheckState.Checked)
    await stage.rest(0.3)
    yield "54-free-space"
    await stage.click("lane_free_space_close")
