"""Addresses of model services in the settings of other programs."""

from pathlib import Path

from desktop.services.settings.other_programs import MOST_BYTES, addresses

CLAUDE = '{"env": {"ANTHROPIC_BASE_URL": "https://one.example", "ANTHROPIC_AUTH_TOKEN": "sk-secret-1"}}'
CODEX = """
[model_providers.mine]
base_url = "http://127.0.0.1:8000/v1"
env_key = "MY_KEY"
[model_providers.bad]
base_url = "http://two.example/v1"
[model_providers.without]
name = "x"
"""
OPENCODE = """{"provider": {
 "anthropic": {"options": {"baseURL": "https://three.example", "apiKey": "sk-secret-2"}},
 "mine": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://four.example/v1"}},
 "again": {"options": {"baseURL": "https://four.example/v1/"}}, "odd": 3}}"""
AIDER = "openai-api-base: 'https://five.example/v1'  # ours\nopenai-api-key: sk-secret-3\n"


def put(home: Path, name: str, text: str | bytes) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_the_addresses_alone_are_read_each_once(tmp_path: Path) -> None:
    put(tmp_path, ".claude/settings.json", CLAUDE)
    put(tmp_path, ".codex/config.toml", CODEX)
    put(tmp_path, ".config/opencode/opencode.json", OPENCODE)
    put(tmp_path, ".aider.conf.yml", AIDER)
    found = addresses(tmp_path)
    assert [(one.program, one.kind, one.address) for one in found] == [
        ("Claude Code", "compatible", "https://one.example"),
        ("Codex", "openai_compatible", "http://127.0.0.1:8000/v1"),
        ("opencode", "compatible", "https://three.example"),
        ("opencode", "openai_compatible", "https://four.example/v1"),
        ("aider", "openai_compatible", "https://five.example/v1"),
    ]
    assert found[0].file == "~/.claude/settings.json"
    assert "secret" not in repr(found)


def test_files_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    assert addresses(tmp_path) == ()
    put(tmp_path, ".claude/settings.json", b"\xff\xfe")
    put(tmp_path, ".claude/settings.local.json", "[" * 100_000)
    put(tmp_path, ".codex/config.toml", "model_providers = 3")
    put(tmp_path, ".config/opencode/opencode.json", '{"provider": [1]}')
    put(tmp_path, ".aider.conf.yml", "#" * MOST_BYTES + "\nopenai-api-base: https://five.example/v1\n")
    assert addresses(tmp_path) == ()
