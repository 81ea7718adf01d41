from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.credential_rig import FileKeyring, file_keyring


@pytest.fixture(autouse=True)
def ring(tmp_path: Path) -> Iterator[FileKeyring]:
    with file_keyring(tmp_path / "keyring") as ours:
        yield ours
