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
