"""The table of tools and modes (tools-T128), asked of the real engine: every tool, every mode, both kinds of chat."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from desktop.agent.options import EngineOptions
from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.config.settings import GitHubHost
from desktop.config.web import WebSettings
from desktop.domain.commands import LoadTools, SendMessage, SetMode
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import InputRequested, InputResolved, ToolCallDecided, ToolCallFinished, TurnEnded
from desktop.domain.mcp.values import McpTool
from desktop.domain.proofs.commands import AddProof
from desktop.domain.proofs.updates import ProofAdded
from desktop.domain.pulls.pull_request import PullLink
from desktop.domain.updates import ToolsListed
from desktop.tools.registry import discover
from tests.agent.gate_rig import HOSTED, REJECT, of_session
from tests.agent.lane_ground import last
from tests.agent.mcp_rig import accepted_before, configure, fake_server
from tests.agent.rig import Rig, git, make_repository, write_settings
from tests.agent.skills.skill_places import own_skill, skill_text
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
PLAN, EDIT, AUTO = PermissionMode.PLAN, PermissionMode.EDIT, PermissionMode.FULL_AUTO


class Row(NamedTuple):
    """A call and what becomes of it. `hosted`: in Edit, where no window owns the chat; "" as in one that has one."""

    tool: str
    args: dict[str, Any]
    plan: str
    edit: str
    auto: str
    hosted: str = ""


def free(tool: str, **args: Any) -> Row:
    return Row(tool, args, "free", "free", "free")


def asks(tool: str, **args: Any) -> Row:
    """In every mode that offers it at all."""
    return Row(tool, args, "ask", "ask", "ask")


def person(tool: str, **args: Any) -> Row:
    return Row(tool, args, "person", "person", "person")


def change(tool: str, **args: Any) -> Row:
    return Row(tool, args, "refused", "free", "review", "ask")


def beyond(tool: str, **args: Any) -> Row:
    """What leaves this computer."""
    return Row(tool, args, "refused", "ask", "review")


def guarded(tool: str, **args: Any) -> Row:
    return Row(tool, args, "refused", "ask", "ask")


def bash(command: str, edit: str, auto: str, **more: Any) -> Row:
    return Row("bash", {"command": command, **more}, "free" if edit == "free" else "refused", edit, auto)


SEARCHED = WebSettings(enabled=True, search="searxng", searxng_url="https://search.example.com")
TABLE = (
    free("read_file", file_path="app.py"), asks("read_file", file_path=".env"),
    asks("read_file", file_path="/etc/hostname"), free("list_dir"), free("glob", pattern="*.py"),
    free("grep", pattern="hello"), free("git_status"), free("git_diff"), free("git_log"),
    change("write_file", file_path="a.txt", content="a\n"), change("move_file", from_path="one.txt", to_path="two.txt"),
    change("delete_file", file_path="gone.txt"),
    change("edit_file", file_path="notes.md", old_string="# Notes", new_string="# Note"),
    guarded("write_file", file_path=".vscode/tasks.json", content="{}\n"),
    guarded("write_file", file_path="id_rsa", content="x\n"), guarded("delete_file", file_path=".env"),
    Row("write_file", {"file_path": ".git/config", "content": "x"}, "refused", "refused", "refused"),
    Row("write_file", {"file_path": "../x", "content": "x"}, "refused", "refused", "refused"),
    change("commit_changes", message="One", paths=["app.py"]), change("rebase_lane"),
    Row("rebase_lane", {"include_children": True}, "refused", "ask", "ask"),
    Row("create_lane", {"name": "Another"}, "refused", "ask", "review"), change("lane_stash", action="push"),
    change("lane_stash", action="clear"),
    bash("ls", "free", "free"), bash("touch made", "ask", "review"), bash("rm -rf /", "refused", "refused"),
    bash("git clean -fdx", "ask", "ask"), bash("touch made", "ask", "ask", outside_sandbox=True),
    bash("sqlite3 x.db 'DELETE FROM t'", "ask", "ask"),
    free("bash_output", shell_id="sh_1"), free("kill_shell", shell_id="sh_1"), free("todo_read"),
    free("todo_write", todos=[{"id": "1", "content": "Look", "status": "pending"}]),
    free("set_chat_summary", summary="A chat"), free("sql_schema"), free("sql_query", sql="SELECT id FROM t"),
    Row("sql_query", {"sql": "DELETE FROM t"}, "refused", "ask", "ask"),
    Row("attach_proof", {"path": "app.py", "title": "The app"}, "refused", "free", "free"),
    free("capture_screenshot", url="page.html"),
    Row("capture_screenshot", {"url": "http://example.com/"}, "refused", "refused", "refused"),
    beyond("push_lane"), beyond("create_pr_from_lane", title="Fix it", body="b"), beyond("pr_rerun_failed_checks"),
    Row("create_pr_from_lane", {"lane_id": "ln_0"}, "refused", "ask", "ask"),
    beyond("pr_reply_to_review_thread", thread_id="PRRT_1", body="Done."),
    beyond("publish_proofs", proof_ids=["pf_1"]),
    beyond("pr_resolve_review_thread", thread_id="PRRT_1"), free("pr_refresh_issue_inventory"),
    Row("report_completion", {"summary": "Done.", "status": "completed"}, "refused", "free", "free"),
    free("task", description="look", prompt="Look"),
    change("task", agent="implementer", description="write", prompt="Write"),
    change("task", lane="own", description="look", prompt="Look"), change("take_task_changes", task_id="t1"),
    free("task_output", task_id="t1"), free("task_stop", task_id="t1"),
    free("memory_search", query="tax"),
    Row("memory_add", {"content": "Round half up", "category": "fact"}, "refused", "free", "free"),
    Row("memory_pin", {"id": "mem_1"}, "refused", "free", "free"),
    free("use_skill", skill_id="notes"), free("propose_boundary", quote="All of it", command="make"),
    Row("install_skill", {"path": "made"}, "refused", "person", "person"),
    Row("uninstall_skill", {"id": "notes"}, "refused", "ask", "ask"),
    person("request_credential", provider="A service", names=["SERVICE_TOKEN"]),
    person("ask_user", question="Which one?"),
    asks("web_fetch", url="https://example.com/"), asks("web_fetch", url="http://example.com:8080/"),
    Row("web_fetch", {"url": "http://127.0.0.1/"}, "refused", "refused", "refused"), asks("web_search", query="tax"),
    free("mcp_search", query="echo"), free("mcp_read_resource", server="fake"),
    Row("exit_plan_mode", {"plan": "1. do it"}, "person", "refused", "refused"),
)  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    names = ("app.py", "one.txt", "gone.txt")
    files = {name: "print('hello')\n" for name in names}
    more = {"page.html": "<p>hello", "notes.md": "# Notes\n", ".env": "A=b\n", "made/SKILL.md": skill_text("made")}
    made = make_repository(tmp_path / "shop", {**files, **more})
    git(made, "remote", "add", "origin", "https://github.com/octo/shop.git")
    git(made, "remote", "set-url", "--push", "origin", str(tmp_path / "nowhere"))
    return made


@pytest_asyncio.fixture(params=["interactive", "hosted"])
async def any_rig(
    request: pytest.FixtureRequest, folders: Folders, model_api: FakeModelApi, repository: Path, tmp_path: Path
) -> AsyncIterator[Rig]:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE t (id integer); INSERT INTO t VALUES (1);")
    own_skill(folders, "notes")
    shop = DatabaseConnection(name="shop", dialect="sqlite", path=str(file))
    known = GitHubHost(host="github.com", login="octo", source="token")
    configure(folders, fake_server())
    accepted_before(folders, *(McpTool(name=f"tool_{n}", input_schema={"type": "object"}) for n in range(41)))
    write_settings(folders, model_api.url, databases=(shop,), browser="/nowhere", github=(known,), web=SEARCHED)
    rig = await Rig(folders, HOSTED if request.param == "hosted" else EngineOptions()).open(repository)
    yield rig
    await rig.engine.stop()


async def test_the_table_has_a_row_for_every_tool() -> None:
    assert {row.tool for row in TABLE} == {tool.name for tool in discover().tools}


async def test_the_table_in_settings_says_of_each_tool_what_becomes_of_an_ordinary_call(
    folders: Folders, repository: Path
) -> None:
    rig = await Rig(folders).open(repository)
    await rig.engine.handle(LoadTools())
    listed = await rig.until(lambda updates: next((one for one in updates if isinstance(one, ToolsListed)), None))
    await rig.engine.stop()
    true = {tool: {_outcomes(row) for row in TABLE if row.tool == tool} for tool in {row.tool for row in TABLE}}
    shown = {one.tool: (one.plan, one.edit, one.full_auto, one.hosted) for one in listed.rows}
    assert {tool: outcomes for tool, outcomes in shown.items() if outcomes not in true[tool]} == {}
    several = {tool for tool, outcomes in true.items() if len(outcomes) > 1}
    assert several <= {one.tool for one in listed.rows if one.varies}
    assert [one.tool for one in listed.rows if one.varies_in_plan and one.plan == "refused"] == ["bash"]


@pytest.mark.promise("tools-T128")
@pytest.mark.parametrize("mode", [PLAN, EDIT, AUTO], ids=lambda mode: mode.value)
async def test_every_tool_does_in_every_mode_what_the_table_says(
    any_rig: Rig, model_api: FakeModelApi, mode: PermissionMode
) -> None:
    rig = any_rig
    session_id = await with_a_shell(rig, model_api)
    await rig.engine.handle(SetMode(session_id=session_id, mode=mode, without_sandbox=True))
    (rig.lane(session_id) / "app.py").write_text("print('changed')\n")
    shell = next(iter(of_session(rig, session_id, ToolCallFinished))).data.get("shell_id")
    lane_id = rig.engine.sessions.get(session_id).state.lane_id
    rig.engine.parts.reviews.pulls.book.save_link(PullLink(lane_id=lane_id, number=1))
    await rig.engine.handle(AddProof(lane_id=lane_id, data=b"2 passed", name="run.log"))
    there: dict[str, Any] = {"shell_id": shell, "proof_ids": [last(rig, ProofAdded).proof_id]}
    calls = [(row.tool, {**row.args, **{k: v for k, v in there.items() if k in row.args}}) for row in TABLE]
    before = len(of_session(rig, session_id, ToolCallDecided))
    model_api.script(turn("All of it.", calls), *[text_turn("done")] * 3)  # of the chat and of those it begins
    await rig.engine.handle(SendMessage(session_id=session_id, text="All of it"))
    await answer_all(rig, session_id)
    found = [outcome(rig, session_id, one) for one in first_decisions(rig, session_id)[before:]]
    hosted = rig.engine.sessions.get(session_id).state.kind == "hosted"
    wanted = [expected(row, mode, hosted=hosted) for row in TABLE]
    differing = [
        (row.tool, row.args, f"is {is_so}, should be {should}")
        for row, is_so, should in zip(TABLE, found, wanted, strict=True)
        if is_so != should
    ]
    assert differing == []
    whole(rig, session_id)


def _outcomes(row: Row) -> tuple[str, str, str, str]:
    return row.plan, row.edit, row.auto, row.hosted or row.edit


async def with_a_shell(rig: Rig, model_api: FakeModelApi) -> str:
    """A chat in which a command runs in the background."""
    model_api.script(tool_turn("bash", command="sleep 60", run_in_background=True), text_turn("started"))
    session_id = await rig.new("Start", AUTO, without_sandbox=True)
    await rig.ended()
    return session_id


async def answer_all(rig: Rig, session_id: str) -> None:
    """Decline whatever is asked, until the turn ends."""

    def open_or_ended(_: object) -> InputRequested | TurnEnded | None:
        ends = of_session(rig, session_id, TurnEnded)
        if len(ends) > 1:
            return ends[-1]
        closed = {event.input_id for event in of_session(rig, session_id, InputResolved)}
        asked = [event for event in of_session(rig, session_id, InputRequested) if event.request.blocking]
        return next((event for event in asked if event.input_id not in closed), None)

    while isinstance(found := await rig.until(open_or_ended), InputRequested):
        await rig.answer(session_id, found, REJECT)


def first_decisions(rig: Rig, session_id: str) -> list[ToolCallDecided]:
    """One for each call, in order."""
    found: dict[str, ToolCallDecided] = {}
    for event in of_session(rig, session_id, ToolCallDecided):
        found.setdefault(event.call_id, event)
    return list(found.values())


def outcome(rig: Rig, session_id: str, decided: ToolCallDecided) -> str:
    """What became of a call, in the words of the table."""
    asked = [e.request for e in of_session(rig, session_id, InputRequested) if e.call_id == decided.call_id]
    blocking = [request for request in asked if request.blocking]
    if decided.verdict is Verdict.DENY:
        assert not blocking
        return "refused"
    if decided.verdict is Verdict.ASK:
        assert [request.kind for request in blocking] == ["approval"]
        return "ask"
    if blocking:
        return "ask" if blocking[0].kind == "approval" else "person"
    return "review" if decided.review_after else "free"


def expected(row: Row, mode: PermissionMode, *, hosted: bool) -> str:
    if mode is EDIT and hosted and row.hosted:
        return row.hosted
    return {PLAN: row.plan, EDIT: row.edit, AUTO: row.auto}[mode]
