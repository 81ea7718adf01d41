"""hooks.toml: all of it counts or none, with the reason."""

import pytest

from desktop.domain.hooks.values import HookMatch
from desktop.services.hooks.file import HookFault, parse_hooks

WHOLE = """
version = 1
[[hook]]
id = "no-migrations-on-friday"
on = "before_call"
match = [{ tool = "bash", tokens = ["alembic", "upgrade"] }, { kind = "write", glob = "migrations/**" }]
command = ["python3", ".banksman/hooks/friday.py"]
timeout_s = 5
[[hook]]
id = "tidy"
on = "on_stop"
command = "make tidy"
timeout_s = 60
blocking = false
"""


def test_a_whole_file():
    first, second = parse_hooks(WHOLE.encode())
    assert (first.id, first.on, first.timeout_s) == ("no-migrations-on-friday", "before_call", 5.0)
    assert first.match[1] == HookMatch(kind="write", glob="migrations/**")
    assert (second.text, second.command, second.blocking) == ("make tidy", (), False)
    assert first.shown == "python3 .banksman/hooks/friday.py"
    assert parse_hooks(b"") == ()


HEAD = '[[hook]]\nid = "a"\non = "before_call"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[hook", "not TOML"),
        ("\x01", "not TOML"),
        ("version = 2", "version 2"),
        ("hooks = 3", "unknown key 'hooks'"),
        ("hook = 3", "written as"),
        ("[[hook]]\n" * 51, "more than 50"),
        ('[[hook]]\nid = "a b"', "hook 1: id is a name"),
        (f"{HEAD}command = 'a'\nrun = 1", "hook a: unknown key 'run'"),
        (f"{HEAD}command = 'a'\n{HEAD}command = 'a'", "two hooks are called a"),
        (f"{HEAD}command = [3]", "hook a: command.0"),
        (f"{HEAD}", "command is a list of words, or a line"),
        (f"{HEAD}command = []", "command is a list of words, or a line"),
        (f"{HEAD}command = '  '", "command is a list of words, or a line"),
        (f'{HEAD}command = "a\\u0000"', "character"),
        (f"{HEAD}command = 'a'\ntimeout_s = 6", "timeout_s is at most 5 for before_call"),
        (f"{HEAD}command = 'a'\ntimeout_s = 0", "timeout_s is at most 5"),
        (f"{HEAD}command = 'a'\nmatch = [{{}}]", "a match names"),
        (f"{HEAD}command = 'a'\nmatch = [{{ host = 'x' }}]", "a match names"),
        (f"{HEAD}command = 'a'\nmatch = ['bash']", "a match names"),
        (f"{HEAD}command = 'a'\nmatch = 3", "a match names"),
        ('[[hook]]\nid = "a"\non = "on_stop"\ncommand = "a"\nmatch = [{ tool = "b" }]', "about no call"),
        ('[[hook]]\nid = "a"\non = "whenever"\ncommand = "a"', "hook a: on"),
        (f"{HEAD}command = 'a'\nnetwork = ['10.0.0.1']", "hook a: network: Hosts are allowed by name"),
        (f"{HEAD}command = 'a'\nnetwork = ['.com']", "a whole top-level domain"),
        (f"{HEAD}command = 'a'\nnetwork = {['a.example'] * 13}", "at most 12 hosts"),
        (f"{HEAD}command = 'a'\nnetwork = 'a.example'", "hook a: network"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str):
    with pytest.raises(HookFault, match=said):
        parse_hooks(text.encode())


def test_hosts_stand_in_their_one_spelling():
    (hook,) = parse_hooks(f"{HEAD}command = 'a'\nnetwork = ['CI.example.', '.b.example:8080', 'ci.example']".encode())
    assert hook.network == ("ci.example", ".b.example:8080")


def test_another_encoding_is_refused():
    with pytest.raises(HookFault, match="not TOML"):
        parse_hooks(b"\xff")
