"""Any sequence of approved effects, undone back to the start, leaves files, index, branch and rows as they were; what
does not come back was labelled so before it was approved (memory-UL4).

More and longer sequences: BANKSMAN_UNDO_EXAMPLES=200 BANKSMAN_UNDO_EFFECTS=30 python -m pytest this file.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from desktop.config.databases import DatabaseConnection
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.ledger.effects import Effect
from tests.agent.gate_rig import ONCE
from tests.agent.ledger.test_undo import UndoRig
from tests.agent.rig import folders_below, git, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

EXAMPLES = int(os.environ.get("BANKSMAN_UNDO_EXAMPLES", "2"))
EFFECTS = int(os.environ.get("BANKSMAN_UNDO_EFFECTS", "8"))
_PATHS = st.sampled_from(["a.txt", "d/b.txt", "app.py", "notes.md", "x.log"])
_KEPT = st.sampled_from(["a.txt", "d/b.txt", "app.py", "notes.md"])
_COMMANDS = st.sampled_from(
    [
        "echo more >> {0}",
        "chmod +x {0}",
        "rm -f {0}",
        "ln -sf app.py link",
        "mkdir -p e && echo new > e/{1}.txt",
        "rm -rf d e",
        "mv {0} moved.txt",
        "true",
    ]
)
_SQL = st.sampled_from(
    [
        "INSERT INTO t (n) VALUES ({0})",
        "UPDATE t SET n = n + {0}",
        "DELETE FROM t WHERE id % 2 = {0}",
        "INSERT INTO bare VALUES ({0})",
        "UPDATE t SET id = id + 10 WHERE n = {0}",
    ]
)
_EFFECTS = st.one_of(
    st.tuples(st.just("write"), _PATHS, st.sampled_from(["one\n", "two\n", ""])),
    st.tuples(st.just("delete"), _PATHS, st.just("")),
    st.tuples(st.just("move"), _KEPT, st.sampled_from(["m.txt", "f/m.txt"])),
    st.tuples(st.just("bash"), _COMMANDS, _KEPT),
    st.tuples(st.just("commit"), st.sampled_from(["first", "second"]), st.sampled_from(["", "amend"])),
    st.tuples(st.just("lane"), st.sampled_from(["Extra", "Other"]), st.just("")),
    st.tuples(st.just("sql"), _SQL, st.sampled_from(["0", "1", "3"])),
)
_NUMBERS = count()


def call(effect: tuple[str, str, str], at: int) -> dict[str, object]:
    kind, one, two = effect
    if kind == "write":
        return tool_turn("write_file", path=one, content=f"{two}{at}")
    if kind == "delete":
        return tool_turn("delete_file", file_path=one)
    if kind == "move":
        return tool_turn("move_file", from_path=one, to_path=two)
    if kind == "bash":
        return tool_turn("bash", command=one.format(two, at))
    if kind == "commit":
        return tool_turn("commit_changes", message=f"{one} {at}", amend=two == "amend")
    if kind == "lane":
        return tool_turn("create_lane", name=f"{one} {at}")
    return tool_turn("sql_query", sql=one.format(two))


@asynccontextmanager
async def begun(place: Path, api: FakeModelApi) -> AsyncIterator[UndoRig]:
    with closing(sqlite3.connect(place / "shop.db")) as made:
        made.executescript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); INSERT INTO t (n) VALUES (1), (2), (3);"
            "CREATE TABLE bare (x);"
        )
    folders = folders_below(place / "home")
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(place / "shop.db"))
    write_settings(folders, api.url, databases=(shop,))
    rig = UndoRig(folders)
    await rig.open(make_repository(place / "shop", {"app.py": "x = 1\n", "notes.md": "#\n", ".gitignore": "*.log\n"}))
    api.script(text_turn("Ready."))
    rig.session_id = await rig.new("Begin", PermissionMode.EDIT)
    await rig.ended()
    try:
        yield rig
    finally:
        await rig.engine.stop()


async def carried_out(rig: UndoRig) -> None:
    """Every card is answered with yes until the turn has ended."""
    await rig.engine.handle(SendMessage(session_id=rig.session_id, text="Work"))
    ended = asyncio.create_task(rig.ended(2))
    answered = 0
    while not ended.done():
        waiting = [e for e in rig.events(InputRequested) if e.request.blocking][answered:]
        for requested in waiting:
            answered += 1
            assert isinstance(requested.request, ApprovalRequest)
            word = requested.request.confirm_word
            await rig.answer(rig.session_id, requested, ONCE.model_copy(update={"confirm": word}))
        await asyncio.wait({ended}, timeout=0.02)
    await ended


def state(rig: UndoRig, place: Path) -> dict[str, object]:
    root = rig.root
    files: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            files[path.relative_to(root).as_posix()] = str(path.readlink())
        elif path.is_file() and path.name != ".git":
            files[path.relative_to(root).as_posix()] = (path.read_bytes(), path.stat().st_mode & 0o111)
    with closing(sqlite3.connect(place / "shop.db")) as read:
        rows = read.execute("SELECT id, n FROM t ORDER BY id").fetchall()
    refs = git(root, "rev-parse", "HEAD"), git(root, "for-each-ref", "refs/heads"), git(root, "symbolic-ref", "HEAD")
    project = rig.engine.sessions.get(rig.session_id).state.project_id
    known = rig.engine.parts.base.ground.lanes.all_of_project(project)
    lanes = sorted(lane.name for lane in known if lane.state == "active")
    return {"files": files, "index": git(root, "ls-files", "-s"), "refs": refs, "rows": rows, "lanes": lanes}


def labels(rig: UndoRig) -> dict[str, str]:
    """By call, what its card said before a person approved it."""
    approved = {e.input_id for e in rig.events(InputResolved)}
    asked = [e for e in rig.events(InputRequested) if e.input_id in approved]
    return {e.call_id: e.request.undoable for e in asked if isinstance(e.request, ApprovalRequest)}


@pytest.mark.promise("memory-UL4")
@pytest.mark.asyncio
@pytest.mark.timeout(0 if EXAMPLES > 2 else 90)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
@given(effects=st.lists(_EFFECTS, min_size=max(1, EFFECTS // 2), max_size=EFFECTS))
async def test_undone_back_to_the_start_all_is_as_it_was(tmp_path: Path, effects: list[tuple[str, str, str]]) -> None:
    place = tmp_path / str(next(_NUMBERS))
    place.mkdir()
    with FakeModelApi() as api:
        async with begun(place, api) as rig:
            before = state(rig, place)
            api.script(*(call(effect, at) for at, effect in enumerate(effects)), text_turn("Done."))
            await carried_out(rig)
            after = state(rig, place)
            ledger = await rig.ledger()
            for finished in rig.events(ToolCallFinished):
                note(f"{finished.outcome}: {str(finished.content)[:150]}")
            if not ledger:
                assert before == after
                return
            await _back_and_forth(rig, place, ledger, before, after)


_THIRTY = [
    ("write", "a.txt", "one\n"), ("sql", "UPDATE t SET n = n + {0}", "3"),
    ("bash", "mkdir -p e && echo new > e/{1}.txt", ""),
    ("commit", "first", ""), ("lane", "Extra", ""), ("write", "d/b.txt", "two\n"), ("move", "app.py", "f/m.txt"),
    ("sql", "INSERT INTO t (n) VALUES ({0})", "1"), ("commit", "second", "amend"), ("delete", "notes.md", ""),
    ("write", "app.py", "again\n"), ("bash", "echo more >> {0}", "f/m.txt"),
    ("sql", "DELETE FROM t WHERE id % 2 = {0}", "1"),
    ("write", "a.txt", "two\n"), ("commit", "first", ""), ("bash", "rm -rf d e", ""), ("write", "notes.md", "one\n"),
    ("lane", "Other", ""), ("sql", "INSERT INTO bare VALUES ({0})", "1"), ("write", "d/b.txt", ""),
    ("move", "app.py", "m.txt"), ("commit", "second", ""), ("bash", "mkdir -p e && echo new > e/{1}.txt", ""),
    ("delete", "a.txt", ""), ("sql", "UPDATE t SET id = id + 10 WHERE n = {0}", "3"), ("write", "app.py", "one\n"),
    ("commit", "first", "amend"), ("write", "a.txt", "two\n"), ("bash", "rm -rf d e", ""), ("delete", "notes.md", ""),
]  # fmt: skip


@pytest.mark.promise("memory-UL4")
@pytest.mark.asyncio
@pytest.mark.timeout(240)
async def test_thirty_effects_go_back_to_the_start_and_forth_again(tmp_path: Path) -> None:
    assert len(_THIRTY) == 30
    with FakeModelApi() as api:
        async with begun(tmp_path, api) as rig:
            before = state(rig, tmp_path)
            api.script(*(call(effect, at) for at, effect in enumerate(_THIRTY)), text_turn("Done."))
            await carried_out(rig)
            assert [e.is_error for e in rig.events(ToolCallFinished)] == [False] * 30
            ledger = await rig.ledger()
            assert len(ledger) == 30
            await _back_and_forth(rig, tmp_path, ledger, before, state(rig, tmp_path))


async def _back_and_forth(
    rig: UndoRig, place: Path, ledger: tuple[Effect, ...], before: dict[str, object], after: dict[str, object]
) -> None:
    plan = await rig.plan(ledger[-1], "back")
    in_the_way = [entry for entry in plan.entries if entry.verdict in ("blocked", "not_reached")]
    assert not in_the_way, in_the_way
    said = labels(rig)
    stays = [entry for entry in plan.entries if entry.verdict == "cannot"]
    assert all(said[entry.effect_id] in ("no", "partly") for entry in stays)
    if len(stays) == len(plan.entries):
        return
    done = await rig.run(plan)
    assert "Stopped" not in done.told, done.told
    assert state(rig, place) == before
    redone = await rig.undo(done.effects[0])
    assert "Stopped" not in redone.told, redone.told
    if not any("x.log" in path for path in {*before["files"], *after["files"]}):  # ignored ones are not brought back
        assert state(rig, place) == after
