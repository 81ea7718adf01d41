"""`banksman run --mode full-auto` in a process whose own limits are in the way: the limit is named as the reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import Cli, Finished, environment, finish

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


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


@pytest.mark.parametrize("most", [16, 24, 63])
def test_too_few_open_files_are_told_at_the_start(cli: Cli, most: int) -> None:
    done = in_full_auto(cli, f"ulimit -n {most}")
    told = f"Banksman may have only {most} files open at once, and needs 64. Raise 'ulimit -n' and start again."
    assert (done.status, done.stdout, done.stderr) == (2, "", f"banksman: {told}\n")


@pytest.mark.parametrize("limit", ["ulimit -n 64", "ulimit -S -n 16"], ids=["fewest", "low soft limit"])
def test_a_run_has_enough_with_the_fewest_files_and_a_low_soft_limit_is_raised(cli: Cli, limit: str) -> None:
    assert in_full_auto(cli, limit).status == 0


def test_a_umask_that_leaves_the_owner_its_rights_is_no_obstacle(cli: Cli) -> None:
    assert "No sandbox could be tried" not in in_full_auto(cli, "umask 077").stderr
