"""Writing what the window shows to a file that a person chose."""

from pathlib import Path

import pytest

from desktop.domain.commands import SaveText
from desktop.domain.updates import TextSaved
from tests.agent.rig import Rig

pytestmark = pytest.mark.asyncio


async def test_a_text_is_written_to_a_new_file_and_never_over_another(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    await rig.engine.handle(SaveText(session_id="s", path=str(path), text="id\r\n7\r\n"))
    assert path.read_bytes() == b"id\r\n7\r\n"
    assert any(isinstance(update, TextSaved) and update.path == str(path) for update in rig.updates)
    await rig.engine.handle(SaveText(session_id="s", path=str(path), text="other"))
    assert "there is a file of this name" in rig.failures()[-1].text
    assert path.read_bytes() == b"id\r\n7\r\n"
