"""Every button of the terminals, of setup and of what runs in lanes, on a repository as real ones are."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.domain.commands import SaveSettings
from desktop.domain.terminals.updates import row_text
from tests.agent.lane_ground import with_lanes
from tests.agent.rig import folders_below, git
from tests.e2e.conftest import Desk
from tests.e2e.hands import Hands, Opened
from tests.e2e.odd_repository import make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.services.merge_place import checkout_hash

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal"),
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.usefixtures("lane_ports"),
    pytest.mark.timeout(150),
]
DRIVES: frozenset[str] = frozenset({
    "action_new_terminal", "action_terminal", "lane_menu_new_chat", "lane_menu_terminal", "terminal_close",
    "terminal_close_end", "terminal_close_ended", "terminal_close_failed", "terminal_close_keep", "terminal_empty_new",
    "terminal_empty_reopen", "terminal_find_close", "terminal_find_next", "terminal_find_open",
    "terminal_find_previous", "terminal_hide", "terminal_leftover_end", "terminal_leftovers_close",
    "terminal_leftovers_end_all", "terminal_leftovers_show", "terminal_menu_all", "terminal_menu_copy",
    "terminal_menu_find", "terminal_menu_paste", "terminal_new", "terminal_paste_cancel", "terminal_paste_go",
    "terminal_reopen", "terminal_send", "terminal_send_command", "terminal_send_selection", "terminal_settings",
})  # fmt: skip
CARE: frozenset[str] = frozenset({
    "action_new_lane", "header_addresses", "header_lane", "lane_create", "lane_file_copy", "lane_file_later",
    "lane_file_trust", "lane_menu_new_chat", "lane_menu_run", "lane_menu_setup", "lane_run_address", "lane_run_close",
    "lane_run_review", "lane_run_setup", "lane_run_start", "lane_run_stop", "lane_setup_close", "lane_setup_retry",
    "lane_setup_review", "lane_setup_stop", "lane_start_chat", "setup_strip_close", "setup_strip_review",
    "setup_strip_show", "setup_strip_stop",
})  # fmt: skip
FILE = """[setup]
command = "echo größer; until [ -e go ]; do sleep 0.05; done; exit 7"

[run]
command = "echo serving; exec python3 -m http.server $PORT --bind 127.0.0.1"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = make_odd_repository(tmp_path, remote=False, huge=False)
    git(root, "switch", "-q", "--detach")
    return root


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("PS1='shell> '; PROMPT_COMMAND=\n", encoding="utf-8")


class Shell:
    """A person at the terminals of a lane."""

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.drawer = hands.desk.window.terminals.drawer

    def screen(self) -> str:
        """The text of the terminal on screen."""
        facts = self.drawer.current
        return "\n".join(row_text(row) for row in facts.rows) if facts is not None else ""

    def until_shown(self, words: str) -> None:
        """Wait until the terminal shows this."""
        self.hands.until(lambda: words in self.screen().replace("\n", ""), f"{words} in {self.screen()}")

    def enter(self, text: str) -> None:
        """Type a command."""
        self.until_shown("shell>")
        view = self.hands.desk.see("terminal_view")
        view.setFocus()
        QTest.keyClicks(view, text)
        QTest.keyClick(view, Qt.Key.Key_Return)

    def own_menu(self, entry: str) -> None:
        """Choose from the menu of the screen."""
        view, at = self.drawer.view.viewport(), QPoint(20, 10)
        QApplication.sendEvent(view, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at)))
        self.hands.pick(f"terminal_menu_{entry}")


