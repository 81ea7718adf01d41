"""Standard streams that are closed, full, or read no further: a sentence and a status, never a traceback."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.events import TurnEnded
from tests.agent.rig import make_repository
from tests.cli.running import Cli, environment
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


def shell(cli: Cli, line: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """`"$@"` of a line is the program with these words; its streams are as the line has them."""
    whole = ["sh", "-c", line, "sh", sys.executable, "-m", "desktop", *words]
    return subprocess.run(
        whole, cwd=cli.folder, env=environment(cli.home), capture_output=True, text=True, check=False, timeout=25
    )


def task(api: FakeModelApi, *more: str) -> tuple[str, ...]:
    return ("run", "Go", "--endpoint", api.url, "--in-checkout", "--mode", "plan", *more)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_run_ends_well_though_a_stream_was_closed_before_it_began(
    cli: Cli, model_api: FakeModelApi, closed: str
) -> None:
    model_api.script(text_turn("Done."))
    done = shell(cli, f'"$@" {closed}', *task(model_api))
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
    assert isinstance(cli.log()[-1].event, TurnEnded)
    assert cli.log()[-1].event.status == "completed"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_standard_output_stops_the_run_and_says_so(
    cli: Cli, model_api: FakeModelApi, more: tuple[str, ...]
) -> None:
    model_api.script(text_turn("one two three four five six " * 20, piece=4))
    done = shell(cli, '"$@" >/dev/full', *task(model_api, *more))
    assert done.returncode == 1
    assert "Standard output is not whole: No space left on device." in done.stderr
    assert "Error" not in done.stderr


def test_notes_that_cannot_be_written_end_no_run(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    done = shell(cli, '"$@" 2>/dev/full', *task(model_api))
    assert (done.returncode, done.stdout) == (0, "Done.\n")


@pytest.mark.parametrize("words", [("run", "--schema"), ("--help",), ("--version",)])
def test_what_is_only_told_needs_a_stream_that_takes_it(cli: Cli, words: tuple[str, ...]) -> None:
    assert shell(cli, '"$@" >&-', *words).returncode == 0
    full = shell(cli, '"$@" >/dev/full', *words)
    assert (full.returncode, full.stderr.count("\n")) == (1, 1)
    assert "could not be written: No space left on device." in full.stderr
    unread = shell(cli, '{ "$@"; echo "$?" >&2; } | true', *words)
    assert "Error" not in unread.stderr


def test_a_file_that_is_opened_is_never_taken_for_a_closed_stream(cli: Cli) -> None:
    code = (
        "import os, sys; from desktop.__main__ import main; main(['--version']); "
        "print(os.open('/dev/zero', 0), file=sys.stderr)"
    )
    line = f'"$1" -c "{code}" <&- >&-'
    done = subprocess.run(
        ["sh", "-c", line, "sh", sys.executable],
        cwd=cli.folder, env=environment(cli.home), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert int(done.stderr) > 2
