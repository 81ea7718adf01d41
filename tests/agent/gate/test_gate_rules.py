"""Files of rules, the mark of taint, a sandbox that is lost, and SQL that a person changes, in the real engine."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.domain.commands import (
    ClearTaint,
    Interrupt,
    OpenProject,
    PreviewEffect,
    ProbeSandbox,
    SaveRule,
    SendMessage,
    SetMode,
    TrustRules,
)
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    InputRequested,
    InputResolved,
    ModeChanged,
    ToolCallDecided,
    ToolCallFinished,
    TurnEnded,
)
from desktop.domain.gate.events import EffectPreviewed, SessionTainted
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import Rule
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from tests.agent.gate_rig import (
    ONCE,
    REJECT,
    always,
    answer_with,
    approval,
    asked_in,
    check_edit,
    codes,
    decided,
    of_session,
    rules_file,
    started,
)
from tests.agent.rig import Rig, git, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
EDIT, PLAN, AUTO = PermissionMode.EDIT, PermissionMode.PLAN, PermissionMode.FULL_AUTO
DENY_TOUCH = 'decision = "deny"\nkind = "command"\ntokens = ["touch"]\nreason = "no new files"'
ASK_TOUCH = 'decision = "ask"\nkind = "command"\ntokens = ["touch"]'
ALLOW_TOUCH = (
    'decision = "allow"\nkind = "command"\ntokens = ["touch", "one"]\n'
    'match = ["touch one"]\nnot_match = ["touch two"]\n'
)


def project_rules(rig: Rig, folders: Folders) -> Path:
    assert rig.engine.project is not None
    return folders.data / "rules" / f"{rig.engine.project.id}.toml"


# Files of rules


@pytest.mark.parametrize("mode", [EDIT, AUTO])
async def test_a_deny_rule_refuses_in_every_mode_without_a_card(
    rig: Rig, folders: Folders, model_api: FakeModelApi, mode: PermissionMode
) -> None:
    rules_file(folders.config / "rules.toml", DENY_TOUCH)
    rules_file(project_rules(rig, folders), ALLOW_TOUCH)
    spellings = ["touch one", "ls; touch one", "env touch one", "bash -c 'touch one'", "t\\ouch one", "$(echo touch) x"]
    model_api.script(*[tool_turn("bash", command=spelling) for spelling in spellings[:5]], text_turn("done"))
    session_id = await rig.new("Touch", mode, without_sandbox=True)
    await rig.ended()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"] * 5
    assert {one.rule for one in rig.events(ToolCallDecided)} == {"rule"}
    assert "no new files" in decided(rig).reason
    assert rig.events(InputRequested) == []
    assert not (rig.lane(session_id) / "one").exists()


async def test_an_ask_rule_asks_in_full_auto_and_beside_an_allow_rule(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    rules_file(folders.config / "rules.toml", ASK_TOUCH)
    rules_file(project_rules(rig, folders), ALLOW_TOUCH)
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch", AUTO, without_sandbox=True)
    asked = await rig.asked()
    assert approval(asked).rule == "rule_ask"
    assert [grant.scope for grant in approval(asked).grants] == ["once"]
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert (rig.lane(session_id) / "one").exists()


@pytest.mark.promise("gate-R4")
async def test_while_rules_cannot_be_read_everything_but_reading_asks_and_old_refusals_hold(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    path = project_rules(rig, folders)
    rules_file(path, ALLOW_TOUCH, 'decision = "deny"\nkind = "command"\ntokens = ["tee"]')
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch", AUTO, without_sandbox=True)
    await rig.ended()
    assert decided(rig).verdict is Verdict.ALLOW
    path.write_text(path.read_text() + "[[rule\n")
    model_api.script(
        turn("", [("read_file", {"file_path": "app.py"}), ("bash", {"command": "tee x"})]),
        tool_turn("bash", command="touch one"),
        tool_turn("write_file", file_path="two.txt", content="x\n"),
        text_turn("done"),
    )
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    for number in (1, 2):
        asked = await rig.asked(number)
        assert approval(asked).rule == "rules_unreadable"
        assert "line" in approval(asked).reason
        await rig.answer(session_id, asked, REJECT)
    await rig.ended(2)
    outcomes = [event.outcome for event in rig.events(ToolCallFinished)]
    assert outcomes == ["ok", "ok", "refused", "declined", "declined"]


async def test_what_the_repository_allows_counts_once_a_person_trusts_this_content(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    shared = repository / ".banksman" / "rules.toml"
    rules_file(shared, ALLOW_TOUCH, 'decision = "deny"\nkind = "command"\ntokens = ["tee"]')
    model_api.script(tool_turn("bash", command="tee x"), tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    await rig.engine.handle(TrustRules(sha256="0" * 64))
    assert codes(rig) == ["failed"]
    assert rig.events(InputResolved) == []
    await rig.engine.handle(TrustRules(sha256=hashlib.sha256(shared.read_bytes()).hexdigest()))
    await rig.ended()
    assert rig.events(InputResolved)[0].reason == "rule"
    assert (rig.lane(session_id) / "one").exists()
    assert approval(asked).rule == "mode"
    shared.write_text(shared.read_text() + "\n# more\n")
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    await rig.answer(session_id, await rig.asked(2), REJECT)
    await rig.ended(2)


async def test_a_deny_rule_that_is_made_while_a_card_waits_refuses_its_call(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    rule = Rule(id="", decision="deny", kind="command", scope="user", tokens=("touch",), created_by="settings")
    await rig.engine.handle(SaveRule(rule=rule))
    await rig.ended()
    assert rig.events(InputResolved)[0].reason == "superseded"
    assert (decided(rig).verdict, decided(rig).rule) == (Verdict.DENY, "rule")
    assert [event.outcome for event in rig.events(ToolCallFinished)] == ["refused"]
    await rig.answer(session_id, asked, ONCE)
    assert codes(rig) == ["input_closed"]
    assert not (rig.lane(session_id) / "one").exists()


async def test_an_ask_rule_made_after_the_card_was_shown_asks_once_more(
    rig: Rig, folders: Folders, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    rules_file(folders.config / "rules.toml", ASK_TOUCH)
    await rig.answer(session_id, asked, ONCE)
    again = await rig.asked(2)
    assert "rule_ask" in {hit.rule for hit in approval(again).hits}
    assert started(rig) == []
    await rig.answer(session_id, again, ONCE)
    await rig.ended()
    assert len(started(rig)) == 1


async def test_a_rule_that_expires_while_its_call_waits_for_the_lane_asks(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    passed = [timedelta()]
    rig = await Rig(folders, clock=lambda: utc_now() + passed[0]).open(repository)
    try:
        until = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        rules_file(project_rules(rig, folders), f"{ALLOW_TOUCH}expires_at = {until}")
        model_api.script(text_turn("hi"))
        session_id = await rig.new("Hi")
        await rig.ended()
        lock = rig.engine.sessions.get(session_id).write_lock
        await lock.acquire()
        model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="Touch"))
        await rig.until(lambda _: rig.events(ToolCallDecided))
        assert decided(rig).verdict is Verdict.ALLOW
        passed[0] = timedelta(hours=2)
        lock.release()
        await rig.answer(session_id, await rig.asked(), REJECT)
        await rig.ended(2)
        assert started(rig) == []
    finally:
        await rig.engine.stop()


# Taint


@pytest.mark.promise("gate-K6")
@pytest.mark.promise("gate-R6")
async def test_reading_a_secret_marks_the_chat_until_a_person_clears_it(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    if not await has_sandbox(rig):
        pytest.skip("without a sandbox every command reaches the network")
    (repository / ".env").write_text("KEY=1\n")
    git(repository, "add", "-f", ".env")
    git(repository, "commit", "-q", "-m", "env")
    model_api.script(
        tool_turn("bash", command="cat .env"),
        tool_turn("bash", command="touch one"),
        tool_turn("bash", command="touch two", network=True),
        tool_turn("bash", command="ls"),
        text_turn("done"),
    )
    session_id = await rig.new("Read")
    await rig.answer(session_id, await rig.asked(1), ONCE)
    plain = await rig.asked(2)
    assert [event.source for event in rig.events(SessionTainted)] == [".env"]
    assert [grant.scope for grant in approval(plain).grants] == ["once"]
    assert approval(plain).tainted == (".env",)
    await rig.answer(session_id, plain, always("session"))
    await rig.answer(session_id, plain, always("project"))
    assert codes(rig) == ["grant_not_offered"] * 2
    await rig.answer(session_id, plain, ONCE)
    net = await rig.asked(3)
    assert {"taint", "sandbox_wider"} <= {hit.rule for hit in approval(net).hits}
    await rig.engine.handle(ClearTaint(session_id=session_id))
    assert rig.engine.sessions.get(session_id).state.tainted == ()
    await rig.answer(session_id, net, REJECT)
    await rig.ended()
    assert len(rig.events(InputRequested)) == 3
    model_api.script(tool_turn("bash", command="touch three"), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))
    clean = await rig.asked(4)
    assert {grant.scope for grant in approval(clean).grants} == {"once", "session", "project"}
    await rig.answer(session_id, clean, REJECT)
    await rig.ended(2)


async def test_a_secret_read_by_a_command_that_was_stopped_marks_the_chat_too(
    rig: Rig, repository: Path, model_api: FakeModelApi
) -> None:
    (repository / ".env").write_text("KEY=1\n")
    git(repository, "add", "-f", ".env")
    git(repository, "commit", "-q", "-m", "env")
    model_api.script(tool_turn("bash", command="cat .env; sleep 60"))
    session_id = await rig.new("Read")
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.until(lambda _: started(rig))
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [event.source for event in rig.events(SessionTainted)] == [".env"]


# The sandbox


async def has_sandbox(rig: Rig) -> bool:
    await rig.engine.sandbox.ready()
    return rig.engine.sandbox.level == "full"


@pytest.fixture
def removable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where bubblewrap is looked for."""
    real = shutil.which("bwrap")
    if real is None:
        pytest.skip("bubblewrap is not installed")
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "bwrap").symlink_to(real)
    monkeypatch.setattr("desktop.services.processes.sandbox.bubblewrap.SYSTEM_FOLDERS", str(folder))
    return folder / "bwrap"


