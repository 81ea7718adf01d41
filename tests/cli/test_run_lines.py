"""The JSON lines of `banksman run`: each fits the published schema, however the run ends, also before it begins."""

import hashlib
import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from desktop.cli.headless.outlets import fitted
from desktop.config.folders import resource_folder
from desktop.store.database import open_store
from tests.agent.rig import make_repository
from tests.cli.running import Cli, Finished, environment, finish
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn, turn
from tests.forking import fork

SCHEMA = json.loads((resource_folder() / "run.schema.json").read_text())
LINES = Draft202012Validator(SCHEMA)
CLOCKED_PROGRAM = "tests.cli.clocked_program"
BASH = tool_turn("bash", command="touch made.txt")


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "home", make_repository(tmp_path / "shop"))


def run_words(api: FakeModelApi, *more: str) -> list[str]:
    """A task for the service of the test, told in lines."""
    return ["run", "Change the greeting", "--endpoint", api.url, "--json", *more]


def ended(done: Finished) -> dict[str, Any]:
    """The last line of a run all of whose lines are as they should be."""
    lines = done.lines
    for line in lines:
        LINES.validate(line)
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_ended")
    assert (kinds.count("run_started"), kinds.count("run_ended")) == (1, 1)
    assert all(len(line) < 1024 * 1024 for line in done.stdout.splitlines())
    last: dict[str, Any] = lines[-1]
    assert last["exit_status"] == done.status
    return last


def test_the_schema_is_a_schema_and_the_command_prints_it(cli: Cli) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    done = cli.run("run", "--schema")
    assert (done.status, json.loads(done.stdout)) == (0, SCHEMA)
    assert not cli.home.exists()


@pytest.mark.parametrize(
    "line",
    [
        {"type": "run_ended", "status": "completed", "exit_status": 1},
        {"type": "waiting", "input_id": "inp_1"},
        {"type": "turn_ended", "seq": 3, "id": "x", "status": "over"},
        {"type": "notice", "seq": -1, "id": "x"},
        {"type": "Notice", "seq": 1, "id": "x"},
        {"type": "text_delta", "message_id": "m", "text": "t", "more": 1},
    ],
)
def test_the_schema_refuses_what_is_no_line(line: dict[str, Any]) -> None:
    assert not LINES.is_valid(line)


@pytest.mark.promise("guests-R3")
def test_a_run_that_is_done_says_where_and_what_it_used(cli: Cli, model_api: FakeModelApi) -> None:
    edit = ("edit_file", {"file_path": "app.py", "old_string": "hello", "new_string": "goodbye"})
    todos = ("todo_write", {"todos": [{"content": "Test it", "status": "pending", "activeForm": "Testing it"}]})
    model_api.script(
        tool_turn("read_file", file_path="app.py"), turn("", [edit, todos]), text_turn("Done."), text_turn("Later.")
    )
    done = cli.run(*run_words(model_api, "--mode", "full-auto", "--without-sandbox"))
    last = ended(done)
    lane = Path(last["lane"])
    assert (lane / "app.py").read_text() == "print('goodbye')\n"
    assert (last["status"], last["files_changed"], last["added"], last["removed"]) == ("completed", 1, 1, 1)
    assert last["branch"].startswith("lane/")
    assert len(last["head"]) == 40
    assert last["steps"] == len(model_api.requests)
    assert last["usage"]["output"] > 0
    assert last["cost_microusd"] is None
    assert (last["declined"], last["unanswered"]) == (0, 0)
    assert last["open_todos"] == 1
    first = done.lines[0]
    assert (first["session_id"], first["mode"]) == (last["session_id"], "full-auto")
    assert first["sandbox"] in ("none", "limited", "full")


