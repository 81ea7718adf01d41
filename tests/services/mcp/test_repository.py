import json
import os
from pathlib import Path

import pytest

from desktop.services.mcp.repository import parse_repository, read_repository


def one(said: object, *passed: str, name: str = "a") -> str:
    return json.dumps({"mcpServers": {name: said}}, indent=1)


def test_servers_of_a_repository_have_no_network_and_read_the_lane_alone() -> None:
    read = parse_repository(one({"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}, name="My Server"))
    (server,) = read.servers
    assert server.id == "my-server"
    assert server.command == ("npx", "-y", "x")
    assert (server.network, server.folder, server.scope) == ("off", "read", "repository")


def test_a_server_at_an_address_is_taken_with_its_headers() -> None:
    said = {"type": "http", "url": "https://e.org/mcp", "headers": {"X": "${TOKEN}"}}
    (server,) = parse_repository(one(said), {"TOKEN"}).servers
    assert server.url == "https://e.org/mcp"
    assert server.headers == (("X", "${env:TOKEN}"),)


@pytest.mark.parametrize("text", ["${HOME}", "${HOME:-/x}", "${secret:KEY}", "${}"])
def test_a_variable_that_the_person_did_not_name_is_refused(text: str) -> None:
    read = parse_repository(one({"command": "x", "env": {"A": text}}), {"TOKEN"})
    assert read.servers == ()
    assert "which you did not allow" in read.faults[0].text
    assert read.faults[0].line == 3


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{\n// a comment\n"mcpServers": {}}', 2, "not JSON"),
        ("[" * 100_000, 0, "nested too deeply"),
        ("[]", 1, "no"),
        ('{"mcpServers": []}', 1, "no"),
        (one(3), 3, "no object"),
        (one({"command": "x", "more": 1}), 3, "Unknown key 'more'"),
        (one({"command": "x", "args": "y"}), 3, "list of words"),
        (one({"command": ["x"]}), 3, "are text"),
        (one({"command": "x", "env": {"A": 1}}), 3, "object of texts"),
        (one({"command": "x", "type": "odd"}), 3, "type"),
        (one({"command": "x", "cwd": "../y"}), 3, "below the lane"),
        (one({"command": "x", "env": {"PATH": "."}}), 3, "PATH"),
        (one({}), 3, "either a command"),
        (one({"command": "x"}, name="???"), 3, "small letters"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(text: str, line: int, said: str) -> None:
    read = parse_repository(text)
    assert read.servers == ()
    assert said in read.faults[0].text
    assert read.faults[0].line == line


def test_two_names_that_become_one_id_are_no_two_servers() -> None:
    read = parse_repository(json.dumps({"mcpServers": {"a b": {"command": "x"}, "A-B": {"command": "y"}}}))
    assert [server.command for server in read.servers] == [("x",)]
    assert "told apart" in read.faults[0].text


def test_only_a_regular_file_of_the_lane_is_read(tmp_path: Path) -> None:
    assert read_repository(tmp_path, ()).servers == ()
    path = tmp_path / ".mcp.json"
    (tmp_path / "other").write_text(one({"command": "x"}))
    path.symlink_to(tmp_path / "other")
    assert "cannot be read" in read_repository(tmp_path, ()).faults[0].text
    path.unlink()
    os.mkfifo(path)
    assert "no regular file" in read_repository(tmp_path, ()).faults[0].text
    path.unlink()
    path.write_bytes(b"{\n\xff")
    assert read_repository(tmp_path, ()).faults[0].line == 2
    path.write_bytes(b" " * (1024 * 1024 + 1))
    assert "1 MiB" in read_repository(tmp_path, ()).faults[0].text
    path.write_text(one({"command": "x"}))
    assert len(read_repository(tmp_path, ()).servers) == 1
