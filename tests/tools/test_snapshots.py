"""What the model is told of each tool changes only on purpose: see tests/update_snapshots.py."""

import json
from pathlib import Path

import pytest

from desktop.tools.registry import description, discover

FOLDER = Path(__file__).parents[1] / "snapshots" / "tools"
TOOLS = {tool.name: tool for tool in discover().tools}


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_tool_is_as_its_snapshot_says(name: str) -> None:
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert description(TOOLS[name]) == stored


def test_there_is_no_snapshot_without_a_tool() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == set(TOOLS)
