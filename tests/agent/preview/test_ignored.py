"""Files that Git ignores in the effect of a command: shown apart, applied only when ticked, never what is protected."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.domain.commands import SaveRule
from desktop.domain.events import ToolCallFinished
from desktop.domain.gate.rules import Rule
from desktop.domain.preview.events import EffectApplied
from desktop.services.files.lane_files import LaneFiles
from desktop.services.history.checkpoints import LaneCheckpoints
from desktop.services.preview.applying import NotApplied, apply_difference
from desktop.services.preview.effects import Difference, difference
from desktop.services.preview.look import Written
from tests.agent.gate_rig import codes
from tests.agent.preview.preview_rig import apply, asked_about, shop, tried_in
from tests.agent.preview.test_bad_commands import chat, tried
from tests.agent.rig import Rig, git

asyncio = pytest.mark.asyncio
ROOT = Path(__file__).resolve().parents[3]
MAKES = "echo changed >> app.py && mkdir -p build && echo one > build/one && echo o > part.o && ln -s one build/link"
HIDES = "./gen.sh && python3 -c \"open('part' + chr(46) + 'o', 'w').write('o')\""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return shop(tmp_path / "shop")


@asyncio
@pytest.mark.promise("memory-EP4")
async def test_ignored_files_are_applied_only_where_they_are_ticked(rig: Rig, model_api) -> None:
    session_id, asked = await asked_about(rig, model_api, MAKES)
    lane = rig.lane(session_id)
    event = await tried_in(rig, session_id, asked)
    assert [file.path for file in event.effect.files] == ["app.py"]
    assert [file.path for file in event.effect.beside] == ["build/link", "build/one", "part.o"]
    assert event.effect.ignored == 3
    assert event.ticked_digest not in ("", event.digest)
    await apply(rig, session_id, asked, event.digest)
    await rig.ended()
    assert (lane / "app.py").read_text().endswith("changed\n")
    assert not (lane / "part.o").exists()
    (done,) = rig.events(EffectApplied)
    assert (done.digest, done.beside) == (event.digest, ())


@asyncio
@pytest.mark.promise("memory-EP4")
async def test_ticked_files_are_made_with_the_others_and_are_on_record(rig: Rig, model_api) -> None:
    session_id, asked = await asked_about(rig, model_api, MAKES)
    lane = rig.lane(session_id)
    event = await tried_in(rig, session_id, asked)
    await apply(rig, session_id, asked, event.ticked_digest)
    await rig.ended()
    assert codes(rig) == []
    assert (lane / "app.py").read_text().endswith("changed\n")
    assert (lane / "build" / "one").read_text() == "one\n"
    assert (lane / "build" / "link").readlink() == Path("one")
    assert (lane / "part.o").read_text() == "o\n"
    (done,) = rig.events(EffectApplied)
    assert (done.digest, done.beside) == (event.ticked_digest, event.effect.beside)
    assert "its 4 file changes were applied" in str(rig.events(ToolCallFinished)[0].content)
    assert git(lane, "for-each-ref", "refs/banksman/scratch", "refs/banksman/restoring") == ""


@asyncio
async def test_a_command_that_changes_ignored_files_alone_can_be_applied_once_they_are_ticked(
    rig: Rig, model_api
) -> None:
    session_id, asked = await asked_about(rig, model_api, "rm -r build && echo new > part.o")
    lane = rig.lane(session_id)
    (lane / "build" / "deep").mkdir(parents=True)
    (lane / "build" / "deep" / "a").write_text("a")
    (lane / "part.o").write_text("old")
    event = await tried_in(rig, session_id, asked)
    assert (event.digest, event.effect.is_empty) == ("", True)
    kinds = {file.path: file.kind for file in event.effect.beside}
    assert kinds == {"build/deep/a": "delete", "part.o": "modify"}
    await apply(rig, session_id, asked, event.ticked_digest)
    await rig.ended()
    assert not (lane / "build").exists()
    assert (lane / "part.o").read_text() == "new\n"


@asyncio
async def test_an_ignored_file_that_changed_since_refuses_all_of_it(rig: Rig, model_api) -> None:
    session_id, asked = await asked_about(rig, model_api, MAKES)
    lane = rig.lane(session_id)
    event = await tried_in(rig, session_id, asked)
    (lane / "part.o").write_text("mine")
    await apply(rig, session_id, asked, event.ticked_digest)
    await rig.ended()
    assert (lane / "part.o").read_text() == "mine"
    assert (lane / "app.py").read_text() == "print('hello')\n"
    assert not (lane / "build").exists()
    assert rig.events(EffectApplied) == []
    assert "part.o" in str(rig.events(ToolCallFinished)[0].content)


@asyncio
@pytest.mark.promise("memory-EP4")
async def test_a_protected_name_among_ignored_files_is_named_and_never_applied(rig: Rig, model_api) -> None:
    session = await chat(rig, model_api)
    lane = rig.lane(session.session_id)
    (lane / ".gitignore").write_text("*.o\nbuild/\n.env\n")
    effect = (await tried(rig, session, "overlay", "echo KEY=1 > .env; echo o > part.o")).found.effect
    assert [file.path for file in effect.beside] == ["part.o"]
    assert effect.ignored == 2
    assert any(note.startswith(".env is") and note.endswith("never applied.") for note in effect.notes)


@asyncio
async def test_a_rule_against_an_ignored_file_leaves_them_out(rig: Rig, model_api) -> None:
    session_id, asked = await asked_about(rig, model_api, HIDES)
    lane = rig.lane(session_id)
    event = await tried_in(rig, session_id, asked)
    rule = Rule(id="", scope="user", decision="deny", kind="path", glob="**/*.o", ops=("write",))
    await rig.engine.handle(SaveRule(rule=rule))
    again = await tried_in(rig, session_id, asked, 2)
    assert "part.o" in again.effect.beside_stop
    assert (bool(again.digest), again.ticked_digest) == (True, "")
    await apply(rig, session_id, asked, event.ticked_digest)
    assert codes(rig) == ["no_effect"]
    assert not (lane / "part.o").exists()


@asyncio
async def test_a_rule_that_came_after_the_tick_leaves_all_as_it_was(rig: Rig, model_api) -> None:
    session_id, asked = await asked_about(rig, model_api, HIDES)
    lane = rig.lane(session_id)
    event = await tried_in(rig, session_id, asked)
    rule = Rule(id="", scope="user", decision="deny", kind="path", glob="**/*.o", ops=("write",))
    await rig.engine.handle(SaveRule(rule=rule))
    await apply(rig, session_id, asked, event.ticked_digest)
    await rig.ended()
    assert rig.events(EffectApplied) == []
    assert (lane / "app.py").read_text() == "print('hello')\n"
    assert not (lane / "part.o").exists()


@asyncio
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mkdir build && cd build && for i in $(seq 501); do echo $i > $i; done", "More than 500 files"),
        ("mkdir build && head -c 30000000 /dev/zero > build/a && cp build/a build/b; echo x > made.txt", "50 MiB"),
    ],
)
async def test_too_much_of_them_cannot_be_ticked_and_the_rest_can_be_applied(
    rig: Rig, model_api, command: str, words: str
) -> None:
    effect = (await tried(rig, await chat(rig, model_api), "overlay", command)).found.effect
    assert words in effect.beside_stop
    assert not effect.can_be_ticked
    assert effect.stops == ()


# All or nothing

BEFORE = {"app.py": "print('hello')\n", "build/keep": "keep\n", "build/gone": "gone\n", "part.o": "old\n"}
AFTER = {"app.py": "new\n", "build/keep": "kept\n", "build/made/deep": "deep\n", "part.o": "new\n"}
DIES = """
import os, signal, sys
from pathlib import Path
from tests.agent.preview.test_ignored import applied
left = [int(sys.argv[1])]
def count(name, arguments):
    ours = any("banksman-restore" in str(one) or str(one) == "gone" for one in arguments)
    if ours and name in ("os.rename", "os.remove"):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
