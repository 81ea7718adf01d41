"""lane_stash and rebase_lane as the model calls them: exact results, exact refusals."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.domain.core.errors import CommandError
from desktop.tools.arguments import ArgumentsError
from desktop.tools.tool import Rebase, RebasedLane, ToolError
from tests.tools.git_lanes import commit_all, git

pytestmark = pytest.mark.asyncio


@pytest.fixture
def lane(bench, monkeypatch: pytest.MonkeyPatch):
    """A lane with one commit."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    bench.write("a.py", "1\n2\n3\n4\n5\n")
    commit_all(bench.root)
    bench.context = replace(bench.context, lane_id="ln_0123456789ab")
    return bench


async def refused(bench, name: str, **arguments) -> str:
    with pytest.raises(ToolError) as caught:
        await bench.call(name, **arguments)
    return str(caught.value)


async def test_changes_are_put_aside_listed_brought_back_and_dropped(lane) -> None:
    assert (await lane.call("lane_stash", action="list")).text == "No stashes."
    assert await refused(lane, "lane_stash", action="push") == "Nothing to put aside: nothing has changed."
    assert await refused(lane, "lane_stash", action="pop") == "This lane has no stash."
    lane.write("a.py", "one\n2\n3\n4\n5\n")
    lane.write("new/b.txt", "b\n")
    pushed = await lane.call("lane_stash", action="push", message=" half done ")
    assert pushed.text == "Put aside as stash 1: 2 files. The lane is as its last commit."
    assert git(lane.root, "status", "--porcelain") == ""
    assert git(lane.root, "stash", "list") == ""
    listed = (await lane.call("lane_stash", action="list")).text
    assert listed.startswith("1  20")
    assert listed.endswith(" UTC  2 files  half done")
    lane.write("a.py", "uno\n2\n3\n4\n5\n")
    text = await refused(lane, "lane_stash", action="apply", id=1)
    assert text == "Stash 1 does not fit: a.py changed meanwhile. Nothing was changed."
    lane.write("a.py", "1\n2\n3\n4\nfive\n")
    done = await lane.call("lane_stash", action="pop")
    assert done.text == 'Brought back stash 1 "half done": 2 files, not staged. Dropped it.'
    assert Path(lane.root, "a.py").read_text() == "one\n2\n3\n4\nfive\n"
    assert done.blocks[0].paths == ("a.py", "new/b.txt")
    await lane.call("lane_stash", action="push")
    assert (await lane.call("lane_stash", action="clear")).text == "Dropped 1 stash."
    assert await refused(lane, "lane_stash", action="drop", id=2) == "There is no stash 2."


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lane_stash", {"action": "save"}), ("lane_stash", {"action": "apply", "id": 0}),
        ("lane_stash", {"action": "push", "message": "x" * 201}), ("lane_stash", {"action": "push", "message": "a\nb"}),
        ("rebase_lane", {"onto": "--exec=x"}), ("rebase_lane", {"onto": "a b"}),
    ],
)  # fmt: skip
async def test_arguments_that_mean_nothing_are_refused(lane, name: str, arguments) -> None:
    with pytest.raises(ArgumentsError):
        await lane.call(name, **arguments)


async def test_a_rebase_tells_each_lane_with_its_files(lane) -> None:
    asked: list[tuple[str, bool]] = []

    async def rebase(onto: str, with_children: bool) -> tuple[RebasedLane, ...]:
        asked.append((onto, with_children))
        if onto == "gone":
            raise CommandError("not_ready", "There is no commit 'gone' in this repository.")
        first = RebasedLane(name="fix", state="succeeded", text="Now on main 3fa9c1d.")
        second = RebasedLane(name="more", state="conflict", conflicts=("a.py", "b c.py"), text="It does not fit.")
        return (first, second) if with_children else (first,)

    assert await refused(lane, "rebase_lane") == "This is not available in this chat."
    lane.context = replace(lane.context, finds={Rebase: rebase}.get)
    done = await lane.call("rebase_lane")
    assert (done.text, done.is_error, done.summary) == ("fix: succeeded. Now on main 3fa9c1d.", False, "1 lane rebased")
    both = await lane.call("rebase_lane", onto="main", include_children=True)
    assert both.text.splitlines()[1] == "more: conflict in a.py, b c.py. It does not fit."
    assert both.is_error
    assert "Nothing was changed there." in both.text
    assert await refused(lane, "rebase_lane", onto="gone") == "There is no commit 'gone' in this repository."
    assert asked == [("", False), ("main", True), ("gone", False)]
