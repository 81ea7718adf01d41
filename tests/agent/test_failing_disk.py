"""A disk that says that it lost what was written: nothing follows from events that may not be there."""

import sys

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.library_events import PromptChanged
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import AssistantMessage, Envelope, Event, ToolCallFinished, ToolCallStarted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.store.failing_disk import lose_flushes

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="descriptors are led away through /proc"),
]


class FailsAfter(Rig):
    """Its disk keeps nothing more once an event of this type was told."""

    fails_after: type[Event] | None = None

    def _take(self, update: Update) -> None:
        if isinstance(update, Envelope) and self.fails_after and isinstance(update.event, self.fails_after):
            lose_flushes(self.folders.store)
        super()._take(update)


@pytest.fixture
def rig_type() -> type[Rig]:
    return FailsAfter


@pytest.mark.promise("sessions-SZ3")
@pytest.mark.parametrize(
    ("fails_after", "touched", "requests"),
    [
        (PromptChanged, False, 0),
        (AssistantMessage, False, 1),
        (ToolCallStarted, False, 1),
        (ToolCallFinished, True, 1),
        (None, True, 2),
    ],
)
async def test_no_effect_and_no_request_follows_what_may_not_be_on_the_disk(
    folders: Folders,
    rig: FailsAfter,
    model_api: FakeModelApi,
    fails_after: type[Event] | None,
    touched: bool,
    requests: int,
) -> None:
    model_api.script(tool_turn("bash", command="touch x"), text_turn("done"))
    rig.fails_after = fails_after
    session_id = await rig.new("Touch", PermissionMode.FULL_AUTO, without_sandbox=True)
    session = rig.engine.sessions.get(session_id)
    await rig.until(lambda updates: not session.running or None)
    assert (rig.lane(session_id) / "x").exists() is touched
    assert len(model_api.requests) == requests
    assert [failed.code for failed in rig.failures()] == ([] if fails_after is None else ["frozen"])
