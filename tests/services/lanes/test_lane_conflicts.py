"""What merging lanes would give: from their files as they are, with git's rule for conflicts, and nothing written."""

from pathlib import Path

import pytest

from desktop.services.git.trees.merge import outcome_of
from desktop.services.lanes.stacks.conflicts import ConflictReader, Predicted, touching
from desktop.services.lanes.status import LaneReader, base_of, read_refs
from tests.agent.rig import git, make_repository
from tests.services.lane_place import NOW, add_lane, tree_of

pytestmark = pytest.mark.asyncio
LINES = "".join(f"line {n}\n" for n in range(20))


class Place:
    """A repository with two lanes, and what tells about their merging."""

    def __init__(self, root: Path) -> None:
        self.repository = make_repository(root / "shop", {"app.py": LINES, "other.py": LINES})
        self.one = add_lane(self.repository, root / "lanes" / "one", "one", 1)
        self.two = add_lane(self.repository, root / "lanes" / "two", "two", 2)
        self.reader = LaneReader(lambda: NOW)
        self.conflicts = ConflictReader(self.repository, root / "objects of ours")

    def write(self, lane, name: str, line: int, text: str) -> None:
        lines = LINES.splitlines(keepends=True)
        lines[line] = text
        path = Path(lane.worktree_path) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines))

    def commit(self, folder, message: str = "work") -> str:
        git(Path(folder), "add", "-A")
        git(Path(folder), "commit", "-q", "-m", message)
        return git(Path(folder), "rev-parse", "HEAD").strip()

    async def work(self, lane) -> str:
        refs = await read_refs(self.repository)
        reading = await self.reader.read(lane, base_of(lane, None, refs), refs)
        return (await self.conflicts.work(lane, reading)).commit

    async def both(self) -> Predicted:
        ours, theirs = await self.work(self.one), await self.work(self.two)
        return await self.conflicts.merged(Path(self.one.worktree_path), ours, theirs)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.promise("lanes-L44")
async def test_one_line_changed_in_both_without_a_commit_is_a_conflict(place: Place) -> None:
    place.write(place.one, "app.py", 4, "mine\n")
    place.write(place.two, "app.py", 4, "yours\n")
    assert await place.both() == Predicted("conflict", ("app.py",))


async def test_different_files_and_different_lines_are_none(place: Place) -> None:
    place.write(place.one, "app.py", 2, "mine\n")
    place.write(place.two, "other.py", 2, "yours\n")
    assert await place.both() == Predicted("clean")
    place.write(place.two, "app.py", 15, "yours\n")
    assert await place.both() == Predicted("clean")


async def test_new_files_staged_files_and_removed_ones_count(place: Place) -> None:
    place.write(place.one, "new.py", 1, "mine\n")
    place.write(place.two, "new.py", 1, "yours\n")
    assert (await place.both()).files == ("new.py",)
    git(Path(place.two.worktree_path), "add", "new.py")
    assert (await place.both()).files == ("new.py",)
    (Path(place.two.worktree_path) / "new.py").unlink()
    assert await place.both() == Predicted("clean")
    (Path(place.one.worktree_path) / "new.py").unlink()
    (Path(place.one.worktree_path) / "app.py").unlink()
    place.write(place.two, "app.py", 1, "yours\n")
    assert (await place.both()).files == ("app.py",)


async def test_what_changed_since_is_seen_and_what_did_not_is_not_asked_again(place: Place) -> None:
    place.write(place.one, "app.py", 4, "mine\n")
    first = await place.work(place.one)
    assert await place.work(place.one) == first
    place.write(place.one, "app.py", 4, "mine, later\n")
    assert await place.work(place.one) != first


@pytest.mark.promise("lanes-L44")
async def test_nothing_is_written_into_the_repository_or_the_lanes(place: Place) -> None:
    place.write(place.one, "app.py", 4, "mine\n")
    place.write(place.two, "app.py", 4, "yours\n")
    folders = (place.repository, Path(place.one.worktree_path), Path(place.two.worktree_path))
    before = [tree_of(folder) for folder in folders]
    assert (await place.both()).prediction == "conflict"
    assert [tree_of(folder) for folder in folders] == before
    place.conflicts.close()
    assert (await place.both()).prediction == "conflict"


async def test_a_name_that_git_does_not_know_is_unknown(place: Place) -> None:
    head = git(place.repository, "rev-parse", "HEAD").strip()
    assert await place.conflicts.merged(place.repository, head, "0" * 40) == Predicted("unknown")
    assert await place.conflicts.merged(place.repository, head, "nowhere") == Predicted("unknown")
    assert await place.conflicts.merged(place.repository, head, "") == Predicted("unknown")


@pytest.mark.parametrize(
    ("raw", "status", "outcome"),
    [
        (b"", 0, "unknown"),
        (b"", 1, "unknown"),
        (b"merge-tree: nowhere - not something we can merge\n", 1, "unknown"),
        (b"a" * 40 + b"\0", 0, "clean"),
        (b"a" * 40 + b"\0app.py\0", 1, "conflict"),
        (b"a" * 40 + b"\0", 128, "unknown"),
        (b"a" * 40 + b"\0", -9, "unknown"),
    ],
)
async def test_exit_one_is_a_conflict_only_with_the_id_of_a_tree(raw: bytes, status: int, outcome: str) -> None:
    assert outcome_of(raw, status, "").outcome == outcome


async def test_what_git_says_of_a_merge_that_it_cannot_make_is_one_line() -> None:
    said = "warning: slow\nfatal: cannot read\n\nerror: broken\n"
    assert outcome_of(b"", 128, said).problem == "fatal: cannot read error: broken"
    assert outcome_of(b"", 128, "not\r\na commit\n").problem == "not a commit"
    assert outcome_of(b"", 128, "").problem == "git merge-tree gave status 128"


@pytest.mark.promise("lanes-L44")
async def test_git_that_fails_is_unknown(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(place.one, "app.py", 4, "mine\n")
    place.write(place.two, "app.py", 4, "yours\n")
    ours, theirs = await place.work(place.one), await place.work(place.two)
    monkeypatch.setenv("PATH", "")
    assert await place.conflicts.merged(place.repository, ours, theirs) == Predicted("unknown")


async def test_a_lane_with_conflicts_of_its_own_or_with_too_much_is_unknown(place: Place) -> None:
    with (Path(place.one.worktree_path) / "large.bin").open("wb") as file:
        file.truncate(20 * 1024 * 1024)
    assert await place.work(place.one) == ""
    place.write(place.two, "app.py", 4, "yours\n")
    place.commit(place.two.worktree_path)
    (place.repository / "app.py").write_text("mine\n")
    place.commit(place.repository)
    with pytest.raises(Exception, match="merge"):
        git(Path(place.two.worktree_path), "merge", "main")
    assert await place.work(place.two) == ""


async def test_a_repository_inside_a_lane_is_not_its_work(place: Place) -> None:
    make_repository(Path(place.one.worktree_path) / "inside")
    assert await place.work(place.one) == git(place.repository, "rev-parse", "HEAD").strip()


async def test_files_in_the_way_of_folders_touch_one_another() -> None:
    assert touching(frozenset({"a", "b/c"}), frozenset({"a/x", "b/c", "d"})) == ("a/x", "b/c")
    assert touching(frozenset({"a/b"}), frozenset({"a/c"})) == ()
