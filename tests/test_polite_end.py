"""SIGTERM closes the window as its menu does: properly, and not as a crash."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import ROOT, environment


@pytest.mark.skipif(sys.platform != "linux", reason="what a process catches is told by Linux")
def test_a_polite_kill_ends_the_window_with_its_own_status(tmp_path: Path) -> None:
    env = environment(tmp_path / "home", QT_QPA_PLATFORM="offscreen")
    program = subprocess.Popen([sys.executable, "-m", "desktop"], cwd=ROOT, env=env, stderr=subprocess.PIPE)
    end = time.monotonic() + 25
    while not _catches(program.pid, signal.SIGTERM):
        assert program.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=25)
    assert (program.returncode, said.decode()) == (0, "")


def _catches(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)
