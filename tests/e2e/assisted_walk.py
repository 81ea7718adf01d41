"""A person works in the window while a screen reader reads it. Run by `test_assistive_technology`, on a display and a
bus of its own; the window is on a real X server, because no other platform of Qt has the bridge to screen readers."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit

from desktop.ui.chats.folds.row_words import accessible_text
from tests.e2e.conftest import Desk
from tests.e2e.first_keys import set_up, take_tour
from tests.e2e.hands import Hands
from tests.e2e.keyboard_day import day
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn

Start = Callable[[], Desk]
MANY_ROWS = 40
READ_MS = 90_000  # a round over some hundred objects, each with its own answer, on a loaded machine


class ScreenReader:
    """`objects`: how many there were in the last whole round; `texts`: all that was read."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        self._pipe = process.stdout
        os.set_blocking(self._pipe.fileno(), False)
        self._rest = b""
        self.objects = 0
        self.texts: set[str] = set()

    def has_read(self, *words: str) -> bool:
        """Whether each of these stands in something that was read."""
        *lines, self._rest = (self._rest + (self._pipe.read() or b"")).split(b"\n")
        for line in lines:
            told = json.loads(line)
            self.objects = told.get("objects", self.objects)
            self.texts |= {told["text"]} if "text" in told else set()
        return all(any(word in text for text in self.texts) for word in words)


@pytest.fixture
def reader() -> Iterator[ScreenReader]:
    told = [sys.executable, "-m", "tests.fakes.screen_reader"]
    with subprocess.Popen(told, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield ScreenReader(process)
        assert process.stdin is not None
        process.stdin.close()


def wait_read(desk: Desk, reader: ScreenReader, *words: str) -> None:
    try:
        desk.qtbot.waitUntil(lambda: reader.has_read(*words), timeout=READ_MS)
    except desk.qtbot.TimeoutError:
        raise AssertionError(f"{words} were not read; the chat shows {desk.transcript_text()}") from None


def test_cards_are_read_answered_edited_replaced_and_gone(
    start: Start, model_api: FakeModelApi, reader: ScreenReader
) -> None:
    question = {"question": "Which number is right?", "options": [{"label": "42"}, {"label": "43"}]}
    model_api.script(
        tool_turn("ask_user", questions=[question]),
        tool_turn("bash", command="touch first.txt"),
        tool_turn("bash", command="touch second.txt"),
        text_turn("All of it is done."),
    )
    desk = start()
    hands = Hands(desk)
    desk.send("Put the total right")
    wait_read(desk, reader, "Which number is right?", "42", "43", "Send answer")
    desk.answer("question_option_1")
    desk.answer("question_send")
    wait_read(desk, reader, "touch first.txt", "Run once", "Decline…", "Edit…")
    desk.answer("approval_edit")
    field = desk.see("approval_edit_field")
    assert isinstance(field, QPlainTextEdit)
    field.setFocus()
    desk.qtbot.keyClicks(field, " # typed")
    wait_read(desk, reader, "Check changes")
    desk.answer("approval_edit_check")
    desk.until(lambda: hands.desk.find("approval_edit_undo") is not None, what="the edited card")
    wait_read(desk, reader, "Discard changes")
    desk.answer("approval_allow_once")
    wait_read(desk, reader, "touch second.txt")
    desk.answer("approval_decline")
    desk.answer("approval_decline_confirm")
    wait_read(desk, reader, "All of it is done.")
    desk.idle()
    desk.until(lambda: reader.has_read() and reader.objects > MANY_ROWS, what="a whole round of reading")
    desk.close()


def test_a_chat_that_was_cut_off_goes_on(
    start: Start, model_api: FakeModelApi, reader: ScreenReader, tmp_path: Path
) -> None:
    model_api.script(tool_turn("bash", command="touch never.txt"))
    desk = start()
    desk.send("Touch it")
    wait_read(desk, reader, "touch never.txt")
    as_killed = shutil.copytree(desk.folders.store, tmp_path / "as_killed")
    desk.close()
    shutil.rmtree(desk.folders.store)
    shutil.copytree(as_killed, desk.folders.store)
    again = start()
    wait_read(again, reader, "Continue the chat")
    model_api.script(text_turn("On it goes."))
    again.answer("interrupted_continue")
    again.answer("approval_allow_once")
    wait_read(again, reader, "On it goes.")
    again.idle()
    again.close()


def test_a_refused_key_and_the_views_beside_the_chat_are_read(
    start: Start, model_api: FakeModelApi, reader: ScreenReader
) -> None:
    model_api.script(http_failure(401, "authentication_error"))
    desk = start()
    hands = Hands(desk)
    desk.send("Hello")
    desk.idle()
    wait_read(desk, reader, "key was refused")
    for action in ("tab_changes", "tab_audit", "tab_timeline", "terminal"):
        hands.act(action)
    wait_read(desk, reader, "No changes in this lane yet.")
    rows = desk.window.page.transcript.model.rows
    wait_read(desk, reader, *(accessible_text(row) for row in rows if row.kind == "user"))
    desk.close()


def test_a_first_page_three_chats_the_inbox_a_commit_and_a_restart_are_read(
    start_first: Start, model_api: FakeModelApi, reader: ScreenReader, repository: Path
) -> None:
    def heard(desk: Desk, words: str) -> None:
        wait_read(desk, reader, words)

    desk = start_first()
    set_up(desk, repository, model_api.url, heard)
    day(start_first, model_api, heard, desk)


def test_the_tour_is_read(start_first: Start, reader: ScreenReader) -> None:
    desk = start_first()
    take_tour(desk, lambda desk, words: wait_read(desk, reader, words))
    desk.close()
