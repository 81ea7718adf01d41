"""How long an empty hook takes in the sandbox.  python -m tests.bench.bench_hooks

Target (guests 8): 40 ms. The median of several runs, with the best and the worst.
"""

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from desktop.services.egress.egress import Egress
from desktop.services.hooks.running import HookRun, HookRuns
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions

TIMES = 60


async def main() -> None:
    sandbox = Sandbox(os.environ, SandboxOptions())
    report = (await sandbox.probe()).tier
    runs = HookRuns(sandbox, os.environ, Egress())
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        script = Path(folder) / "empty.sh"
        script.write_text("#!/bin/sh\n")
        took: list[float] = []
        for _ in range(TIMES):
            began = time.perf_counter()
            await runs.run(Path(folder), HookRun(f"sh {script}", b"{}", 5, True, Path("/nonexistent")))
            took.append((time.perf_counter() - began) * 1000)
        await runs.close()
    await sandbox.close()
    print(f"{report}: median {statistics.median(took):.1f} ms, best {min(took):.1f}, worst {max(took):.1f}")


if __name__ == "__main__":
    asyncio.run(main())