def test_a_run_of_a_model_with_a_price_says_what_it_cost(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    last = ended(cli.run(*run_words(model_api, "--model", "claude-sonnet-4-6")))
    assert last["cost_microusd"] is None or last["cost_microusd"] > 0


@pytest.mark.promise("guests-R2")
def test_a_run_that_failed(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(http_failure(400, "invalid_request_error", "bad thing"))
    last = ended(cli.run(*run_words(model_api)))
    assert (last["status"], last["exit_status"], last["lane"]) == ("failed", 1, "")
    assert "refused the request" in last["detail"]


@pytest.mark.promise("guests-R6")
def test_a_cost_that_nobody_can_tell_is_refused_before_anything_is_made(cli: Cli, model_api: FakeModelApi) -> None:
    done = cli.run(*run_words(model_api, "--model", "nobodys-model", "--max-cost", "0.50"))
    last = ended(done)
    assert (last["status"], last["lane"]) == ("not_started", "")
    assert "no price for nobodys-model" in last["detail"]
    assert model_api.requests == []


@pytest.mark.promise("guests-R3")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "Say hi", "--json", "--mode", "yolo"], "yolo"),
        (["run", "--json"], "A task is needed"),
        (["run", "Say hi", "--json", "--endpoint", "nobody"], "nobody"),
        (["run", "Say hi", "--json", "--repo", "/nowhere"], "nowhere"),
        (["run", "Say hi", "--json", "--endpoint", "ftp://x"], "cannot be used as an endpoint"),
        (["run", "Say hi", "--json", "--output", "/nowhere/x"], "cannot be written"),
        (["run", "Say hi", "--json", "--resume", "ses_0"], "no chat"),
        (["run", "Say hi", "--json", "--fork", "last"], "no chat"),
        (["run", "Say hi", "--json", "--allow", "bash", "--endpoint", "demo"], "'bash'"),
        (["run", "Say hi", "--json", "--max-cost", "0.001", "--endpoint", "demo"], "amount of dollars"),
    ],
)
def test_a_run_that_could_not_start(cli: Cli, words: list[str], says: str) -> None:
    done = cli.run(*words)
    last = ended(done)
    assert (last["status"], last["exit_status"]) == ("not_started", 2)
    assert says in last["detail"]
    assert says in done.stderr
    assert last["lane"] == ""


@pytest.mark.promise("guests-R2")
def test_a_run_that_a_limit_ended(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), tool_turn("read_file", file_path="app.py"))
    last = ended(cli.run(*run_words(model_api, "--max-steps", "1")))
    assert (last["status"], last["exit_status"], last["steps"]) == ("limit", 3, 1)
    assert "limit of 1 steps" in last["detail"]


@pytest.mark.promise("guests-R2")
@pytest.mark.parametrize(("passed", "status", "requests"), [(1, 0, 2), (2, 3, 1)])
def test_a_run_ends_once_it_ran_for_the_minutes_that_it_was_given(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path, passed: int, status: int, requests: int
) -> None:
    """The model answers slowly: meanwhile the clock of the run goes on."""
    call = turn("I look at it.", [("read_file", {"file_path": "app.py"})], fault="hold")
    model_api.script(call, text_turn("Done."))
    clock = tmp_path / "minutes"
    words = [str(clock), *run_words(model_api, "--max-minutes", "2")]
    child = fork(CLOCKED_PROGRAM, words, cli.folder, environment(cli.home))
    model_api.wait_for_requests(1)
    clock.write_text(str(passed))
    model_api.go_on()
    done = finish(child)
    last = ended(done)
    assert (last["exit_status"], len(model_api.requests)) == (status, requests)
    if status:
        assert last["status"] == "limit"
        assert last["detail"].startswith("Stopped at the limit of 2 min 0 s of running time.")
        (result,) = [line for line in done.lines if line["type"] == "tool_call_finished"]
        assert result["outcome"] == "cancelled"


@pytest.mark.promise("guests-R2")
@pytest.mark.parametrize(("strict", "status", "word"), [(True, 4, "declined"), (False, 0, "completed")])
def test_a_run_in_which_nobody_could_answer(
    cli: Cli, model_api: FakeModelApi, strict: bool, status: int, word: str
) -> None:
    model_api.script(BASH, text_turn("As you wish."))
    last = ended(cli.run(*run_words(model_api, *(["--strict"] if strict else []))))
    assert (last["exit_status"], last["status"], last["declined"], last["unanswered"]) == (status, word, 1, 1)


