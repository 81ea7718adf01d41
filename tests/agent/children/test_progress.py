"""How far children are is told at most four times a second for each, and stored nowhere."""

import asyncio
import itertools
from collections import defaultdict

import pytest

from desktop.agent.children.progress import EVERY_S
from desktop.config.folders import Folders
from desktop.domain.children.commands import StopChild
from desktop.domain.children.events import ChildBegun
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.updates import ToolProgress
from tests.agent.children.child_script import Cast
from tests.agent.children.test_foreground import over
from tests.agent.children.test_together import begins
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.model_turns import Call, Turn, turn

pytestmark = pytest.mark.asyncio
STEPS, CALLS = 12, 4
OF_THE_TURN = {"checkpoint_made", "checkpoint_skipped"}  # the files as the chat's turn began, kept while it goes on


class TimedRig(Rig):
    """`told`: by call, when each of its progress came, in seconds of the loop, and what it said."""

    def __init__(self, folders: Folders) -> None:
        super().__init__(folders)
        self.told: dict[str, list[tuple[float, ToolProgress]]] = defaultdict(list)

    def _take(self, update: Update) -> None:
        if isinstance(update, ToolProgress):
            self.told[update.call_id].append((asyncio.get_running_loop().time(), update))
        super()._take(update)


@pytest.fixture
def rig_type() -> type[Rig]:
    return TimedRig


def busy() -> list[Turn]:
    """A child that makes many small steps."""
    looks = [Call("read_file", {"file_path": "app.py", "offset": line}) for line in range(1, STEPS * CALLS + 1)]
    steps = [tuple(looks[at : at + CALLS]) for at in range(0, len(looks), CALLS)]
    return [*(Turn(calls=calls, delay_s=0.005) for calls in steps), text_turn("seen")]


@pytest.mark.promise("memory-SU14")
async def test_each_child_is_told_of_at_most_four_times_a_second(rig: TimedRig, model_api: FakeModelApi) -> None:
    calls = [begins(1), begins(2)]
    scripts = {f"Child {number}": busy() for number in (1, 2)}
    model_api.answer_with(Cast(Parent=[turn(calls=calls), text_turn("done")], **scripts))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    begun = {event.call_id: event.child_id for event in rig.events(ChildBegun)}
    assert len(begun) == 2
    for call_id, child_id in begun.items():
        happened = [one for one in rig.updates if isinstance(one, Envelope) and one.session_id == child_id]
        assert len(happened) > 2 * STEPS * CALLS
        times = [at for at, _ in rig.told[call_id]]
        assert len(times) >= 2, "told while it runs, not at its end alone"
        gaps = [after - before for before, after in itertools.pairwise(times)]
        assert min(gaps) >= EVERY_S - 0.001
        assert len(times) <= 1 + (times[-1] - times[0]) / EVERY_S
        assert "steps · " in rig.told[call_id][-1][1].tail
    assert EVERY_S >= 1 / 4


@pytest.mark.promise("memory-SU14")
async def test_what_is_told_of_a_child_is_stored_nowhere(rig: TimedRig, model_api: FakeModelApi) -> None:
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1)]), text_turn("done")], Child=busy()))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await over(rig, session_id)
    assert rig.told, "there was something to store"
    log = rig.engine._store.events.read(session_id)
    kinds = [entry.kind for entry in log]
    between = set(kinds[kinds.index("child_begun") + 1 : kinds.index("child_ended")])
    assert between <= OF_THE_TURN, "nothing of the child between in the log of its chat"
    words = {update.tail.partition("\n")[0] for told in rig.told.values() for _, update in told if update.tail}
    child = rig.engine._store.events.read(rig.events(ChildBegun)[0].child_id)
    stored = [entry.model_dump_json() for entry in (*log, *child)]
    assert words
    assert not [word for word in words for text in stored if f'"{word}' in text]


@pytest.mark.promise("memory-SU14")
async def test_nothing_more_is_told_of_a_child_that_was_stopped(rig: TimedRig, model_api: FakeModelApi) -> None:
    child = [*busy()[:-1], Turn(text="slow", delay_s=30)]
    model_api.answer_with(Cast(Parent=[turn(calls=[begins(1)]), text_turn("then without")], Child=child))
    session_id = await rig.new("Parent: go", mode=PermissionMode.EDIT)
    await rig.until(lambda _: rig.told)
    begun = rig.events(ChildBegun)[0]
    await rig.engine.handle(StopChild(child_id=begun.child_id))
    await over(rig, session_id)
    kinds = [one.kind if isinstance(one, Envelope) else type(one).__name__ for one in rig.updates]
    assert "ToolProgress" not in kinds[kinds.index("child_ended") :]
