"""`banksman run` when nothing can be written any more: it ends by itself, says why, and the first SIGTERM ends it."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.rig import make_repository
from tests.cli.running import Cli, finish
from tests.fakes.fake_model_api import FakeModelApi, text_turn, turn
from tests.forking import Forked

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="limits and locks of Linux")
HELD = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


def in_a_turn(cli: Cli, api: FakeModelApi) -> Forked:
    """A run whose model has begun to answer; `api.go_on()` lets it end its answer."""
    api.script(text_turn("one two three four five six seven", piece=4, fault="hold"), text_turn("more"))
    child = cli.start("run", "Change the greeting", "--endpoint", api.url)
    assert child.stdout is not None
    assert child.stdout.read1(4096) == b"one "
    return child


def foreign_lock(cli: Cli) -> "subprocess.Popen[bytes]":
    """Another program that keeps the store locked until its input ends."""
    file = cli.folders().store / "banksman.db"
    other = subprocess.Popen([sys.executable, "-c", HELD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    return other


@linux_only
def test_a_run_ends_when_no_file_can_grow_any_more(cli: Cli, model_api: FakeModelApi) -> None:
    child = in_a_turn(cli, model_api)
    resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (1, 1))
    model_api.go_on()
    done = finish(child)
    assert done.status == 1
    assert "Nothing was recorded: writing in" in done.stderr
    assert "The run ends: how it went could not be recorded." in done.stderr


@linux_only
def test_a_store_that_another_program_locks_ends_the_run_and_that_program_is_named(
    cli: Cli, model_api: FakeModelApi
) -> None:
    child = in_a_turn(cli, model_api)
    with foreign_lock(cli) as other:
        model_api.go_on()
        done = finish(child)
        assert done.status == 1
        name = Path(f"/proc/{other.pid}/comm").read_text().strip()
        assert f"is locked by {name} (process {other.pid})" in done.stderr
        other.communicate()


@linux_only
def test_a_lock_that_is_released_in_time_is_waited_for(cli: Cli, model_api: FakeModelApi) -> None:
    child = in_a_turn(cli, model_api)
    with foreign_lock(cli) as other:
        model_api.go_on()
        assert child.stdout is not None
        while not child.stdout.read1(4096).endswith(b"seven"):
            continue
        other.communicate()
    done = finish(child)
    assert (done.status, done.stderr.count("Nothing was recorded")) == (0, 0)


@linux_only
def test_the_first_sigterm_ends_a_run_that_cannot_write(cli: Cli, model_api: FakeModelApi) -> None:
    child = in_a_turn(cli, model_api)
    resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (1, 1))
    os.kill(child.pid, signal.SIGTERM)
    done = finish(child)
    assert done.status in (1, 130)
    assert "Nothing was recorded" in done.stderr


@pytest.mark.parametrize("how", ["unlinked", "moved", "replaced"])
def test_a_store_that_vanishes_in_a_turn_is_noticed_before_the_next_effect_and_at_the_next_start(
    cli: Cli, model_api: FakeModelApi, how: str
) -> None:
    model_api.script(turn("one two three four", [("write_file", {"path": "new.txt", "content": "x"})], fault="hold"))
    child = cli.start("run", "Write it", "--endpoint", model_api.url, "--mode", "edit")
    assert child.stdout is not None
    assert child.stdout.read1(4096).startswith(b"one ")
    store = cli.folders().store
    if how == "moved":
        store.rename(store.with_name("elsewhere"))
    else:
        for file in store.glob("banksman.db*"):
            file.unlink()
    if how == "replaced":
        (store / "banksman.db").touch()
    model_api.go_on()
    done = finish(child)
    assert done.status == 1
    assert "were removed, moved or replaced while Banksman runs" in done.stderr
    assert not list(cli.folders().lanes.rglob("new.txt"))
    model_api.script(text_turn("Done."))
    again = cli.run("run", "Again", "--endpoint", model_api.url)
    assert again.status == 0
    assert "Anchors of another store (" in again.stderr
    once = cli.run("audit", "verify")
    assert "Anchors of another store (" in once.stdout
