"""Which commands are shown to read only: a closed list of plain ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.shell.readonly import judge
from desktop.services.lane_files import LaneFiles


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("pwd", ()),
        ("pwd -P", ()),
        ("true", ()),
        ("ls", (".",)),
        ("ls -la src", ("src",)),
        ("  ls \t -la   src ", ("src",)),
        ("ls --all --sort=time a b", ("a", "b")),
        ("ls --sort time", (".",)),
        ("ls -- -x", ("-x",)),
        ("cat -n a.py b.py", ("a.py", "b.py")),
        ("cat", ()),
        ("cat -", ("-",)),
        ("head -5 a", ("a",)),
        ("head -n 5 a", ("a",)),
        ("head -n5 a", ("a",)),
        ("tail --lines=3 a", ("a",)),
        ("tail -n +3 a", ("a",)),
        ("wc -l a", ("a",)),
        ("file --mime-type a", ("a",)),
        ("stat a", ("a",)),
        ("du -sh", (".",)),
        ("du -h --max-depth=1 src", ("src",)),
        ("du -d 1 src", ("src",)),
        ("echo done", ()),
        ("echo -n --x /etc/passwd a=b", ()),
        ("cat ../x /etc/passwd", ("../x", "/etc/passwd")),
    ],
)
def test_plain_commands_of_the_list_read_only(command: str, paths: tuple[str, ...]) -> None:
    verdict = judge(command)
    assert verdict.proven_read, verdict
    assert verdict.paths == paths


@pytest.mark.parametrize(
    "command",
    [
        "",
        " ",
        "\t",
        "ls; rm x",
        "ls\u00a0x",
        "ls\nrm x",
        "ls\n",
        "ls\rx",
        "ls\u200bx",
        "ls\x0bx",
        "cat $HOME/x",
        "echo $(id)",
        "echo `id`",
        'echo "x"',
        "echo 'x'",
        "ls *",
        "ls ?",
        "ls [a]",
        "ls {a,b}",
        "ls ~",
        "ls > x",
        "ls>x",
        "cat < x",
        "ls | sh",
        "ls & rm x",
        "ls&&rm x",
        "ls \\x",
        "# ls",
        "ls #x",
        "ls !x",
        "(ls)",
        "X=1 ls",
        "X=1",
        "A=b echo",
        "/bin/ls",
        "./ls",
        "rm x",
        "git status",
        "git log",
        "sudo ls",
        "env ls",
        "xargs cat",
        "bash -c ls",
        "sh",
        "tail -f x",
        "tail -F x",
        "tail --follow x",
        "head --pid=1",
        "wc --files0-from=x",
        "file -C",
        "file -m x",
        "file -z x",
        "file -f x",
        "du --files0-from=x",
        "stat -c %n x",
        "stat -f x",
        "ls --hyperlink",
        "ls -H",
        "ls -L x",
        "cat --x",
        "cat -nx",
        "ls --sort",
        "ls --all=x",
        "head -n",
        "head -",
        "true x",
        "pwd x",
        "pwd -x",
        "time ls",
        "exec ls",
        "LS",
        "ls\x00",
        "echo é",
        "echo a:b",
        "echo a,b",
        "=ls",
        "ls -\u00b2",
        "head -\u0665 x",
        ". x",
        "find .",
        "grep x y",
        "sort x",
        "cat " + "a" * 16_384,
    ],
)
def test_everything_else_is_not_proven(command: str) -> None:
    verdict = judge(command)
    # `head -` reads standard input, which is empty
    if command == "head -":
        assert verdict.proven_read
        return
    assert not verdict.proven_read
    assert verdict.reason.endswith(".")
    assert len(verdict.fragment) <= 200
    assert verdict.paths == ()


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_gets_a_verdict_and_only_plain_words_pass(text: str) -> None:
    verdict = judge(f"echo {text}")
    if verdict.proven_read:
        assert all(c.isascii() and (c.isalnum() or c in "._/=+- \t") for c in text)


def test_the_files_of_a_proven_command_must_still_be_readable(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("K=1")
    (tmp_path / "a").write_text("x")
    files = LaneFiles(tmp_path)
    seen = {path: files.resolve(path, "read") for path in judge("cat .env a ../x /proc/self/environ").paths}
    assert seen[".env"].ask
    assert seen["a"].verdict == "inside"
    assert not seen["a"].ask
    assert seen["../x"].ask
    assert seen["/proc/self/environ"].deny
