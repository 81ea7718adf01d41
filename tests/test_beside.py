"""Checks beside the tests: in their order, quietly, to the first that fails, and gone when nobody waits for them."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from beside import Beside, ask_to_end, title

SAYS = [sys.executable, "-c", "print('it holds')"]
FAILS = [sys.executable, "-c", "import sys; print('a fault', file=sys.stderr); sys.exit(3)"]


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    return tmp_path, dict(os.environ)


def unexpected() -> None:
    pytest.fail("nothing failed")


def test_what_all_said_is_shown_at_the_end_each_below_its_title(place, capfd):
    with Beside([SAYS, SAYS], *place) as beside:
        beside.start(unexpected)
        assert beside.wait() == 0
    assert capfd.readouterr().out == f"{title(SAYS)}\nit holds\n" * 2


def test_the_first_that_fails_ends_them_and_is_told_of_at_once(place, capfd):
    failed = threading.Event()
    with Beside([FAILS, SAYS], *place) as beside:
        beside.start(failed.set)
        assert failed.wait(60)
        assert beside.wait() == beside.status == 3
    assert capfd.readouterr().out == f"{title(FAILS)}\na fault\n"


def test_nothing_of_them_runs_when_the_tests_have_failed(place):
    folder, _ = place
    os.mkfifo(folder / "told")
    child = "import os; os.write(os.open('told', os.O_WRONLY), b'x'); import signal; signal.pause()"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with Beside([[sys.executable, "-c", script], SAYS], *place) as beside:
        beside.start(unexpected)
        told = (folder / "told").open("rb")
        assert told.read(1) == b"x"
    with told:
        assert told.read() == b""  # the child of the child has ended, too


def test_the_tests_are_ended_as_by_ctrl_c(place):
    script = "import signal\ntry:\n print('here', flush=True); signal.pause()\nexcept KeyboardInterrupt: print('ended')"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        ask_to_end(process)
        assert process.stdout.read() == b"ended\n"
