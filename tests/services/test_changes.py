"""What the Changes tab lists: what differs in content or mode, not what was only written again."""

import os
from datetime import UTC, datetime

import pytest

from desktop.domain.lane import Lane
from desktop.services.changes import lane_changes
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio


async def test_a_file_written_again_with_the_same_bytes_is_no_change(tmp_path):
    root = make_repository(tmp_path / "app", {"same.py": "x = 1\n", "other.py": "y = 1\n", "run.sh": "true\n"})
    (root / "same.py").write_text("x = 1\n")
    os.utime(root / "same.py", (1, 1))
    (root / "other.py").write_text("y = 2\n")
    (root / "run.sh").chmod(0o755)
    head = git(root, "rev-parse", "HEAD").strip()
    facts = root.stat()
    lane = Lane(
        id="ln_1", project_id="prj_1", name="app", branch="main", worktree_path=str(root), base_oid=head,
        device=facts.st_dev, inode=facts.st_ino, created_at=datetime.now(UTC),
    )  # fmt: skip
    _, files = await lane_changes(lane)
    assert [file.path for file in files] == ["other.py", "run.sh"]
