"""The servers that an editor names, read from its list."""

import sys

from desktop.services.mcp.named import MOST, named_servers

SAID = {"name": "Fake", "command": sys.executable, "args": ["server.py"], "env": [{"name": "TOKEN", "value": "s3cr3t"}]}


def test_what_an_editor_may_name() -> None:
    read = named_servers(
        [
            SAID,
            {"type": "http", "name": "At an address", "url": "https://mcp.example/v1", "headers": []},
            {"name": "fake", "command": "/bin/x", "args": []},
            {"name": "marks", "command": "/bin/x", "args": [], "env": [{"name": "A", "value": "${HOME}"}]},
            {"name": "odd", "command": "/bin/x", "args": [], "env": {"A": "b"}},
            "text",
        ]
    )
    assert [(one.id, one.scope, one.network) for one in read.servers] == [
        ("fake", "editor", "off"),
        ("at-an-address", "editor", "open"),
    ]
    assert [fault.server_id for fault in read.faults] == ["fake", "marks", "odd", ""]
    many = named_servers([{**SAID, "name": f"s{number}"} for number in range(MOST + 1)])
    assert len(many.servers) == MOST
    assert "more than 50" in many.faults[-1].text
