"""A person's own shell in a lane's drawer: real window, real engine, real pseudo-terminal."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar

from desktop.domain.terminals.updates import row_text
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Start = Callable[[], Desk]


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("PS1='shell> '; PROMPT_COMMAND=\n", encoding="utf-8")


def screen(desk: Desk) -> str:
    """The text of the terminal on screen."""
    facts = desk.window.terminals.drawer.current
    return "\n".join(row_text(row) for row in facts.rows) if facts is not None else ""


def last_command(desk: Desk) -> str:
    facts = desk.window.terminals.drawer.current
    return row_text(facts.row(facts.command[0])) if facts is not None and facts.command is not None else ""


def enter(desk: Desk, text: str) -> None:
    view = desk.see("terminal_view")
    QTest.keyClicks(view, text)
    QTest.keyClick(view, Qt.Key.Key_Return)


def press(desk: Desk, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    desk.window.activateWindow()
    desk.until(desk.window.isActiveWindow, what="the window in front")
    QTest.keyClick(desk.window.focusWidget() or desk.window, key, modifiers)


def paste_and_flood(desk: Desk) -> None:
    """Lines are pasted after a question; what a program prints without end is bounded, and reaches nothing."""
    QGuiApplication.clipboard().setText("echo first\necho second\n")
    press(desk, Qt.Key.Key_V, CTRL | SHIFT)
    desk.see("terminal_paste_dialog")
    desk.click("terminal_paste_cancel")
    desk.gone("terminal_paste_dialog")
    assert "first" not in screen(desk)
    press(desk, Qt.Key.Key_V, CTRL | SHIFT)
    desk.click("terminal_paste_go")
    desk.until(lambda: "echo second" in screen(desk))
    desk.see("terminal_view").setFocus()
    enter(desk, "")
    enter(desk, "seq 200000; printf '\\033]0;%0100d\\007\\033]52;c;cm0gLXJm\\007' 7; echo end")
    desk.until(lambda: screen(desk).rstrip().endswith("200000\nend\nshell>"), what="the end of the flood")
    facts = desk.window.terminals.drawer.current
    assert facts is not None
    assert len(facts.back) == 10_000
    assert len(facts.title) == 60
    assert QGuiApplication.clipboard().text() == "echo first\necho second\n"


def with_a_chat(start: Start, model_api: FakeModelApi) -> Desk:
    desk = start()
    model_api.script(text_turn("Hello there."))
    desk.send("Hello")
    desk.until(lambda: "Hello there." in desk.transcript_text())
    desk.idle()
    desk.until(lambda: desk.window.terminals._lane() is not None, what="the lane")
    return desk


def test_a_day_in_a_terminal(start: Start, model_api: FakeModelApi) -> None:
    desk = with_a_chat(start, model_api)
    terminals = desk.window.terminals
    assert desk.find("terminal_drawer") is None
    press(desk, Qt.Key.Key_QuoteLeft, CTRL)
    desk.until(lambda: "shell>" in screen(desk), what="a prompt")
    lane = desk.window.book.lanes[0]

    enter(desk, "pwd; echo $BANKSMAN_LANE_ID $TERM; tty; echo ${BANKSMAN_HOME-none}")
    desk.until(lambda: screen(desk).rstrip().endswith("none\nshell>"), what="what pwd said")
    desk.until(lambda: terminals.busy() == 0, what="the end of it, before which no new command is seen")
    text = screen(desk)
    assert lane.worktree_path in text.replace("\n", "")
    assert f"{lane.id} xterm-256color" in text
    assert "/dev/" in text

    enter(desk, "printf 'one\\ntwo\\n'")
    desk.until(lambda: "printf" in last_command(desk), what="the end of the command")
    send = desk.window.findChild(QAction, "terminal_send_command")
    assert send is not None
    desk.until(send.isEnabled, what="sending the command")
    send.trigger()
    field = desk.window.page.composer.text
    desk.until(lambda: "two" in field.toPlainText(), what="the quoted command")
    assert field.toPlainText() == "```\nshell> printf 'one\\ntwo\\n'\none\ntwo\n```\n"

    terminals.drawer.view.setFocus()
    enter(desk, "sleep 60")
    desk.until(lambda: terminals.busy() == 1, what="busy")
    desk.click("terminal_close")
    desk.click("terminal_close_keep")
    press(desk, Qt.Key.Key_C, CTRL)
    desk.until(lambda: terminals.busy() == 0, what="idle again")

    desk.click("terminal_new")
    tabs = desk.see("terminal_tabs")
    assert isinstance(tabs, QTabBar)
    desk.until(lambda: tabs.count() == 2 and "shell>" in screen(desk))
    enter(desk, "exit 3")
    desk.see("terminal_ended")
    assert "exit code 3" in desk.see("terminal_ended_text").property("text")
    desk.click("terminal_reopen")

    def before() -> str:
        facts = terminals.drawer.current
        return "".join(row_text(row) for row in facts.back) if facts is not None else ""

    desk.until(
        lambda: tabs.count() == 2 and "exit 3" in before() and "shell>" in screen(desk), what="a new shell below"
    )
    desk.until(lambda: terminals.busy() == 0, what="its prompt")
    desk.click("terminal_close")
    desk.until(lambda: tabs.count() == 1)
    paste_and_flood(desk)
    press(desk, Qt.Key.Key_QuoteLeft, CTRL)
    desk.gone("terminal_drawer")
    desk.close()
