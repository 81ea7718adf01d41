"""`banksman check` as another program uses it: one process, one line in, one line out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.domain.history.builder import UNKNOWN_OUTCOME

RUN = "import sys; from desktop.cli.check import main; status = main(sys.argv[1:]); loaded = set(sys.modules)\n"
LIGHT = RUN + "assert not {'PySide6', 'qasync', 'anthropic'} & loaded, loaded\nsys.exit(status)"
ROOT = Path(__file__).parents[2]


def check(kind, *lines, status=0):
    """The answers to these lines, each a JSON value or raw bytes."""
    raw = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in _ended(lines))
    done = subprocess.run([sys.executable, "-c", LIGHT, kind], input=raw, capture_output=True, cwd=ROOT, timeout=25)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _ended(lines):
    for line in lines:
        yield line
        yield b"\n"


EVENTS = [
    {"seq": 0, "type": "message.user", "content": "a"},
    {"seq": 1, "type": "message.assistant", "content": [{"type": "tool_use", "id": "c", "name": "bash", "input": "x"}]},
    {"seq": 2, "type": "tool.call", "tool_use_id": "c", "name": "bash", "input": None},
    {"seq": 3, "type": "tool.result", "tool_use_id": "ghost", "content": "x"},
]


def test_history_gives_messages_and_what_is_not_as_recorded():
    (answer,) = check("history", {"events": EVENTS, "unknown": 1})
    assert [m["role"] for m in answer["messages"]] == ["user", "assistant", "user"]
    assert answer["messages"][2]["content"][0]["content"] == UNKNOWN_OUTCOME
    assert answer["meta"] == {
        "synthetic": {"c": "unknown_outcome"},
        "unrecoverable_inputs": ["c"],
        "dropped_results": ["ghost"],
    }


def test_history_at_an_event_and_of_a_session():
    fork = [*EVENTS, {"seq": 0, "type": "session.fork", "session": "f", "from": "e0"}]
    whole, at, session = check(
        "history", {"events": fork}, {"events": fork, "at": "e0"}, {"events": fork, "session": "f", "at": None}
    )
    assert len(whole["messages"]) == 3
    assert at["messages"] == session["messages"] == [{"role": "user", "content": [{"type": "text", "text": "a"}]}]


def test_lines_that_cannot_be_judged_give_errors_and_the_rest_goes_on():
    good = {"events": []}
    ring = {"events": [{"seq": 0, "type": "a", "parent": "e0"}]}
    many = {"events": [{"seq": 0, "type": "a", "session": name} for name in ("s", "t")]}
    bad = [
        b"", b"no json", b"\xff", b"[]", {}, {"events": {}}, {"events": [{}]}, {"events": [], "at": 3},
        {"events": [], "session": []}, {"events": [], "at": "e0"}, ring, many, {"events": EVENTS, "session": "nope"},
        b'{"events": [NaN]}', b"[" * 100_000, b'{"events": [{"seq": 0, "type": "x", "y": ' + b"[" * 5_000,
        b'{"events": [{"seq": 0, "type": "message.user", "content": [{"type": "x", "n": 1e999}]}]}',
    ]  # fmt: skip
    answers = check("history", *bad, good)
    assert len(answers) == len(bad) + 1
    assert all(list(answer) == ["error"] and isinstance(answer["error"], str) for answer in answers[:-1])
    assert answers[-1]["messages"] == []


def test_deeply_nested_content_does_not_end_the_process():
    deep = [{"type": "image", "x": nested(depth)} for depth in (150, 400, 700)]
    answers = check("history", *({"events": [{"seq": 0, "type": "message.user", "content": [b]}]} for b in deep))
    assert len(answers) == 3
    assert len(answers[0]["messages"]) == 1


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_lone_surrogates_come_back_as_they_came():
    (answer,) = check("history", {"events": [{"seq": 0, "type": "message.user", "content": "\ud83d"}]})
    assert answer["messages"][0]["content"][0]["text"] == "\ud83d"


def test_each_answer_comes_before_the_next_line_is_read():
    with subprocess.Popen(
        [sys.executable, "-c", LIGHT, "history"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as child:
        for _ in range(2):
            child.stdin.write(b'{"events": []}\n')
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["messages"] == []
        child.stdin.close()
        assert child.wait(20) == 0


@pytest.mark.parametrize("kind", ["", "nothing"])
def test_unknown_kind_is_told_with_exit_status_two(kind):
    assert check(kind, status=2) == []


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("x")
    (root / ".env").write_text("x")
    (root / ".git").mkdir()
    outside = tmp_path / "outside.txt"
    outside.write_text("x")
    (root / "link").symlink_to(outside)
    (root / "hard").hardlink_to(outside)
    return root


@pytest.mark.promise("gate-J4")
def test_path_is_judged_on_the_real_disk(workspace):
    asked = [
        ("src/app.py", "read", "inside"),
        ("src/app.py", "write", "inside"),
        ("src", "read", "inside"),
        ("src", "write", "invalid"),
        ("new/file.py", "write", "inside"),
        ("../outside.txt", "read", "outside"),
        ("link", "write", "outside"),
        ("hard", "read", "inside"),
        ("hard", "write", "outside"),
        (".env", "read", "protected"),
        (".git/config", "write", "protected"),
        ("a\u200bb", "read", "invalid"),
    ]
    answers = check("path", *({"workspace": str(workspace), "path": p, "op": op} for p, op, _ in asked))
    assert [answer["verdict"] for answer in answers] == [verdict for _, _, verdict in asked]
    assert all(isinstance(answer["reason"], str) for answer in answers)


def test_path_lines_with_wrong_fields_give_errors(workspace):
    good = {"workspace": str(workspace), "path": "a", "op": "read"}
    bad = [{**good, "op": "delete"}, {**good, "path": 3}, {**good, "workspace": "ws"}, {**good, "workspace": "/nope/x"}]
    answers = check("path", *bad, good)
    assert ["error" in answer for answer in answers] == [True, True, True, True, False]


def test_a_workspace_that_the_system_cannot_look_at_gives_an_error_and_the_rest_goes_on(workspace):
    good = {"workspace": str(workspace), "path": "a", "op": "read"}
    answers = check("path", {**good, "workspace": "/a" * 5000}, {**good, "workspace": f"/{'a' * 300}"}, good)
    assert ["error" in answer for answer in answers] == [True, True, False]
