"""The things that stay on hidden refs for a while after they were taken away, and are forgotten then: 30 days, as
deleted lanes."""

import re
from datetime import UTC, datetime

from desktop.services.git.run import STATUS_LIMIT_S, Git
from desktop.services.lanes.making.stash import DROPPED_REFS
from desktop.services.lanes.making.take_out import MOVED_REFS
from desktop.services.lanes.stacks.handover import EDITED_REFS

KEPT_REFS = (MOVED_REFS, EDITED_REFS, DROPPED_REFS)
"""What was moved out of the checkout, edits made there while it showed a lane, stashes that were dropped."""
_COMMITS = re.compile(r"/commits-(\d+)-[0-9a-f]+$")
"""Commits of the person's own, whose time says nothing of when they were kept."""


def expire_kept(git: Git, before: datetime) -> int:
    """Forget what was kept there before this time; how many refs went. Blocking. Raises GitError."""
    asked = ("for-each-ref", "--format=%(refname) %(objectname) %(committerdate:unix)", *KEPT_REFS)
    gone = 0
    for line in git.run_now(*asked, limit_s=STATUS_LIMIT_S).stdout.splitlines():
        ref, oid, stamp = line.split(" ")
        named = _COMMITS.search(ref)
        if "/commits-" in ref and named is None:
            continue
        if datetime.fromtimestamp(int(named[1] if named else stamp), UTC) < before:
            git.run_now("update-ref", "-d", ref, oid)
            gone += 1
    return gone
