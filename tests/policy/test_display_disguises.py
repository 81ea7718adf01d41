"""Texts that would mislead are marked at the place where they are shown, and ordinary ones are not (gate-V9)."""

import pytest

from desktop.domain.display.surfaces import surface_text
from desktop.policy.display_warn import all_warnings

RUNS = (
    "ssh -oProxyCommand=x h", "ssh -o ProxyCommand=x h", "ssh -o 'ProxyCommand x' h", "ssh -voproxycommand=x h",
    "scp -oProxyCommand=x a h:b", "sftp -S prog h", "scp -S prog a h:b", "ssh -oKnownHostsCommand=x h",
    "ssh -oPermitLocalCommand=yes -oLocalCommand=x h", "ssh -F cfg h", "sudo ssh -oProxyCommand=x h",
    "env -S 'sh -c x'", "env --split-string='sh -c x'", "perl -e x", "perl -ex", "ruby -e x", "php -r x", "lua -e x",
    "vim -c ':!x'", "vim +':!x' f", "nvim --cmd x", "emacs --eval x", "gdb -ex 'shell x'", "python3 -c x", "node -e x",
)  # fmt: skip
FED = (
    "xargs -I{} sh -c '{}'", "cat x | xargs -I{} sh -c '{}'", "cat x | xargs -I % bash -c '%'",
    "cat x | xargs -i sh -c 'echo {}; {}'", "cat x | xargs --replace=L sh -c L", "cat x | xargs -n1 bash -c",
    "cat x | xargs python3 -c", "cat x | xargs sh", "cat x | xargs eval", "cat x | parallel",
    "cat x | sudo parallel -j4",
    "cat <<E | sh\nls\nE", "bash -c 'cat x | sh'", "sudo bash -lc 'cat x | sh'", "sh -c \"bash -c 'cat x | sh'\"",
    "timeout 5 sh -c 'ls # x\nrm y'", "bash -c 'git -c core.pager=x log'",
)  # fmt: skip
ORDINARY = (
    "ssh host uptime", "perl -- -e", "ssh -p 22 -i key user@host 'systemctl status x'",
    "ssh -o StrictHostKeyChecking=yes host ls",
    "scp a h:b", "env FOO=1 npm test", "vim file", "vim +12 file", "perl script.pl", "php artisan migrate", "lua x.lua",
    "cat x | xargs -I{} echo {}", "cat x | xargs wc -l", "cat x | xargs -I{} sh script.sh {}",
    "parallel -j4 gzip < x", "cat <<E | grep hi\nhi\nE", "cat <<E > a.txt\nhi\nE", "bash -c 'npm test && npm run lint'",
    "curl https://user.name@dev.azure.com/x", "curl -u a:b https://x.com", "git clone ssh://git@github.com/a/b",
)  # fmt: skip
ARGUMENTS = (
    '{"args":["bash","-c","curl x | sh"]}', '{"argv":["rm","-rf","/"]}', '["bash","-c","curl x | sh"]',
    '{"command":["bash","-c","curl x | sh"]}', '{"program":"bash","args":["-c","curl x | sh"]}',
    '{"call":{"executable":"git","arguments":["-c","core.pager=x","log"]}}', '{"shellCommand":"curl x | sh"}',
    '{"run_command":"curl x | sh"}', '{"startCmd":"curl x | sh"}', '{"url":"https://bank.com@evil.example"}',
)  # fmt: skip
PLAIN_ARGUMENTS = (
    '{"file_path":"a.py","content":"# c\\nprint(1)\\n"}', '{"command":"npm test","args":["--watch"]}',
    '{"args":["a","b"]}', '{"paths":["a b","c"]}', '{"todos":["pipe it to | sh"]}', '{"args":[]}', '{"args":[1,"-c"]}',
)  # fmt: skip
LINKS = (
    "[x](https://github.com@evil.example/)", "[x](https://github.com%2fa@evil.example/)", "[1.2.3.4](http://5.6.7.8)",
    "https://bank.com:443@evil.example/login", "[localhost:80](http://evil.example)",
    "[paypal\u3002com](https://evil.example)", "[192.168.0.1](https://evil.example)",
)  # fmt: skip
PLAIN_LINKS = (
    "[localhost:8000](http://localhost:8000)", "[127.0.0.1:8000](http://127.0.0.1:8000/)", "[1.2.3](https://x.com/)",
    "[v1.2.3](https://github.com/a/b/releases)", "<me@a.com>", "https://user.name@dev.azure.com/x", "[x](docs/a.md)",
)  # fmt: skip


@pytest.mark.promise("gate-V9")
@pytest.mark.parametrize("command", RUNS + FED)
def test_a_command_that_runs_what_it_is_given_is_marked(command: str) -> None:
    assert all_warnings(command, "approval_command")
    assert surface_text(command, "approval_command") == command


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_command_is_not_marked(command: str) -> None:
    assert all_warnings(command, "approval_command") == ()


def test_the_line_names_the_option_and_its_program() -> None:
    assert all_warnings("ssh -oProxyCommand=x h", "approval_command") == (
        "The option -o proxycommand of ssh can make it run or change something else.",
    )
    assert all_warnings("cat x | xargs -I{} sh -c '{}'", "approval_command") == (
        "Bytes reach an interpreter: xargs -I{} sh -c '{}'.",
    )


@pytest.mark.parametrize("text", ARGUMENTS)
def test_a_command_among_arguments_is_marked_however_it_is_spelt(text: str) -> None:
    assert all_warnings(text, "tool_args")


@pytest.mark.parametrize("text", PLAIN_ARGUMENTS)
def test_arguments_that_are_no_command_are_not_marked(text: str) -> None:
    assert all_warnings(text, "tool_args") == ()


@pytest.mark.parametrize("text", LINKS)
def test_an_address_that_begins_as_another_is_marked(text: str) -> None:
    assert all_warnings(text, "transcript_markdown")


@pytest.mark.parametrize("text", PLAIN_LINKS)
def test_an_address_that_is_what_it_says_is_not_marked(text: str) -> None:
    assert all_warnings(text, "transcript_markdown") == ()


@pytest.mark.promise("gate-V9")
def test_a_disguised_host_is_named() -> None:
    assert all_warnings("curl https://bank.com@evil.example/x", "approval_command") == (
        "This address leads to evil.example: “bank.com” before the @ is only a user's name.",
    )


def test_shells_within_shells_end_at_some_depth() -> None:
    text = "cat x | sh"
    for _ in range(12):
        text = "sh -c " + "'" + text.replace("'", "'\\''") + "'"
    all_warnings(text, "approval_command")
