import json
from pathlib import Path

import pytest

from desktop.services.mcp.imports import NO_NETWORK, Found, find_imports, programs


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def found(home: Path, project: Path | None = None) -> list[Found]:
    return find_imports(programs(home, "linux"), project)[0]


def test_each_program_is_read_in_its_own_words(tmp_path: Path) -> None:
    one = {"command": "npx", "args": ["-y", "files", "${workspaceFolder}"]}
    write(tmp_path / ".config/Claude/claude_desktop_config.json", {"mcpServers": {"Desk Top": one}})
    write(
        tmp_path / ".claude.json", {"mcpServers": {"code": one}, "projects": {"/shop": {"mcpServers": {"shop": one}}}}
    )
    write(tmp_path / ".config/Code/User/mcp.json", '{\n// a word\n"servers": {"vs": {"url": "https://e.org/mcp",}, }}')
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"cursor": one}})
    write(tmp_path / ".codeium/windsurf/mcp_config.json", {"mcpServers": {"surf": {"serverUrl": "https://e.org"}}})
    zed = {"context_servers": {"zed": {"source": "custom", "command": {"path": "zed-server", "args": ["a"]}}}}
    write(tmp_path / ".config/zed/settings.json", zed)

    rows = {one.shown.program: one.shown for one in found(tmp_path)}
    assert list(rows) == ["Claude Desktop", "Claude Code", "VS Code", "Cursor", "Windsurf", "Zed"]
    assert rows["Claude Desktop"].server.id == "desk-top"
    assert rows["Claude Desktop"].server.command == ("npx", "-y", "files", "${lane}")
    assert rows["Claude Desktop"].server.network == "off"
    assert NO_NETWORK in rows["Claude Desktop"].notes
    assert rows["VS Code"].server.url == "https://e.org/mcp"
    assert rows["Windsurf"].server.url == "https://e.org"
    assert rows["Zed"].server.command == ("zed-server", "a")
    assert [one.shown.server.id for one in found(tmp_path, Path("/shop"))][1:3] == ["code", "shop"]


def test_secrets_become_marks_and_are_shown_by_name_alone(tmp_path: Path) -> None:
    env = {"API_KEY": "hunter2hunter2", "MODE": "fast", "REGION": "${REGION}", "PIN": "${input:pin}", "N": 3}
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "x", "env": env}}})
    (one,) = found(tmp_path)
    assert dict(one.shown.server.env) == {
        "API_KEY": "${secret:API_KEY}",
        "MODE": "fast",
        "REGION": "${env:REGION}",
        "PIN": "${secret:PIN}",
        "N": "3",
    }
    assert one.shown.secrets == ("API_KEY",)
    assert dict(one.secrets) == {"API_KEY": "hunter2hunter2"}
    assert "hunter2" not in repr(one.shown)
    assert any("type them as secrets" in note for note in one.shown.notes)


def test_a_value_in_the_shape_of_a_key_is_a_secret_whatever_its_name(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    server = {"command": "x", "args": [token], "env": {"GITHUB": token}, "alwaysAllow": ["a"]}
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": server}})
    (one,) = found(tmp_path)
    assert one.shown.secrets == ("GITHUB",)
    assert any("command line holds" in note for note in one.shown.notes)
    assert "Left out: alwaysAllow." in one.shown.notes


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (3, "no object"),
        ({}, "either a command"),
        ({"command": "x", "args": "y"}, "no list"),
        ({"command": "x", "args": [3]}, "no list of words"),
        ({"command": "x", "env": 3}, "no object"),
        ({"command": "x", "env": {"A": {}}}, "no text"),
        ({"command": "x", "env": {"LD_PRELOAD": "x"}}, "LD_PRELOAD"),
        ({"command": "x", "env": {"A": "${b c} d"}}, "means nothing here"),
        ({"url": "http://example.org"}, "by https"),
    ],
)
def test_what_cannot_be_taken_over_is_shown_with_the_reason(tmp_path: Path, said: object, problem: str) -> None:
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": said}})
    (one,) = found(tmp_path)
    assert problem in one.shown.problem


def test_a_file_that_cannot_be_read_is_named_and_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path / ".claude.json", '{\n"mcpServers": ,}')
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    rows, (fault,) = find_imports(programs(tmp_path, "linux"))
    assert [row.shown.server.id for row in rows] == ["a"]
    assert fault.path.endswith(".claude.json")
    assert fault.line == 2


def test_the_key_changes_with_what_would_be_started(tmp_path: Path) -> None:
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    first = found(tmp_path)[0].shown.key
    write(tmp_path / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "y"}}})
    assert found(tmp_path)[0].shown.key != first


def test_the_places_are_those_of_each_system(tmp_path: Path) -> None:
    mac, windows = programs(tmp_path, "darwin"), programs(tmp_path, "win32", tmp_path / "Roaming")
    assert mac[0].path == tmp_path / "Library/Application Support/Claude/claude_desktop_config.json"
    assert windows[0].path == tmp_path / "Roaming/Claude/claude_desktop_config.json"
    assert windows[-1].path == tmp_path / "Roaming/Zed/settings.json"
