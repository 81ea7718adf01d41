"""Scenes of the composer: what waits, what is attached, commands, the context meter, a summary that is offered."""

from collections.abc import AsyncIterator

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QImage, QLinearGradient, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.domain.chats.commands import Compact
from desktop.domain.commands import Interrupt, SendMessage
from tests.fakes.fake_model_api import text_turn, turn
from tests.screens.samples import TASK
from tests.screens.stage import Stage

WAITING = (
    "Also add a test for a session that expires while the form is open",
    "Write a line in docs/changes.md",
    "Then show me the whole diff, and say which of the three callers in auth/ had the same fault before the change",
)
SUMMARY = (
    "# Goal\n- Fix the login redirect loop.\n\n# Decisions and why\n- The `next` parameter of an earlier round is "
    "dropped, because each redirect added it again.\n\n# Done\n- auth/middleware.py: strips the parameter.\n\n"
    "# State now\n- The tests pass.\n"
)
LONG = "The middleware clears the cookie and then asks for a new login. " * 400


async def _running(stage: Stage) -> str:
    chat = await stage.chat(TASK, turn("I look into it.", fault="stall", piece=100), title="Fix login redirect loop")
    await stage.until(lambda: stage.window.book.facts(chat).turn_running, "the turn")
    await stage.rest(0.4)
    return chat


async def _let_wait(stage: Stage, chat: str, *texts: str) -> None:
    for text in texts:
        stage.send(SendMessage(session_id=chat, text=text))
    await stage.until(lambda: len(stage.window.book.facts(chat).queue) == len(texts), "the queue")
    await stage.rest()


async def queue_three(stage: Stage) -> AsyncIterator[str]:
    """44"""
    chat = await _running(stage)
    await _let_wait(stage, chat, *WAITING)
    await stage.type("composer_text", "And run the tests")
    yield "44-queue-three"
    chips = stage.window.page.area.queue.chips
    edit = chips[1].findChild(QWidget, "queue_edit")
    assert edit is not None
    QTest.mouseClick(edit, Qt.MouseButton.LeftButton)
    await stage.rest()
    yield "44-queue-one-edited"


async def queue_paused(stage: Stage) -> AsyncIterator[str]:
    """44, after a stop"""
    chat = await _running(stage)
    await _let_wait(stage, chat, *WAITING[:2])
    stage.send(Interrupt(session_id=chat))
    await stage.ended(chat)
    await stage.find("queue_resume")
    yield "44-queue-paused"


async def attachments(stage: Stage) -> AsyncIterator[str]:
    """45"""
    picture, notes = stage.home / "login page.png", stage.home / "server log.txt"
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    fill = QLinearGradient(0, 0, 900, 600)
    fill.setColorAt(0, Qt.GlobalColor.darkCyan)
    fill.setColorAt(1, Qt.GlobalColor.yellow)
    painter.fillRect(image.rect(), fill)
    painter.end()
    image.save(str(picture))
    notes.write_text("GET /login 302\n" * 900, encoding="utf-8")
    stage.window.new_chat()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (picture, notes)])
    stage.window.page.composer.text.insertFromMimeData(data)
    pasted = QMimeData()
    pasted.setText("GET /cart 200\n" * 1_800)
    stage.window.page.composer.text.insertFromMimeData(pasted)
    await stage.type("composer_text", "The page looks like this, and the log says this. Why?")
    await stage.rest(0.8)
    yield "45-attachments"
    words = "The page looks like this, and the log says this. Why?"
    stage.script(words, text_turn("The redirect adds the parameter again."))
    QTest.keyClick(await stage.find("composer_text"), Qt.Key.Key_Return)
    await stage.until(lambda: stage.window.page.session_id, "the chat")
    await stage.ended(stage.window.page.session_id)
    await stage.rest(0.8)
    yield "45-attachments-sent"


async def slash_popup(stage: Stage) -> AsyncIterator[str]:
    """22"""
    chat = await stage.chat("Describe the cart", text_turn("It holds products."), title="Describe the cart")
    await stage.ended(chat)
    await stage.type("composer_text", "/")
    await stage.find("slash_popup")
    yield "22-composer-slash-list"
    await stage.type("composer_text", "re")
    yield "22-composer-slash-filtered"
    stage.window.page.composer.set_text("")
    await stage.type("composer_text", "/nothing")
    QTest.keyClick(await stage.find("composer_text"), Qt.Key.Key_Return)
    await stage.rest()
    yield "22-composer-slash-unknown"


async def context_meter(stage: Stage) -> AsyncIterator[str]:
    """46"""
    for number, tokens in enumerate((31_000, 152_000, 186_500)):
        usage = {"input_tokens": tokens, "output_tokens": 800}
        text = f"Explain part {number}"
        chat = await stage.chat(text, text_turn("It waits.", usage=usage), title=text)
        await stage.ended(chat)
        await stage.until(lambda chat=chat: _used(stage, chat), "the meter")
        await stage.rest(0.6)
        yield f"46-context-{('muted', 'warning', 'danger')[number]}"
    await stage.click("composer_context")
    await stage.find("context_popup")
    yield "46-context-popup"


def _used(stage: Stage, chat: str) -> bool:
    meter = stage.window.book.meter(chat)
    return meter is not None and meter.used > 30_000


async def compaction_offer(stage: Stage) -> AsyncIterator[str]:
    """47"""
    usage = {"input_tokens": 150_000, "output_tokens": 800}
    answers = [text_turn(f"{n}. {LONG}") for n in range(2)]
    chat = await stage.chat(TASK, *answers, text_turn("Done.", usage=usage), title="Fix login redirect loop")
    await stage.ended(chat)
    for number in (2, 3):
        await stage.say(chat, f"Go on, part {number}")
        await stage.ended(chat, number)
    stage.script(TASK, text_turn(SUMMARY))
    stage.send(Compact(session_id=chat))
    await stage.find("compaction_dialog")
    yield "47-compaction-offer"


async def zoom_200_composer(stage: Stage) -> AsyncIterator[str]:
    """48, all of it at the largest zoom"""
    chat = await _running(stage)
    await _let_wait(stage, chat, *WAITING)
    await stage.type("composer_text", "And run the tests")
    yield "48-zoom-200-queue"
    stage.send(Interrupt(session_id=chat))
    await stage.ended(chat)
    yield "48-zoom-200-queue-paused"
    async for name in attachments(stage):
        yield f"48-zoom-200-{name}"