@pytest.mark.promise("guests-R2")
def test_a_run_that_was_interrupted(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("never", fault="stall_before"))
    child = cli.start(*run_words(model_api))
    model_api.wait_for_requests(1)
    child.send_signal(signal.SIGTERM)
    last = ended(finish(child))
    assert (last["status"], last["exit_status"]) == ("interrupted", 130)


@pytest.mark.promise("guests-R3")
def test_long_texts_are_cut_with_their_length_and_hash(cli: Cli, model_api: FakeModelApi) -> None:
    long = "é" * 400_000
    model_api.script(text_turn(long, piece=100_000))
    done = cli.run(*run_words(model_api))
    ended(done)
    (message,) = [line for line in done.lines if line["type"] == "assistant_message"]
    (cut,) = message["cut"]
    assert (cut["at"], cut["chars"]) == ("/parts/0/text", 400_000)
    assert long.startswith(message["parts"][0]["text"])
    assert cut["blob"] == {"sha256": cut["sha256"], "media_type": "text/plain", "size": 800_000}
    (notice,) = [line for line in done.lines if line["type"] == "notice" and line["kind"] == "line_cut"]
    assert notice["kept"] == [cut["blob"]]
    assert notice["text"] == "1 text of this run did not fit into a line of its output and is kept whole."
    store = open_store(cli.folders().store)
    try:
        assert store.blobs.get(cut["sha256"]) == long.encode()
    finally:
        store.close()
    verified = cli.run("audit", "verify")
    assert verified.status == 0, verified.stdout
    gone = cli.folders().store
    with sqlite3.connect(gone / "banksman.db") as connection:
        connection.execute("DELETE FROM blob WHERE sha256 = ?", (cut["sha256"],))
    assert cli.run("audit", "verify").status == 1, "a text that was kept and is gone is found out"


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "line",
    [
        {"type": "notice", "seq": 1, "id": "e", "text": "x" * 2_000_000, "detail": "y" * 1_900_000},
        {"type": "notice", "seq": 1, "id": "e", "list": ["z" * 300] * 5_000},
        {"type": "notice", "seq": 1, "id": "e", "list": ["z" * 200] * 9_000},
    ],
)
def test_a_cut_names_a_blob_where_all_of_it_was_kept(line: dict[str, Any], kept: bool) -> None:
    texts: list[bytes] = []

    def keep(text: bytes) -> bool:
        texts.append(text)
        return kept or len(texts) == 1

    written = fitted(line, keep)
    assert len(written) < 1024 * 1024
    LINES.validate(json.loads(written))
    cuts = json.loads(written)["cut"]
    assert [cut["sha256"] for cut in cuts] == [hashlib.sha256(text).hexdigest() for text in texts]
    assert all(("blob" in cut) == (kept or len(cuts) == 1) for cut in cuts)
    assert not any("blob" in cut for cut in json.loads(fitted(line))["cut"])


def test_with_an_output_file_the_lines_go_there_and_the_answer_to_people(
    cli: Cli, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("Here."))
    file = tmp_path / "run.jsonl"
    done = cli.run(*run_words(model_api, "--output", str(file)))
    assert (done.status, done.stdout) == (0, "Here.\n")
    assert "Done after 1 request" in done.stderr
    assert ended(Finished(done.status, file.read_text(), ""))["status"] == "completed"


def test_without_a_stream_there_are_no_pieces(cli: Cli, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("one two three", piece=3))
    done = cli.run(*run_words(model_api, "--no-stream"))
    ended(done)
    assert not [line for line in done.lines if line["type"].endswith("_delta")]


@pytest.mark.promise("guests-R3")
@pytest.mark.parametrize("after_s", [0.0, 0.01, 0.03, 0.06])
def test_a_polite_kill_of_a_run_that_ends_already_leaves_the_last_line(
    cli: Cli, model_api: FakeModelApi, after_s: float
) -> None:
    model_api.script(text_turn("Hello."))
    child = cli.start(*run_words(model_api, "--json"))
    assert child.stdout is not None
    while b'"turn_ended"' not in child.stdout.readline():
        pass
    time.sleep(after_s)
    child.send_signal(signal.SIGTERM)
    done = finish(child)
    assert json.loads(done.stdout.splitlines()[-1])["type"] == "run_ended"
