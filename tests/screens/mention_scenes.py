"""Scenes of what is named with an `@`: the list while it is written, and what went along once it was sent."""

from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.fake_model_api import text_turn
from tests.screens.samples import TASK
from tests.screens.stage import Stage


async def _begun(stage: Stage) -> str:
    other = await stage.chat("Describe the cart", text_turn("It holds products."), title="Describe the cart")
    await stage.ended(other)
    chat = await stage.chat(TASK, text_turn("I will look."), title="Fix login redirect loop")
    await stage.ended(chat)
    lane = stage.window.book.facts(chat).lane_id
    folder = next(one.worktree_path for one in stage.window.book.lane_book.lanes if one.id == lane)
    root = Path(folder)
    for name in ("auth/middleware.py", "auth/session_store.py", "docs/how to log in.md", "tests/test_auth.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("class LoginLoop:\n    limit = 3\n", encoding="utf-8")
    (root / ".env").write_text("TOKEN=abcdefgh12345678\n", encoding="utf-8")
    return chat


async def _listed(stage: Stage, words: str) -> None:
    mentions = stage.window.page._writing.mentions
    await stage.until(lambda: any(words in key for key in mentions.popup.keys), words)
    await stage.rest()


async def mention_list(stage: Stage) -> AsyncIterator[str]:
    """23, what can be named while a message is written"""
    chat = await _begun(stage)
    await stage.type("composer_text", "Compare @")
    await _listed(stage, "README")
    yield "23-composer-mention-first"
    await stage.type("composer_text", "aumi")
    await _listed(stage, "middleware")
    yield "23-composer-mention-letters"
    stage.window.page.composer.set_text("")
    await stage.type("composer_text", "See @symbol:login")
    await _listed(stage, "LoginLoop")
    yield "23-composer-mention-symbols"
    stage.window.page.composer.set_text("")
    await stage.type("composer_text", "Have it looked at by @agent:")
    await _listed(stage, "reviewer")
    yield "23-composer-mention-agents"
    stage.window.page.composer.set_text("")
    await stage.type("composer_text", "Go on from @chat:")
    await _listed(stage, "describe")
    yield "23-composer-mention-chats"
    QTest.keyClick(await stage.find("composer_text"), Qt.Key.Key_Escape)
    stage.window.page.composer.set_text("")
    name = await _name(stage)
    stage.script(TASK, text_turn("The middleware adds the parameter again at each redirect."))
    files = '@auth/middleware.py with @"docs/how to log in.md" and @tests/'
    words = f"Compare {files}, use @.env and @reviewer, go on from {name}"
    await stage.say(chat, words)
    await stage.ended(chat, 2)
    await stage.rest(0.4)
    yield "23-mentions-sent"


async def _name(stage: Stage) -> str:
    await stage.type("composer_text", "@chat:")
    await _listed(stage, "describe")
    name = next(key for key in stage.window.page._writing.mentions.popup.keys if "describe" in key)
    QTest.keyClick(await stage.find("composer_text"), Qt.Key.Key_Escape)
    stage.window.page.composer.set_text("")
    return name