@pytest.mark.promise("gate-G9")
@pytest.mark.parametrize("found_by", ["a launch", "a probe"])
async def test_a_sandbox_that_is_lost_ends_full_auto_and_the_call_at_hand_asks(
    removable: Path, folders: Folders, repository: Path, model_api: FakeModelApi, found_by: str
) -> None:
    rig = await Rig(folders).open(repository)
    try:
        if not await has_sandbox(rig):
            pytest.skip("bubblewrap does not work here")
        model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
        session_id = await rig.new("Touch", AUTO)
        await rig.ended()
        lane = rig.lane(session_id)
        assert (lane / "one").exists()
        removable.unlink()
        if found_by == "a probe":
            await rig.engine.handle(ProbeSandbox())
            assert rig.engine.sessions.get(session_id).state.mode is EDIT
        model_api.script(
            tool_turn("bash", command="touch two"), tool_turn("bash", command="touch three"), text_turn("done")
        )
        await rig.engine.handle(SendMessage(session_id=session_id, text="More"))
        asked = await rig.asked()
        (changed,) = [change for change in rig.events(ModeChanged) if change.by == "system"]
        assert (changed.mode, changed.previous) == (EDIT, AUTO)
        assert "sandbox" in changed.reason
        assert not (lane / "two").exists()
        assert approval(asked).sandbox != "full"
        await rig.answer(session_id, asked, REJECT)
        if found_by == "a probe":
            await rig.answer(session_id, await rig.asked(2), REJECT)
        await rig.ended(2)
        assert not (lane / "three").exists()
        await rig.engine.handle(SetMode(session_id=session_id, mode=AUTO))
        assert codes(rig) == ["no_sandbox"]
        assert rig.engine.sessions.get(session_id).state.mode is EDIT
    finally:
        await rig.engine.stop()


