"""Programs that are started hear what this process ignores."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, subprocess, sys
from desktop.services.processes.signals import let_children_hear

let_children_hear()
ask = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_DFL)"
print(subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
def test_what_is_ignored_here_ends_a_child_and_not_this_process() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert done.stdout.split("\n") == ["True", "goes on", ""]
