"""An undo whose process is killed: each entry is undone or stands, and the rest goes on (memory-UL5)."""

import os
import signal
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.ledger.commands import LoadLedger
from desktop.domain.ledger.updates import LedgerLoaded
from tests.agent.gate_rig import ONCE
from tests.agent.ledger.test_undo import UndoRig, state
from tests.agent.rig import git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.forking import fork

pytestmark = pytest.mark.asyncio
ROOT = Path(__file__).resolve().parents[3]
RECORDS = range(1, 9)
TRIED = RECORDS if os.environ.get("BANKSMAN_UNDO_EXAMPLES") else (3, 5)


async def loaded(rig: UndoRig) -> LedgerLoaded:
    await rig.engine.handle(LoadLedger(session_id=rig.session_id))
    return [one for one in rig.updates if isinstance(one, LedgerLoaded)][-1]


@pytest.mark.promise("memory-UL5")
@pytest.mark.parametrize("nth", TRIED)
async def test_what_was_cut_off_is_undone_or_stands_and_goes_on(
    folders: Folders, repository: Path, model_api: FakeModelApi, nth: int
) -> None:
    rig = UndoRig(folders)
    await rig.open(repository)
    model_api.script(
        tool_turn("write_file", path="a.txt", content="one\n"),
        tool_turn("bash", command="echo more >> app.py && rm notes.md"),
        tool_turn("commit_changes", message="All"),
        tool_turn("write_file", path="a.txt", content="two\n"),
        text_turn("Done."),
    )
    rig.session_id = session_id = await rig.new("Work", PermissionMode.EDIT)
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.ended()
    root = rig.root
    before = git(root, "rev-parse", "HEAD~1")
    await rig.engine.stop()

    words = [str(folders.config.parent), str(repository), session_id, str(nth)]
    with fork("tests.agent.ledger.undo_victim", words, ROOT, dict(os.environ), session=True) as process:
        said = process.communicate(60)
        assert process.returncode == -signal.SIGKILL, said

    rig = UndoRig(folders)
    await rig.open(repository)
    rig.session_id = session_id
    try:
        now = await loaded(rig)
        assert bool(now.cut_off) == (nth > 1)
        if now.cut_off:
            plan = await rig.plan(next(one for one in now.effects if one.effect_id == now.cut_off), "rest")
        else:
            plan = await rig.plan(now.effects[-1], "back")
        assert not [entry for entry in plan.entries if entry.verdict in ("blocked", "cannot")], plan.entries
        assert "Stopped" not in (await rig.run(plan)).told
        files, _, head = state(root)
        assert (head, git(root, "status", "--porcelain")) == (before, "")
        assert sorted(files) == ["app.py", "notes.md"]
        assert not (await loaded(rig)).cut_off
    finally:
        await rig.engine.stop()
