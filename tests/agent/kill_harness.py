"""Killing a working engine at random moments, and what must hold afterwards."""

import collections
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from desktop.config.folders import Folders
from desktop.domain.events import LaneAttached, ToolCallFinished
from desktop.domain.history.builder import to_messages
from desktop.store.database import open_store
from tests.agent.rig import make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, RecordedRequest
from tests.fakes.model_turns import Turn, text_turn, tool_turn, turn
from tests.validity import faults

ROOT = Path(__file__).resolve().parents[2]
FILES = {"app.py": "print('hello')\n", "doc.txt": "END\n"}
CALLS_PER_TURN = 7
LIFE_AT_MOST_S = 25.0


def next_step(request: RecordedRequest) -> Turn:
    """What the model does, by what it sees: the n-th call leaves a mark with its number, so each can be counted."""
    blocks = [block for message in request.messages for block in message["content"]]
    number = sum(1 for block in blocks if block["type"] == "tool_use")
    answered = request.messages[-1]["content"][-1]["type"] == "tool_result"
    if answered and number % CALLS_PER_TURN == 0:
        return text_turn(f"done up to {number}")
    steps = [
        tool_turn("bash", command=f"echo mark-{number} >> marks"),
        tool_turn("write_file", file_path=f"made/w{number}.txt", content=f"{number}\n"),
        turn(calls=[("read_file", {"file_path": "doc.txt"}), ("grep", {"pattern": "END"})]),
        tool_turn("edit_file", file_path="doc.txt", old_string="END\n", new_string=f"edit-{number}\nEND\n"),
        tool_turn("bash", command=f"echo slow-{number} >> marks; sleep 0.1; echo late-{number} >> marks"),
    ]
    answers = sum(1 for message in request.messages if message["role"] == "assistant")
    return steps[answers % len(steps)]


class Nursery:
    """Begins processes that work until they are killed; what they need is loaded once."""

    def __init__(self) -> None:
        program = [sys.executable, "-m", "tests.agent.kill_child"]
        self._parent = subprocess.Popen(program, cwd=ROOT, stdin=subprocess.PIPE)

    def begin(self, out: Path, home: Path, repository: Path, session_id: str) -> None:
        """One that tells of itself in the pipe at `out`."""
        assert self._parent.stdin is not None
        line = json.dumps([str(out), str(home), str(repository), session_id])
        self._parent.stdin.write(f"{line}\n".encode())
        self._parent.stdin.flush()

    def close(self) -> None:
        """No more."""
        self._parent.communicate()


class KillHarness:
    """One chat that lives through many deaths. `acknowledged`: every event that a dead process had told of."""

    def __init__(self, folder: Path, api: FakeModelApi, nursery: Nursery) -> None:
        self.home = folder / "home"
        self.repository = make_repository(folder / "shop", FILES)
        home = self.home
        self.folders = Folders(home / "config", home / "data", home / "cache", home / "logs")
        write_settings(self.folders, api.url)
        api.answer_with(next_step)
        self.session_id = ""
        self.acknowledged: dict[str, tuple[str, str]] = {}
        self.deaths = 0
        self._nursery = nursery
        self._out = folder / "told"
        os.mkfifo(self._out)

    def live_and_die(self, events: int, seconds: float) -> None:
        """Let a process work until it told of so many events, and for so long more; then kill it."""
        self._nursery.begin(self._out, self.home, self.repository, self.session_id)
        with self._out.open("rb") as told:
            pid = int(told.readline())
            late = threading.Timer(LIFE_AT_MOST_S, os.kill, (pid, signal.SIGKILL))
            late.start()
            first = [told.readline() for _ in range(events)]
            late.cancel()
            time.sleep(seconds)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            rest = told.read()
        for line in (b"".join(first) + rest).decode().splitlines(keepends=True):
            if line.endswith("\n"):
                session_id, seq, event_id, digest = line.split()
                self.session_id = session_id
                self.acknowledged[event_id] = (seq, digest)
        self.deaths += 1
        assert first[0], "the process did not come to live"

    def check(self) -> int:
        """What must hold after each death; how many events there are."""
        store = open_store(self.folders.store)
        try:
            path = store.events.path(self.session_id)
            stored = {e.event_id: (str(e.seq), e.hash) for e in path}
            lost = {event_id for event_id, told in self.acknowledged.items() if stored.get(event_id) != told}
            assert not lost, f"acknowledged and not there: {lost}"
            assert store.events.verify(self.session_id) == []
            assert not faults(to_messages(path, session_id=self.session_id))
            results = collections.Counter(e.event.call_id for e in path if isinstance(e.event, ToolCallFinished))
            assert not [call_id for call_id, times in results.items() if times > 1]
            lane = next(Path(e.event.worktree_path) for e in path if isinstance(e.event, LaneAttached))
        finally:
            store.close()
        self.check_marks(lane)
        return len(path)

    def check_marks(self, lane: Path) -> None:
        """No call had its effect twice."""
        marks = (lane / "marks").read_text().split() if (lane / "marks").exists() else []
        edits = [line for line in (lane / "doc.txt").read_text().split() if line.startswith("edit-")]
        twice = [mark for mark, times in collections.Counter([*marks, *edits]).items() if times > 1]
        assert not twice, f"ran twice: {twice}"

    def rounds(self, number: int, most_events: int = 35) -> None:
        """So many lives and deaths."""
        for _ in range(number):
            self.live_and_die(random.randint(1, most_events), random.choice((0.0, random.uniform(0.0, 0.15))))
            self.check()
