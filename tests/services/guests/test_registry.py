"""The agents that are shipped, those of a person, and what is wrong with a file of them."""

from pathlib import Path

import pytest

from desktop.config.folders import resource_folder
from desktop.policy.network.hosts import AllowedHost, check_allowed
from desktop.services.guests.registry import parse_registry, read_registry

GOOD = '[[guest]]\nid = "mine"\nlabel = "Mine"\nprograms = ["mine-acp"]\n'


def test_every_shipped_agent_can_be_used() -> None:
    read = read_registry(resource_folder() / "guests.toml", Path("/nowhere/guests.toml"))
    assert read.faults == ()
    assert [row.id for row in read.rows] == ["claude", "codex", "gemini", "opencode", "qwen", "vibe", "fast-agent"]
    assert all(isinstance(check_allowed(host), AllowedHost) for row in read.rows for host in row.hosts)
    told = [(row.id, *row.gateway.env.values(), *row.gateway.args) for row in read.rows if row.gateway is not None]
    assert all(any("{url}" in word for word in one) and any("{key}" in word for word in one) for one in told)


@pytest.mark.promise("guests-A11")
def test_a_persons_table_replaces_a_shipped_one_and_adds_others(tmp_path: Path) -> None:
    own = tmp_path / "guests.toml"
    own.write_text(GOOD + GOOD.replace("mine", "codex"))
    read = read_registry(resource_folder() / "guests.toml", own)
    codex, mine = read.row("codex"), read.row("mine")
    assert codex is not None
    assert codex.programs == ("codex-acp",)
    assert codex.args == ()
    assert mine is not None
    assert read.row("other") is None


@pytest.mark.promise("guests-A11")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[[guest]]\nid = "x y"\nlabel = "X"\nprograms = ["x"]\n', 1, "id: "),
        (GOOD.replace("label", "lable"), 1, "label: Field required"),
        (GOOD + 'colour = "red"\n', 1, "colour: Extra inputs"),
        (GOOD.replace('["mine-acp"]', '["../x"]'), 1, "programs.0: "),
        (GOOD, 1, "Another agent is called 'mine' too."),
    ],
)
def test_a_broken_table_is_told_with_its_line_and_the_others_load(text: str, line: int, words: str) -> None:
    read = parse_registry(GOOD + text, "f")
    assert [row.id for row in read.rows] == ["mine"]
    ((fault),) = read.faults
    assert fault.line == 4 + line
    assert fault.text.startswith(words)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"[[guest]\n", 1, "It is not TOML"),
        (b"a = 1\n\xff", 2, "It is not UTF-8."),
        (b"guest = 3\n", 0, "Agents are written as [[guest]]"),
        (b"other = 3\n", 0, "Agents are written as [[guest]]"),
        (b"#" * (1024 * 1024 + 1), 0, "It is larger than 1 MiB."),
    ],
)
def test_a_broken_file_is_told(tmp_path: Path, content: bytes, line: int, words: str) -> None:
    own = tmp_path / "guests.toml"
    own.write_bytes(content)
    read = read_registry(resource_folder() / "guests.toml", own)
    ((fault),) = read.faults
    assert (fault.path, fault.line) == (str(own), line)
    assert fault.text.startswith(words)
    assert len(read.rows) == 7


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert "cannot be read" in read_registry(tmp_path, tmp_path / "none").faults[0].text
