"""kill -9 while an effect is applied: after the next start the lane is as before or as foretold, and never between."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.events import ToolCallFinished
from desktop.domain.preview.events import CommandTried
from desktop.services.history.refs import half_put_back
from desktop.store.readings import readings_at
from tests.agent.preview.preview_rig import shop
from tests.agent.rig import Rig, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.forking import fork

pytestmark = pytest.mark.asyncio
ROOT = Path(__file__).resolve().parents[3]
MADE = ("made.txt", "sub/one.txt", "sub/two.txt")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return shop(tmp_path / "shop")


def is_foretold(lane: Path) -> bool:
    """Whether the effect is there. Fails where only a part of it is."""
    there = [(lane / name).exists() for name in MADE]
    there += [(lane / "app.py").read_text().endswith("changed\n"), not (lane / "old.txt").exists()]
    assert len(set(there)) == 1, there
    return there[0]


@pytest.mark.promise("memory-EP6")
@pytest.mark.parametrize("nth", [0, 2, 4])
async def test_an_effect_is_there_whole_or_not_at_all(
    folders: Folders, repository: Path, model_api: FakeModelApi, nth: int
) -> None:
    write_settings(folders, model_api.url)
    model_api.script(tool_turn("bash", command="make clean && ./gen.sh"), text_turn("done"))
    words = [str(folders.config.parent), str(repository), str(nth)]
    with fork("tests.agent.preview.apply_victim", words, ROOT, dict(os.environ), session=True) as process:
        said = process.communicate(120)
        assert process.returncode in ((-signal.SIGKILL,) if nth else (-signal.SIGKILL, 0)), said
    rig = Rig(folders)
    await rig.open(repository)
    await rig.until(lambda _: not half_put_back(repository))
    await rig.engine.stop()
    chats = [log for log in readings_at(folders.store).logs(None, None) if log.state.kind != "project"]
    (events,) = [[envelope.event for envelope in log.events] for log in chats]
    assert [event.problem for event in events if isinstance(event, CommandTried)] == [""]
    asked = ["git", "worktree", "list", "--porcelain"]
    listed = subprocess.run(asked, cwd=repository, capture_output=True, text=True, check=True).stdout.splitlines()
    lanes = [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]
    (lane,) = [one for one in lanes if one != repository]
    done = is_foretold(lane)
    ended = [event.outcome for event in events if isinstance(event, ToolCallFinished)]
    assert done or "ok" not in ended
