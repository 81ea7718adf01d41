"""A lane shown in the person's own checkout and brought back, with edits, over a restart, and when it does not fit."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.lanes.project_log import ProjectLog
from desktop.domain.lanes.commands import BringBack, TryInCheckout
from desktop.domain.lanes.events import LaneOperationStarted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import HandoverChanged
from desktop.services.history.branch_move import MOVING_REF
from desktop.services.projects import open_project
from desktop.store.database import open_store
from tests.agent.rig import Rig, folders_below, git, write_settings
from tests.services.merge_place import LINES, Place, checkout_hash, make_place

pytestmark = pytest.mark.asyncio


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    place = make_place(tmp_path)
    place.commit(place.root, "ignore", {".gitignore": "local.db\n"})
    (place.root / "local.db").write_text("the person's own")
    return place


@pytest.fixture
def lane(place: Place, tmp_path: Path) -> Lane:
    """Committed, changed, untracked and deleted files; and what main ignores is not ignored here."""
    lane = place.lane("fix")
    folder = Path(lane.worktree_path)
    place.commit(folder, "committed", {"app.py": LINES.replace("one", "ONE"), ".gitignore": "other\n"})
    (folder / "app.py").write_text(LINES.replace("one", "ONE").replace("two", "not committed"))
    (folder / "loose.txt").write_text("loose")
    (folder / "readme.md").unlink()
    folders = folders_below(tmp_path / "home")
    write_settings(folders, "http://127.0.0.1:9")
    store = open_store(folders.store)
    store.lanes.save(lane)
    store.close()
    return lane


@pytest_asyncio.fixture
async def rig(place: Place, lane: Lane, tmp_path: Path) -> AsyncIterator[Rig]:
    rig = await Rig(folders_below(tmp_path / "home")).open(place.root)
    yield rig
    await rig.engine.stop()


def told(rig: Rig) -> HandoverChanged:
    return [update for update in rig.updates if isinstance(update, HandoverChanged)][-1]


async def test_the_checkout_shows_the_lane_and_stands_as_before_after_a_restart(
    place: Place, lane: Lane, rig: Rig
) -> None:
    root, folder = place.root, Path(lane.worktree_path)
    bytes_before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".git" not in p.parts}
    lane_before = checkout_hash(folder)
    (root / "mine.txt").write_text("x")
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    assert "not committed: mine.txt" in rig.failures()[-1].text
    (root / "mine.txt").unlink()
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    assert (told(rig).lane_id, told(rig).branch) == (lane.id, "main")
    assert (root / "app.py").read_text() == (folder / "app.py").read_text()
    assert (root / "loose.txt").read_text() == "loose"
    assert not (root / "readme.md").exists()
    assert git(root, "branch", "--show-current") == ""
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    assert "Your checkout shows “fix”" in rig.failures()[-1].text
    await rig.engine.stop()

    again = await Rig(rig.folders).open(root)
    await again.until(lambda us: any(isinstance(u, HandoverChanged) and u.lane_id == lane.id for u in us))
    await again.engine.handle(BringBack())
    assert (told(again).lane_id, told(again).text) == ("", "Your checkout is on main again.")
    assert git(root, "status", "--porcelain", "--branch") == "## main\n"
    assert {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".git" not in p.parts} == bytes_before
    assert checkout_hash(folder) == lane_before
    await again.engine.handle(BringBack())
    assert "shows no lane" in again.failures()[-1].text
    await again.engine.stop()


async def test_edits_made_in_the_checkout_come_into_the_lane_even_when_it_went_on(
    place: Place, lane: Lane, rig: Rig
) -> None:
    root, folder = place.root, Path(lane.worktree_path)
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    (root / "app.py").write_text((root / "app.py").read_text().replace("six", "edited here"))
    (root / "deep").mkdir()
    (root / "deep" / "new.bin").write_bytes(b"\0\1\r\n")
    (root / "loose.txt").unlink()
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "even committed, on no branch")
    (folder / "app.py").write_text((folder / "app.py").read_text().replace("one\n", "").replace("ONE", "one more"))
    await rig.engine.handle(BringBack())
    assert rig.failures() == []
    assert told(rig).text.endswith("3 files that you edited there came into the lane.")
    assert (folder / "app.py").read_text() == LINES.replace("one", "one more").replace("two", "not committed").replace(
        "six", "edited here"
    )
    assert (folder / "deep" / "new.bin").read_bytes() == b"\0\1\r\n"
    assert not (folder / "loose.txt").exists()
    assert git(root, "status", "--porcelain", "--branch") == "## main\n"
    assert not (root / "deep").exists()
    assert (root / "local.db").read_text() == "the person's own"
    assert git(folder, "log", "-1", "--format=%s") == "committed\n"


async def test_edits_that_do_not_fit_stay_where_they_are_and_are_kept(place: Place, lane: Lane, rig: Rig) -> None:
    root, folder = place.root, Path(lane.worktree_path)
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    (root / "app.py").write_text("mine\n")
    (root / "fits.txt").write_text("fits")
    (folder / "app.py").write_text("the agent's\n")
    await rig.engine.handle(BringBack())
    text = rig.failures()[-1].text
    assert "app.py does not go together" in text
    assert (root / "app.py").read_text() == "mine\n"
    assert (folder / "app.py").read_text() == "the agent's\n"
    assert not (folder / "fits.txt").exists()
    ref = text.rpartition(" ")[2].rstrip(".")
    assert git(root, "show", f"{ref}:app.py") == "mine\n"
    (folder / "app.py").write_text((root / "app.py").read_text())
    await rig.engine.handle(BringBack())
    assert (folder / "fits.txt").read_text() == "fits"
    assert git(root, "status", "--porcelain", "--branch") == "## main\n"


async def test_a_checkout_that_a_person_moved_by_hand_is_left_alone(place: Place, lane: Lane, rig: Rig) -> None:
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    git(place.root, "switch", "-q", "main")
    before = place.untouched()
    await rig.engine.handle(BringBack())
    assert "shows no lane" in rig.failures()[-1].text
    assert place.untouched() == before
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    assert told(rig).lane_id == lane.id


async def test_what_a_crash_cut_off_in_the_checkout_is_taken_back_but_not_what_a_person_did(
    place: Place, lane: Lane, rig: Rig
) -> None:
    root, before = place.root, place.untouched()
    await rig.engine.handle(TryInCheckout(lane_id=lane.id))
    commit, text = git(root, "rev-parse", "HEAD").strip(), (root / "app.py").read_text()
    await rig.engine.stop()
    git(root, "switch", "-q", "main")
    (root / "app.py").write_text(text)  # as in the lane, but by a person who moved the checkout
    by_hand = place.untouched()
    assert await opened(place, rig) == ""
    assert place.untouched() == by_hand != before

    git(root, "update-ref", f"refs/banksman/handover/{lane.id}", commit)
    store, project = open_store(rig.folders.store), await open_project(root)
    arguments = {"branch": "main", "head": place.oid("main"), "commit": commit}
    begun = LaneOperationStarted(
        operation_id="op_1", operation="try_in_checkout", lane_id=lane.id, by="person", arguments=arguments
    )
    ProjectLog(store.events, lambda: project).append(begun)
    store.close()
    assert "It stands as before that." in await opened(place, rig)
    assert git(root, "status", "--porcelain", "--branch") == "## main\n"

    place.commit(lane.worktree_path, "more", {"more.txt": "m\n"})
    git(root, "read-tree", "-m", "-u", "HEAD", lane.branch)  # a merge: the files are moved, the branch is not
    git(root, "update-ref", MOVING_REF, lane.branch)
    assert "merge again" in await opened(place, rig)
    assert git(root, "status", "--porcelain", "--branch") == "## main\n"
    assert "handover" not in git(root, "for-each-ref", "--format=%(refname)", "refs/banksman")


async def opened(place: Place, rig: Rig) -> str:
    """What an engine that starts over the repository tells of the checkout."""
    again = await Rig(rig.folders).open(place.root)
    await again.until(lambda us: any(isinstance(u, HandoverChanged) for u in us))
    assert told(again).lane_id == ""
    await again.engine.stop()
    return told(again).text