applied(Path(sys.argv[2]), Path(sys.argv[3]), lambda: sys.addaudithook(count))
"""


def lane_of(folder: Path) -> Path:
    lane = shop(folder)
    for path, text in BEFORE.items():
        (lane / path).parent.mkdir(exist_ok=True)
        (lane / path).write_text(text)
    return lane


def parts(lane: Path) -> tuple[LaneFiles, LaneCheckpoints]:
    files = LaneFiles(lane)
    return files, LaneCheckpoints(files, "ln_1")


def found_in(lane: Path, copy: Path) -> Difference:
    files, kept = parts(lane)
    written = [Written("build/gone", "gone")]
    copy.mkdir(exist_ok=True)
    for path, text in AFTER.items():
        at = copy / path.replace("/", "_")
        at.write_text(text)
        written.append(Written(path, "file", 0o644, len(text), at))
    return difference(kept, files, written)


def applied(lane: Path, copy: Path, begin: object = None) -> None:
    files, kept = parts(lane)
    found = found_in(lane, copy)
    if callable(begin):
        begin()
    apply_difference(kept, files, found, ticked=True)


def content(lane: Path) -> dict[str, str]:
    paths = [lane / "app.py", lane / "part.o", *(path for path in (lane / "build").rglob("*") if path.is_file())]
    return {str(path.relative_to(lane)): path.read_text() for path in paths if ".banksman-restore-" not in path.name}


@pytest.mark.promise("memory-EP6")
@pytest.mark.parametrize("moment", range(1, 7))
def test_a_process_that_dies_within_leaves_all_or_nothing_of_both(tmp_path: Path, moment: int) -> None:
    lane = lane_of(tmp_path / "lane")
    command = [sys.executable, "-c", DIES, str(moment), str(lane), str(tmp_path / "copy")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    died = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False)
    assert died.returncode == (-signal.SIGKILL if moment < 6 else 0), died.stderr.decode()
    assert moment in (1, 6) or content(lane) not in (BEFORE, AFTER)
    _, kept = parts(lane)
    kept.finish_cut_off()
    assert content(lane) == (BEFORE if moment < 6 else AFTER)
    assert kept.finish_cut_off() is None
    assert git(lane, "for-each-ref", "refs/banksman/scratch", "refs/banksman/restoring") == ""


def test_what_cannot_be_written_takes_all_of_it_back(tmp_path: Path) -> None:
    lane = lane_of(tmp_path / "lane")
    files, kept = parts(lane)
    found = found_in(lane, tmp_path / "copy")
    (lane / "build" / "made").write_text("a file in the way")
    with pytest.raises(NotApplied, match="build/made/deep"):
        apply_difference(kept, files, found, ticked=True)
    assert content(lane) == {**BEFORE, "build/made": "a file in the way"}


def test_an_effect_without_such_files_cannot_be_ticked(tmp_path: Path) -> None:
    lane = lane_of(tmp_path / "lane")
    files, kept = parts(lane)
    at = tmp_path / "new"
    at.write_text("new\n")
    found = difference(kept, files, [Written("app.py", "file", 0o644, 4, at)])
    with pytest.raises(NotApplied, match="cannot be applied"):
        apply_difference(kept, files, found, ticked=True)
