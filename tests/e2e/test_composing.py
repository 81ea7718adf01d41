"""A person writes while the agent works, attaches files, uses commands, and shortens a long chat."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from desktop.ui.chats.composer.attachment_strip import AttachmentChip
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn

Start = Callable[[], Desk]
ENTER = Qt.Key.Key_Return
LONG = "x" * 16_000


def waiting(desk: Desk) -> list[str]:
    return [chip.accessibleName() for chip in desk.window.page.area.queue.chips]


def attached(desk: Desk) -> list[str]:
    return [chip.accessibleName() for chip in desk.window.findChildren(AttachmentChip) if chip.isVisible()]


def last_words(api: FakeModelApi) -> str:
    return str(api.requests[-1].messages)


def write(desk: Desk, text: str) -> QPlainTextEdit:
    field = desk.see("composer_text")
    assert isinstance(field, QPlainTextEdit)
    field.setFocus()
    QTest.keyClicks(field, text)
    return field


def test_messages_wait_survive_a_restart_and_are_sent(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="python3 -c 'print(1)' > one.txt"))
    desk = start()
    desk.send("Begin")
    desk.see("approval_card")
    desk.send("also add a test")
    desk.until(lambda: waiting(desk) == ["Queued: also add a test"])
    desk.send("and document it")
    desk.until(lambda: len(waiting(desk)) == 2)
    desk.click("queue_edit")
    field = desk.see("queue_field")
    QTest.keyClicks(field, " or two")
    QTest.keyClick(field, ENTER)
    desk.until(lambda: waiting(desk)[0] == "Queued: also add a test or two")
    desk.click("composer_stop")
    desk.idle()
    desk.see("queue_resume")
    desk.close()

    again = start()
    again.until(lambda: waiting(again) == ["Queued: also add a test or two", "Queued: and document it"])
    model_api.script(text_turn("Both are done."), text_turn("Both are done."))
    again.click("queue_resume")
    again.until(lambda: "Both are done." in again.transcript_text())
    again.idle()
    again.until(lambda: waiting(again) == [], what="nothing to wait")
    again.gone("queue_strip")
    assert "also add a test or two" in last_words(model_api)
    assert "and document it" in last_words(model_api)


def test_files_reach_the_model_and_pictures_are_shown_small(
    start: Start, model_api: FakeModelApi, tmp_path: Path
) -> None:
    notes, page = tmp_path / "server log.txt", tmp_path / "page.png"
    notes.write_text("GET / 200\n", encoding="utf-8")
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    image.save(str(page))
    model_api.script(text_turn("I see both."))
    desk = start()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (notes, page)])
    desk.see("composer_attach")
    desk.window.page.composer.text.insertFromMimeData(data)
    desk.until(lambda: len(attached(desk)) == 2 and "Reading" not in str(attached(desk)), what="the files")
    desk.until(lambda: bool(desk.window.page._writing.files._thumbnails), what="the small picture")
    desk.send("What is this?")
    desk.until(lambda: "I see both." in desk.transcript_text())
    words = last_words(model_api)
    assert "attachments:server log.txt" in words
    assert "'type': 'image'" in words
    assert attached(desk) == []
    missing = tmp_path / "missing.txt"
    data.setUrls([QUrl.fromLocalFile(str(missing))])
    desk.window.page.composer.text.insertFromMimeData(data)
    desk.until(lambda: "missing.txt cannot be read" in desk.see("composer_error").text())  # type: ignore[attr-defined]


def test_a_command_from_a_file_is_listed_and_written_out(start: Start, model_api: FakeModelApi) -> None:
    desk = start()
    folder = desk.folders.config / "commands"
    folder.mkdir(parents=True)
    (folder / "review.md").write_text("---\ndescription: Look with care\n---\nReview $1 with care.", encoding="utf-8")
    model_api.script(text_turn("Hello."), text_turn("Reviewed."))
    desk.send("Begin")
    desk.until(lambda: "Hello." in desk.transcript_text())
    desk.idle()
    field = write(desk, "/")
    desk.until(lambda: "review" in desk.window.page._writing.slash.popup.keys, what="the command")
    QTest.keyClicks(field, "review login")
    QTest.keyClick(field, ENTER)
    desk.until(lambda: "Reviewed." in desk.transcript_text())
    assert "Review login with care." in last_words(model_api)
    assert field.toPlainText() == ""


def test_a_long_chat_is_summarised_after_a_look(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn(f"1. {LONG}"), text_turn(f"2. {LONG}"), text_turn("3."), text_turn("# Goal\n- Mend it."))
    desk = start()
    desk.send("Begin")
    for number in (1, 2, 3):
        desk.until(lambda number=number: f"{number}." in desk.transcript_text())
        desk.idle()
        if number < 3:
            desk.send(f"Go on {number}")
    field = write(desk, "/compact the goal")
    QTest.keyClick(field, ENTER)
    desk.see("compaction_dialog")
    summary = desk.see("compaction_summary")
    assert isinstance(summary, QPlainTextEdit)
    assert "Mend it." in summary.toPlainText()
    desk.click("compaction_apply")
    desk.gone("compaction_dialog")
    model_api.script(text_turn("Going on."))
    desk.send("Next")
    desk.until(lambda: "Going on." in desk.transcript_text())
    assert "Mend it." in last_words(model_api)
    assert LONG not in last_words(model_api)


def test_a_waiting_retry_is_made_at_once(start: Start, model_api: FakeModelApi) -> None:
    overloaded = http_failure(529, "overloaded_error", "Overloaded", headers={"retry-after": "60"})
    model_api.script(overloaded, text_turn("There I am."))
    desk = start()
    desk.send("Begin")
    session_id = desk.window.page.session_id
    desk.until(lambda: desk.window.book.facts(session_id).retry_at is not None, what="the retry")
    rows = desk.window.page.transcript.model.rows
    desk.until(lambda: any(row.actions[:1] == (("retry_now", "Retry now"),) for row in rows))
    key = next(row.key for row in rows if row.actions)
    desk.window.page.transcript.row_action.emit(key, "retry_now")
    desk.until(lambda: "There I am." in desk.transcript_text())
