"""Scenes of what is found again after a restart and after an absence."""

from collections.abc import AsyncIterator

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.domain.core.permissions import PermissionMode
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.card_scenes import PLAN, QUESTIONS, TITLE
from tests.screens.samples import TASK
from tests.screens.stage import Stage

GIFT_CARDS = "Plan how the shop could support gift cards"


async def question_after_restart(stage: Stage) -> AsyncIterator[str]:
    """20, a question that was half answered"""
    stage.clock.back(minutes=40)
    chat = await stage.chat(TASK, tool_turn("ask_user", title="Sessions", questions=QUESTIONS), title=TITLE)
    await stage.card("question_card")
    await stage.click("question_option_2")
    await stage.click("question_next")
    await stage.click("question_other_choice")
    await stage.type("question_other", "Two weeks")
    await _again(stage, chat)
    await stage.card("question_card")
    await stage.click("question_next")
    yield "20-card-question-after-restart"


async def plan_after_restart(stage: Stage) -> AsyncIterator[str]:
    """20, a plan that was half edited"""
    stage.clock.back(minutes=40)
    chat = await stage.chat(GIFT_CARDS, tool_turn("exit_plan_mode", plan=PLAN), mode=PermissionMode.PLAN)
    await stage.card("plan_card")
    await stage.click("plan_edit")
    await stage.type("plan_edit_text", "Only the table.")
    for _line in range(2):
        QTest.keyClick(await stage.find("plan_edit_text"), Qt.Key.Key_Return)
    await stage.click("plan_edit_use")
    await _again(stage, chat)
    await stage.card("plan_card")
    yield "20-card-plan-after-restart"


async def recap_of_a_night(stage: Stage) -> AsyncIterator[str]:
    """10, many things of several chats"""
    first = await stage.chat("Say what is open", text_turn("Nothing is."), title="What is open")
    await stage.ended(first)
    QApplication.sendEvent(stage.window, QEvent(QEvent.Type.WindowDeactivate))
    stage.clock.back(hours=-9)
    boundary = await stage.chat(
        "Tidy the notes, and never push",
        tool_turn("write_file", path="notes.md", content="# Release\n"),
        tool_turn("bash", command="git push"),
        text_turn("The notes are written; the push was refused."),
        title="Release notes",
    )
    await stage.ended(boundary)
    for title, call in (
        ("Gift cards", tool_turn("ask_user", title="Gift cards", questions=QUESTIONS[:1])),
        ("Old importer", tool_turn("bash", command="rm -rf ~/old-importer")),
        ("Login page", tool_turn("bash", command="npm run build")),
    ):
        await stage.asked(await stage.chat(f"Work on this: {title}", call, title=title))
    QApplication.sendEvent(stage.window, QEvent(QEvent.Type.WindowActivate))
    await stage.find("transcript_recap")
    await stage.rest(0.3)
    yield "10-away-recap-of-a-night"


async def _again(stage: Stage, chat: str) -> None:
    """The program is started anew after its power went, and the chat is opened."""
    stage.clock.back()
    await stage.lose_power()
    await stage.until(lambda: stage.window.book.summary(chat), "the chat")
    stage.window.open_chat(chat)
