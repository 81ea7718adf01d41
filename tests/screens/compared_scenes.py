"""Scenes of results that are compared: the same task for three models, beside each other."""

from collections.abc import AsyncIterator

from desktop.domain.core.ids import new_lane_id, new_session_id
from desktop.domain.lanes.commands import CreateLanesForModels, LaneSlot
from desktop.language import tr
from desktop.ui.compared.card import RunCard
from desktop.ui.compared.page import ComparePage
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.fakes.model_turns import Answer as ModelAnswer
from tests.screens.stage import Stage

TASK = "Write down how often a request is tried again, and how long it waits."
_CODE = '''"""When a request is tried again."""

TRIES = {tries}
WAITS_S = ({waits})


def wait_before(attempt: int) -> float:
    """How long to wait before this attempt."""
    return WAITS_S[min(attempt, len(WAITS_S) - 1)]
'''


def _write(tries: int, waits: str) -> ModelAnswer:
    return tool_turn("write_file", path="retry_policy.py", content=_CODE.format(tries=tries, waits=waits))


async def compared(stage: Stage) -> AsyncIterator[str]:
    """52, one waits, two are done; their difference; and one that was kept"""
    models = ("opus", "sonnet", "haiku")
    says = {
        "opus": [_write(3, "1.0, 2.0, 4.0"), text_turn("Written: three tries.")],
        "sonnet": [_write(5, "0.5, 1.0, 2.0, 4.0, 8.0"), text_turn("Written: five tries.")],
        "haiku": [tool_turn("bash", command="npm run test -- retry"), text_turn("Then not.")],
    }
    stage.answer_by_model(says)
    slots = tuple(
        LaneSlot(
            lane_id=new_lane_id(), session_id=new_session_id(), name=f"retry policy {one}", endpoint_id="anthropic",
            model=one,
        )
        for one in models
    )  # fmt: skip
    stage.send(CreateLanesForModels(slots=slots, text=TASK))
    for slot in slots[:2]:
        await stage.ended(slot.session_id)
    await stage.asked(slots[2].session_id)
    stage.window.page.action_asked.emit("compared")
    page = await stage.find("compared")
    assert isinstance(page, ComparePage)
    await stage.until(lambda: page.difference.pane.is_showing, "the difference")
    cards = page.findChildren(RunCard, "compared_run")
    await stage.until(lambda: sum(" +" in card.accessibleName() for card in cards) == 2, "what they changed")
    yield "52-compared-waiting"
    await stage.answer(slots[2].session_id, "reject")
    await stage.ended(slots[2].session_id)
    await stage.until(lambda: page.tray.isHidden(), "no card")
    await stage.rest(0.8)
    yield "52-compared-difference"
    page.keep_asked.emit(slots[0].session_id)
    await stage.click("compared_keep_go")
    await stage.until(lambda: tr("Kept") in cards[0].accessibleName(), "what was kept")
    await stage.rest(0.6)
    yield "52-compared-kept"
