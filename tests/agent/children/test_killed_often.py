"""A chat with children is killed again and again: nothing that was told is lost, nothing runs or is told twice, and the
logs of all of them fit together."""

import collections
import os
import random
import signal
import time
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.children.events import ChildBegun, ChildEnded, ChildResultDelivered
from desktop.domain.core.errors import StoreUnavailable
from desktop.domain.events import LaneAttached, ToolCallFinished
from desktop.domain.history.builder import to_messages
from desktop.store.core.store import Store
from desktop.store.core.verify_audit import verify
from desktop.store.database import open_store
from tests.agent.children.child_script import first_words
from tests.agent.rig import make_repository
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest
from tests.fakes.model_turns import Call, Turn, text_turn, tool_turn, turn
from tests.forking import fork
from tests.validity import faults

ROOT = Path(__file__).resolve().parents[3]
HELD_S = 20.0
LIVES = int(os.environ.get("BANKSMAN_CHILD_LIVES", "4"))


def next_step(request: RecordedRequest) -> Turn:
    """A chat begins two children at a time, one of them in the background; each child leaves one mark."""
    said = [message for message in request.messages if message["role"] == "assistant"]
    words = first_words(request)
    if words.startswith("Child"):
        number = words.split()[1].strip(":")
        mark = {"file_path": "doc.txt", "old_string": "END\n", "new_string": f"mark-{number}\nEND\n"}
        steps = [tool_turn("read_file", file_path="doc.txt"), tool_turn("edit_file", **mark)]
        return steps[len(said)] if len(said) < len(steps) else text_turn(f"child {number} is done")
    calls = sum(block["type"] == "tool_use" for message in said for block in message["content"])
    answered = request.messages[-1]["content"][-1]["type"] == "tool_result"
    if answered and calls % 4 == 0:
        return text_turn("enough for now")
    begun = [{"background": True}, {}]
    return turn(
        calls=[
            Call(
                "task",
                {"description": "mark", "prompt": f"Child {calls + place}: mark", "agent": "implementer", **more},
            )
            for place, more in enumerate(begun, start=1)
        ]
    )


def opened(folders: Folders) -> Store:
    """The store, once nothing that the dead process was just starting holds it."""
    ends = time.monotonic() + HELD_S
    while True:
        try:
            return open_store(folders.store)
        except StoreUnavailable:
            if time.monotonic() > ends:
                raise


def check(folders: Folders, session_id: str, told_of: dict[tuple[str, int], str]) -> int:
    """What must hold after each death; how many children there are. `told_of`: the hash of each event that a dead
    process had told of, by log and place."""
    store = opened(folders)
    try:
        logs = {one for one, _ in told_of}
        kept = {(one, entry.seq): entry.hash for one in logs for entry in store.events.path(one)}
        assert {place: kept.get(place) for place in told_of} == told_of
        path = store.events.path(session_id)
        assert not faults(to_messages(path, session_id=session_id))
        events = [envelope.event for envelope in path]
        begun = collections.Counter(e.child_id for e in events if isinstance(e, ChildBegun))
        ended = collections.Counter(e.child_id for e in events if isinstance(e, ChildEnded))
        told = collections.Counter(e.child_id for e in events if isinstance(e, ChildResultDelivered))
        results = collections.Counter(e.call_id for e in events if isinstance(e, ToolCallFinished))
        assert all(times == 1 for times in (*begun.values(), *ended.values(), *told.values(), *results.values()))
        assert set(told) <= set(ended) <= set(begun)
        lane = next(Path(e.worktree_path) for e in events if isinstance(e, LaneAttached))
    finally:
        store.close()
    assert verify(folders.store).findings == []
    marks = collections.Counter(line for line in (lane / "doc.txt").read_text().split() if line.startswith("mark-"))
    assert all(times == 1 for times in marks.values()), marks
    return len(begun)


@pytest.mark.timeout(30 + 15 * LIVES)
@pytest.mark.promise("memory-SU9")
@pytest.mark.promise("memory-SU11")
def test_nothing_of_a_child_happens_twice_however_often_the_process_dies(
    tmp_path: Path, folders: Folders, model_api: FakeModelApi
) -> None:
    repository = make_repository(tmp_path / "shop2", {"doc.txt": "END\n"})
    model_api.answer_with(next_step)
    session_id, children = "", 0
    told_of: dict[tuple[str, int], str] = {}
    for _ in range(LIVES):
        words = [str(folders.config.parent), str(repository), session_id]
        process = fork("tests.agent.children.kill_victim", words, ROOT, dict(os.environ), session=True)
        with process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(random.randint(12, 70))]
            os.killpg(process.pid, signal.SIGKILL)
            said += process.stdout.readlines()
        for line in said:
            log, place, digest = line.decode().split()
            told_of[log, int(place)] = digest
            session_id = session_id or log
        children = check(folders, session_id, told_of)
    assert children > 1
