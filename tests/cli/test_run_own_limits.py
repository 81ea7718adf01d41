"""`banksman run --mode full-auto` in a process whose own limits are in the way: the limit is named as the reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import Cli, Finished, environment, finish
from tests.forking import fork

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
LIMITED_PROGRAM = "tests.cli.limited_program"
FULL_AUTO = ("run", "Look", "--endpoint", "demo", "--mode", "full-auto")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


@pytest.fixture
def used_cli(cli: Cli) -> Cli:
    """One whose home is there, because a run was made."""
    assert cli.run("run", "Look", "--endpoint", "demo").status == 0
    return cli


def in_full_auto(cli: Cli, kind: str, value: str) -> Finished:
    """A run whose process has set itself this limit."""
    return finish(fork(LIMITED_PROGRAM, [kind, value, *FULL_AUTO], cli.folder, environment(cli.home)))


def in_full_auto_anew(cli: Cli, files: int) -> Finished:
    """A run whose process may never have more files open, from its first import."""
    return finish(
        subprocess.Popen(
            ["bash", "-c", f'ulimit -n {files}; exec "$0" -m desktop "$@"', sys.executable, *FULL_AUTO],
            cwd=cli.folder, env=environment(cli.home),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
    )  # fmt: skip


def test_a_umask_that_spoils_every_file_is_the_reason_told(used_cli: Cli) -> None:
    done = in_full_auto(used_cli, "umask", "777")
    assert done.status == 2
    assert "files that Banksman makes cannot be used" in done.stderr
    assert "umask" in done.stderr
    assert "bubblewrap" not in done.stderr


@pytest.mark.parametrize("most", [16, 24, 63])
def test_too_few_open_files_are_told_at_the_start(cli: Cli, most: int) -> None:
    done = in_full_auto_anew(cli, most)
    told = f"Banksman may have only {most} files open at once, and needs 64. Raise 'ulimit -n' and start again."
    assert (done.status, done.stdout, done.stderr) == (2, "", f"banksman: {told}\n")


def test_a_run_has_enough_with_the_fewest_files(used_cli: Cli) -> None:
    assert in_full_auto_anew(used_cli, 64).status == 0


def test_a_low_soft_limit_is_raised(used_cli: Cli) -> None:
    assert in_full_auto(used_cli, "files", "16").status == 0


def test_a_umask_that_leaves_the_owner_its_rights_is_no_obstacle(used_cli: Cli) -> None:
    assert "No sandbox could be tried" not in in_full_auto(used_cli, "umask", "077").stderr