@pytest.mark.timeout(240)
def test_terminals_are_used_by_every_button(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    folders = folders_below(tmp_path / "home")
    (lane,) = with_lanes(folders, repository, "Größtes")
    before = checkout_hash(repository)
    hands = Hands(start())
    at = Shell(hands)
    hands.menu(lane, "new_chat")
    model_api.script(text_turn("Hello."))
    hands.desk.send("Hello")
    hands.until(lambda: "Hello." in hands.desk.transcript_text(), "the answer")
    hands.desk.idle()
    hands.menu(lane, "terminal")
    at.enter("pwd; cat docs/*/*")
    at.until_shown(lane.worktree_path)
    at.until_shown("Über uns")
    hands.press("terminal_hide")
    hands.desk.gone("terminal_drawer")
    hands.act("terminal")
    send_to_chat(hands, at)
    find(hands, at)
    paste(hands, at)
    close(hands, at)
    cannot_start(hands)
    leftovers(hands, at)
    assert checkout_hash(repository) == before
    hands.check(DRIVES)


def send_to_chat(hands: Hands, at: Shell) -> None:
    """The last command, and what is selected, come into the composer."""
    written = hands.desk.window.page.composer.text.toPlainText
    at.enter("echo gross")
    at.until_shown("gross")

    def is_over() -> bool:
        facts = at.drawer.current
        return facts is not None and facts.command is not None and "gross" in row_text(facts.row(facts.command[0]))

    hands.until(is_over, "the end of the command")
    hands.from_menu("terminal_send", "terminal_send_command")
    hands.until(lambda: "echo gross" in written(), "the command")
    at.own_menu("all")
    at.own_menu("copy")
    hands.until(lambda: "gross" in QGuiApplication.clipboard().text(), "the clipboard")
    hands.from_menu("terminal_send", "terminal_send_selection")
    hands.until(lambda: written().count("echo gross") == 2, "the selection")


def find(hands: Hands, at: Shell) -> None:
    """Words in what was printed."""
    hands.press("terminal_find_open")
    hands.write("terminal_find_text", "gross")
    for way in ("next", "previous", "close"):
        hands.press(f"terminal_find_{way}")
    at.own_menu("find")
    hands.press("terminal_find_close")


def paste(hands: Hands, at: Shell) -> None:
    """Several lines are asked about."""
    QGuiApplication.clipboard().setText("echo first\necho second\n")
    at.own_menu("paste")
    hands.press("terminal_paste_cancel")
    assert "first" not in at.screen()
    at.own_menu("paste")
    hands.press("terminal_paste_go")
    at.until_shown("echo second")
    at.enter("")


def close(hands: Hands, at: Shell) -> None:
    """Busy ones are asked about; those that ended can be opened again."""
    at.enter("sleep 60")
    hands.until(lambda: hands.desk.window.terminals.busy() == 1, "busy")
    hands.press("terminal_close")
    hands.press("terminal_close_keep")
    hands.press("terminal_close")
    hands.press("terminal_close_end")
    hands.desk.see("terminal_empty_new")
    hands.press("terminal_empty_reopen")
    at.until_shown("shell>")
    at.enter("exit 3")
    hands.press("terminal_reopen")
    hands.desk.gone("terminal_ended")
    at.enter("exit 4")
    hands.press("terminal_close_ended")
    hands.press("terminal_empty_new")
    at.until_shown("shell>")
    hands.press("terminal_new")
    hands.act("new_terminal")
    hands.until(lambda: at.drawer.tabs.count() == 3, "three tabs")
    for left in (2, 1, 0):
        at.until_shown("shell>")
        hands.press("terminal_close")
        hands.until(lambda n=left: at.drawer.tabs.count() == n, f"{left} tabs")


def cannot_start(hands: Hands) -> None:
    """A shell that is not there."""
    settings = hands.desk.window.engine.settings
    with_shell(hands, "/no/such/shell")
    hands.press("terminal_empty_new")
    hands.press("terminal_settings")
    hands.desk.see("settings_dialog")
    hands.key("settings_dialog", Qt.Key.Key_Escape)
    hands.press("terminal_close_failed")
    with_shell(hands, settings.shell)


def with_shell(hands: Hands, shell: str) -> None:
    """Choose the program of terminals."""
    engine = hands.desk.window.engine
    hands.desk.bridge.send(SaveSettings(settings=engine.settings.model_copy(update={"shell": shell})))
    hands.until(lambda: engine.settings.shell == shell, "the settings")


def leftovers(hands: Hands, at: Shell) -> None:
    """Programs that went on when their terminal ended."""
    hands.press("terminal_empty_new")
    first, second = 10 * os.getpid() + 1, 10 * os.getpid() + 2  # of this run alone
    at.enter(f"setsid sleep {first} & setsid sleep {second} & sleep 0.3; exit")
    hands.press("terminal_leftovers_show")
    hands.press("terminal_leftovers_close")
    hands.press("terminal_leftovers_show")

    def ends() -> list[str]:
        return [name for name in hands.names() if name.startswith("terminal_leftover_end_")]

    hands.until(lambda: len(ends()) == 2, "both of them")
    hands.press(ends()[0])
    hands.until(lambda: len(ends()) == 1, "one left")
    hands.press("terminal_leftovers_end_all")
    hands.desk.gone("terminal_leftovers")
    hands.until(lambda: not running(first) and not running(second), "both to be ended")


def running(seconds: int) -> bool:
    """Whether a program of this machine sleeps for so long."""
    return any(one.info["cmdline"] == ["sleep", str(seconds)] for one in psutil.process_iter(["cmdline"]))


@pytest.mark.timeout(240)
def test_lanes_are_made_ready_and_run_by_every_button(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    (lane,) = with_lanes(folders_below(tmp_path / "home"), repository, "Größe", setup="needs_trust")
    hands = Hands(start())
    hands.menu(lane, "new_chat")
    model_api.script(text_turn("Hello."))
    hands.desk.send("Hello")
    hands.until(lambda: "Hello." in hands.desk.transcript_text(), "the answer")
    hands.desk.idle()
    hands.menu(lane, "setup")
    hands.press("lane_setup_review")
    hands.press("lane_file_copy")
    assert "[setup]" in QGuiApplication.clipboard().text()
    hands.press("lane_file_later")
    hands.press("lane_setup_close")
    (repository / ".banksman").mkdir()
    (repository / ".banksman" / "lane.toml").write_text(FILE, encoding="utf-8")
    hands.menu(lane, "run")
    hands.press("lane_run_review")
    hands.press("lane_file_later")
    hands.press("lane_run_close")
    hands.menu(lane, "setup")
    hands.press("lane_setup_review")
    hands.press("lane_file_trust")
    hands.desk.gone("lane_file_dialog")
    hands.until(lambda: "größer" in hands.text("lane_setup_log"), "the log")
    hands.press("lane_setup_stop")
    hands.until(lambda: hands.is_on("lane_setup_retry"), "the end of the setup")
    (repository / ".banksman" / "lane.toml").write_text(f"{FILE}# geändert\n", encoding="utf-8")
    hands.press("lane_setup_retry")
    hands.desk.gone("lane_setup_retry")
    hands.press("lane_setup_close")
    hands.press("setup_strip_review")
    hands.press("lane_file_trust")
    hands.desk.gone("lane_file_dialog")
    hands.press("setup_strip_show")
    hands.press("lane_setup_close")
    hands.press("setup_strip_stop")
    hands.press("setup_strip_close")
    hands.desk.gone("setup_strip")

    hands.act("new_lane")
    hands.write("lane_name", "Noch eine")
    hands.tick("lane_start_chat", on=False)
    hands.tick("lane_run_setup", on=False)
    hands.tick("lane_run_setup")
    hands.press("lane_create")
    made = hands.lane("Noch eine")
    hands.until(lambda: hands.again(made).setup == "running", "its setup")
    (Path(made.worktree_path) / "go").touch()
    hands.until(lambda: hands.again(made).setup == "failed", "the end of its setup")

    hands.menu(lane, "run")
    hands.desk.see("lane_run_address")
    with Opened("http") as opened:
        hands.press("lane_run_address")
        hands.press("header_addresses")
    assert len(opened.urls) == 2
    hands.press("lane_run_stop")
    hands.desk.gone("lane_run_address")
    hands.press("lane_run_start")
    hands.desk.see("lane_run_stop")
    hands.press("lane_run_stop")
    hands.press("lane_run_close")
    hands.press("header_lane")
    hands.check(CARE)
