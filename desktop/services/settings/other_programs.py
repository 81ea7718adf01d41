"""addresses(): where other programs of this person have their model services, read from their settings files."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.config.settings import address_problem
from desktop.domain.core.service_kinds import FoundAddress

MOST_BYTES = 1_000_000
MOST_ADDRESSES = 50
_MESSAGES, _CHAT = "compatible", "openai_compatible"
_AIDER = re.compile(r"^\s*(openai-api-base|anthropic-api-base)\s*:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)

Found = Iterator[tuple[str, str]]
"""Kinds of services with their addresses."""


def addresses(home: Path) -> tuple[FoundAddress, ...]:
    """Those below this home folder, each once, at most `MOST_ADDRESSES`. A file that is not there, too long or not to
    be read says nothing; an address to which no key may go is left out. Nothing else is taken from the files."""
    found: dict[tuple[str, str], FoundAddress] = {}
    for program, name, read in _PROGRAMS:
        for kind, address in _read(home / name, read):
            if not address_problem(address):
                one = FoundAddress(program=program, file=f"~/{name}", kind=kind, address=address)
                found.setdefault((kind, address.rstrip("/")), one)
    return tuple(found.values())[:MOST_ADDRESSES]


def _read(path: Path, read: Callable[[str], Found]) -> list[tuple[str, str]]:
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        return list(read(text.decode("utf-8"))) if len(text) <= MOST_BYTES else []
    except (OSError, ValueError, RecursionError):  # TOML, JSON and UTF-8 fail as ValueError
        return []


def _claude(text: str) -> Found:
    yield from _texts(_MESSAGES, _at(json.loads(text), "env", "ANTHROPIC_BASE_URL"))


def _codex(text: str) -> Found:
    providers = _at(tomllib.loads(text), "model_providers")
    for provider in providers.values() if isinstance(providers, dict) else ():
        yield from _texts(_CHAT, _at(provider, "base_url"))


def _opencode(text: str) -> Found:
    providers = _at(json.loads(text), "provider")
    for name, provider in providers.items() if isinstance(providers, dict) else ():
        kind = _MESSAGES if name == "anthropic" or "anthropic" in str(_at(provider, "npm")) else _CHAT
        yield from _texts(kind, _at(provider, "options", "baseURL"))


def _aider(text: str) -> Found:
    for match in _AIDER.finditer(text):
        yield (_MESSAGES if match.group(1).startswith("anthropic") else _CHAT), match.group(2)


def _at(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _texts(kind: str, value: object) -> Found:
    if isinstance(value, str) and value.strip():
        yield kind, value.strip()


_PROGRAMS: tuple[tuple[str, str, Callable[[str], Found]], ...] = (
    ("Claude Code", ".claude/settings.json", _claude),
    ("Claude Code", ".claude/settings.local.json", _claude),
    ("Codex", ".codex/config.toml", _codex),
    ("opencode", ".config/opencode/opencode.json", _opencode),
    ("aider", ".aider.conf.yml", _aider),
)
"""Programs with the files of their settings below the home folder."""
