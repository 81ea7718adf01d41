"""What nearly every program that is forked for a test needs, loaded before it is."""

import importlib

from desktop.providers.builtin.anthropic import load_messages
from desktop.providers.kinds import builtin_kinds
from desktop.tools.registry import builtin_tools

OFTEN = (
    "desktop.domain.display.surfaces",
    "desktop.policy.display_warn",
    "desktop.policy.mcp.arguments",
    "desktop.policy.shell.assess",
    "importlib_metadata",
    "psutil",
    "pydantic.dataclasses",
    "tomlkit",
    "tree_sitter_bash",
)
"""What the product imports at its first use, and its own libraries: 0.2 s of each program with a command on a card.
Never `keyring`, which chooses its backend by the environment of who imports it."""


def load_for_turns() -> None:
    """Tools, services, and what judges and shows a command."""
    builtin_tools()
    builtin_kinds()
    load_messages()
    for name in OFTEN:
        importlib.import_module(name)
