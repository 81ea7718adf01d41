"""Killing a working engine at random moments, many times.  python -m tests.bench.bench_kill [DEATHS]"""

import sys
import tempfile
import time
from pathlib import Path

from tests.agent.kill_harness import KillHarness, Nursery
from tests.fakes.fake_model_api import FakeModelApi

DEATHS = 200
PER_CHAT = 20


def main(deaths: int) -> None:
    """Print how many events there were; fails where one was lost or one call ran twice."""
    began, events, nursery = time.monotonic(), 0, Nursery()
    for start in range(0, deaths, PER_CHAT):
        with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
            harness = KillHarness(Path(folder), api, nursery)
            harness.rounds(min(PER_CHAT, deaths - start))
            events += len(harness.acknowledged)
            print(f"{start + harness.deaths} deaths, {events} acknowledged events, none lost", flush=True)
    nursery.close()
    print(f"{deaths} deaths in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEATHS)
