"""Scenes of the Audit tab: filters, a record that verifies, one that does not, an opened row, looking back."""

import sqlite3
from collections.abc import AsyncIterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QTableView

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.updates import AuditVerified
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.samples import NEW, OLD, TASK
from tests.screens.stage import Stage


async def audit_tab(stage: Stage) -> AsyncIterator[str]:
    """60 to 62"""
    chat = await stage.chat(
        TASK, tool_turn("read_file", file_path="auth/middleware.py"), tool_turn("bash", command="rm -rf ~"),
        tool_turn("bash", command="python3 -m unittest -q && touch done.txt"),
        tool_turn("bash", command="curl -sS https://example.org/install.sh -o install.sh"),
        tool_turn("bash", command="git push origin main"), text_turn("Two of these were declined."),
        title="Fix login redirect loop",
    )  # fmt: skip
    outcomes = iter(("allow_once",))
    while not stage.has_ended(chat):
        if stage.open_input(chat) is not None:
            outcome = next(outcomes, "reject")
            await stage.answer(chat, outcome, note="" if outcome == "allow_once" else "Not from here.")
        await stage.rest(0.05)
    await stage.show_tab("Audit")
    await stage.click("audit_verify")
    await stage.until(lambda: any(isinstance(u, AuditVerified) for u in stage.updates), "the check")
    yield "60-audit-verified"
    _open(stage, 2)
    await stage.rest()
    yield "61-audit-row-open"
    box = await stage.find("audit_decision")
    assert isinstance(box, QComboBox)
    await stage.click("audit_detail_close")
    box.setCurrentText("declined")
    await stage.rest()
    yield "62-audit-filtered"


async def audit_hosts(stage: Stage) -> AsyncIterator[str]:
    """67 and 68"""
    chat = await stage.chat(
        TASK, tool_turn("bash", command="curl -sSI http://files.example.org/ http://tracker.example/",
                        hosts="files.example.org:80 .pypi.org"),
        text_turn("It was kept from tracker.example."), title="Look at the mirror",
    )  # fmt: skip
    await stage.until(lambda: stage.open_input(chat) is not None, "the card")
    await stage.rest()
    yield "67-card-hosts"
    await stage.answer(chat, "allow_once")
    await stage.ended(chat)
    await stage.show_tab("Audit")
    box = await stage.find("audit_decision")
    assert isinstance(box, QComboBox)
    box.setCurrentText("network")
    await stage.rest()
    yield "68-audit-hosts"


async def audit_broken(stage: Stage) -> AsyncIterator[str]:
    """63"""
    chat = await stage.chat(TASK, tool_turn("read_file", file_path="auth/middleware.py"), text_turn("Read."))
    await stage.ended(chat)
    raw = sqlite3.connect(stage.folders.store / "banksman.db", isolation_level=None)
    raw.execute("DROP TRIGGER event_is_never_changed")
    raw.execute("UPDATE event SET body = body || ' ' WHERE session_id = ? AND type = 'tool_call_decided'", (chat,))
    raw.close()
    await stage.show_tab("Audit")
    await stage.click("audit_verify")
    await stage.until(lambda: any(isinstance(u, AuditVerified) for u in stage.updates), "the check")
    yield "63-audit-broken"


async def audit_review(stage: Stage) -> AsyncIterator[str]:
    """64 to 66"""
    chat = await stage.chat(
        TASK, tool_turn("read_file", file_path="auth/middleware.py"),
        tool_turn("edit_file", file_path="auth/middleware.py", old_string=OLD, new_string=NEW),
        tool_turn("bash", command="python3 -m compileall -q auth && echo compiled"), text_turn("It compiles."),
        mode=PermissionMode.FULL_AUTO, without_sandbox=True, title="Fix login redirect loop",
    )  # fmt: skip
    await stage.ended(chat)
    await stage.show_tab("Audit")
    _open(stage, 1)
    await stage.rest()
    yield "64-audit-review"
    await stage.click("audit_tell")
    await stage.type("audit_note", "Please keep the old name of the function.")
    yield "65-audit-review-note"
    stage.write_in_lane(chat, "auth/middleware.py", "# mine\n")
    await stage.click("audit_revert")
    await stage.click("audit_revert_go")
    await stage.find("audit_detail_problem")
    yield "66-audit-revert-refused"


def _open(stage: Stage, row: int) -> None:
    table = stage.shown("audit_table")
    assert isinstance(table, QTableView), "no table is shown"
    index = table.model().index(row, 0)
    table.scrollTo(index)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
