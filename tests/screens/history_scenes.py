"""Scenes of a chat's history: going back, what left, limits, a crash, summaries, the timeline, finding words."""

from collections.abc import AsyncIterator

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from desktop.domain.chats.commands import ApplyCompaction, Compact
from desktop.domain.chats.updates import CompactionOffered
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.menu import entries
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.history.timeline import TimelinePanel
from desktop.ui.ledger.panel import LedgerPanel
from tests.fakes.fake_model_api import Call, text_turn, tool_turn, turn
from tests.screens.chat_scenes import EXPLANATION
from tests.screens.compose_scenes import LONG, SUMMARY
from tests.screens.samples import NEW, OLD, TASK, TEST
from tests.screens.stage import Stage

MIGRATE = "sleep 60 && make migrate"


def _view(stage: Stage) -> TranscriptView:
    view = stage.transcript()
    assert isinstance(view, TranscriptView)
    return view


def _row(stage: Stage, kind: str) -> Row:
    return next(row for row in reversed(_view(stage).model.rows) if row.kind == kind)


def _choose(stage: Stage, row: Row, name: str) -> None:
    next(act for one, _, act in entries(_view(stage), row) if one == name)()


async def _two_turns(stage: Stage) -> str:
    """A chat whose second turn changes files and runs a command."""
    stage.clock.back(hours=1)
    chat = await stage.chat(TASK, text_turn(EXPLANATION), title="Fix login redirect loop")
    await stage.ended(chat)
    stage.script(
        TASK,
        turn("I change it.", [Call("edit_file", {
            "file_path": "auth/middleware.py", "old_string": OLD, "new_string": NEW})]),
        tool_turn("write_file", file_path="tests/test_redirects.py", content=TEST),
        text_turn("The loop is gone. A test covers it."),
    )  # fmt: skip
    stage.clock.back()
    await stage.say(chat, "Then change it, and add a test")
    await stage.ended(chat, 2)
    return chat


async def history_rewind(stage: Stage) -> AsyncIterator[str]:
    """49"""
    chat = await _two_turns(stage)
    stage.write_in_lane(chat, "README.md", "# Shop\n\nWritten by hand.\n")
    _choose(stage, _row(stage, "user"), "rewind")
    await stage.find("rewind_dialog")
    files = await stage.find("rewind_files")
    assert isinstance(files, QCheckBox)
    files.setChecked(True)
    yield "49-rewind-dialog"
    await stage.click("rewind_go")
    await stage.until(lambda: any(row.kind == "rewound" for row in _view(stage).model.rows), "the rewind")
    await stage.rest(0.5)
    yield "49-rewound"
    _view(stage).activate(_row(stage, "rewound").key, "rewound_toggle")
    yield "49-rewound-open"


async def history_edit_and_remove(stage: Stage) -> AsyncIterator[str]:
    """50"""
    await _two_turns(stage)
    first = next(row for row in _view(stage).model.rows if row.kind == "user")
    _choose(stage, first, "remove")
    await stage.until(lambda: next(r for r in _view(stage).model.rows if r.kind == "user").muted, "the removal")
    _choose(stage, _row(stage, "user"), "edit")
    await stage.find("edit_bar")
    yield "50-edit-and-removed"


async def history_limit(stage: Stage) -> AsyncIterator[str]:
    """51"""
    work = [tool_turn("read_file", file_path="auth/middleware.py"), tool_turn("read_file", file_path="auth/pages.py")]
    chat = await stage.chat(TASK, *work, text_turn("Done."), title="Fix login redirect loop")
    await stage.ended(chat)
    yield "51-limit-of-steps"


async def history_after_a_crash(stage: Stage) -> AsyncIterator[str]:
    """52"""
    stage.clock.back(hours=3)
    calls = [("bash", {"command": MIGRATE}), ("bash", {"command": "make check"})]
    chat = await stage.chat(TASK, turn(EXPLANATION, calls), title="Fix login redirect loop")
    await stage.answer(chat)
    await stage.until(lambda: any(c.started for c in _row(stage, "calls").calls), "the command")
    stage.clock.back()
    await stage.lose_power()
    await stage.until(lambda: stage.window.book.summary(chat), "the chat")
    stage.window.open_chat(chat)
    await stage.rest(0.5)
    yield "52-unknown-call-after-a-crash"


