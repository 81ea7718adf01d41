"""A process that is killed while it appends loses nothing it was told is stored."""

import os
import random
import signal
import time
from pathlib import Path

from desktop.domain.events import TurnEnded, UserMessage
from desktop.store.database import open_store
from tests.forking import ROOT, fork

ROUNDS = 10


def test_every_acknowledged_event_survives_kill_9_and_a_batch_is_whole_or_absent(tmp_path):
    acknowledged: dict[int, str] = {}
    for _ in range(ROUNDS):
        acknowledged |= append_until_killed(tmp_path / "store", random.uniform(0.0, 0.12))
        store = open_store(tmp_path / "store")
        read = store.events.read("ses_a")
        assert [envelope.seq for envelope in read] == list(range(len(read)))
        assert {seq: read[seq].hash for seq in acknowledged} == acknowledged
        assert store.events.verify("ses_a") == []
        assert store.events.rows()[0].head_event_id == read[-1].event_id
        assert not ends_inside_a_batch(read)
        store.close()
    assert len(acknowledged) > ROUNDS


def append_until_killed(folder: Path, seconds: float) -> dict[int, str]:
    """Let a child append for a random time after its first line, kill it; what it said is stored."""
    with fork("tests.store.append_child", [str(folder)], ROOT, dict(os.environ)) as child:
        first = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        rest, _ = child.communicate(timeout=20.0)
    lines = (first + rest).decode().splitlines(keepends=True)
    return {int(line.split()[0]): line.split()[1] for line in lines if line.endswith("\n")}


def ends_inside_a_batch(read: list) -> bool:
    """A batch is two equal messages, then the end of a turn; single messages never repeat the one before."""
    before_last, last = read[-2].event, read[-1].event
    if isinstance(last, TurnEnded):
        return False
    return isinstance(last, UserMessage) and last == before_last and len(last.parts[0]["text"]) > 0
