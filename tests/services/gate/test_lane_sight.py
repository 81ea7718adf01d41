"""What is told of a lane from look to look is what a first look tells, whatever happened in between."""

import os
import random
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.policy.protected_names import name_classes, told_reason
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.lane_view import LaneView
from desktop.services.gate.guarded_places import Guarded, GuardedPlaces
from desktop.services.gate.lane_scan import LaneScan, LaneScanner
from desktop.services.gate.lane_sight import LaneSight
from tests.agent.rig import make_repository

NAMES = [
    *(".git", "HEAD", "objects", "refs", "config", "hooks", "pre-commit", ".husky", ".claude", "CLAUDE.md", ".github"),
    *("workflows", "ci.yml", ".cargo", "node_modules", ".vscode", "settings.json", ".envrc", "src", "x", "line\nfeed"),
    os.fsdecode(b"raw\xff"),
]
TARGETS = ["..", "../..", "/etc", ".", "src/../..", ".git/hooks", "../outside", *NAMES]


class Told:
    """A lane that is followed from look to look."""

    def __init__(self, lane: Path) -> None:
        self.files = LaneFiles(lane)
        self.view = LaneView(lane)
        self.places = GuardedPlaces(lane, self.view)
        self.scanner = LaneScanner(self.files, self.view)

    def now(self, before: Guarded | None = None) -> tuple[Guarded, LaneScan]:
        """What is told after a look, the same as of a first look."""
        self.view.look()
        found = self.places.now(before=before), self.scanner.now()
        view = LaneView(self.files.root)
        view.look()
        first = GuardedPlaces(self.files.root, view).now(before=before)
        assert found == (first, LaneScanner(self.files, view).now())
        assert self.places.as_left(found[0]) in (None, GuardedPlaces(self.files.root, view).now())
        return found


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "lane", {"src/app.py": "1", ".claude/settings.json": "{}", "CLAUDE.md": "x"})


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_after_any_changes_what_is_told_equals_what_a_first_look_tells(seed: int) -> None:
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        lane = make_repository(Path(folder) / "lane", {"src/app.py": "1"})
        told = Told(lane)
        before, _ = told.now()
        for _ in range(12):
            for _ in range(dice.randrange(4)):
                do_something(lane, dice)
            guarded, _ = told.now(before if dice.random() < 0.5 else None)
            before = guarded if dice.random() < 0.3 else before


def do_something(lane: Path, dice: random.Random) -> None:
    """One change of the lane; one that is not possible now is none."""
    folders = [lane, lane, *(path for path in lane.rglob("*") if path.is_dir() and not path.is_symlink())]
    place, other = (dice.choice(folders) / dice.choice(NAMES) for _ in range(2))
    if lane / ".git" in (place, other):
        return
    try:
        match dice.randrange(9):
            case 0 | 1:
                place.write_text("x" * dice.randrange(3))
            case 2 | 3:
                place.mkdir()
            case 4:
                shutil.rmtree(place) if place.is_dir() else place.unlink()
            case 5:
                place.rename(other)
            case 6 | 7:
                place.symlink_to(dice.choice(TARGETS))
            case _:
                place.chmod(dice.choice([0o644, 0o4755, 0o755]))
    except OSError:
        return


def test_places_that_a_command_opened_by_a_new_link_are_looked_for_after_it(lane: Path) -> None:
    told = Told(lane)
    before, _ = told.now()
    found, _ = told.now(before)
    assert told.places.as_left(found) is found
    (lane / ".husky").symlink_to("src")
    found, _ = told.now(before)
    assert told.places.as_left(found) is None
    assert "src/app.py" in told.now()[0].entries
    assert told.places.as_left(found) is None


def test_a_link_is_followed_anew_when_something_on_its_way_changed(lane: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (lane / "way").mkdir()
    (lane / "link").symlink_to("way/../src")
    told = Told(lane)
    assert told.now()[1].odd == frozenset()
    (lane / "way").rmdir()
    (lane / "way").symlink_to(tmp_path / "outside")
    assert {entry.path for entry in told.now()[1].odd} == {"link", "way"}


def test_a_link_is_followed_anew_when_only_what_is_outside_changed(lane: Path, tmp_path: Path) -> None:
    (tmp_path / "door").symlink_to(lane / "src")
    (lane / "link").symlink_to("../door")
    told = Told(lane)
    assert told.now()[1].odd == frozenset()
    (tmp_path / "door").unlink()
    (tmp_path / "door").symlink_to(tmp_path)
    assert {entry.path for entry in told.now()[1].odd} == {"link"}


def test_a_guarded_link_that_comes_to_lead_elsewhere_is_told(lane: Path, tmp_path: Path) -> None:
    (tmp_path / "door").symlink_to(lane / "src")
    (lane / ".husky").symlink_to(tmp_path / "door")
    told = Told(lane)
    assert "src/app.py" in told.now()[0].entries
    (tmp_path / "door").unlink()
    assert "src/app.py" not in told.now()[0].entries


def test_what_a_look_does_not_show_of_repositories_in_the_lane_is_read_each_time(lane: Path) -> None:
    (lane / "sub" / ".git" / "hooks").mkdir(parents=True)
    (lane / ".claude" / ".git").mkdir()
    told = Told(lane)
    first, _ = told.now()
    (lane / "sub" / ".git" / "hooks" / "pre-commit").write_text("x")
    (lane / ".claude" / ".git" / "new").write_text("x")
    now, _ = told.now()
    assert {*now.entries} - {*first.entries} == {"sub/.git/hooks/pre-commit", ".claude/.git/new"}


def test_what_was_found_stands_while_only_ordinary_files_change(lane: Path) -> None:
    told = Told(lane)
    first, _ = told.now()
    (lane / "src" / "deep").mkdir()
    (lane / "src" / "deep" / "new.py").write_text("x")
    assert told.now()[0].entries is first.entries
    (lane / "src" / "deep" / ".envrc").write_text("x")
    assert "src/deep/.envrc" in told.now()[0].entries


def test_a_look_from_before_the_command_does_not_serve_after_it(lane: Path, tmp_path: Path) -> None:
    sight = LaneSight(LaneFiles(lane))
    before = sight.now(time.monotonic(), None, None)
    (lane / ".envrc").write_text("x")
    after = sight.now(time.monotonic(), before.guarded, tmp_path / "aside")
    assert [told.split(",")[0] for told in after.planted.told] == ["A command made .envrc"]
    assert not (lane / ".envrc").exists()
    assert ".envrc" not in after.guarded.entries


def test_the_names_used_here_are_of_every_kind() -> None:
    kinds = {kind for name in NAMES for kind in name_classes((name,))}
    assert kinds >= {"git", "guarded"}
    assert {told_reason((name,)) for name in NAMES} >= {"", "instructions"}
