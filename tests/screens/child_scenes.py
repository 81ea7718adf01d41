"""Scenes of sub-agents: beside one another with a card of one, and one on its own page."""

from collections.abc import AsyncIterator

from tests.fakes.fake_model_api import Call, text_turn, tool_turn, turn
from tests.fakes.model_turns import Turn
from tests.screens.stage import Stage

TASK = "Find out where the login page redirects to itself, and mend it"
LOOK = "where tokens are checked"


def _begins(description: str, prompt: str, agent: str = "explorer", **more: object) -> Call:
    return Call("task", {"description": description, "prompt": prompt, "agent": agent, **more})


async def children(stage: Stage) -> AsyncIterator[str]:
    """85"""
    stage.script("One: find it", tool_turn("grep", pattern="token"), text_turn("auth/middleware.py:12 checks them."))
    stage.script("Two: mend it", tool_turn("bash", command="python3 -m unittest -q tests.test_auth"))
    stage.script("Three: compare", tool_turn("list_dir"), Turn(text="They clear it there.", delay_s=60))
    beside = turn(
        "Three things can be looked at beside one another.",
        [
            _begins(LOOK, "One: find it"),
            _begins("mend the redirect", "Two: mend it", "implementer"),
            _begins("how other pages do it", "Three: compare"),
        ],
    )
    chat = await stage.chat(TASK, beside, title="Fix login loop")
    await stage.find("approval_card")
    facts = stage.window.book.facts
    await stage.until(lambda: sum(one.running for one in facts(chat).children) == 2, "the first to end")
    await stage.rest()
    yield "85-children"
    child = next(one for one in facts(chat).children if LOOK in one.words)
    stage.window.page.header.chat_asked.emit(child.child_id)
    await stage.find("header_parent")
    await stage.rest()
    yield "85-child"


async def many_children(stage: Stage) -> AsyncIterator[str]:
    """86"""
    for number in range(1, 12):
        found = text_turn(f"It reads them in src/module{number}.py.")
        stage.script(f"Part {number}: look", tool_turn("grep", pattern=f"token{number}"), *[found] * (number != 3))
    for number in range(12, 21):
        slow = Turn(text="Nothing there.", delay_s=60)
        stage.script(f"Part {number}: look", tool_turn("grep", pattern=f"token{number}"), slow)
    calls = [_begins(f"what module {number} does with tokens", f"Part {number}: look") for number in range(1, 21)]
    first = turn("The first six can be looked at now.", calls[:6])
    chat = await stage.chat(TASK, first, text_turn("Six of them are known."), title="Fix login loop")
    await stage.answer(chat)
    await stage.ended(chat)
    stage.script(TASK, turn("Now the other fourteen.", calls[6:]))
    await stage.say(chat, "Go on with the others")
    await stage.answer(chat)
    facts = stage.window.book.facts
    await stage.until(lambda: sum(one.running for one in facts(chat).children) == 8, "eleven to end")
    await stage.rest(0.6)
    yield "86-many-children"
    stage.scroll_up(600)
    await stage.rest()
    yield "86-many-children-above"
    view = stage.window.page.transcript
    row = next(row for row in reversed(view.model.rows) if row.is_group)
    for call in row.calls[:2]:
        view.set_expanded(row.key, True, call.call_id)
    opened = lambda: sum(bool(call.child and call.child.below) for call in view.model.rows[-1].calls)  # noqa: E731
    await stage.until(lambda: opened() == 2, "their rows")
    view.show_row(view.model.index_of(row.key))
    await stage.rest()
    yield "86-children-opened"


async def children_apart(stage: Stage) -> AsyncIterator[str]:
    """87"""
    made = tool_turn("write_file", file_path="src/remember.py", content="REMEMBER = True\n")
    commit = tool_turn("commit_changes", message="Remember the page")
    stage.script("One: make it", made, commit, text_turn("The page is remembered in src/remember.py."))
    stage.script("Two: try it", tool_turn("list_dir"), Turn(text="It does.", delay_s=60))
    apart = _begins("remember the page", "One: make it", "implementer", lane="own")
    trial = _begins("try the redirect", "Two: try it", "implementer", lane="own", background=True)
    take = tool_turn("take_task_changes", task_id="t1")
    beside = turn("Both can be made beside one another.", [apart, trial])
    chat = await stage.chat(TASK, beside, take, text_turn("It is in this lane now."), title="Fix login loop")
    await stage.ended(chat)
    await stage.rest(0.6)
    yield "87-children-apart"
