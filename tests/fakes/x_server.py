"""A real X server without a screen, and programs with a window on it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.services.proofs.x_windows import NOT_OURS, WindowProblem, windows_on_screen

XVFB = shutil.which("Xvfb")
SIZE = (640, 480)
PROGRAM = Path(__file__).with_name("x_program.py")


@contextmanager
def running_x_server() -> Iterator[str]:
    """The name of its display. Nothing is on it but what a test puts there; it is gone afterwards. The test is skipped
    where no such server can be had, or where it is not told which process connects."""
    if XVFB is None:
        pytest.skip("Xvfb is not installed")
    read, write = os.pipe()
    told = [XVFB, "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(told, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as number:
            display = f":{number.readline().strip()}"
        try:
            if display == ":" or not _tells_processes(display):
                pytest.skip("no X server that tells processes can be had here")
            yield display
        finally:
            server.terminate()


def _tells_processes(display: str) -> bool:
    try:
        windows_on_screen(display)
    except WindowProblem as problem:
        if str(problem) == NOT_OURS:
            return False
        raise
    return True


@contextmanager
def x_program(display: str, place: tuple[int, int, int, int], **more: str) -> Iterator[int]:
    """The number of the window of a program of its own, at x, y with width and height. `colour` as RRGGBB, `title`,
    `lane`: the lane in which it says that it was started; `flags`: see the program."""
    lane = more.pop("lane", "")
    environment = {**os.environ, "DISPLAY": display, **({"BANKSMAN_LANE_ID": lane} if lane else {})}
    told = [sys.executable, str(PROGRAM), *map(str, place), *(f"{name}={value}" for name, value in more.items())]
    with subprocess.Popen(told, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            yield int(program.stdout.readline())
        finally:
            program.communicate(timeout=30)
