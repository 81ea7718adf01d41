"""The difference of a copy made in a lane: all of it or nothing, whenever the process dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.preview.applying import NotApplied, apply_difference
from desktop.services.preview.effects import Difference, difference
from desktop.services.preview.look import Written
from tests.agent.rig import make_repository

ROOT = Path(__file__).resolve().parents[3]
FILES = {f"f{number}.txt": f"{number}\n" for number in range(6)}
AFTER = {"f0.txt": "new 0\n", "f1.txt": "new 1\n", "made/one.txt": "one\n", "made/two.txt": "two\n"}
GONE = ("f2.txt", "f3.txt")
DIES = """
import os, signal, sys
from tests.services.preview.test_applying import GONE, applied
left = [int(sys.argv[1])]
def count(name, arguments):
    ours = any("banksman-restore" in str(one) or str(one) in GONE for one in arguments)
    if ours and name in ("os.rename", "os.remove"):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
from pathlib import Path
applied(Path(sys.argv[2]), Path(sys.argv[3]), lambda: sys.addaudithook(count))
"""


def lane_of(lane: Path) -> tuple[LaneFiles, LaneCheckpoints]:
    files = LaneFiles(lane)
    return files, LaneCheckpoints(files, "ln_1")


def found_in(lane: Path, copy: Path) -> Difference:
    """The difference that a command would have made."""
    files, kept = lane_of(lane)
    written = [Written(path, "gone") for path in GONE]
    for path, text in AFTER.items():
        at = copy / path.replace("/", "_")
        at.write_text(text)
        written.append(Written(path, "file", 0o644, len(text), at))
    return difference(kept, files, written)


def applied(lane: Path, copy: Path, begin: "object" = None) -> None:
    """Apply it, in this process."""
    files, kept = lane_of(lane)
    found = found_in(lane, copy)
    if callable(begin):
        begin()
    apply_difference(kept, files, found)


def content(lane: Path) -> dict[str, str]:
    paths = (path for path in lane.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(lane)): path.read_text() for path in paths}


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "lane", FILES)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    made = tmp_path / "copy"
    made.mkdir()
    return made


EXPECTED = {**{path: text for path, text in FILES.items() if path not in GONE}, **AFTER}


def test_all_of_it_is_made_and_the_files_are_as_foretold(lane: Path, copy: Path) -> None:
    files, kept = lane_of(lane)
    found = found_in(lane, copy)
    assert found.effect.counts == "2 changed · 2 new · 2 deleted"
    checkpoint = apply_difference(kept, files, found)
    assert content(lane) == EXPECTED
    assert kept.find(checkpoint).tree == found.effect.tree_before
    kept.restore(kept.find(checkpoint))
    assert content(lane) == FILES


@pytest.mark.promise("memory-EP6")
@pytest.mark.parametrize("moment", range(1, 8))
def test_a_process_that_dies_half_way_leaves_all_or_nothing(lane: Path, copy: Path, moment: int) -> None:
    command = [sys.executable, "-c", DIES, str(moment), str(lane), str(copy)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    died = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False)
    assert died.returncode == (-signal.SIGKILL if moment < 7 else 0), died.stderr.decode()
    assert moment in (1, 7) or content(lane) not in (FILES, EXPECTED)
    _, kept = lane_of(lane)
    kept.finish_cut_off()
    found = {path: text for path, text in content(lane).items() if "banksman" not in path}
    assert found in (FILES, EXPECTED)
    assert kept.finish_cut_off() is None


def test_a_lane_that_changed_is_left_alone(lane: Path, copy: Path) -> None:
    files, kept = lane_of(lane)
    found = found_in(lane, copy)
    (lane / "f1.txt").write_text("mine\n")
    with pytest.raises(NotApplied, match=r"f1\.txt changed since"):
        apply_difference(kept, files, found)
    assert content(lane) == {**FILES, "f1.txt": "mine\n"}
    (lane / "f1.txt").write_text(FILES["f1.txt"])
    (lane / "other.txt").write_text("mine\n")
    with pytest.raises(NotApplied, match="other files of the lane changed since"):
        apply_difference(kept, files, found)


def test_a_name_that_became_protected_meanwhile_is_not_written(lane: Path, copy: Path) -> None:
    files, kept = lane_of(lane)
    at = copy / "a"
    at.write_text("x")
    found = difference(kept, files, [Written(".agents/a.md", "file", 0o644, 1, at)])
    assert not found.effect.can_be_applied
    forced = Difference(found.effect.model_copy(update={"stops": ()}), found.goals)
    with pytest.raises(NotApplied, match=r"\.agents/a\.md can only be changed by a call of its own"):
        apply_difference(kept, files, forced)
    assert content(lane) == FILES


def test_a_file_that_cannot_be_written_leaves_everything_as_it_was(lane: Path, copy: Path) -> None:
    files, kept = lane_of(lane)
    found = found_in(lane, copy)
    (lane / "made").mkdir()
    (lane / "made" / "one.txt").mkdir()
    (lane / "made" / "one.txt" / "ignored.o").write_text("x")
    (lane / ".git" / "info").mkdir(exist_ok=True)
    (lane / ".git" / "info" / "exclude").write_text("*.o\n")
    with pytest.raises(NotApplied):
        apply_difference(kept, files, found)
    assert {path: text for path, text in content(lane).items() if not path.endswith(".o")} == FILES
    assert kept.finish_cut_off() is None


def test_what_comes_under_new_ignore_rules_is_applied_all_the_same(lane: Path, copy: Path) -> None:
    files, kept = lane_of(lane)
    for name, text in ((".gitignore", "*.log\n"), ("a.log", "log\n")):
        (copy / name).write_text(text)
    written = [Written(name, "file", 0o644, 6, copy / name) for name in (".gitignore", "a.log")]
    found = difference(kept, files, written)
    assert (found.effect.stops, found.effect.tree_after) == ((), "")
    apply_difference(kept, files, found)
    assert content(lane) == {**FILES, ".gitignore": "*.log\n", "a.log": "log\n"}
