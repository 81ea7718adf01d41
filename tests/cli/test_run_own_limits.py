"""`banksman run --mode full-auto` in a process whose own limits are in the way: the limit is named as the reason."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import Cli, Finished, environment, finish

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
PROBE = """
import asyncio, os, resource
from desktop.services.sandbox.sandbox import Sandbox
async def told():
    opened = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + {room}, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return await Sandbox(os.environ).probe()
report = asyncio.run(told())
print(report.level, report.reason)
"""


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = Cli(tmp_path / "home", make_repository(tmp_path / "shop"))
    assert cli.run("run", "Look", "--endpoint", "demo").status == 0
    return cli


def in_full_auto(cli: Cli, limit: str) -> Finished:
    """A run whose process has set itself this limit."""
    run = f'{limit}; exec "$0" -m desktop run Look --endpoint demo --mode full-auto'
    return finish(
        subprocess.Popen(
            ["bash", "-c", run, sys.executable], cwd=cli.folder, env=environment(cli.home),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
    )  # fmt: skip


def test_a_umask_that_spoils_every_file_is_the_reason_told(cli: Cli) -> None:
    done = in_full_auto(cli, "umask 777")
    assert done.status == 2
    assert "files that Banksman makes cannot be used" in done.stderr
    assert "umask" in done.stderr
    assert "bubblewrap" not in done.stderr


def test_too_few_open_files_are_the_reason_told(cli: Cli) -> None:
    done = in_full_auto(cli, "ulimit -n 20")
    assert done.status == 2
    assert "open files" in done.stderr or "open enough files" in done.stderr
    assert "bubblewrap" not in done.stderr


@pytest.mark.parametrize("room", [2, 4, 6, 8])
def test_a_probe_that_runs_out_of_files_says_so(room: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(room=room)], capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stderr
    level, _, reason = done.stdout.strip().partition(" ")
    assert level == "full" or "may not open enough files at once" in reason


def test_a_umask_that_leaves_the_owner_its_rights_is_no_obstacle(cli: Cli) -> None:
    assert "No sandbox could be tried" not in in_full_auto(cli, "umask 077").stderr
