"""Keys that the program learns of stay out of its own log."""

import logging
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.log_files import install_log_file
from desktop.config.settings import Settings
from desktop.domain.commands import SaveKey
from tests.agent.rig import folders_below

pytestmark = pytest.mark.asyncio
KEY = "correct-horse-battery-staple-4711"


async def test_a_key_that_was_entered_is_not_logged(tmp_path: Path) -> None:
    folders = folders_below(tmp_path / "home")
    log_file = install_log_file(folders.logs)
    assert log_file is not None
    try:
        settings = SettingsKeeper(folders, Settings(), [].append)
        await settings.save_key(SaveKey(endpoint_id="anthropic", key=SecretStr(KEY)))
        logging.getLogger("desktop.test").warning("refused: %s", KEY)
        assert settings.log_folder == str(folders.logs)
        assert "refused" in (folders.logs / "window.log").read_text()
        assert KEY not in (folders.logs / "window.log").read_text()
    finally:
        logging.getLogger().removeHandler(log_file)
        log_file.close()
