"""The protocol's own schema tells right messages from wrong ones, so that other tests can ask it."""

from tests.fakes.acp_schema import problems


def test_the_schema_takes_what_the_protocol_says_and_names_what_is_missing() -> None:
    assert problems("session/cancel", "Notification", {"sessionId": "s"}) == []
    assert problems("session/new", "Request", {"cwd": "/lane", "mcpServers": []}) == []
    assert problems("session/new", "Request", {"cwd": "/lane"}) == ["$: 'mcpServers' is a required property"]
    assert problems("initialize", "Response", {"protocolVersion": 1}) == []
    assert problems("session/nothing", "Request", {}) == ["session/nothing has no request"]
