"""Scenes of what people forbid in words."""

from collections.abc import AsyncIterator

from tests.fakes.fake_model_api import text_turn
from tests.screens.stage import Stage

TASK = "Add the table for orders. Don't touch the migrations, and never push. Ask before you commit."


async def boundary_chips(stage: Stage) -> AsyncIterator[str]:
    """Found words over the composer; then one kept, and words that would lift it."""
    chat = await stage.chat(TASK, text_turn("I will stay away from both."), title="Orders table")
    await stage.ended(chat)
    await stage.find("boundary_chip")
    await stage.rest(0.5)
    yield "32-boundary-chips"
    await stage.click("boundary_keep")
    await stage.find("boundary_kept")
    stage.script(TASK, text_turn("I wait for your click."))
    await stage.say(chat, "You can push now.")
    await stage.ended(chat, 2)
    await stage.rest(0.5)
    yield "32-boundary-kept"
