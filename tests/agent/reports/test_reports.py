"""What an agent reports is checked by Banksman: against what it ran itself, on the files as they are (lanes 16)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import RewindSession
from desktop.domain.commands import Interrupt, LoadBlob, OpenSession, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, InputRequested, InputResolved, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.reports.commands import CheckClaims, LookAtReports, WantedCheck
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.updates import LaneReportsChanged, ReportsChanged
from desktop.domain.reports.values import ReportView, evidence_rows
from desktop.domain.reports.verdicts import command_sha256
from desktop.domain.updates import BlobLoaded, ToolProgress
from tests.agent.gate_rig import HEADLESS
from tests.agent.rig import Rig, git, make_repository, write_settings
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio

TESTS = "sh suite.sh"
WAITS = "echo up; sleep 60"
WIDE = "rm -rf ./*"
SUITE = {"suite.sh": "echo '120 passed'\n", "app.txt": "1\n", ".gitignore": "cache/\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SUITE)


def claim(command: str = TESTS, text: str = "all tests pass", **more: Any) -> dict[str, Any]:
    return {"text": text, "kind": "command", "command": command, **more}


def reported(*claims: dict[str, Any], status: str = "completed", **more: Any) -> Any:
    return tool_turn("report_completion", summary="Done.", status=status, claims=list(claims), **more)


def views(rig: Rig, session_id: str) -> tuple[ReportView, ...]:
    """The reports of a chat as the window was told last."""
    told = [u for u in rig.updates if isinstance(u, ReportsChanged) and u.session_id == session_id]
    return told[-1].reports if told else ()


async def shown(rig: Rig, session_id: str, *verdicts: str, report: int = -1) -> ReportView:
    """The report once its claims have these verdicts."""

    def find(_: object) -> ReportView | None:
        found = views(rig, session_id)
        said = tuple(one.verdict for one in found[report].claims) if found else ()
        return found[report] if said == verdicts else None

    return await rig.until(find)


def done_lanes(rig: Rig) -> list[bool]:
    """Whether each lane that has a report may say "done", as the window was told last."""
    told = [update for update in rig.updates if isinstance(update, LaneReportsChanged)]
    return [view.done for _, view in told[-1].reports] if told else []


def result(rig: Rig, call: int = -1) -> str:
    """What the model was told of the last report."""
    finished = rig.events(ToolCallFinished)
    calls = {e.call_id for e in rig.events(ToolCallDecided) if e.tool == "report_completion"}
    return str([e.content for e in finished if e.call_id in calls][call])


@pytest.mark.promise("lanes-E3")
async def test_a_claim_is_proved_by_a_run_on_these_files_and_stale_once_they_change(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("bash", command=TESTS), reported(claim(), {"text": "it is nice", "kind": "statement"}),
        text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    (run,) = rig.events(EvidenceRecorded)
    lane = rig.lane(session_id)
    assert (run.command, run.cwd, run.exit_code, run.ending, run.passed) == (TESTS, ".", 0, "exited", 120)
    assert run.command_sha256 == command_sha256(TESTS)
    assert run.tree_before == run.tree_after == git(lane, "rev-parse", "HEAD^{tree}").strip()
    assert (run.head, run.dirty) == (git(lane, "rev-parse", "HEAD").strip(), False)
    assert run.output is not None
    await rig.engine.handle(LoadBlob(session_id=session_id, sha256=run.output.sha256))
    assert [update.text for update in rig.updates if isinstance(update, BlobLoaded)] == ["120 passed\n"]
    view = await shown(rig, session_id, "proved", "not_checked")
    assert (view.title, view.count, view.done) == ("Completed", "1 of 1 claim proved", True)
    assert "all tests pass: proved (exit code 0" in result(rig)
    assert len(rig.events(EvidenceRecorded)) == 1  # nothing ran a second time
    assert done_lanes(rig) == [True]
    (lane / "cache").mkdir()
    (lane / "cache" / "ignored.txt").write_text("no part of it")
    (lane / "app.txt").write_text("2\n")
    await rig.engine.handle(LookAtReports(session_id=session_id))
    stale = await shown(rig, session_id, "stale", "not_checked")
    assert (stale.title, stale.done, done_lanes(rig)) == ("Completed, stale", False, [False])
    (row,) = evidence_rows(stale)
    assert (row.command, row.exit_code, row.tree, row.stale) == (TESTS, 0, run.tree_after, True)
    (lane / "app.txt").write_text("1\n")
    await rig.engine.handle(LookAtReports(session_id=session_id))
    await shown(rig, session_id, "proved", "not_checked")
    whole(rig, session_id)


@pytest.mark.promise("lanes-E4")
async def test_commands_that_nothing_proves_ask_like_any_command_and_each_answer_is_a_verdict(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        reported(
            claim(), claim("sh other.sh", "the other"), claim("make docs", "not run", run=False),
            claim("grep -q 1 app.txt", "a read"), claim("rm -rf /", "never"),
        ),
        text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Fix it")
    first = await rig.asked()
    assert first.request.kind == "approval"
    assert first.request.card.blocks[0].text == TESTS
    assert "To check: all tests pass" in first.request.source
    await rig.answer(session_id, first, Answer(outcome="allow_once"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject"))
    await rig.ended()
    view = await shown(rig, session_id, "proved", "refused", "unproved", "proved", "refused")
    assert (view.title, view.count) == ("Completed, not proved", "2 of 5 claims proved")
    assert view.claims[1].reason == "You declined it."
    assert "built-in protection" in view.claims[4].reason
    assert [run.command for run in rig.events(EvidenceRecorded)] == [TESTS, "grep -q 1 app.txt"]
    assert len([e for e in rig.events(InputRequested) if e.request.blocking]) == 2
    checks = rig.events(ClaimChecked)
    assert [(check.claim, check.by, bool(check.refused)) for check in checks] == [
        (0, "report", False), (1, "report", True), (3, "report", False), (4, "report", True)
    ]  # fmt: skip
    assert "not run: no evidence" in result(rig)
    last = model_api.requests[-1].messages[-1]["content"]
    assert [part["type"] for part in last] == ["tool_result"]  # what Banksman ran is no part of the conversation
    whole(rig, session_id)


async def test_declining_with_a_stop_ends_the_turn_and_the_report_stands(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(reported(claim(), claim("sh other.sh")))
    session_id = await rig.new("Fix it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="reject", stop_turn=True))
    ended = await rig.ended()
    assert (ended.status, ended.reason) == ("interrupted", "declined")
    await shown(rig, session_id, "refused", "unproved")


async def test_what_fails_formats_or_is_another_command_proves_nothing_and_fewer_tests_are_told(
    rig: Rig, model_api: FakeModelApi
) -> None:
    suite = "echo '80 passed, 3 skipped' >&2; exit ${WANTED:-0}\n"
    model_api.script(
        turn("", [("bash", {"command": TESTS}), ("read_file", {"file_path": "suite.sh"})]),
        tool_turn("write_file", file_path="suite.sh", content=suite),
        reported(claim(), claim("sh suite.sh; exit 1", "it fails"), claim("sh suite.sh ", "with a blank", run=False)),
        text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    view = await shown(rig, session_id, "proved", "failed", "unproved")
    assert view.claims[0].warning == "fewer tests than last time: 80 instead of 120"
    assert (view.claims[1].reason, view.claims[1].exit_code) == ("It ended with 1 instead of 0.", 1)
    assert "fewer tests than last time" in result(rig)
    model_api.script(reported(claim("echo >> app.txt", "formatted")), text_turn("done"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Format it"))
    await rig.ended(2)
    view = await shown(rig, session_id, "changed_tree")
    assert (view.title, view.claims[0].reason) == ("Completed, not proved", "Files changed while it ran. Run it again.")
    await shown(rig, session_id, "stale", "unproved", "unproved", report=0)
    assert [one.last for one in views(rig, session_id)] == [False, True]
    assert done_lanes(rig) == [False]


@pytest.mark.promise("lanes-E6")
async def test_an_agent_that_deletes_tests_and_runs_the_rest_again_is_still_warned_of(
    rig: Rig, model_api: FakeModelApi
) -> None:
    def becomes(name: str, text: str) -> Any:
        return tool_turn("bash", command=f"echo '{text}' > {name}")

    model_api.script(
        tool_turn("bash", command=TESTS), becomes("suite.sh", "echo 80 passed"), tool_turn("bash", command=TESTS),
        reported(claim(), status="partial"), becomes("app.txt", "2"), tool_turn("bash", command=TESTS),
        reported(claim()), text_turn("done"),
    )  # fmt: skip
    session_id = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    view = await shown(rig, session_id, "proved")
    assert [run.passed for run in rig.events(EvidenceRecorded) if run.command == TESTS] == [120, 80, 80]
    assert view.claims[0].warning == "fewer tests than last time: 80 instead of 120"
    assert "fewer tests than last time: 80 instead of 120" in result(rig)


@pytest.mark.promise("lanes-E1")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"summary": " ", "status": "completed"}, "summary: must not be blank"),
        ({"summary": "x", "status": "blocked"}, "blocked needs blocker"),
        ({"summary": "x", "status": "done"}, "status"),
        (
            {"summary": "x", "status": "completed", "claims": [claim(exit_code=0)]},
            "claims.0.exit_code: is not a field of this tool",
        ),
        (
            {"summary": "x", "status": "completed", "claims": [claim(output_sha256="ab")]},
            "claims.0.output_sha256: is not a field of this tool",
        ),
    ],
)
async def test_what_a_model_may_not_say_is_refused_and_nothing_is_reported(
    rig: Rig, model_api: FakeModelApi, arguments: dict[str, Any], problem: str
) -> None:
    model_api.script(tool_turn("report_completion", **arguments), text_turn("done"))
    await rig.new("Fix it")
    await rig.ended()
    (finished,) = rig.events(ToolCallFinished)
    assert finished.outcome == "refused"
    assert problem in str(finished.content)
    assert rig.events(CompletionReported) == []


async def test_a_click_runs_exactly_the_stale_commands_and_is_recorded_as_the_answer(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(reported(claim(), claim("sh suite.sh && rm -rf /tmp/*", "cleaned", run=False)), text_turn("done"))
    session_id = await rig.new("Fix it")
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_once"))
    await rig.ended()
    (rig.lane(session_id) / "app.txt").write_text("2\n")
    await rig.engine.handle(LookAtReports(session_id=session_id))
    stale = await shown(rig, session_id, "stale", "unproved")
    assert stale.stale == (0,)
    other = CheckClaims(
        session_id=session_id, report_id=stale.report_id,
        claims=(WantedCheck(claim=0, command_sha256=command_sha256("sh other.sh")),),
    )  # fmt: skip
    await rig.engine.handle(other)
    assert [failure.code for failure in rig.failures()] == ["claim_differs"]
    wanted = (WantedCheck(claim=0, command_sha256=command_sha256(TESTS)),)
    await rig.engine.handle(CheckClaims(session_id=session_id, report_id=stale.report_id, claims=wanted))
    await shown(rig, session_id, "proved", "unproved")
    seen = [tuple(c.verdict for c in u.reports[-1].claims) for u in rig.updates if isinstance(u, ReportsChanged)]
    assert ("checking", "unproved") in seen
    assert len([e for e in rig.events(InputRequested) if e.request.blocking]) == 2
    answered = rig.events(InputResolved)[-1]
    assert (answered.answer.outcome, answered.person, answered.reason) == ("allow_once", "person", "person")
    assert [check.by for check in rig.events(ClaimChecked)] == ["report", "person"]
    assert len(model_api.requests) == 2  # the model is not asked, and not told
    whole(rig, session_id)


async def test_a_click_does_not_answer_a_card_that_wants_a_word(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(reported(claim(WIDE, run=False), claim("rm -rf .git", run=False)), text_turn("done"))
    session_id = await rig.new("Fix it")
    await rig.ended()
    (report,) = rig.events(CompletionReported)
    wanted = tuple(
        WantedCheck(claim=place, command_sha256=command_sha256(one)) for place, one in enumerate((WIDE, "rm -rf .git"))
    )
    check = CheckClaims(session_id=session_id, report_id=report.call_id, claims=wanted)
    checking = asyncio.create_task(rig.engine.handle(check))
    asked = await rig.asked()
    assert isinstance(asked.request, ApprovalRequest)
    assert asked.request.confirm_word
    await rig.engine.handle(check)  # a second one while the first runs is ignored
    await rig.answer(session_id, asked, Answer(outcome="reject"))
    await checking
    await shown(rig, session_id, "refused", "refused")
    assert rig.events(EvidenceRecorded) == []
    assert rig.failures() == []


async def test_a_stop_ends_the_check_that_runs(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(reported(claim(WAITS, run=False)), text_turn("done"))
    session_id = await rig.new("Fix it")
    await rig.ended()
    (report,) = rig.events(CompletionReported)
    wanted = (WantedCheck(claim=0, command_sha256=command_sha256(WAITS)),)
    check = CheckClaims(session_id=session_id, report_id=report.call_id, claims=wanted)
    checking = asyncio.create_task(rig.engine.handle(check))
    await rig.until(lambda updates: any(isinstance(update, ToolProgress) for update in updates))
    await rig.engine.handle(Interrupt(session_id=session_id))
    await checking
    (run,) = rig.events(EvidenceRecorded)
    assert (run.ending, run.exit_code) == ("interrupted", None)
    await shown(rig, session_id, "unproved")
    whole(rig, session_id)


async def test_verdicts_are_found_anew_after_a_restart_and_never_taken_from_what_was_said(
    rig: Rig, model_api: FakeModelApi, folders: Folders, repository: Path
) -> None:
    model_api.script(reported(claim(), {"text": "there", "kind": "file", "path": "app.txt"}), text_turn("done"))
    session_id = await rig.new("Fix it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    await shown(rig, session_id, "proved", "proved")
    lane = rig.lane(session_id)
    await rig.engine.stop()
    second = await Rig(folders).open(repository)
    await second.until(lambda updates: done_lanes(second) == [True])  # without the chat being opened
    await second.engine.handle(OpenSession(session_id=session_id))
    await shown(second, session_id, "proved", "proved")
    (lane / "app.txt").unlink()
    await second.engine.handle(LookAtReports(session_id=session_id))
    await shown(second, session_id, "stale", "failed")
    assert done_lanes(second) == [False]
    await second.engine.stop()


async def test_without_a_person_commands_that_ask_are_refused(
    folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    write_settings(folders, model_api.url)
    rig = await Rig(folders, HEADLESS).open(repository)
    model_api.script(reported(claim()), text_turn("done"))
    session_id = await rig.new("Fix it")
    await rig.ended()
    view = await shown(rig, session_id, "refused")
    assert view.claims[0].reason == "Nobody could be asked."
    await rig.engine.stop()


@pytest.mark.promise("lanes-E1")
async def test_commands_in_the_background_and_stopped_ones_leave_evidence_too(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("bash", command="sh suite.sh; sleep 1.1; exit 3", run_in_background=True),
        tool_turn("bash", command="sleep 30", timeout_ms=1000),
        reported(claim("sleep 30", "it sleeps", run=False), status="partial"),
        text_turn("done"),
    )
    session_id = await rig.new("Run it", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    await rig.until(lambda updates: len(rig.events(EvidenceRecorded)) == 2)
    by_command = {run.command: run for run in rig.events(EvidenceRecorded)}
    shell, sleep = by_command["sh suite.sh; sleep 1.1; exit 3"], by_command["sleep 30"]
    assert (shell.background, shell.exit_code, shell.passed, shell.ending) == (True, 3, 120, "exited")
    assert (sleep.ending, sleep.exit_code, sleep.tree_before) == ("timed_out", None, sleep.tree_after)
    view = await shown(rig, session_id, "failed")
    assert view.claims[0].reason == "It was stopped at its time limit."
    assert view.title == "Partial"


async def test_going_back_before_a_report_takes_it_away(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(reported(claim("grep -q 1 app.txt")), text_turn("done"))
    session_id = await rig.new("Fix it")
    await rig.ended()
    await shown(rig, session_id, "proved")
    started = next(u for u in rig.updates if isinstance(u, Envelope) and u.kind == "lane_attached")
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=started.event_id))
    await rig.until(lambda updates: views(rig, session_id) == () and done_lanes(rig) == [])
