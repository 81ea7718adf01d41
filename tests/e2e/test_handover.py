"""The handover in the window: a scripted day, each line of which leads to its entry, copied and saved (memory-HO3)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QListView

from desktop.ui.handover.page import HandoverPage
from desktop.ui.handover.rows import HandoverRow
from desktop.ui.models.keyed_rows import ROW_ROLE
from tests.e2e.conftest import Desk
from tests.e2e.hands import Hands
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn, tool_turn

Start = Callable[[], Desk]


def rows(desk: Desk) -> list[HandoverRow]:
    view = desk.see("handover_list")
    assert isinstance(view, QListView)
    model = view.model()
    return [model.index(at, 0).data(ROW_ROLE) for at in range(model.rowCount())]


def titles(desk: Desk, section: str) -> list[str]:
    return [row.title for row in rows(desk) if row.line is not None and row.key.startswith(f"{section}:")]


def press(desk: Desk, row: HandoverRow) -> None:
    """Click on a line of the page."""
    view = desk.see("handover_list")
    assert isinstance(view, QListView)
    at = next(at for at, one in enumerate(rows(desk)) if one.key == row.key)
    view.scrollTo(view.model().index(at, 0))
    middle = view.visualRect(view.model().index(at, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def current_words(desk: Desk) -> str:
    """The row of the transcript that the keys act on, as a screen reader would read it."""
    view = desk.window.page.transcript
    at = view.model.index_of(view.current_row)
    return str(view.model.index(at, 0).data(Qt.ItemDataRole.AccessibleTextRole)) if at >= 0 else ""


def day(desk: Desk, model_api: FakeModelApi) -> None:
    """Two chats: boundaries, a file written, a command declined, one refused, one that asks still."""
    model_api.script(
        tool_turn("write_file", path="notes.txt", content="one\n"),
        tool_turn("bash", command="git push"),
        tool_turn("bash", command="touch declined.txt"),
        text_turn("I would tidy the notes next."),
    )
    desk.send("Write the notes, and never push")
    desk.answer("approval_decline")
    desk.answer("approval_decline_confirm")
    desk.until(lambda: "tidy the notes" in desk.transcript_text(), what="the end of the first chat")
    desk.idle()
    model_api.script(tool_turn("bash", command="touch waiting.txt"))
    desk.window.new_chat()
    desk.send("Touch a file")
    desk.see("approval_allow_once")


LEADS_TO = {
    "Asked": ("Write the notes, and never push", "Touch a file"),
    "Changed": ("notes.txt",),
    "Decided": ("declined.txt",),
    "Tried and refused": ("git push",),
    "Open": ("waiting.txt",),
    "Next": ("tidy the notes",),
}


@pytest.mark.promise("memory-HO2")
def test_the_handover_of_a_day_fits_the_record_and_each_line_leads_to_its_entry(
    start: Start, model_api: FakeModelApi
) -> None:
    desk = start()
    hands = Hands(desk)
    day(desk, model_api)
    hands.act("handover")
    desk.until(lambda: bool(titles(desk, "Asked")), what="the page")
    said = desk.see("handover_figures")
    assert isinstance(said, QLabel)
    figures = said.text()
    assert figures.startswith("2 chats · 3 calls decided (1 by people")
    assert figures.endswith("difference to the record: 0")
    assert "Boundary: Don’t push (“never push”)" in titles(desk, "Asked")
    wanted = [row for row in rows(desk) if row.leads]
    assert {row.key.split(":")[0] for row in wanted} >= LEADS_TO.keys()
    for row in wanted:
        assert row.line is not None
        hands.act("handover")
        desk.until(lambda key=row.key: any(one.key == key for one in rows(desk)), what="the page again")
        press(desk, row)
        desk.gone("handover_list")
        assert desk.window.page.session_id == row.line.session_id
        words = LEADS_TO.get(row.key.split(":")[0], ("",))
        desk.until(lambda words=words: any(one in current_words(desk) for one in words), what=f"the row of {row.title}")


def test_the_page_is_copied_saved_and_narrowed_to_a_chat(start: Start, model_api: FakeModelApi, tmp_path: Path) -> None:
    desk = start()
    hands = Hands(desk)
    day(desk, model_api)
    hands.act("handover")
    desk.until(lambda: "Touch a file" in titles(desk, "Asked"), what="the page")
    assert len(titles(desk, "Asked")) == 3
    desk.click("handover_copy")
    assert "Difference to the record: 0" in QGuiApplication.clipboard().text()
    desk.click("handover_over_chat")
    desk.until(lambda: titles(desk, "Asked") == ["Touch a file"], what="this chat alone")
    page = desk.window.findChild(HandoverPage)
    page.choose_since("all")
    for form, ending in (("Markdown…", "md"), ("Web page…", "html"), ("JSON…", "json")):
        file = tmp_path / f"page.{ending}"
        menu = desk.see("handover_save").menu()
        next(action for action in menu.actions() if action.text() == form).trigger()
        dialog = desk.window.findChild(QFileDialog, "handover_file_dialog")
        dialog.fileSelected.emit(str(file))
        desk.until(file.exists, what=str(file))
        desk.until(lambda file=file: "Touch a file" in file.read_text(), what="its words")
        dialog.close()
        desk.until(lambda: desk.window.findChild(QFileDialog, "handover_file_dialog") is None, what="the dialog to go")
    QTest.keyClick(desk.see("handover_list"), Qt.Key.Key_Escape)
    desk.gone("handover_list")
