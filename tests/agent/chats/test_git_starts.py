"""How often git is started from the order for a new chat until its first checkpoint is written."""

import sys
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.core.update import Update
from tests.agent.counting_git import count_git
from tests.agent.rig import Rig, events, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn

MOST = 16
OPENING = ("remote -v", "refs/banksman/trash/", "refs/banksman/moved")
"""What is asked once a repository is open, beside everything else: the chat begins after it."""

pytestmark = [pytest.mark.asyncio, pytest.mark.skipif(sys.platform == "win32", reason="a shell script as git")]


class CountingRig(Rig):
    """`until_checkpoint`: how git was started before the first checkpoint was on record, a line each."""

    starts: Path
    until_checkpoint: tuple[str, ...] = ()

    def _take(self, update: Update) -> None:
        super()._take(update)
        if not self.until_checkpoint and any(isinstance(event, CheckpointMade) for event in events([update])):
            self.until_checkpoint = tuple(self.starts.read_text().splitlines())


async def test_a_new_chat_starts_few_gits_until_its_first_checkpoint(
    folders: Folders,
    repository: Path,
    model_api: FakeModelApi,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts = count_git(tmp_path, monkeypatch)
    git(repository.parent, "init", "-q", "--bare", "far.git")
    git(repository, "remote", "add", "origin", str(repository.parent / "far.git"))
    git(repository, "push", "-q", "-u", "origin", "main")
    model_api.script(text_turn("Hello."))
    rig = CountingRig(folders)
    rig.starts = starts
    await rig.open(repository)
    await rig.until(lambda _: all(words in starts.read_text() for words in OPENING))
    await rig.until(lambda _: "git" in sys.modules)  # the engine loads GitPython a moment after its start
    starts.write_text("")
    try:
        await rig.new("Say hello")
        await rig.until(lambda _: rig.until_checkpoint)
        await rig.ended()
    finally:
        await rig.engine.stop()
    listed = "\n".join(rig.until_checkpoint)
    assert len(rig.until_checkpoint) <= MOST, listed
    assert sum("worktree add" in line for line in rig.until_checkpoint) == 1, listed
    assert sum("fast-import" in line for line in rig.until_checkpoint) == 1, listed