async def test_a_sandbox_lost_between_the_decision_and_the_start_runs_nothing_bare(
    removable: Path, folders: Folders, repository: Path, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = await Rig(folders).open(repository)
    try:
        if not await has_sandbox(rig):
            pytest.skip("bubblewrap does not work here")
        model_api.script(text_turn("hi"))
        session_id = await rig.new("Hi", AUTO)
        await rig.ended()
        removable.unlink()
        monkeypatch.setattr("desktop.services.processes.sandbox.sandbox.LEAST_ABI", 10_000)
        command = "touch one; sleep 0"
        model_api.script(*[tool_turn("bash", command=command, run_in_background=True)] * 2, text_turn("done"))
        await rig.engine.handle(SendMessage(session_id=session_id, text="Go"))
        asked = await rig.asked()
        assert approval(asked).sandbox == "none"
        assert not (rig.lane(session_id) / "one").exists()
        await rig.answer(session_id, asked, REJECT)
        await rig.ended(2)
        assert not (rig.lane(session_id) / "one").exists()
    finally:
        await rig.engine.stop()


# SQL


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE t (id integer); INSERT INTO t VALUES (1), (2), (3);")
    return file


def rows(database: Path) -> list[int]:
    with closing(sqlite3.connect(database)) as read:
        return [row[0] for row in read.execute("SELECT id FROM t ORDER BY id")]


async def test_a_changed_statement_is_not_held_to_the_effect_of_the_other_one(
    folders: Folders, repository: Path, model_api: FakeModelApi, database: Path
) -> None:
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(database))
    write_settings(folders, model_api.url, databases=(shop,))
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(tool_turn("sql_query", sql="DELETE FROM t WHERE id = 1"), text_turn("done"))
        session_id = await rig.new("Clean")
        asked = await rig.asked()
        await rig.engine.handle(PreviewEffect(session_id=session_id, input_id=asked.input_id))
        await rig.until(lambda _: rig.events(EffectPreviewed))
        told = await check_edit(rig, session_id, asked, sql="DELETE FROM t WHERE id > 1")
        assert told is not None
        assert told.request is not None
        assert told.request.confirm_word == "t"
        changed = Answer(outcome="allow_once", confirm="t", edited_input={"sql": "DELETE FROM t WHERE id > 1"})
        await answer_with(rig, session_id, asked, changed, approval(asked).digest)
        assert codes(rig) == ["digest_differs"]
        await answer_with(rig, session_id, asked, changed, told.request.digest)
        await rig.ended()
        assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"]
        assert rows(database) == [1]
    finally:
        await rig.engine.stop()


