"""Scenes of reports: claims proved, failed, stale, without evidence, refused; checking again; partial, blocked."""

from collections.abc import AsyncIterator
from typing import Any

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.reports.commands import LookAtReports
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.history.timeline import TimelinePanel
from tests.fakes.fake_model_api import Call, text_turn, tool_turn, turn
from tests.screens.samples import NEW, OLD, TASK
from tests.screens.stage import Stage

SUITE = "python3 -m unittest -v tests.test_timer"
SUMMARY = (
    "The login page no longer redirects to itself after a session has expired. A test covers it; the README says how "
    "sessions end."
)


def _claim(text: str, command: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "kind": "command", "command": command, **more}


def _report(status: str, *claims: dict[str, Any], **more: Any) -> Any:
    return tool_turn("report_completion", summary=SUMMARY, status=status, claims=list(claims), **more)


def _view(stage: Stage) -> TranscriptView:
    view = stage.transcript()
    assert isinstance(view, TranscriptView)
    return view


def _card(stage: Stage) -> Row | None:
    return next((row for row in reversed(_view(stage).model.rows) if row.kind == "report"), None)


def _told(stage: Stage, *verdicts: str) -> bool:
    row = _card(stage)
    return row is not None and row.report is not None and tuple(c.verdict for c in row.report.claims) == verdicts


async def _fixed(stage: Stage, report: Any) -> str:
    chat = await stage.chat(
        TASK,
        tool_turn("read_file", file_path="auth/middleware.py"),
        turn("I change it.", [Call("edit_file", {
            "file_path": "auth/middleware.py", "old_string": OLD, "new_string": NEW})]),
        report,
        text_turn("The loop is gone."),
        title="Fix login redirect loop",
        mode=PermissionMode.FULL_AUTO,
        without_sandbox=True,
    )  # fmt: skip
    await stage.ended(chat)
    return chat


async def report_proved(stage: Stage) -> AsyncIterator[str]:
    """80"""
    chat = await _fixed(stage, _report(
        "completed",
        _claim("The tests of the timer pass", SUITE),
        _claim("The fix is in the middleware", "grep -c strip_next auth/middleware.py"),
        {"text": "The middleware is there", "kind": "file", "path": "auth/middleware.py"},
        {"text": "Sign-in by hand was not tried", "kind": "statement"},
        artifacts=[{"reference": "auth/middleware.py", "title": "The fix"}, {"reference": "docs/login.md"}],
    ))  # fmt: skip
    await stage.until(lambda: _told(stage, "proved", "proved", "proved", "not_checked"), "the verdicts")
    yield "80-report-proved"
    row = _card(stage)
    assert row is not None
    _view(stage).activate(row.key, "report_claim")
    yield "80-report-claim-open"
    _view(stage).activate(row.key, "report_claim")
    stage.write_in_lane(chat, "README.md", "# Shop\n\nWritten by hand.\n")
    stage.send(LookAtReports(session_id=chat))
    await stage.until(lambda: _told(stage, "stale", "stale", "proved", "not_checked"), "the stale claims")
    yield "80-report-stale"
    _view(stage).activate(row.key, "report_check_again")
    await stage.until(lambda: _told(stage, "proved", "proved", "proved", "not_checked"), "the new verdicts")
    yield "80-report-checked-again"
    stage.window.page.tab_asked.emit("timeline")
    panel = await stage.find("timeline_panel")
    assert isinstance(panel, TimelinePanel)
    await stage.until(lambda: any(one.marks for one in panel.model.rows), "the marks of what was proved")
    yield "80-timeline-proved"


async def report_not_proved(stage: Stage) -> AsyncIterator[str]:
    """81"""
    await _fixed(stage, _report(
        "completed",
        _claim("All tests pass", "python3 -m unittest tests.test_absent"),
        _claim("The code is formatted", "printf '\\n' >> shop/retry.py"),
        _claim("The documentation builds", "make docs", run=False),
        _claim("Old files are gone", "rm -rf /"),
        {"text": "The change is described", "kind": "file", "path": "docs/login.md"},
    ))  # fmt: skip
    await stage.until(lambda: _told(stage, "unproved", "changed_tree", "unproved", "refused", "failed"), "the verdicts")
    yield "81-report-not-proved"


async def report_partial_and_blocked(stage: Stage) -> AsyncIterator[str]:
    """82"""
    chat = await _fixed(stage, _report("partial", _claim("The tests of the timer pass", SUITE)))
    stage.script(
        TASK,
        _report("blocked", blocker="The staging database cannot be reached from here."),
        text_turn("I need the staging database."),
    )  # fmt: skip
    await stage.say(chat, "And the migration?")
    await stage.ended(chat, 2)
    yield "82-report-blocked"
    stage.script(TASK, _report("completed"), text_turn("Done."))
    await stage.say(chat, "Leave it then")
    await stage.ended(chat, 3)
    yield "82-report-nothing-to-check"
