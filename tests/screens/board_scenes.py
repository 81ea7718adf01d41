"""Scenes of the board: all chats by what they need."""

from collections.abc import AsyncIterator

from PySide6.QtTest import QTest

from tests.fakes.fake_model_api import text_turn, tool_turn, turn
from tests.screens.samples import TASK
from tests.screens.stage import Stage


async def board(stage: Stage) -> AsyncIterator[str]:
    """50, chats in all states"""
    for title in ("Describe the cart", "Write the changelog", "Look for dead code"):
        chat = await stage.chat(
            title, tool_turn("write_file", path=f"{len(title)}.md", content="x\n"), text_turn("Done."), title=title
        )
        await stage.ended(chat)
    waits = await stage.chat("Tidy the tests", tool_turn("bash", command="npm run test"), title="Tidy the tests")
    await stage.asked(waits)
    runs = await stage.chat(TASK, turn("I look into it.", fault="stall", piece=100), title="Fix login redirect loop")
    await stage.until(lambda: stage.window.book.facts(runs).turn_running, "the turn")
    stage.window.page.action_asked.emit("board")
    await stage.find("board_waiting")
    await stage.rest(0.6)
    yield "50-board"
    field = await stage.find("board_filter")
    QTest.keyClicks(field, "the c")
    await stage.rest()
    yield "50-board-filtered"
