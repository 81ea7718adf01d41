"""Whole chats through the window: found by their words, pinned, forked, copied to a file, deleted and taken back."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from desktop.domain.chats.commands import ExportSession
from desktop.ui.library.search import SearchDialog
from desktop.ui.sidebar.rows import sidebar_rows
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn

Start = Callable[[], Desk]


def chat(desk: Desk, text: str) -> str:
    """A chat with one answered message; its id."""
    desk.window.new_chat()
    desk.send(text)
    desk.until(lambda: desk.window.page.session_id != "" and "Answered" in desk.transcript_text(), what="an answer")
    session_id = desk.window.page.session_id
    desk.until(lambda: desk.window.book.summary(session_id) is not None, what="listed")
    desk.idle()
    return session_id


def titles(desk: Desk, section: str) -> list[str]:
    rows = next((row for row in sidebar_rows(desk.window.sidebar.model.lists) if row.key == f"section:{section}"), None)
    return [row.title for row in rows.children] if rows is not None else []


def current_text(desk: Desk) -> str:
    """The text of the row that the keys act on, "" without one."""
    view = desk.window.page.transcript
    index = view.model.index_of(view.current_row)
    return view.model.rows[index].text if index >= 0 else ""


@pytest.mark.promise("sessions-SG1")
def test_a_word_is_found_in_another_chat_and_opens_it_there(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Answered: the zebra crossing is at the corner"), text_turn("Answered"))
    desk = start()
    first = chat(desk, "Where is the crossing?")
    chat(desk, "Something else")
    desk.window.contents._actions.action("search_chats").trigger()
    field = desk.see("search_field")
    assert isinstance(field, QLineEdit)
    QTest.keyClicks(field, "zebra")
    dialog = desk.window.findChild(SearchDialog)
    desk.until(lambda: len(dialog.list.items) == 1, what="a hit")
    assert "zebra" in dialog.list.items[0].below
    QTest.keyClick(field, Qt.Key.Key_Return)
    desk.until(lambda: desk.window.page.session_id == first, what="the chat")
    desk.until(lambda: "zebra" in current_text(desk), what="its row")


def test_what_is_in_no_chat_says_so(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Answered"))
    desk = start()
    chat(desk, "Hello")
    desk.window.contents._actions.action("search_chats").trigger()
    desk.see("search_field")
    dialog = desk.window.findChild(SearchDialog)
    dialog.search("giraffe")
    desk.until(lambda: "Nothing matches “giraffe”." in dialog._said.text(), what="the sentence")
    dialog.reject()


def test_a_pinned_chat_stands_in_its_own_section(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Answered"))
    desk = start()
    session_id = chat(desk, "Keep me near")
    desk.window.contents._library.act(session_id, "pin")
    desk.until(lambda: titles(desk, "pinned") == ["Keep me near"], what="pinned")
    desk.window.contents._library.act(session_id, "pin")
    desk.until(lambda: titles(desk, "pinned") == [], what="unpinned")


def test_a_fork_is_opened_and_the_chat_it_comes_from_stays(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Answered"))
    desk = start()
    source = chat(desk, "Try one way")
    desk.window.contents._library.act(source, "fork")
    desk.until(lambda: desk.window.page.session_id not in ("", source), what="the fork")
    desk.until(lambda: "Try one way" in desk.transcript_text(), what="what it inherits")
    assert desk.window.book.summary(source) is not None


def test_a_deleted_chat_can_be_taken_back_and_else_goes(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Answered"), text_turn("Answered"))
    desk = start()
    session_id = chat(desk, "Throw me away")
    desk.window.contents._library.ask_delete(session_id)
    desk.click("delete_chat_go")
    desk.until(lambda: desk.window.book.summary(session_id) is None, what="hidden")
    desk.until(lambda: desk.window.page.session_id == "", what="the page of a new chat")
    desk.click("toast_action")
    desk.until(lambda: desk.window.book.summary(session_id) is not None, what="taken back")
    desk.window.contents._library.ask_delete(session_id)
    desk.click("delete_chat_go")
    desk.until(lambda: desk.window.book.summary(session_id) is None, what="hidden again")
    desk.close()
    again = start()
    again.until(lambda: again.window.engine.ready, what="the list")
    chat(again, "A new one")
    assert again.window.book.summary(session_id) is None


def test_a_chat_is_written_to_one_page_without_scripts(start: Start, model_api: FakeModelApi, tmp_path) -> None:
    model_api.script(text_turn("Answered <script>alert(1)</script>"))
    desk = start()
    session_id = chat(desk, "Write me down")
    desk.window.contents._library.act(session_id, "export")
    desk.click("export_format_html")
    desk.click("export_choose")
    desk.until(lambda: desk.window.findChild(QFileDialog, "export_file_dialog") is not None, what="the file dialog")
    dialog = desk.window.findChild(QFileDialog, "export_file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "chat.html"))
    dialog.reject()
    desk.until(lambda: (tmp_path / "chat.html").exists(), what="the file")
    page = (tmp_path / "chat.html").read_text(encoding="utf-8")
    assert "Write me down" in page
    assert "<script" not in page


def test_a_chat_from_a_file_is_only_read_until_it_is_continued_here(
    start: Start, model_api: FakeModelApi, tmp_path
) -> None:
    model_api.script(text_turn("Answered"), text_turn("Gone on"))
    desk = start()
    session_id = chat(desk, "Carry me over")
    path = tmp_path / "chat.jsonl"
    desk.window.page.commands.send(ExportSession(session_id=session_id, path=str(path), format="jsonl", redacted=False))
    desk.until(path.exists, what="the file")
    desk.window.contents._library._import(str(path))
    desk.until(lambda: len(desk.window.book.chats) == 2, what="the imported chat")
    desk.click("toast_action")
    desk.until(lambda: desk.window.page.session_id not in ("", session_id), what="it is open")
    desk.see("imported_strip")
    assert not desk.see("composer_send").isEnabled()
    desk.click("imported_lane")
    desk.gone("imported_strip")
    desk.send("Go on")
    desk.until(lambda: "Gone on" in desk.transcript_text(), what="an answer")
