"""Scenes of the inbox."""

from collections.abc import AsyncIterator

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QListView, QMenu

from desktop.domain.core.permissions import PermissionMode
from desktop.language import tr
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.fakes.model_turns import Answer
from tests.screens.card_scenes import COMMAND, PLAN, QUESTIONS
from tests.screens.stage import Stage

LOOP, CARDS, SESSIONS, OLD = (
    "Fix login redirect loop",
    "Plan gift cards",
    "Keep sessions across restarts",
    "Remove the old importer",
)
SAME = ("Bump the linter in the shop", "Bump the linter in the till", "Bump the linter in the reports")


async def many(stage: Stage) -> None:
    """Chats that wait for each kind of answer, asked at different times."""
    stage.clock.back(minutes=47)
    await _waits(stage, SESSIONS, tool_turn("ask_user", title="Sessions", questions=QUESTIONS))
    stage.clock.back(minutes=22)
    plan = tool_turn("exit_plan_mode", plan=PLAN)
    chat = await stage.chat(CARDS, plan, title=CARDS, show=False, mode=PermissionMode.PLAN)
    await stage.asked(chat)
    stage.clock.back(minutes=9)
    await _waits(stage, LOOP, tool_turn("bash", command=COMMAND))
    stage.clock.back(minutes=4)
    await _waits(stage, OLD, tool_turn("bash", command="rm -rf ~/old-importer"))
    for number, title in enumerate(SAME):
        stage.clock.back(minutes=3 - number)
        await _waits(stage, title, tool_turn("bash", command="npm install --save-dev eslint@9"))
    stage.clock.back(minutes=0)


async def _waits(stage: Stage, title: str, *answers: Answer) -> str:
    chat = await stage.chat(title, *answers, title=title, show=False)
    await stage.asked(chat)
    return chat


async def open_inbox(stage: Stage) -> QListView:
    """Opened as its keys do."""
    action = stage.window.findChild(QAction, "action_inbox")
    assert action is not None
    action.trigger()
    found = (await stage.find("inbox_dialog")).findChild(QListView, "inbox_list")
    assert isinstance(found, QListView)
    await stage.rest(0.4)
    return found


async def choose(stage: Stage, rows: QListView, words: str) -> None:
    """The first row that says so."""
    model = rows.model()
    titles = [str(model.index(at, 0, QModelIndex()).data()) for at in range(model.rowCount())]
    at = next(at for at, title in enumerate(titles) if words in title)
    rows.setCurrentIndex(model.index(at, 0))
    await stage.rest(0.4)


async def inbox(stage: Stage) -> AsyncIterator[str]:
    """21"""
    stage.window.new_chat()
    rows = await open_inbox(stage)
    yield "21-inbox-empty"
    rows.window().close()
    await many(stage)
    rows = await open_inbox(stage)
    yield "21-inbox-mixed"
    await choose(stage, rows, "npm install")
    yield "21-inbox-same-in-three-lanes"
    tick = await stage.find("inbox_same_tick")
    assert isinstance(tick, QCheckBox)
    tick.setChecked(True)
    await stage.rest()
    yield "21-inbox-same-in-three-lanes-ticked"
    await choose(stage, rows, tr("Question"))
    yield "21-inbox-question"
    await choose(stage, rows, "Plan")
    yield "21-inbox-plan"
    await put_off(stage, rows)
    yield "21-inbox-snoozed"


async def inbox_answered(stage: Stage) -> AsyncIterator[str]:
    """21, what was answered today, one of it with an undo"""
    script = "echo 'login = 2' > login.py"
    chats = [await _waits(stage, LOOP, tool_turn("bash", command=script), text_turn("Done."))]
    chats.append(await _waits(stage, OLD, tool_turn("bash", command="rm -rf ~/old-importer"), text_turn("Kept.")))
    stage.clock.back(minutes=31)
    await stage.answer(chats[1], "reject", note="Ask the owners first.")
    stage.clock.back(minutes=2)
    await stage.answer(chats[0])
    for chat in chats:
        await stage.ended(chat)
    stage.clock.back(minutes=0)
    stage.window.new_chat()
    rows = await open_inbox(stage)
    await stage.click("inbox_filter_answered")
    await stage.until(lambda: rows.model().rowCount() == 2, "the answers")
    await stage.find("inbox_undo")
    yield "21-inbox-answered-today"


async def put_off(stage: Stage, rows: QListView) -> None:
    """One entry until an hour from now, another gets a second look."""
    await choose(stage, rows, "python3")
    await stage.click("inbox_second_look")
    await choose(stage, rows, "Plan")
    menu = stage.window.findChild(QMenu, "inbox_snooze_menu")
    assert menu is not None
    menu.aboutToShow.emit()
    next(one for one in menu.actions() if one.objectName() == "inbox_snooze_60").trigger()
    await choose(stage, rows, "Plan")


async def inbox_ends(stage: Stage) -> AsyncIterator[str]:
    """21, a chat that was cut off"""
    chat = await stage.chat(LOOP, tool_turn("bash", command=COMMAND), title=LOOP)
    await stage.asked(chat)
    await stage.lose_power()
    await stage.until(lambda: stage.window.book.listed, "the chats")
    stage.window.new_chat()
    await open_inbox(stage)
    yield "21-inbox-interrupted"
    done = await stage.chat("Say hello", text_turn("Hello."), show=False)
    await stage.ended(done)


ALIKE = (
    "Make make_str handle a bytearray",
    "Make make_str handle a memoryview",
    "Make make_str handle surrogates",
    "Make make_str handle None and numbers",
)


async def sidebar_ten(stage: Stage) -> AsyncIterator[str]:
    """04, ten chats: some wait, four begin with the same words, one lane has two"""
    for minutes, title in enumerate((LOOP, CARDS, OLD)):
        stage.clock.back(minutes=3 + 9 * minutes)
        await _waits(stage, title, tool_turn("bash", command=COMMAND))
    stage.clock.back(minutes=0)
    for title in (*ALIKE, SESSIONS, "Describe the cart"):
        chat = await stage.chat(title, text_turn("Done."), title=title, show=False)
        await stage.ended(chat)
    lane_id = stage.window.book.facts(chat).lane_id
    more = await stage.chat("Draw the cart", text_turn("Done."), title="Draw the cart", lane_id=lane_id, show=False)
    await stage.ended(more)
    stage.window.new_chat()
    await stage.rest(0.5)
    yield "04-sidebar-ten-chats"
