"""`banksman run` as a step of a pipeline: rules, tasks from standard input, signals, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from desktop.cli.headless.output import NOBODY
from desktop.config.folders import resource_folder
from desktop.domain.events import ToolCallDecided, ToolCallFinished, TurnEnded
from desktop.domain.history.builder import to_messages
from tests.agent.rig import make_repository
from tests.cli.running import Cli, Finished, environment, finish
from tests.cli.test_run_lines import ended
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn
from tests.validity import faults


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


def words(api: FakeModelApi, *more: str) -> list[str]:
    """A run for the service of the test, told in lines."""
    return ["run", "Go", "--endpoint", api.url, "--json", *more]


def outcomes(cli: Cli) -> list[str]:
    """How the calls of the one chat ended."""
    return [e.event.outcome for e in cli.log() if isinstance(e.event, ToolCallFinished)]


# Rules


@pytest.mark.promise("guests-R7")
@pytest.mark.parametrize("rule", ["bash", "python", "sudo apt", "rm -r dist", ""])
def test_a_rule_that_may_not_be_made_ends_the_start_naming_it(cli: Cli, model_api: FakeModelApi, rule: str) -> None:
    last = ended(cli.run(*words(model_api, "--allow", "touch", "--allow", rule)))
    assert (last["exit_status"], last["lane"]) == (2, "")
    assert f"The rule '{rule}' cannot be used. " in str(last["detail"])
    assert model_api.requests == []


def test_an_allowed_command_runs_and_another_one_does_not(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("bash", command="touch made.txt"), tool_turn("bash", command="mkdir other"), text_turn("Done.")
    )
    ended(cli.run(*words(model_api, "--allow", "touch")))
    assert outcomes(cli) == ["ok", "declined"]


@pytest.mark.promise("guests-R7")
def test_a_denial_holds_beside_a_rule_that_allows(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="npm test"), text_turn("Fine."))
    ended(cli.run(*words(model_api, "--allow", "npm test", "--deny", "npm")))
    assert outcomes(cli) == ["refused"]
    (decided,) = [e.event for e in cli.log() if isinstance(e.event, ToolCallDecided)]
    assert decided.verdict == 2


@pytest.mark.promise("guests-R7")
def test_a_denial_holds_in_full_auto(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("Fine."))
    ended(cli.run(*words(model_api, "--mode", "full-auto", "--without-sandbox", "--deny", "touch")))
    assert outcomes(cli) == ["refused"]


@pytest.mark.promise("guests-R7")
def test_words_around_an_allowed_command_carry_no_other_one(cli: Cli, model_api: FakeModelApi) -> None:
    tried = (
        "touch a; mkdir b", "touch a\nmkdir b", "touch a && mkdir b", "touch $(mkdir b)", "touch `mkdir b`",
        "touch <(mkdir b)", "LD_PRELOAD=./x.so touch a", "PATH=. touch a", "bash -c 'touch a; mkdir b'", "./touch a",
        "touch() { mkdir b; }; touch a", "eval touch a; mkdir b", "touch a | sh", "touch ../b", "touch a > .git/config",
        "'touch a'; mkdir b", "touch\\\na; mkdir b", "mkdir b # touch a",
    )  # fmt: skip
    model_api.script(*(tool_turn("bash", command=command) for command in tried), text_turn("Fine."))
    ended(cli.run(*words(model_api, "--allow", "touch")))
    ran = [command for command, outcome in zip(tried, outcomes(cli), strict=True) if outcome in ("ok", "error")]
    assert ran == []


@pytest.mark.promise("guests-R7")
@pytest.mark.parametrize(
    "call",
    [
        ("bash", {"command": "touch .env"}),
        ("bash", {"command": "sqlite3 app.db 'DROP TABLE t'"}),
        ("write_file", {"file_path": "new.txt", "content": "x"}),
    ],
)
def test_allowing_a_command_allows_no_protected_name_no_sql_and_no_write(
    cli: Cli, model_api: FakeModelApi, call: tuple[str, dict[str, object]]
) -> None:
    model_api.script(turn("", [call]), text_turn("Fine."))
    done = cli.run(*words(model_api, "--allow", "touch", "--allow", "sqlite3 app.db"))
    if ended(done)["exit_status"] == 2:
        done = cli.run(*words(model_api, "--allow", "touch"))
    assert outcomes(cli) in (["declined"], ["refused"])


@pytest.mark.promise("guests-R7")
def test_allowing_a_command_allows_no_host_of_the_web(cli: Cli, model_api: FakeModelApi) -> None:
    file = cli.folders().settings_file
    file.parent.mkdir(parents=True)
    file.write_text("[web]\nenabled = true\n")
    model_api.script(tool_turn("web_fetch", url="https://example.org/"), text_turn("Fine."))
    ended(
        cli.run(
            *words(model_api, "--allow", "touch", "--allow", "web_fetch", "--mode", "full-auto", "--without-sandbox")
        )
    )
    assert "web_fetch" in {tool["name"] for tool in model_api.requests[0].body["tools"]}
    assert outcomes(cli) == ["declined"]
    (decided,) = [e.event for e in cli.log() if isinstance(e.event, ToolCallDecided)]
    assert decided.rule == "net_host"


# Words and streams


def run_anew(cli: Cli, *given: str, typed: bytes, **more: str) -> "subprocess.CompletedProcess[bytes]":
    """A run from its first import, with this on standard input."""
    return subprocess.run(
        [sys.executable, "-m", "desktop", *given],
        cwd=cli.folder, env=environment(cli.home, **more), input=typed, capture_output=True, timeout=100,
    )  # fmt: skip


def test_a_task_is_read_from_standard_input(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    done = run_anew(cli, "run", "-", "--endpoint", model_api.url, typed="Größer\n".encode())
    assert (done.returncode, done.stdout) == (0, b"Done.\n")
    assert "Größer" in str(model_api.requests[0].messages[0])


@pytest.mark.parametrize(("typed", "why"), [(b"x" * 1_048_577, b"1 MiB"), (b"\xff", b"UTF-8"), (b" ", b"nothing")])
def test_a_task_that_cannot_be_read_is_refused(cli: Cli, model_api: FakeModelApi, typed: bytes, why: bytes) -> None:
    done = run_anew(cli, "run", "-", "--endpoint", model_api.url, typed=typed)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_a_terminal_for_cards_that_is_not_there_is_refused(cli: Cli, model_api: FakeModelApi) -> None:
    assert "needs a terminal" in str(ended(cli.run(*words(model_api, "--approvals", "terminal")))["detail"])


def test_that_nobody_can_answer_is_said_once(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch a"), tool_turn("bash", command="touch b"), text_turn("Fine."))
    done = cli.run("run", "Go", "--endpoint", model_api.url)
    assert (done.status, done.stdout) == (0, "Fine.\n")
    assert done.stderr.count(NOBODY) == 1
    assert "2 calls were declined, 2 of them because nobody could answer." in done.stderr


def test_what_a_run_cost_is_told_with_what_is_not_known(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."), text_turn("Done."))
    done = cli.run("run", "Go", "--endpoint", model_api.url, "--model", "nobodys-model")
    assert "What it cost is not known, because nobodys-model has no price: " in done.stderr
    done = cli.run("run", "Go", "--endpoint", "demo")
    assert "Cost: $0.0000 (" in done.stderr


def test_a_quiet_run_says_its_answer_alone(cli: Cli, model_api: FakeModelApi, tmp_path: Path) -> None:
    model_api.script(turn("Look.", [("read_file", {"file_path": "app.py"})]), text_turn("Done."))
    file = tmp_path / "answer.txt"
    done = cli.run("run", "Go", "--endpoint", model_api.url, "--quiet", "--output", str(file))
    assert (done.status, done.stdout, done.stderr) == (0, "Look.\nDone.\n", "")
    assert file.read_text() == "Look.\nDone.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_output_that_could_not_be_kept_is_no_success(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    done = cli.run("run", "Go", "--endpoint", model_api.url, "--output", "/dev/full")
    assert done.status == 1
    assert "is not whole" in done.stderr


# Signals, and what is left


STUBBORN = "trap '' TERM INT HUP; echo begun; while true; do sleep 1; done"


def test_a_polite_kill_ends_a_stubborn_command_within_ten_seconds_with_the_log_whole(
    cli: Cli, model_api: FakeModelApi
) -> None:
    model_api.script(turn("On it.", [("bash", {"command": STUBBORN})]))
    child = cli.start("run", "Go", "--endpoint", model_api.url, "--mode", "full-auto", "--without-sandbox")
    assert child.stderr is not None
    while not child.stderr.readline().startswith("› ".encode()):
        pass
    time.sleep(1)
    began = time.monotonic()
    child.send_signal(signal.SIGTERM)
    assert finish(child).status == 130
    assert time.monotonic() - began < 10 * (1 + os.getloadavg()[0] / 4)
    log = cli.log()
    assert isinstance(log[-1].event, TurnEnded)
    assert not faults(to_messages(log))
    assert cli.run("audit", "verify").status == 0


def test_a_run_writes_nothing_outside_its_home_and_the_lane_of_the_repository(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path
) -> None:
    own = tmp_path / "person"
    (own / "tmp").mkdir(parents=True)
    before = sorted(cli.folder.iterdir())
    model_api.script(tool_turn("bash", command="touch made.txt"), text_turn("Done."))
    done = run_anew(
        cli, "run", "Go", "--endpoint", model_api.url, "--allow", "touch",
        typed=b"", HOME=str(own), TMPDIR=str(own / "tmp"), XDG_RUNTIME_DIR=str(own / "run"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [str(path.relative_to(own)) for path in own.rglob("*")] == ["tmp"]
    assert sorted(cli.folder.iterdir()) == before


def priced(cli: Cli, api: FakeModelApi) -> None:
    """The settings of a person whose model has a price and is served by the test."""
    file = cli.folders().settings_file
    file.parent.mkdir(parents=True)
    file.write_text(
        'default_endpoint = "ci"\n[[endpoints]]\nid = "ci"\nlabel = "CI"\nkind = "anthropic"\nauth = "none"\n'
        f'base_url = "{api.url}"\ndefault_model = "claude-sonnet-4-6"\n'
    )


def test_a_cost_that_is_used_up_ends_the_run_with_status_3(cli: Cli, model_api: FakeModelApi) -> None:
    priced(cli, model_api)
    read = [("read_file", {"file_path": "app.py"})]
    model_api.script(*[turn("", read, usage={"input_tokens": 50_000, "output_tokens": 200})] * 2)
    last = ended(cli.run("run", "Go", "--json", "--max-cost", "0.2"))
    assert (last["exit_status"], last["status"]) == (3, "limit")
    assert (last["steps"], 100_000 < last["cost_microusd"] <= 200_000) == (1, True)
    assert "$0.20" in last["detail"]


def test_the_job_of_the_manual_ends_with_its_status_and_a_record_that_verifies(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path
) -> None:
    job = yaml.safe_load((resource_folder() / "ci" / "banksman.yml").read_text())["jobs"]["task"]
    steps = {step.get("name", step.get("uses")): step.get("run", "") for step in job["steps"]}
    script = f"{steps['Run']}\n{steps['Keep the record']}".replace(
        "--mode full-auto", "--mode full-auto --without-sandbox"
    )
    temp, programs = tmp_path / "temp", tmp_path / "bin"
    temp.mkdir()
    programs.mkdir()
    (programs / "banksman").write_text(f'#!/bin/sh\nexec {sys.executable} -m desktop "$@"\n')
    (programs / "banksman").chmod(0o755)
    job_cli = Cli(temp / "banksman", cli.folder)
    priced(job_cli, model_api)
    model_api.script(tool_turn("bash", command="echo made > made.txt"), text_turn("Done."))
    env = environment(job_cli.home, RUNNER_TEMP=str(temp), TASK="Make it", PATH=f"{programs}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-e", "-c", script], cwd=cli.folder, env=env, capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr
    last = ended(Finished(0, (temp / "run.jsonl").read_text(), ""))
    assert (last["status"], last["files_changed"]) == ("completed", 1)
    assert "+made" in (temp / "change.patch").read_text()
    assert "Make it" in str(model_api.requests[0].messages[0])
    assert b"whole" in done.stdout or b"verif" in done.stdout
