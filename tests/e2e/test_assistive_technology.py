"""The window with a screen reader attached: a private bus, a real X server, a program that reads the tree all along."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from pathlib import Path

import pytest

from tests.fakes.x_server import running_x_server

BUS = shutil.which("dbus-daemon")
LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
WALK = Path(__file__).with_name("assisted_walk.py")
LIMIT_S = 360
OF_A_BUSY_TREE = "Could not find accessible on path\nAccessible invalid"  # of what went while the reader came to it


@contextmanager
def running_bus(folder: Path) -> Iterator[str]:
    """The address of a session bus of its own, which starts the one of assistive technology when that is asked for."""
    if BUS is None or not LAUNCHER.exists() or find_library("xcb-cursor") is None:
        pytest.skip("dbus-daemon, at-spi2-core or libxcb-cursor0 is not installed")
    told = [BUS, "--session", "--nofork", "--print-address=1", f"--address=unix:dir={folder}"]
    with subprocess.Popen(told, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        assert bus.stdout is not None
        try:
            yield bus.stdout.readline().strip()
        finally:
            bus.terminate()


@pytest.mark.timeout(LIMIT_S)
def test_a_screen_reader_reads_every_card_and_nothing_breaks(tmp_path: Path) -> None:
    with running_x_server() as display, running_bus(tmp_path) as bus:
        environment = {**os.environ, "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": bus, "QT_QPA_PLATFORM": "xcb"}
        ignored = f"qt_log_ignore={OF_A_BUSY_TREE}\nThis plugin does not support"
        told = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:xdist",
            "-o",
            ignored,
            f"--basetemp={tmp_path / 'walk'}",
            str(WALK),
        ]
        done = subprocess.run(told, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
