"""The pseudo-terminal and its shell: what a shell finds, and that it does not outlive the app."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from desktop.services.terminals.pty import NoTerminal, open_terminal, start_shell, why_none
from desktop.services.terminals.shell import shell_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
ROOT = Path(__file__).resolve().parents[3]


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_nothing_but_what_left_its_session_survives_the_death_of_the_app(tmp_path: Path) -> None:
    victim = subprocess.Popen(
        [sys.executable, "-m", "tests.services.terminal_victim"], cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert victim.stdout is not None
    with victim.stdout as out:
        shell, job, daemon = (int(number) for number in re.findall(r"\d+", out.readline()))
        assert all(map(lives, (shell, job, daemon)))
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        deadline = time.monotonic() + 10
        while any(map(lives, (shell, job))) and time.monotonic() < deadline:
            psutil.cpu_percent(0.02)
        assert [Path(f"/proc/{pid}/status").read_text() for pid in (shell, job) if lives(pid)] == []
        assert lives(daemon)
    os.kill(daemon, signal.SIGKILL)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("shell", "folder", "reason"),
    [
        ("/bin/no-such-shell", ".", "there is no program /bin/no-such-shell"),
        ("/etc/passwd", ".", "/etc/passwd may not be run"),
        ("/bin/sh", "gone", "the folder .*gone is not there"),
    ],
)
async def test_what_cannot_be_started_says_why(shell: str, folder: str, reason: str, tmp_path: Path) -> None:
    ours, theirs = open_terminal(80, 24)
    with pytest.raises(NoTerminal, match=reason):
        await start_shell([shell], theirs, cwd=tmp_path / folder, env={})
    os.close(ours)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(theirs)
    assert why_none() == ""


def test_the_shell_is_that_of_the_settings_then_the_persons_then_a_plain_one(tmp_path: Path) -> None:
    assert shell_of("/bin/zsh", {"SHELL": "/bin/fish"}) == "/bin/zsh"
    assert shell_of("", {"SHELL": "/bin/fish"}) == "/bin/fish"
    assert shell_of("", {"SHELL": "fish"}) == "/bin/sh"
    assert Path(shell_of("", {})).is_absolute()