async def test_rows_that_came_after_the_preview_are_not_deleted_with_the_others(
    folders: Folders, repository: Path, model_api: FakeModelApi, database: Path
) -> None:
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(database))
    write_settings(folders, model_api.url, databases=(shop,))
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(tool_turn("sql_query", sql="DELETE FROM t WHERE id > 1"), text_turn("done"))
        session_id = await rig.new("Clean")
        asked = await rig.asked()
        await rig.engine.handle(PreviewEffect(session_id=session_id, input_id=asked.input_id))
        await rig.until(lambda _: rig.events(EffectPreviewed))
        with closing(sqlite3.connect(database)) as other, other:
            other.execute("INSERT INTO t VALUES (4)")
        await rig.answer(session_id, asked, Answer(outcome="allow_once", confirm="t"))
        again = await rig.asked(2)
        assert rows(database) == [1, 2, 3, 4]
        assert approval(again).reason.startswith("Rolled back: it would have changed 3 rows, 2 were approved. ")
        await rig.until(lambda _: [e for e in rig.events(EffectPreviewed) if e.input_id == again.input_id])
        (table,) = rig.events(EffectPreviewed)[-1].preview.tables
        assert (table.table, table.deleted, table.rows_before) == ("t", 3, 4)
        await rig.answer(session_id, again, Answer(outcome="allow_once", confirm="t"))
        await rig.ended()
        assert rows(database) == [1]
        assert [event.outcome for event in rig.events(ToolCallFinished)] == ["ok"]
        assert [began.input_id for began in started(rig)] == [asked.input_id, again.input_id]
    finally:
        await rig.engine.stop()


