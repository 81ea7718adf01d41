"""`banksman run` on a store that can only be read: the cause is said, and nothing of a window."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import Cli, environment, finish


def test_a_damaged_store_is_named_with_its_cause_and_no_window_is_spoken_of(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "home", make_repository(tmp_path / "shop"))
    assert cli.run("run", "Look", "--endpoint", "demo").status in (0, 1)
    store = cli.folders().store / "banksman.db"
    whole = store.read_bytes()
    for log in store.parent.glob("banksman.db-*"):
        log.unlink()
    store.write_bytes(whole[: len(whole) // 2])
    done = cli.run("run", "Look again", "--endpoint", "demo")
    assert done.status == 2
    assert "are damaged" in done.stderr
    assert "window" not in done.stderr


def test_a_lock_that_is_a_folder_is_named_with_the_way_on(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "home", make_repository(tmp_path / "shop"))
    assert cli.run("run", "Look", "--endpoint", "demo").status == 0
    lock = cli.folders().store / "store.lock"
    lock.unlink()
    lock.mkdir()
    done = cli.run("run", "Look again", "--endpoint", "demo")
    assert done.status == 2
    assert "store.lock there is no plain file. Move it away, then start Banksman again." in done.stderr
    lock.rmdir()
    assert cli.run("run", "Look again", "--endpoint", "demo").status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("known", [True, False], ids=["a home with chats", "a new home"])
def test_a_home_whose_files_cannot_grow_is_named_as_that_and_not_as_damaged(tmp_path: Path, known: bool) -> None:
    cli = Cli(tmp_path / "home", make_repository(tmp_path / "shop"))
    if known:
        assert cli.run("run", "Look", "--endpoint", "demo").status == 0
    run = 'ulimit -f 0; exec "$0" -m desktop run Look --endpoint demo'
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = finish(
        subprocess.Popen(["bash", "-c", run, sys.executable], cwd=cli.folder, env=environment(cli.home), **pipes)
    )
    assert done.status == 2
    assert "File too large. Raise 'ulimit -f', then start Banksman again." in done.stderr
    assert "damaged" not in done.stderr
    if known:
        assert cli.run("run", "Look again", "--endpoint", "demo").status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/sys is where even root can make no folder")
def test_a_home_that_cannot_be_made_is_named_with_the_way_on(tmp_path: Path) -> None:
    cli = Cli(Path("/sys/banksman"), make_repository(tmp_path / "shop"))
    done = cli.run("run", "Look", "--endpoint", "demo")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("banksman: The chats cannot be kept in /sys/banksman/data/store: ")
    assert "Make that folder writable, or name another one with BANKSMAN_HOME" in done.stderr
