"""What was seen of newer versions, from one start to the next."""

import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.releases.values import Release
from desktop.services.releases.seen import Seen, read_seen, write_seen

AT = datetime(2026, 11, 1, tzinfo=UTC)


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "data" / "releases.json"
    assert read_seen(file) == Seen()
    seen = Seen(starts=2, offered=True, looked_at=AT, etag='"a"', newest=Release(version="9.1.0", at=AT), key="k")
    write_seen(file, seen)
    assert read_seen(file) == seen
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"starts": "many"}', b"\xff"])
def test_what_cannot_be_read_is_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "releases.json"
    file.write_bytes(content)
    assert read_seen(file) == Seen()
