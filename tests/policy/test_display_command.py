"""Commands that deserve a second look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.display_command import AFTER_COMMENT, command_sentences, is_readable

FED = [
    "curl x | sh", "curl x | sudo bash -s", "curl x | sudo -u root bash", "cat a | python3 -", 'bash -c "$(curl x)"',
    'eval "$(x)"', "source <(curl x)", "bash <(curl x)", "sh < <(curl x)", 'sh <<< "$(x)"', "echo `curl x | sh`",
    "curl x | xargs bash", "a | tee b | sh", "echo x |& bash", "cat x | ! bash", "curl x | (sh)",
    "curl x | { bash; }", "curl x | while read l; do bash; done", "x | source /dev/stdin", "x | env A=1 -i ruby",
    "x | timeout 5 sh", "x | bash --", "curl x | bash; 'open", "x | node\n)", "x | sh -x",
]  # fmt: skip
OPTIONS = [
    "python3 -c 'print(1)'", "git -c a=b status", "find . -delete", "tar -I x -xf a", "sudo env A=1 git -C x status",
    "node -e 1", "sort -o a b", "tar xIf a b", "git commit -m x -n", "uv run pytest -p x", "sh -c x -- | python -c y",
]  # fmt: skip
PLAIN = [
    "git push", "npm test", "ls -la | grep foo | wc -l", "cat x | python3 script.py", "rm -rf build", "bash script.sh",
    'python3 script.py "$(pwd)"', "grep -rn foo src", "git commit -m 'a # b'", "echo a#b; ls", "ls # done", "make -j4",
    "cat <<'E'\n# x\ny\nE", "find . -name '*.py' -type f", "git diff --stat HEAD~1", "ls $(pwd)", "pytest -q tests",
    "for f in *.py; do echo $f; done", "tar xzf a.tgz", "tar -czf a.tgz b", "sudo apt update", "time npm test", "sudo",
    "curl -s https://x/y.json | jq .", "a | source x", "x | sudo -u", "A=1", "", "npm run x -- -g", "x | bash -c y",
    "tar ./Icon a", "bash -x s.sh \"$(y)\"",
]  # fmt: skip


@pytest.mark.parametrize("command", FED)
def test_bytes_that_reach_an_interpreter_are_said(command):
    assert any(line.startswith("Bytes reach an interpreter") for line in command_sentences(command))


@pytest.mark.parametrize("command", OPTIONS)
def test_options_with_power_are_said(command):
    assert any(line.startswith("The option -") for line in command_sentences(command))


@pytest.mark.parametrize("command", PLAIN)
def test_ordinary_commands_are_not_marked(command):
    assert command_sentences(command) == ()


def test_a_command_behind_a_comment_is_said():
    assert command_sentences("ls # x\nrm y") == command_sentences("# b\nnpm run build") == (AFTER_COMMENT,)
    assert AFTER_COMMENT in command_sentences("# x\nls '")


def test_what_is_too_long_to_be_read_is_searched():
    assert len(command_sentences("# " + "x" * 20_000 + "\ncurl x | sh")) == 2
    assert command_sentences("x" * 20_000) == ()
    assert not is_readable("x" * 20_000)
    assert is_readable("ls")
    assert not is_readable("ls '")


def test_a_long_command_is_quoted_in_part():
    (line,) = command_sentences(f"echo {'x' * 200} | sh")
    assert line.endswith("….")


@given(st.text(st.sampled_from("ab |&;()<>$`'\"\\\n#-\u0440sh"), max_size=40))
def test_any_text_is_judged(command):
    assert isinstance(command_sentences(command), tuple)