async def test_rows_that_come_while_the_second_card_waits_end_the_call_and_the_model_is_told(
    folders: Folders, repository: Path, model_api: FakeModelApi, database: Path
) -> None:
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(database))
    write_settings(folders, model_api.url, databases=(shop,))
    rig = await Rig(folders).open(repository)
    try:
        model_api.script(tool_turn("sql_query", sql="DELETE FROM t WHERE id > 1"), text_turn("done"))
        session_id = await rig.new("Clean")
        for number in (1, 2):
            asked = await rig.asked(number)
            await rig.engine.handle(PreviewEffect(session_id=session_id, input_id=asked.input_id))
            await rig.until(lambda _, at=asked: [e for e in rig.events(EffectPreviewed) if e.input_id == at.input_id])
            with closing(sqlite3.connect(database)) as other, other:
                other.execute("INSERT INTO t VALUES (?)", (3 + number,))
            await rig.answer(session_id, asked, Answer(outcome="allow_once", confirm="t"))
        await rig.ended()
        assert rows(database) == [1, 2, 3, 4, 5]
        (finished,) = rig.events(ToolCallFinished)
        assert "Rolled back: it would have changed 4 rows, 3 were approved." in str(finished.content)
    finally:
        await rig.engine.stop()


# The record


@pytest.mark.promise("gate-G2")
async def test_every_decision_on_record_follows_from_its_stored_facts(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    rules_file(project_rules(rig, folders), ALLOW_TOUCH, 'decision = "ask"\nkind = "command"\ntokens = ["tee"]')
    calls = [
        ("bash", {"command": "touch one"}), ("bash", {"command": "ls"}), ("bash", {"command": "tee x"}),
        ("bash", {"command": "rm -rf /"}), ("bash", {"command": "git clean -fdx"}), ("bash", {"command": "cat ../x"}),
        ("bash", {"command": "touch two", "network": True}), ("bash", {"command": "git commit -m x"}),
        ("bash", {"command": "sqlite3 a.db 'DELETE FROM t'"}), ("bash", {"command": "make", "outside_sandbox": True}),
        ("read_file", {"file_path": "app.py"}), ("read_file", {"file_path": "/etc/hostname"}),
        ("write_file", {"file_path": "n.txt", "content": "x"}), ("write_file", {"file_path": ".git/x", "content": "x"}),
        ("write_file", {"file_path": ".vscode/tasks.json", "content": "x"}), ("grep", {"pattern": "x"}),
    ]  # fmt: skip
    again = 0
    for number, mode in enumerate((PLAN, EDIT, AUTO), start=1):
        model_api.script(turn("", calls), text_turn("done"))
        session_id = await rig.new("Try", mode, without_sandbox=True)
        seen = 0
        while len(rig.events(TurnEnded)) < number:
            await rig.until(lambda _, s=session_id, n=seen: _next(rig, s, n))
            asked = [e for e in of_session(rig, session_id, InputRequested) if e.request.blocking]
            if len(asked) > seen:
                seen += 1
                await rig.answer(session_id, asked[seen - 1], REJECT)
    for event in rig.events(ToolCallDecided):
        if event.facts:
            call = CallFacts.model_validate(event.facts["call"])
            facts = SessionGateFacts.model_validate(event.facts["session"])
            decision = decide(call, facts)
            assert (decision.verdict, decision.rule, decision.hits) == (event.verdict, event.rule, event.hits)
            assert (decision.lifted_by, decision.review_after) == (event.lifted_by, event.review_after)
            again += 1
    assert again >= 2 * len(calls)


def _next(rig: Rig, session_id: str, seen: int) -> bool:
    asked = [e for e in of_session(rig, session_id, InputRequested) if e.request.blocking]
    return len(asked) > seen or bool(of_session(rig, session_id, TurnEnded))


async def test_a_project_rule_of_one_repository_is_unheard_of_in_another(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(tool_turn("bash", command="python3 app.py"))
    session_id = await rig.new("Run")
    asked = await rig.asked()
    other = make_repository(tmp_path / "other")
    await rig.engine.handle(OpenProject(path=str(other)))
    model_api.script(text_turn("done"))
    await rig.answer(session_id, asked, always("project"))
    await rig.ended()
    model_api.script(tool_turn("bash", command="python3 app.py"), text_turn("done"))
    elsewhere = await rig.new("Run here")
    await rig.answer(elsewhere, await asked_in(rig, elsewhere), REJECT)
    await rig.ended(2)
    assert len(started(rig)) == 1
