"""What stays on hidden refs after it was taken away: forgotten by the time at which it was kept."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.services.git.run import Git
from desktop.services.lanes.kept_refs import expire_kept
from tests.agent.rig import GIT_ENVIRONMENT, git, make_repository

NOW = datetime(2026, 4, 1, tzinfo=UTC)
OLD, YOUNG = NOW - timedelta(days=31), NOW - timedelta(days=29)


def test_what_was_kept_longer_than_thirty_days_ago_goes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_repository(tmp_path / "shop")
    refs = {}
    for word, at in (("old", OLD), ("young", YOUNG)):
        monkeypatch.setitem(GIT_ENVIRONMENT, "GIT_COMMITTER_DATE", at.isoformat())
        commit = git(root, "commit-tree", "-m", word, "HEAD^{tree}").strip()
        refs[word] = commit
        for place in (
            "moved/ln_{}",
            "handover-edits/ln_a/{}1",
            "stash-dropped/ln_a/{}1",
            "trash/ln_a/{}",
            "stash/ln_a/{}",
        ):
            git(root, "update-ref", f"refs/banksman/{place.format(word)}", commit)
    edits = "refs/banksman/handover-edits/ln_a/commits"
    git(root, "update-ref", f"{edits}-{int(YOUNG.timestamp())}-{refs['old'][:12]}", refs["old"])
    git(root, "update-ref", f"{edits}-{int(OLD.timestamp())}-{refs['young'][:12]}", refs["young"])
    assert expire_kept(Git(root), NOW - timedelta(days=30)) == 4
    left = git(root, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/banksman").split()
    assert left == [
        f"handover-edits/ln_a/commits-{int(YOUNG.timestamp())}-{refs['old'][:12]}", "handover-edits/ln_a/young1",
        "moved/ln_young", "stash-dropped/ln_a/young1", "stash/ln_a/old", "stash/ln_a/young",
        "trash/ln_a/old", "trash/ln_a/young",
    ]  # fmt: skip