async def history_summary(stage: Stage) -> AsyncIterator[str]:
    """53"""
    usage = {"input_tokens": 150_000, "output_tokens": 800}
    answers = [text_turn(f"{n}. {LONG}") for n in range(2)]
    chat = await stage.chat(TASK, *answers, text_turn("Done.", usage=usage), title="Fix login redirect loop")
    await stage.ended(chat)
    for number in (2, 3):
        await stage.say(chat, f"Go on, part {number}")
        await stage.ended(chat, number)
    stage.script(TASK, text_turn(SUMMARY))
    stage.send(Compact(session_id=chat))
    offer = await stage.until(
        lambda: next((u for u in stage.updates if isinstance(u, CompactionOffered)), None), "the summary"
    )
    stage.send(ApplyCompaction(session_id=chat, staging_id=offer.staging_id, summary=offer.summary))
    await stage.until(lambda: any(row.kind == "compaction" for row in _view(stage).model.rows), "the divider")
    await stage.rest(0.4)
    yield "53-summary-closed"
    _view(stage).activate(_row(stage, "compaction").key, "row_toggle")
    _view(stage).go_to_end()
    yield "53-summary-open"


async def history_timeline(stage: Stage) -> AsyncIterator[str]:
    """54"""
    chat = await _two_turns(stage)
    stage.write_in_lane(chat, "auth/middleware.py", "# lost\n")
    stage.window.page.tab_asked.emit("timeline")
    panel = await stage.find("timeline_panel")
    assert isinstance(panel, TimelinePanel)
    await stage.until(lambda: panel.model.rows, "the checkpoints")
    panel.select(0)
    await stage.click("timeline_compare")
    await stage.until(lambda: panel.comparison.model.rows, "the comparison")
    yield "54-timeline"
    await stage.click("timeline_restore")
    await stage.find("restore_file_list")
    yield "54-timeline-restore"


async def history_ledger(stage: Stage) -> AsyncIterator[str]:
    """54"""
    chat = await _two_turns(stage)
    stage.script(
        TASK,
        tool_turn("commit_changes", message="Cover the redirect with a test"),
        tool_turn("write_file", file_path="docs/redirects.md", content="# Redirects\n"),
        tool_turn("pr_rerun_failed_checks", check_names=["unit"]),
        text_turn("Committed, and written down."),
    )
    await stage.say(chat, "Commit it, and write it down")
    await stage.ended(chat, 3)
    stage.window.page.tab_asked.emit("ledger")
    panel = await stage.find("ledger_panel")
    assert isinstance(panel, LedgerPanel)
    await stage.until(lambda: panel.model.rows, "the ledger")
    panel.select(len(panel.model.rows) - 1)
    yield "54-ledger"
    stage.write_in_lane(chat, "tests/test_redirects.py", "# by hand\n")
    QTest.mouseClick(await stage.find("ledger_back"), Qt.MouseButton.LeftButton)
    await stage.find("undo_dialog")
    yield "54-ledger-undo-in-the-way"
    await stage.click("undo_go")
    await stage.until(lambda: panel.model.rows[0].effect.kind == "undo", "the undo")
    panel.select(0)
    await stage.rest(0.3)
    yield "54-ledger-undone"


async def handover(stage: Stage) -> AsyncIterator[str]:
    """86"""
    task = "Tidy the notes of the release, and never push"
    chat = await stage.chat(
        task,
        tool_turn("write_file", path="notes.md", content="# Release\n"),
        tool_turn("bash", command="git push"),
        tool_turn("bash", command="touch later.txt"),
        text_turn("Two of the notes have no owner; I would look in the log next."),
        title="Release notes",
    )
    await stage.answer(chat, "reject")
    await stage.ended(chat)
    QApplication.sendEvent(stage.window, QEvent(QEvent.Type.WindowDeactivate))
    stage.clock.back(minutes=-23)
    other = "Look at the login page"
    later = await stage.chat(other, tool_turn("bash", command="touch tried.txt"), title="Login page")
    await stage.asked(later)
    QApplication.sendEvent(stage.window, QEvent(QEvent.Type.WindowActivate))
    await stage.find("transcript_recap")
    yield "10-away-recap"
    await stage.click("recap_dismiss")
    stage.window.page.action_asked.emit("handover")
    view = await stage.find("handover_list")
    await stage.until(lambda: view.model().rowCount() > 10, "the page")
    await stage.rest(0.3)
    yield "86-handover"
    stage.script(
        "# Handover, …",
        text_turn(
            "The notes of the release were written; two of them have no owner yet.\n"
            "A push was refused by what the person said, and a command was declined.\n"
            "Look at the login page first: a command waits there for an answer."
        ),
    )
    await stage.click("handover_summarise")
    await stage.until(lambda: stage.shown("handover_summary"), "the summary")
    await stage.rest(0.3)
    yield "86-handover-summary"


async def history_find(stage: Stage) -> AsyncIterator[str]:
    """55"""
    await _two_turns(stage)
    QTest.keyClick(stage.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(await stage.find("find_text"), "the")
    find = stage.window.page.row_actions.find
    await stage.until(lambda: any(map(str.isdigit, find.count.text())), "matches")
    yield "55-find-in-chat"
