from pathlib import Path

import pytest

from desktop.domain.core.errors import SettingsError
from desktop.domain.mcp.values import McpServer
from desktop.services.mcp.config import parse_servers, read_servers, remove_server, save_server

WHOLE = """\
# my servers
repository_env = ["TOKEN"]

[[server]]
id = "files"  # the files
command = ["files-server", "."]
env = { TOKEN = "${secret:FILES}" }
network = ["example.org"]
time_limit_s = 90
tools = { write = "never" }

[[server]]
id = "far"
url = "https://example.org/mcp"
"""


def test_all_fields_are_read() -> None:
    read = parse_servers(WHOLE, "mcp.toml")
    assert read.faults == ()
    files, far = read.servers
    assert files.env == (("TOKEN", "${secret:FILES}"),)
    assert files.network == ("example.org",)
    assert files.tools == (("write", "never"),)
    assert (files.time_limit_s, files.folder, files.share) == (90, "read", "project")
    assert far.url == "https://example.org/mcp"
    assert read.passed == ("TOKEN",)


def test_names_alone_pass_variables_on() -> None:
    read = parse_servers('[[server]]\nid = "a"\ncommand = ["x"]\nenv = ["TOKEN"]\n', "f")
    assert read.servers[0].env == (("TOKEN", "${env:TOKEN}"),)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('comand = ["x"]', "Unknown key 'comand'"),
        ("scope = 'person'", "Unknown key 'scope'"),
        ("time_limit_s = 601", "from 1 to 600"),
        ("time_limit_s = 'long'", "time_limit_s"),
        ('folder = "write"', 'share = "lane"'),
        ('folder = "all"', "folder"),
        ('cwd = "../x"', "below the lane"),
        ('read = ["x"]', "whole paths"),
        ('dialect = "esperanto"', "no dialect of SQL"),
        ('network = ["a b"]', "list of hosts"),
        ('env = { LD_PRELOAD = "x" }', "LD_PRELOAD"),
        ("env = 3", "env is a table or a list of names"),
        ("tools = 3", "tools is a table"),
        ('tools = { a = "maybe" }', "tools"),
        ('url = "https://example.org"', "either a command"),
    ],
)
@pytest.mark.promise("guests-M8")
def test_a_fault_names_its_line_and_leaves_the_other_servers(line: str, said: str) -> None:
    text = f'[[server]]\nid = "one"\ncommand = ["x"]\n\n[[server]]\nid = "two"\n# a word\n{line}\ncommand = ["y"]\n'
    read = parse_servers(text, "mcp.toml")
    assert [server.id for server in read.servers] == ["one"]
    ((fault),) = read.faults
    assert said in fault.text
    assert fault.server_id == "two"
    assert fault.line == (9 if line.startswith("url") else 8)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[[server]]\nid = \n", 2, "not TOML"),
        ("servers = 3\n", 1, "[[server]]"),
        ("\nserver = 3\n", 2, "[[server]]"),
        ("repository_env = 3\n", 1, "list of names"),
        ('[[server]]\nid = "Big"\ncommand = ["x"]\n', 2, "small letters"),
        ('[[server]]\nid = "a"\ncommand = [""]\n', 3, "names a program"),
        ('[[server]]\nid = "a"\nurl = "http://example.org"\n', 3, "by https"),
        ('[[server]]\nid = "a"\nurl = "https://u:p@example.org"\n', 3, "without user"),
        ('[[server]]\nid = "a"\nurl = "https://[x"\n', 3, "names a host"),
        ('[[server]]\nid = "a"\nurl = "https://e.org"\nheaders = { "a b" = "1" }\n', 4, "header"),
        ('[[server]]\nid = "a"\ncommand = ["x"]\n[[server]]\nid = "a"\ncommand = ["x"]\n', 5, "too"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(text: str, line: int, said: str) -> None:
    fault = parse_servers(text, "mcp.toml").faults[-1]
    assert said in fault.text
    assert fault.line == line


def test_a_file_that_is_none_or_cannot_be_read(tmp_path: Path) -> None:
    assert read_servers(tmp_path / "none").servers == ()
    path = tmp_path / "mcp.toml"
    path.write_bytes(b"# one\n\xff")
    assert read_servers(path).faults[0].line == 2
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    assert "1 MiB" in read_servers(path).faults[0].text
    assert "cannot be read" in read_servers(tmp_path).faults[0].text


def test_saving_keeps_comments_and_other_servers(tmp_path: Path) -> None:
    path = tmp_path / "config" / "mcp.toml"
    path.parent.mkdir()
    path.write_text(WHOLE)
    files = read_servers(path).servers[0]
    save_server(path, files.model_copy(update={"time_limit_s": 60, "share": "lane"}), "files")
    text = path.read_text()
    assert 'id = "files"  # the files' in text
    assert "# my servers" in text
    assert "time_limit_s" not in text
    assert read_servers(path).servers[0].share == "lane"

    new = McpServer(id="new", command=("x",), env=(("A", "1"),), read=("/opt/x",))
    save_server(path, new)
    assert read_servers(path).servers[2] == new
    remove_server(path, "files")
    assert [server.id for server in read_servers(path).servers] == ["far", "new"]


def test_a_first_server_makes_the_file_and_the_last_one_leaves_it_empty(tmp_path: Path) -> None:
    path = tmp_path / "config" / "mcp.toml"
    save_server(path, McpServer(id="one", command=("x",)))
    assert [server.id for server in read_servers(path).servers] == ["one"]
    remove_server(path, "one")
    assert read_servers(path).servers == ()


@pytest.mark.parametrize(
    ("server", "replaces", "said"),
    [
        (McpServer(id="far", command=("x",)), "", "called 'far' too"),
        (McpServer(id="far", command=("x",)), "files", "called 'far' too"),
        (McpServer(id="bad", command=("x",), folder="write"), "", "cannot be written"),
    ],
)
def test_what_cannot_be_saved_changes_nothing(tmp_path: Path, server: McpServer, replaces: str, said: str) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(WHOLE)
    with pytest.raises(SettingsError, match=said):
        save_server(path, server, replaces)
    assert path.read_text() == WHOLE


def test_a_file_with_a_fault_of_its_own_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text("servers = 3\n")
    with pytest.raises(SettingsError, match=r"mcp\.toml, line 1"):
        save_server(path, McpServer(id="one", command=("x",)))
    with pytest.raises(SettingsError, match="any more"):
        remove_server(tmp_path / "other.toml", "gone")
